//! dyno's engines beside other projects' on the same weights, by a published run. A reader who chooses an engine needs
//! this first: the papers' own factors mostly compare an engine with its earlier version.
//!
//! Names tell the pairs. The summary's groups of one model hold systems that open the same files, and other engines
//! mostly open another form of them.

use dyno_record::identity::{Launch, RunSystem};
use dyno_record::{Track, Verdict};
use dyno_report::{Field, Table};
use dyno_results::contest::Set;
use dyno_results::summary::Duel;
use dyno_results::turns::Measure;
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::Order;
use dyno_stats::numbers::plain;
use itertools::Itertools;
use serde::Serialize;

use super::measured::Measured;

/// Tracks that are compared, as the heads of the columns name them.
const TRACKS: [(Track, &str); 3] = [
    (Track::Latency, "line by line"),
    (Track::Throughput1, "whole file, one core"),
    (Track::ThroughputAll, "whole file, all cores"),
];

/// Settings that decide how much work a line is. Systems for which they are known to differ aren't compared.
const WORK: [&str; 2] = ["precision", "beam"];

/// What a reader must know of a system or of all systems of an adapter, by its name.
const CAVEATS: [(&str, &str); 2] = [
    ("fxtranslate", "Firefox's engine (fxtranslate) multiplies by AVX2 alone, whatever the processor has."),
    (
        "marian-nano",
        "nano is too narrow for Marian's quickest form of int8, so marian-nano has a slower one.",
    ),
];

/// The comparison at the head of the page on all papers.
#[derive(Debug, Serialize)]
pub struct SideBySide {
    /// What was measured where, and what it shows.
    pub sentences: Vec<String>,
    /// Path of the run's page.
    pub link: String,
    /// A row for each engine and model.
    pub table: Table,
}

impl SideBySide {
    /// The comparison in `run` on its first test set, whose page lies at `link`; `None` if no two of its systems share
    /// weights.
    pub fn of(run: &Run, summary: &Summary, link: String) -> Option<Self> {
        let set = Set::of(run, summary, run.test_sets.first()?);
        let pairs = pairs(&run.identity.systems);
        let rows: Vec<Row<'_>> = pairs.iter().map(|pair| Row::of(&set, run, *pair)).collect();
        let finding = finding(&rows)?;
        let (scale, place) = (set.scale(), |system: &RunSystem| place(run, system));
        let quality = |system| Field::quality(&scale, set.quality(place(system)));
        let table = Table::of("How many times as fast dyno's engine is, on the same weights", &rows)
            .column("dyno's", |row| Field::text(&row.pair[0].name))
            .column("other", |row| Field::text(&row.pair[1].name))
            .columns(
                TRACKS.iter().enumerate(),
                |(_, (_, head))| format!("#{head}"),
                |(at, _), row| row.shown[*at].clone(),
            )
            .column(format!("#{}, dyno's", scale.title), |row| quality(row.pair[0]))
            .column(format!("#{}, other", scale.title), |row| quality(row.pair[1]))
            .table();
        let where_and_how = Measured { run: Some(run), ..Measured::default() }.conditions().join("; ");
        let [ours, theirs] = pairs.first()?.map(|system| &system.name);
        let pairs_of = format!(
            "{theirs} runs the weights of {ours}, and so do all pairs. Where both name a precision or a beam, these are equal."
        );
        let sentences = [where_and_how + ".", pairs_of].into_iter().chain(caveats(&pairs));
        Some(Self { sentences: sentences.chain(finding).collect(), link, table })
    }
}

/// A system of dyno's, and another project's on the same weights.
type Pair<'a> = [&'a RunSystem; 2];

/// A pair with its factors in [`TRACKS`], as the table shows them, and with the comparisons behind these.
struct Row<'a> {
    pair: Pair<'a>,
    shown: [Field; 3],
    duels: Vec<Duel>,
}

