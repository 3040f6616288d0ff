//! dyno's engines beside other projects' on the same weights, by a published run. The papers' own factors mostly compare an
//! engine with an earlier one of the same people; this is what somebody who chooses an engine wants to know first.

use dyno_record::Track;
use dyno_record::identity::{Launch, RunSystem};
use dyno_report::{Field, Table};
use dyno_results::summary::Duel;
use dyno_results::turns::Measure;
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::Order;
use dyno_stats::numbers::{counted, plain};
use serde::Serialize;

use super::measured::Measured;

/// Tracks that are compared, as the heads of the columns name them.
const TRACKS: [(Track, &str); 3] = [
    (Track::Latency, "line by line"),
    (Track::Throughput1, "whole file, one core"),
    (Track::ThroughputAll, "whole file, all cores"),
];

/// What a reader must know of an engine, by the name of its adapter.
const CAVEATS: [(&str, &str); 1] =
    [("fxtranslate", "Firefox's engine (fxtranslate) multiplies by AVX2 alone, whatever the processor has.")];

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
    /// The comparison in `run`, whose page lies at `link`; `None` if no two of its systems share weights.
    pub fn of(run: &Run, summary: &Summary, link: String) -> Option<Self> {
        let test_set = &run.test_sets.first()?.name;
        let cell = |system: &RunSystem, track| {
            let is_it = |cell: &&CellSummary| {
                (&cell.system, &cell.test_set, cell.track) == (&system.name, test_set, track)
            };
            summary.cells.iter().find(is_it)
        };
        let duel = |[ours, theirs]: &Pair<'_>, track| -> Option<&Duel> {
            cell(ours, track)?.duels.get(&(Measure::Speed, cell(theirs, track)?.place))
        };
        let quality = |system, scale| {
            let scored = TRACKS.iter().find_map(|(track, _)| cell(system, *track)?.first_quality());
            Field::quality(scale, scored)
        };
        let pairs = pairs(&run.identity.systems);
        let duels = pairs.iter().flat_map(|pair| TRACKS.iter().filter_map(|(track, _)| duel(pair, *track)));
        let finding = finding(&duels.collect::<Vec<_>>())?;
        let mut rows = Table::of("How many times as fast dyno's engine is, on the same weights", &pairs)
            .column("ours", |[ours, _]| Field::text(&ours.name))
            .column("theirs", |[_, theirs]| Field::text(&theirs.name))
            .columns(
                TRACKS,
                |(_, head)| format!("#{head}"),
                |(track, _), pair| Field::factor(duel(pair, *track).map(|duel| duel.ratio)),
            );
        if let Some(scale) = summary.metrics.first() {
            let name = &scale.title;
            rows = rows
                .column(format!("#{name}, ours"), |[ours, _]| quality(ours, scale))
                .column(format!("#{name}, theirs"), |[_, theirs]| quality(theirs, scale));
        }
        let where_and_how = Measured { run: Some(run), ..Measured::default() }.conditions().join("; ");
        let names = "Systems whose names end alike run on the same weights.".to_owned();
        let sentences = [where_and_how + ".", names].into_iter().chain(caveats(&pairs)).chain([finding]);
        Some(Self { sentences: sentences.collect(), link, table: rows.table() })
    }
}

/// A system of dyno's, and another project's on the same weights.
type Pair<'a> = [&'a RunSystem; 2];

/// Each system of another project that has the name of one of dyno's behind that of its engine: `marian-small`.
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
        ours.map(|ours| [*ours, theirs])
    };
    others.filter_map(pair).collect()
}

/// Caveats of the engines that stand beside ours.
fn caveats(pairs: &[Pair<'_>]) -> impl Iterator<Item = String> {
    let has = |adapter: &str| {
        pairs.iter().any(|[_, theirs]| matches!(&theirs.launch, Launch::Adapter(it) if it.name == adapter))
    };
    CAVEATS.into_iter().filter(move |(adapter, _)| has(adapter)).map(|(_, caveat)| caveat.to_owned())
}

/// How often ours is faster or slower, and by how much at least and at most; `None` without a comparison.
fn finding(duels: &[&Duel]) -> Option<String> {
    let ratios = || duels.iter().map(|duel| duel.ratio.value);
    let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
    let count = |order| duels.iter().filter(|duel| duel.order == order).count();
    let of = counted(duels.len(), "comparison", "comparisons");
    let (faster, slower) = (count(Order::Better), count(Order::Worse));
    Some(format!(
        "Ours is faster in {faster} of {of} and slower in {slower}; the factors are {} to {}.",
        plain(least),
        plain(most)
    ))
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

    #[test]
    fn each_engine_of_others_stands_beside_ours_on_its_weights_with_the_runs_own_factors() {
        let (run, summary) = published();
        let beside = SideBySide::of(&run, &summary, "there".into()).unwrap();
        let names = |row: usize| {
            let fields = &beside.table.rows[row].fields;
            [fields[0].text.as_str(), fields[1].text.as_str()]
        };
        let all: Vec<_> = (0..beside.table.rows.len()).map(names).collect();
        let ends_alike = |[ours, theirs]: &[&str; 2]| theirs.ends_with(&format!("-{ours}"));
        assert!(all.iter().all(ends_alike), "{all:?}");
        assert_eq!(all[2], ["small-aan", "marian-small-aan"], "the longest name");
        // Medians of the run's summary.csv: 7,221 over 2,227 and 12,164 over 5,693 words a second.
        let ct2 = &beside.table.rows[all.iter().position(|pair| pair[1] == "ct2-teacher").unwrap()].fields;
        for (field, factor) in [(&ct2[2], 7221.0 / 2227.0), (&ct2[3], 12_164.0 / 5693.0)] {
            let (low, high) =
                field.text.trim_end_matches(')').split_once('(').unwrap().1.split_once('–').unwrap();
            let interval = low.parse::<f64>().unwrap()..high.parse().unwrap();
            assert!(interval.contains(&factor), "{}: {factor}", field.text);
        }
        let said = &beside.sentences;
        assert!(said[2].contains("AVX2 alone") && said[3].starts_with("Ours is faster in "), "{said:?}");
    }

    #[test]
    fn a_run_without_common_weights_has_no_comparison() {
        let (mut run, summary) = published();
        run.identity.systems.retain(|system| matches!(system.launch, Launch::BuiltIn { .. }));
        assert!(SideBySide::of(&run, &summary, String::new()).is_none());
    }
}
