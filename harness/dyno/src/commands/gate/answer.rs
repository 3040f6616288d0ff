//! Answer of the gate: speeds by cell, quality by system, and limits, as text or JSON.

use std::fmt::Write as _;

use dyno_record::{Identity, Record, Track};
use dyno_results::compare::{Change, Changes, Comparison, Quality};
use dyno_stats::numbers::mebibytes;
use itertools::Itertools;
use serde::Serialize;

use super::baseline::Baseline;
use super::cell::{Cell, Fault};
use super::stage::Stage;
use crate::campaign::{Campaign, Entry};
use crate::cli::measuring::{GateArgs, OnNoise};
use crate::exit::Exit;
use crate::table;

#[derive(Serialize)]
pub(super) struct Answer {
    regressed: bool,
    undecided: bool,
    /// What keeps a limit of the quality from being checked.
    unchecked: Option<String>,
    /// Cells with a verdict on their speed, and those that have none because a side is INVALID.
    pub(super) cells: Vec<Speed>,
    pub(super) invalid: Vec<Invalid>,
    pub(super) quality: Vec<Quality>,
    pub(super) ceilings: Vec<SizeLimit>,
    pub(super) changed_systems: Vec<Changes>,
    #[serde(skip)]
    on_noise: OnNoise,
}

/// Names of a cell and of its baseline.
#[derive(Serialize)]
pub(super) struct Names {
    pub(super) system: String,
    pub(super) baseline: String,
    pub(super) test_set: String,
    pub(super) track: Track,
}

impl Names {
    fn of(cell: &Cell, baseline: &Baseline) -> Self {
        Self {
            system: cell.candidate.name.clone(),
            baseline: cell.baseline.as_ref().map_or_else(|| baseline.about(), |system| system.name.clone()),
            test_set: cell.test_set.name.clone(),
            track: cell.track,
        }
    }

    /// First fields of a row.
    pub(super) fn fields(&self) -> [String; 4] {
        [&self.system, &self.baseline, self.track.name(), &self.test_set].map(str::to_owned)
    }
}

#[derive(Serialize)]
pub(super) struct Speed {
    #[serde(flatten)]
    names: Names,
    lines: usize,
    baseline_rounds: usize,
    candidate_rounds: usize,
    noisy_rounds: usize,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Cell without an answer, because a side broke a rule.
#[derive(Serialize)]
pub(super) struct Invalid {
    #[serde(flatten)]
    names: Names,
    #[serde(flatten)]
    fault: Fault,
}

/// Size or memory use of a candidate, with its limit.
#[derive(Serialize)]
pub(super) struct SizeLimit {
    system: String,
    what: &'static str,
    mib: f64,
    most_mib: f64,
    exceeded: bool,
}

impl Answer {
    pub(super) fn new(
        (cells, invalid): (Vec<Speed>, Vec<Invalid>),
        (quality, unchecked): (Vec<Quality>, Option<String>),
        ceilings: Vec<SizeLimit>,
        changed_systems: Vec<Changes>,
        on_noise: OnNoise,
    ) -> Self {
        let any = |change| cells.iter().any(|cell| cell.comparison.change == change);
        let worse = quality.iter().any(|quality| quality.worse);
        let exceeded = ceilings.iter().any(|ceiling| ceiling.exceeded);
        let (regressed, undecided) = (any(Change::Slower) || worse || exceeded, any(Change::Unclear));
        Self { regressed, undecided, unchecked, cells, invalid, quality, ceilings, changed_systems, on_noise }
    }

    /// Exit code. A regression is an answer, whatever else is unknown.
    pub(super) fn exit(&self) -> Exit {
        match () {
            () if self.regressed => Exit::No,
            () if !self.invalid.is_empty() => Exit::CellInvalid,
            () if self.unchecked.is_some() => Exit::NothingMeasured,
            () if self.undecided && self.on_noise == OnNoise::Fail => Exit::Undecided,
            () => Exit::Done,
        }
    }

    /// The last line: the answer in a few words.
    pub(super) fn verdict(&self) -> String {
        let all = self.cells.len() + self.invalid.len();
        match (self.exit(), &self.unchecked) {
            (Exit::No, _) => "REGRESSED".into(),
            (Exit::CellInvalid, _) => {
                format!("INVALID: {} of {all} cells have no answer", self.invalid.len())
            }
            (_, Some(unchecked)) => format!("can't tell: {unchecked}"),
            _ if self.undecided => self.doubt(),
            _ => "no regression".into(),
        }
    }

    /// Warning about undecided cells, where they pass with one.
    pub(super) fn warning(&self) -> Option<String> {
        let warns = self.undecided && self.on_noise == OnNoise::Warn;
        warns.then(|| self.doubt())
    }