impl<'a> Row<'a> {
    fn of(set: &Set<'_>, run: &Run, pair: Pair<'a>) -> Self {
        let [ours, theirs] = pair.map(|system| place(run, system));
        let cells = TRACKS.map(|(track, _)| set.cell(ours, track).zip(set.cell(theirs, track)));
        let duels = cells.iter().flatten().filter_map(|&cells| duel(cells)).collect();
        Self { pair, shown: cells.map(|cells| cells.map_or_else(Field::none, shown)), duels }
    }
}

/// Comparison of two cells by pairs of rounds; INVALID ones have none.
fn duel((ours, theirs): (&CellSummary, &CellSummary)) -> Option<Duel> {
    ours.duels.get(&(Measure::Speed, theirs.place)).copied()
}

fn shown(cells: (&CellSummary, &CellSummary)) -> Field {
    let is_any = |verdict| [cells.0, cells.1].iter().any(|cell| cell.verdict == verdict);
    let factor = Field::factor(duel(cells).map(|duel| duel.ratio));
    match () {
        () if is_any(Verdict::Invalid) => Field::text("INVALID"),
        () if is_any(Verdict::Noisy) => Field::text(factor.text + " NOISY"),
        () => factor,
    }
}

/// Number of a system, as its cells have it.
fn place(run: &Run, system: &RunSystem) -> usize {
    let is_it = |other: &RunSystem| other.name == system.name;
    run.identity.systems.iter().position(is_it).unwrap_or(usize::MAX)
}

/// Each system of another project that has the name of one of dyno's behind that of its engine, such as `marian-small`,
/// beside that one.
fn pairs(systems: &[RunSystem]) -> Vec<Pair<'_>> {
    let is_own =
        |system: &&RunSystem| matches!(system.launch, Launch::BuiltIn { .. }) && system.twin_of.is_none();
    let own: Vec<&RunSystem> = systems.iter().filter(is_own).collect();
    let shares = |theirs: &RunSystem, ours: &RunSystem| {
        theirs.name.strip_suffix(&ours.name).is_some_and(|engine| engine.ends_with('-'))
    };
    let others = systems.iter().filter(|system| matches!(system.launch, Launch::Adapter(_)));
    let pair = |theirs| {
        let ours = own.iter().filter(|ours| shares(theirs, ours)).max_by_key(|ours| ours.name.len());
        ours.map(|ours| [*ours, theirs]).filter(|[ours, theirs]| have_equal_work(ours, theirs))
    };
    others.filter_map(pair).collect()
}

/// Whether no setting that both have makes the work of one greater.
fn have_equal_work(ours: &RunSystem, theirs: &RunSystem) -> bool {
    let of = |system: &RunSystem, key| {
        let settings = system.launch.settings();
        settings.into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
    };
    WORK.into_iter().all(|key| of(ours, key).zip(of(theirs, key)).is_none_or(|(ours, theirs)| ours == theirs))
}

/// Name of the adapter of another project's system.
fn engine<'a>([_, theirs]: &Pair<'a>) -> &'a str {
    match &theirs.launch {
        Launch::Adapter(adapter) => &adapter.name,
        _ => &theirs.name,
    }
}

