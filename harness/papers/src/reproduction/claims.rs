//! The claims of a paper's table: the paper's figure, ours with its interval, and the verdict.
//!
//! Machines differ, so claims are factors, sizes and shares, never times. A table has one base, the paper's: a
//! speed-up over a library's products is judged over that library's, or not at all. A ratio of costs compares
//! networks, so one engine runs both sides. Settings of one claim fold into a line.

use dyno_stats::Estimate;

use super::claim::{Claim, Setting, folded};
use super::measured::{ONEDNN, STAND_IN};
use super::rows::{Reproduction, Row};
use super::statements::{quality, statements};
use super::verdict::Verdict;
use crate::tables::{Baseline, Column, Point, Unit};

/// Reason of a missing figure of a library's product alone.
const PEERS_NEEDED: &str = "`ci/peers/kernels/run --products` measures it";

/// Sides that our factor is over, libraries apart.
const OVER_PROGRAM: &str = "another program";
const OVER_OURS: &str = "our own engine";

/// Claims of the rows, then of the statements, then of the quality.
pub fn claims(reproduction: &Reproduction) -> Vec<Claim> {
    let table = &reproduction.table;
    // A figure plots a table of the paper: its statements are its own claims.
    let has_own = !table.plots && table.repeats.is_none();
    let rows = reproduction.rows.iter().filter(|_| has_own);
    let points = rows.filter_map(|row| Some((row, table.point(&row.name)?)));
    let settings = points.filter(|(_, point)| !point.repeats);
    let of_rows = folded(settings.flat_map(|(row, point)| of_row(reproduction, row, point)).collect());
    of_rows.into_iter().chain(statements(reproduction)).chain(quality(reproduction)).collect()
}

/// A setting for each column that makes a claim.
fn of_row(reproduction: &Reproduction, row: &Row, point: &Point) -> Vec<Setting> {
    let columns = reproduction.table.columns.iter().enumerate().filter(|(_, column)| !column.repeats);
    let settings = columns.filter_map(|(at, column)| {
        let (setting, judged) = match column.unit {
            Unit::Megabytes | Unit::Mebibytes | Unit::Millions => size(reproduction, at, row)?,
            _ => factor(reproduction, at, row, point)?,
        };
        let absent = || absence(reproduction, row, point, column);
        let is_open = row.lacking.is_none() && column.pending.is_none();
        let verdict = judged.filter(|_| is_open).unwrap_or_else(absent);
        let headline = point.headline.as_ref() == Some(&column.head);
        let folds = !headline && setting.unit == "×";
        let (claim, lacking) = (point.claim.clone().filter(|_| folds), row.lacking.clone());
        Some(Setting { verdict, headline, claim, lacking, ..setting })
    });
    settings.collect()
}

/// A setting, and its verdict where a figure of ours was judged.
type Open = (Setting, Option<Verdict>);

/// Verdict on a row where no figure of ours is there.
fn absence(reproduction: &Reproduction, row: &Row, point: &Point, column: &Column) -> Verdict {
    let lacking = row.lacking.as_ref().map(ToString::to_string);
    let pending = [&column.pending, &point.pending, &row.absent];
    let pending = pending.into_iter().find_map(Option::as_ref);
    reproduction.without_figure(point.missing.clone().or(lacking), pending)
}

/// A size, unless the paper prints the base's again: the same network in the same file.
fn size(reproduction: &Reproduction, at: usize, row: &Row) -> Option<Open> {
    let (column, pair) = (&reproduction.table.columns[at], &row.columns[at]);
    let (paper, unit) = (pair.paper?, column.unit.name());
    let base = row.base.as_ref().filter(|base| **base != row.name).and_then(|base| reproduction.row(base));
    if base.is_some_and(|base| base.columns[at].paper == Some(paper)) {
        return None;
    }
    let what = format!("{}, {}", row.name, column.head);
    let setting = Setting::of(what, paper, pair.ours.map(Estimate::exactly), unit);
    Some((setting, pair.ours.map(|ours| Verdict::of_size(ours, paper))))
}