    fn doubt(&self) -> String {
        let all = self.cells.len() + self.invalid.len();
        let unclear = self.cells.iter().filter(|cell| cell.comparison.change == Change::Unclear).count();
        let passes = if self.exit() == Exit::Done { "; --on-noise lets them pass" } else { "" };
        format!(
            "can't tell about {unclear} of {all} cells, whose rounds are NOISY: `dyno doctor` finds the cause, and more \
             --pairs help{passes}"
        )
    }
}

/// Cells with a verdict on their speed, and those whose fault leaves them without one.
pub(super) fn judged(cells: &[Cell], baseline: &Baseline) -> (Vec<Speed>, Vec<Invalid>) {
    let names = |cell: &Cell| Names::of(cell, baseline);
    let invalid = |cell: &Cell| Some(Invalid { names: names(cell), fault: cell.fault.clone()? });
    let open = cells.iter().filter(|cell| cell.fault.is_none());
    let speed = |cell: &Cell| {
        Some(Speed {
            names: names(cell),
            lines: cell.test_set.source.len(),
            baseline_rounds: cell.speeds.baseline.len(),
            candidate_rounds: cell.speeds.candidate.len(),
            noisy_rounds: cell.disturbed.iter().sum(),
            comparison: cell.comparison?,
        })
    };
    (open.filter_map(speed).collect(), cells.iter().filter_map(invalid).collect())
}

impl Speed {
    /// Fields of the table [`HEADS`].
    pub(super) fn row(&self) -> Vec<String> {
        let comparison = &self.comparison;
        let ends = [format!("×{:.3}", comparison.noise_floor), comparison.change.text().into()];
        self.names.fields().into_iter().chain(comparison.texts()).chain(ends).collect()
    }
}

impl Invalid {
    pub(super) fn about(&self) -> String {
        let Self { names: Names { system, test_set, track, .. }, fault: Fault { culprit, reason } } = self;
        let (code, figure, remedy) = (reason.code.name(), &reason.figure, &reason.remedy);
        let of = if culprit == system { String::new() } else { format!(" (the gate of {system})") };
        format!("{culprit} is INVALID under {track} on {test_set}{of}: {code}: {figure}; {remedy}")
    }
}

impl SizeLimit {
    pub(super) fn about(&self) -> String {
        let Self { system, what, mib, most_mib, exceeded } = self;
        let verdict = if *exceeded { "above the limit" } else { "within the limit" };
        format!("{system}: {what} {mib:.1} MiB of {most_mib:.1} MiB: {verdict}")
    }
}

pub(super) fn ceilings(stage: &Stage, campaign: &Campaign, args: &GateArgs) -> Vec<SizeLimit> {
    let of = |system: &Entry| {
        let most = |figure: fn(&Record) -> Option<u64>| {
            let records = stage.keeper.run.records.iter().filter(|record| record.system == system.name);
            records.filter_map(figure).max().unwrap_or(0)
        };
        let memory = ("peak memory", most(|record| Some(record.usage.peak_bytes)), args.max_memory);
        let model = ("model", most(|record| record.model_bytes), args.max_model);
        let ceiling = |(what, bytes, most): (&'static str, u64, Option<f64>)| {
            let most_mib = most?;
            let (system, mib) = (system.name.clone(), mebibytes(bytes));
            Some(SizeLimit { system, what, mib, most_mib, exceeded: mib > most_mib })
        };
        [memory, model].into_iter().filter_map(ceiling).collect::<Vec<_>>()
    };
    campaign.systems.iter().flat_map(of).collect()
}

pub(super) fn changes(cells: &[Cell], baseline: &Baseline, sides: &Identity) -> Vec<Changes> {
    let changes = |cell: &Cell| {
        let beside = cell.entries.1.as_ref().map(|entry| entry.name.as_str());
        baseline.changes(&cell.entries.0.name, beside, sides)
    };
    cells.iter().unique_by(|cell| &cell.entries.0.name).filter_map(changes).collect()
}

pub(super) const HEADS: [&str; 11] =
    ["system", "against", "track", "test set", "words/s", "baseline", "time", "interval", "p", "noise", ""];
pub(super) const FIGURES: std::ops::Range<usize> = 4..10;
/// Columns that a narrow terminal leaves out, first to last.
const DISPENSABLE: [&str; 7] = ["noise", "p", "baseline", "test set", "interval", "against", "words/s"];

/// The answer as a table and lines below it.
pub(super) fn as_text(answer: &Answer) -> String {
    let Answer { cells, invalid, .. } = answer;
    let rows: Vec<_> = cells.iter().map(Speed::row).collect();
    let mut text = String::new();
    if !rows.is_empty() {
        text += &(table::fitted(&HEADS, &rows, FIGURES, &DISPENSABLE) + "\n");
    }
    for invalid in invalid {
        let _ = writeln!(text, "{}", table::wrapped(&invalid.about(), "  "));
    }
    for quality in &answer.quality {
        let _ = writeln!(text, "{}", quality.about());
        text += &quality.details();
    }
    for ceiling in &answer.ceilings {
        let _ = writeln!(text, "{}", ceiling.about());
    }
    for changes in &answer.changed_systems {
        let _ = writeln!(text, "{}", table::wrapped(&changes.about(), "  "));
    }
    text + &table::wrapped(&answer.verdict(), "  ") + "\n"
}

#[cfg(test)]
mod tests {
    use dyno_record::Code;