/// Caveats of the systems that stand beside ours.
fn caveats(pairs: &[Pair<'_>]) -> impl Iterator<Item = String> {
    let has = |name: &str| pairs.iter().any(|pair| engine(pair) == name || pair[1].name == name);
    CAVEATS.into_iter().filter(move |(name, _)| has(name)).map(|(_, caveat)| caveat.to_owned())
}

/// How often ours is faster or slower, and by how much over each engine; `None` without a comparison.
fn finding(rows: &[Row<'_>]) -> Option<[String; 2]> {
    let duels = || rows.iter().flat_map(|row| &row.duels);
    let count = |order| duels().filter(|duel| duel.order == order).count();
    let (all, there) = (rows.len() * TRACKS.len(), duels().count());
    let (faster, slower) = (count(Order::Better), count(Order::Worse));
    let engines = rows.iter().map(|row| engine(&row.pair)).unique();
    let range = |name| {
        let own = rows.iter().filter(|row| engine(&row.pair) == name).flat_map(|row| &row.duels);
        let (least, most) = own.map(|duel| duel.ratio.value).minmax().into_option()?;
        Some(format!("{name} {} to {}", plain(least), plain(most)))
    };
    let lacking = match all - there {
        0 => String::new(),
        lacking => format!(" ({lacking} more lack a figure)"),
    };
    (there > 0).then(|| {
        [
            format!(
                "dyno's engine is faster in {faster} of {there} comparisons{lacking}, and slower in {slower}."
            ),
            format!("The factors over each engine: {}.", engines.filter_map(range).join("; ")),
        ]
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn published() -> (Run, Summary) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/2026-11-28-amd-epyc-zen-5-2c");
        let run = Run::read(Path::new(folder)).unwrap();
        let summary = Summary::of(&run);
        (run, summary)
    }

    fn row<'a>(beside: &'a SideBySide, other: &str) -> Vec<&'a str> {
        let fields = beside.table.rows.iter().map(|row| &row.fields);
        let fields = fields.into_iter().find(|fields| fields[1].text == other).unwrap();
        fields.iter().map(|field| field.text.as_str()).collect()
    }

    #[test]
    fn each_engine_of_others_stands_beside_ours_on_its_weights_with_the_runs_own_factors() {
        let (run, summary) = published();
        let beside = SideBySide::of(&run, &summary, "there".into()).unwrap();
        assert_eq!(beside.table.rows.len(), 7);
        assert_eq!(row(&beside, "marian-small-aan")[0], "small-aan", "the longest name");
        // Medians of the run's summary.csv: 7,221 over 2,227 and 12,164 over 5,693 words a second.
        let ct2 = row(&beside, "ct2-teacher");
        for (field, factor) in [(ct2[2], 7221.0 / 2227.0), (ct2[3], 12_164.0 / 5693.0)] {
            let (low, high) = field.trim_end_matches(')').split_once('(').unwrap().1.split_once('–').unwrap();
            let interval = low.parse::<f64>().unwrap()..high.parse().unwrap();
            assert!(interval.contains(&factor), "{field}: {factor}");
        }
        let said = beside.sentences.join(" ");
        assert!(said.contains("AVX2 alone") && said.contains("marian-nano has a slower one"), "{said}");
        assert!(
            said.contains("faster in 19 of 19 comparisons (2 more lack a figure), and slower in 0."),
            "{said}"
        );
        assert!(said.contains("; ctranslate2 2.16 to 3.17; "), "{said}");
    }

    #[test]
    fn what_is_invalid_or_noisy_says_so() {
        let (run, mut summary) = published();
        let beside = |summary: &Summary| SideBySide::of(&run, summary, String::new()).unwrap();
        assert_eq!(row(&beside(&summary), "marian-nano")[3..5], ["INVALID"; 2]);
        let is_it = |cell: &&mut CellSummary| cell.system == "ct2-teacher" && cell.track == Track::Latency;
        summary.cells.iter_mut().find(is_it).unwrap().verdict = Verdict::Noisy;
        assert!(row(&beside(&summary), "ct2-teacher")[2].ends_with(" NOISY"));
    }

    #[test]
    fn neither_other_weights_nor_another_search_are_compared() {
        let (mut run, summary) = published();
        let rows = |run: &Run| SideBySide::of(run, &summary, String::new()).map(|it| it.table.rows.len());
        let theirs = run.identity.systems.iter_mut().find(|system| system.name == "ct2-teacher").unwrap();
        let Launch::Adapter(adapter) = &mut theirs.launch else { panic!("an adapter") };
        adapter.settings.insert("precision".into(), "f32".into());
        assert_eq!(rows(&run), Some(6));
        run.identity.systems.retain(|system| matches!(system.launch, Launch::BuiltIn { .. }));
        assert_eq!(rows(&run), None);
    }
}