fn factor(reproduction: &Reproduction, at: usize, row: &Row, point: &Point) -> Option<Open> {
    let base = row.base.as_ref().filter(|base| **base != row.name)?;
    let (table, pair) = (&reproduction.table, &row.columns[at]);
    let paper = pair.paper_factor?;
    // The paper's own words are “faster”, without a figure.
    let only_faster = point.factor == Some(1.0);
    let compares_networks = table.costs || point.costs;
    let is_cost = compares_networks || paper < 1.0;
    let library = table.baseline.filter(|_| !compares_networks);
    let (ours, over) = match library {
        Some(library) => (pair.over_library, library.products()),
        None => (pair.factor, side(reproduction, base)),
    };
    let judged = ours.map(|ours| match () {
        () if only_faster => Verdict::of_faster(ours),
        () if is_cost => Verdict::of_cost(ours, paper),
        () => Verdict::of_speed_up(ours, paper),
    });
    let needs =
        || library.filter(|_| pair.ours.is_some()).map(|library| needed(library, reproduction, point, base));
    let peers = || (table.campaign.is_none() && point.product.is_some()).then(|| PEERS_NEEDED.into());
    let verdict = judged.or_else(|| needs().or_else(peers).map(Verdict::NotMeasured));
    let head = &table.columns[at].head;
    let of_column = if table.columns.len() > 1 { format!(" ({head})") } else { String::new() };
    let what = format!("“{}” over “{base}”{of_column}", row.name);
    let over = ours.map(|_| over);
    Some((Setting { over, only_faster, ..Setting::of(what, paper, ours, "×") }, verdict))
}

/// What a factor over a library's products lacks: the systems without a figure, or rounds of one number.
fn needed(library: Baseline, reproduction: &Reproduction, point: &Point, base: &str) -> String {
    let own = point.by_library.then(|| library.system(point.system()));
    let base = reproduction.table.point(base).map(|base| library.system(base.system()));
    let is_there = |name: &String| reproduction.row(name).is_some_and(Row::is_measured);
    let lacking = own.into_iter().chain(base).filter(|name| !is_there(name));
    let lacking: Vec<String> = lacking.map(|name| format!("“{name}”")).collect();
    let lacking = if lacking.is_empty() { "more rounds".into() } else { lacking.join(" and ") };
    format!("it needs {lacking}, which `dyno reproduce {}` measures", reproduction.table.id)
}

/// The side of a base: a library's products, another program, or our own engine.
fn side(reproduction: &Reproduction, base: &str) -> String {
    let Some(point) = reproduction.table.point(base) else { return OVER_OURS.into() };
    let library = point.product.and_then(|product| product.by).map(|library| library.products());
    let row = reproduction.row(base);
    let is_program = row.is_some_and(|row| row.backend.is_none() && row.is_measured());
    match library {
        Some(library) => library,
        None if point.system().ends_with(STAND_IN) => "the gemm crate's products".into(),
        None if point.system().ends_with(ONEDNN) => "oneDNN's products".into(),
        None if is_program && reproduction.table.campaign.is_some() => OVER_PROGRAM.into(),
        None => OVER_OURS.into(),
    }
}

#[cfg(test)]
mod tests {
    use dyno_api::Breakdown;
    use dyno_record::Track;
    use dyno_results::CellBreakdown;

    use super::super::measured::Measured;
    use super::super::sources::Coverage;
    use super::super::verdict::Lacking;
    use super::*;
    use crate::tables::tables;

    fn reproduction(id: &str) -> Reproduction {
        let table = tables().unwrap().into_iter().find(|table| table.id == id).unwrap();
        Reproduction::of(&table, Measured::default())
    }

    fn claim(reproduction: &Reproduction, what: &str) -> Claim {
        claims(reproduction).into_iter().find(|claim| claim.what.contains(what)).unwrap()
    }