    use super::*;

    fn cell(change: Change) -> Speed {
        let comparison = Comparison {
            change,
            baseline_words_per_second: 100.0,
            candidate_words_per_second: 100.0,
            slow_down: 1.0,
            slow_down_low: 0.9,
            slow_down_high: 1.1,
            p: 0.5,
            noise_floor: 1.1,
        };
        let (lines, rounds) = (9, 30);
        let [baseline_rounds, candidate_rounds, noisy_rounds] = [rounds; 3];
        Speed { names: names(), lines, baseline_rounds, candidate_rounds, noisy_rounds, comparison }
    }

    fn names() -> Names {
        let (system, baseline, test_set) = ("new".into(), "old".into(), "set".into());
        Names { system, baseline, test_set, track: Track::Latency }
    }

    fn invalid(culprit: &str) -> Invalid {
        let fault = Fault { culprit: culprit.into(), reason: Code::Crashed.reason("exit code 1") };
        Invalid { names: names(), fault }
    }

    fn answer(changes: &[Change], invalid: Vec<Invalid>, on_noise: OnNoise) -> Answer {
        Answer::new(
            (changes.iter().copied().map(cell).collect(), invalid),
            (Vec::new(), None),
            Vec::new(),
            Vec::new(),
            on_noise,
        )
    }

    #[test]
    fn a_limit_that_is_not_checked_passes_nothing() {
        let unchecked = |changes: &[Change]| {
            let known = answer(changes, Vec::new(), OnNoise::Pass);
            Answer { unchecked: Some("--worst-quality: no score of new on set".into()), ..known }
        };
        let same = unchecked(&[Change::Same]);
        assert_eq!((same.exit(), same.warning()), (Exit::NothingMeasured, None));
        assert!(as_text(&same).ends_with("can't tell: --worst-quality: no score of new on set\n"));
        assert_eq!(unchecked(&[Change::Slower]).exit(), Exit::No);
    }

    #[test]
    fn the_exit_code_says_the_worst_that_is_known() {
        use Change::{Faster, Same, Slower, Unclear};
        let exit = |changes: &[Change], faults: usize, on_noise| {
            let answer = answer(changes, (0..faults).map(|_| invalid("new")).collect(), on_noise);
            (answer.exit(), answer.verdict().split([' ', ':']).next().unwrap().to_owned())
        };
        let said = |exit, word: &str| (exit, word.to_owned());
        assert_eq!(exit(&[Same, Faster], 0, OnNoise::Fail), said(Exit::Done, "no"));
        assert_eq!(exit(&[Slower, Unclear], 1, OnNoise::Fail), said(Exit::No, "REGRESSED"));
        assert_eq!(exit(&[Same, Unclear], 1, OnNoise::Pass), said(Exit::CellInvalid, "INVALID"));
        assert_eq!(exit(&[], 1, OnNoise::Fail), said(Exit::CellInvalid, "INVALID"));
        assert_eq!(exit(&[Same, Unclear], 0, OnNoise::Fail), said(Exit::Undecided, "can't"));
        assert_eq!(exit(&[Same, Unclear], 0, OnNoise::Warn), said(Exit::Done, "can't"));
        assert_eq!(exit(&[Same, Unclear], 0, OnNoise::Pass), said(Exit::Done, "can't"));
    }

    #[test]
    fn an_invalid_side_is_named_with_the_cell() {
        let text = |culprit| as_text(&answer(&[Change::Same], vec![invalid(culprit)], OnNoise::Fail));
        assert!(
            text("new").contains("new is INVALID under latency on set: crashed: exit code 1; "),
            "{}",
            text("new")
        );
        assert!(text("old").contains("old is INVALID under latency on set (the gate of new): crashed"));
        assert!(text("new").ends_with("INVALID: 1 of 2 cells have no answer\n"), "{}", text("new"));
    }
}