    fn row<'a>(reproduction: &'a mut Reproduction, name: &str) -> &'a mut Row {
        reproduction.rows.iter_mut().find(|row| row.name == name).unwrap()
    }

    fn around(value: f64) -> Option<Estimate> {
        Some(Estimate { value, low: value - 0.1, high: value + 0.1 })
    }

    #[test]
    fn what_was_not_measured_says_how_to_measure_it() {
        let claim = claim(&reproduction("devlin-1"), "Merge Rec.");
        // Printed; 418 / 95 is 4.40.
        assert_eq!((claim.paper.as_str(), claim.headline), ("4.37×", true));
        assert_eq!(claim.verdict.text(), "not measured: `dyno reproduce devlin-1` measures it");
    }

    #[test]
    fn nothing_is_judged_over_a_stand_in_or_over_another_base() {
        let mut devlin = reproduction("devlin-1");
        let pair = &mut row(&mut devlin, "+ Merge Rec.").columns[0];
        (pair.ours, pair.factor, pair.over_stand_in) = (Some(900.0), around(3.0), around(10.8));
        let unjudged = claim(&devlin, "Merge Rec.");
        let reason = "not measured: it needs “Baseline (MKL)”, which `dyno reproduce devlin-1` measures";
        assert_eq!((unjudged.ours, unjudged.verdict.text().as_str()), (None, reason));
        row(&mut devlin, "+ Merge Rec.").columns[0].over_library = around(6.0);
        let judged = claim(&devlin, "Merge Rec.");
        assert_eq!((judged.ours.as_deref(), judged.verdict), (Some("6.00×"), Verdict::Exceeded));
        assert_eq!(
            (judged.interval.as_deref(), judged.over.as_deref()),
            (Some("5.90–6.10"), Some("MKL's products"))
        );
    }

    #[test]
    fn a_base_of_the_papers_own_products_is_our_f32() {
        let mut bolt = reproduction("bolt-3");
        let pair = &mut row(&mut bolt, "Base.12 INT8").columns[0];
        (pair.factor, pair.over_stand_in) = (around(3.92), around(12.83));
        let judged = claim(&bolt, "“Base.12 INT8”");
        assert_eq!((judged.ours.as_deref(), judged.over.as_deref()), (Some("3.92×"), Some(OVER_OURS)));
        assert_eq!(judged.verdict, Verdict::Exceeded);
    }

    #[test]
    fn a_row_of_onednn_is_the_base_of_dice_and_kogan() {
        let mut dice = reproduction("dice-1");
        let pair = &mut row(&mut dice, "1 thread, onednn-almo").columns[0];
        pair.factor = around(1.2);
        // The paper prints 1.46.
        let judged = claim(&dice, "onednn-almo");
        assert_eq!(
            (judged.ours.as_deref(), judged.over.as_deref()),
            (Some("1.20×"), Some("oneDNN's products"))
        );
        assert_eq!((judged.paper.as_str(), judged.verdict), ("1.46×", Verdict::NotReached));
    }

    #[test]
    fn networks_agree_or_differ() {
        let mut devlin = reproduction("devlin-2");
        row(&mut devlin, "S2").columns[0].factor = around(0.58);
        row(&mut devlin, "E1 beside S7").columns[0].factor = around(5.32);
        // 242 / 418 and 102 / 28 words a second.
        assert_eq!(claim(&devlin, "“S2”").verdict, Verdict::Agrees);
        assert_eq!(claim(&devlin, "E1 beside S7").verdict, Verdict::Differs);
        row(&mut devlin, "E1 beside S7").columns[0].factor = around(3.5);
        assert_eq!(claim(&devlin, "E1 beside S7").verdict, Verdict::Agrees);
        row(&mut devlin, "S2").columns[0].factor = around(0.9);
        assert_eq!(claim(&devlin, "“S2”").verdict, Verdict::Differs);
    }

    #[test]
    fn factors_over_two_bases_are_held_against_each_other() {
        let mut bolt = reproduction("bolt-3");
        for (name, factor) in [("Base.12 INT8", 3.4), ("Tiny INT8", 3.7)] {
            row(&mut bolt, name).columns[0].factors = [(0, factor)].into();
        }
        let told = claim(&bolt, "int8 gains more where the network is large");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("0.92×"), Verdict::Differs));
    }

    #[test]
    fn an_optimisation_of_one_network_is_a_speed_up() {
        let mut dice = reproduction("dice-5");
        for (name, factor) in [("2 threads, onednn-almo", 1.0), ("2 threads, onednn-almo+sor", 0.97)] {
            row(&mut dice, name).columns[0].factors = [(0, factor)].into();
        }
        let told = claim(&dice, "without the dispatcher");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("0.97×"), Verdict::NotReached));
    }

    #[test]
    fn slower_rows_are_costs_and_faster_is_no_figure() {
        let mut marian = reproduction("bolt-crossover");
        row(&mut marian, "shortlist of 2,000").columns[0].factor = around(1.63);
        assert_eq!(claim(&marian, "shortlist of 2,000").verdict, Verdict::Differs);
        let mut products = reproduction("dice-fig3");
        row(&mut products, "768 × 768 as they are, 8 tokens").columns[0].factor = around(1.36);
        let judged = claims(&products).into_iter().find(|claim| claim.verdict.is_judged()).unwrap();
        assert_eq!((judged.paper.as_str(), judged.verdict), ("faster", Verdict::Reached));
    }

    #[test]
    fn few_lines_judge_no_quality() {
        let mut devlin = reproduction("devlin-trained");
        let all = row(&mut devlin, "int16, all speed-ups");
        (all.bleu_gain, all.same_lines, all.lines) = (around(0.09), Some(0.967), Some(60));
        let reason = "not measured: 60 lines are too few for it; `dyno reproduce devlin-trained` takes all";
        assert_eq!(claim(&devlin, "BLEU that the speed-ups cost").verdict.text(), reason);
        assert_eq!(claim(&devlin, "leave equal").verdict.text(), reason);
        // Footnote 1: “less than 0.02”, whichever way.
        let all = row(&mut devlin, "int16, all speed-ups");
        (all.lines, all.bleu_gain) = (Some(3003), Some(Estimate { value: 0.09, low: 0.05, high: 0.12 }));
        assert_eq!(claim(&devlin, "BLEU that the speed-ups cost").verdict, Verdict::NotReached);
        assert_eq!(claim(&devlin, "leave equal").verdict, Verdict::NotReached);
    }

    #[test]
    fn counts_are_shares_of_each_other() {
        let mut devlin = reproduction("devlin-trained");
        row(&mut devlin, "int16, all speed-ups").counts =
            [("states".into(), 60), ("hypotheses".into(), 100)].into();
        // “approximately 70%”
        let told = claim(&devlin, "states of a beam");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("60.0 %"), Verdict::Differs));
    }

    #[test]
    fn a_decoders_time_is_held_against_that_of_one_hypothesis() {
        let mut systems = reproduction("opennmt-fig2");
        for (name, times) in [("small-1", [2, 4, 1]), ("small-5", [8, 24, 2])] {
            let components = ["decoder", "output", "attention"].map(str::to_owned).into_iter().zip(times);
            let components = components.chain([("encoder".into(), 50)]).collect();
            let breakdown = Breakdown { components, ..Breakdown::default() };
            let (system, test_set) = (name.into(), "lines".into());
            row(&mut systems, name).time =
                Some(CellBreakdown { system, test_set, track: Track::Throughput1, breakdown });
        }
        // 34 of five hypotheses for 7 of one; “grows linearly with the beam size”
        let told = claim(&systems, "grows linearly");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("4.86×"), Verdict::Agrees));
        row(&mut systems, "small-1").time = None;
        assert_eq!(claim(&systems, "grows linearly").ours, None);
    }

    #[test]
    fn single_words_are_held_against_the_papers_coverage() {
        let mut maps = reproduction("opennmt-1");
        row(&mut maps, "1-grams").coverage = Some(Coverage { words: 1000, offered: 901, candidates: 9.0 });
        // “saturating the Test Coverage (TC) at 80%”
        let told = claim(&maps, "coverage");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("90.1 %"), Verdict::Differs));
    }

    #[test]
    fn batches_are_held_against_single_lines_of_the_same_beam() {
        let mut beams = reproduction("opennmt-fig3");
        // Three rounds over the base, which was disturbed in the second one.
        let rounds = [("beam 5, 1 line", [0.76, 0.38, 0.76]), ("beam 5, 16 lines", [0.93, 0.465, 0.91])];
        for (name, factors) in rounds {
            row(&mut beams, name).columns[0].factors = factors.into_iter().enumerate().collect();
        }
        // “larger beam size and larger batch size both cost more”
        let told = claim(&beams, "at beam 5");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("1.22×"), Verdict::Differs));
        assert_eq!(told.interval.as_deref(), Some("1.20–1.22"), "rounds of one number are compared");
    }

    #[test]
    fn a_host_with_too_few_cores_is_missing_hardware() {
        let mut processes = reproduction("opennmt-processes");
        row(&mut processes, "4 processes").lacking = Some(Lacking { wanted: 4, there: 2 });
        let told = claim(&processes, "4 processes").verdict.text();
        assert_eq!(told, "can't be compared: hardware: 4 cores are needed; this host has 2");
        let mut dice = reproduction("dice-fig1");
        let told = |dice: &Reproduction| claim(dice, "16 threads over 1, 8 tokens").verdict.kind();
        dice.cores = Some(2);
        assert_eq!(told(&dice), "can't be compared");
        dice.cores = Some(16);
        assert_eq!(told(&dice), "not measured");
    }

    #[test]
    fn a_gpu_is_missing_hardware_once() {
        let marian = claims(&reproduction("marian-3"));
        assert_eq!((marian.len(), marian[0].settings), (1, 21));
        assert!(marian[0].verdict.text().starts_with("can't be compared: hardware: "));
    }
}
