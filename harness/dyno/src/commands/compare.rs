//! `dyno compare`: comparison of two runs of one host, cell by cell.

use std::collections::BTreeSet;
use std::path::Path;

use dyno_record::{Track, Verdict};
use dyno_results::compare::{
    Change, Changes, Comparison, Quality, QualityLimits, Question, Speeds, judge, protocol_changes,
};
use dyno_results::{MeasuredCell, Run};
use itertools::Itertools;
use serde::Serialize;

use crate::cli::runs::CompareArgs;
use crate::exit::{Exit, Outcome, no_answer};
use crate::output::{self, warn_of_look_alikes};
use crate::table;

/// Least number of rounds on each side. With four against four, the smallest two-sided p is 2.9 %, which is
/// no longer significant after Holm's correction over two cells; with five, it is 0.8 %, which is for up to six.
const LEAST_ROUNDS: usize = 5;

#[derive(Serialize)]
struct Answer {
    baseline: String,
    candidate: String,
    worse: bool,
    cells: Vec<Cell>,
    quality: Vec<Quality>,
    changed_systems: Vec<Changes>,
    changed_protocol: Vec<String>,
    only_in_baseline: Vec<String>,
    only_in_candidate: Vec<String>,
}

#[derive(Serialize)]
struct Cell {
    system: String,
    test_set: String,
    track: Track,
    rounds: [usize; 2],
    verdicts: [Verdict; 2],
    #[serde(flatten)]
    comparison: Option<Comparison>,
    /// Reason why the speeds support no verdict.
    #[serde(skip)]
    unfit: Option<String>,
}

pub fn compare(args: &CompareArgs) -> Outcome {
    let (baseline, candidate) = (Run::read(&args.baseline)?, Run::read(&args.candidate)?);
    let differences = candidate.identity.host.differences(&baseline.identity.host);
    if !differences.is_empty() {
        let differences = differences.join(", ");
        let message = format!(
            "the runs are of two hosts, so their speeds can't be compared: {differences}; \
             measure both on one host, or show them with `dyno merge`"
        );
        return Err(no_answer(Exit::HostsDiffer, message));
    }
    warn_of_look_alikes(&[baseline.systems(), candidate.systems()].concat());
    let answer = answer(args, &baseline, &candidate);
    let warnings = answer.quality.iter().filter_map(|quality| quality.warning.as_ref());
    warnings.for_each(|warning| say!("warning: {warning}"));
    if answer.cells.is_empty() {
        let message = "the two runs have no cell in common: compare runs of the same systems and test sets";
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    output::answer(args.json, "compare", &answer, || as_text(&answer))?;
    Ok(answer.exit())
}

impl Answer {
    fn exit(&self) -> Exit {
        match () {
            () if self.worse => Exit::No,
            () if self.cells.iter().any(Cell::is_unproven) => Exit::Undecided,
            () if self.cells.iter().all(|cell| cell.unfit.is_some()) => Exit::Undecided,
            () => Exit::Done,
        }
    }

    /// The answer in a line.
    fn last_line(&self) -> String {
        let all = self.cells.len();
        let unproven = self.cells.iter().filter(|cell| cell.is_unproven()).count();
        let unfit = self.cells.iter().filter(|cell| cell.unfit.is_some()).count();
        match self.exit() {
            Exit::No => "WORSE".into(),
            Exit::Undecided if unproven > 0 => format!(
                "{unproven} of {all} cells differ by more than their noise, which so few rounds can't prove for so many \
                 cells: run both with more rounds (-p official), or with fewer systems (-s)"
            ),
            Exit::Undecided => format!(
                "no speed can be compared: a cell needs {LEAST_ROUNDS} rounds in both runs, and a quiet host; no text is \
                 worse"
            ),
            _ if unfit > 0 => format!("nothing is slower or worse, but {unfit} of {all} cells can't tell"),
            _ => "nothing is slower or worse".into(),
        }
    }
}

/// A cell of the baseline, and the same of the candidate.
type Pair<'a> = (&'a MeasuredCell<'a>, &'a MeasuredCell<'a>);

fn same(a: &MeasuredCell<'_>, b: &MeasuredCell<'_>) -> bool {
    a.system == b.system && a.test_set.sha256 == b.test_set.sha256 && a.track == b.track
}

fn answer(args: &CompareArgs, baseline: &Run, candidate: &Run) -> Answer {
    let (before, after) = (baseline.cells(), candidate.cells());
    let partner = |cell: &MeasuredCell<'_>| before.iter().position(|other| same(other, cell));
    let pairs: Vec<_> = after.iter().filter_map(|cell| Some((&before[partner(cell)?], cell))).collect();
    let loads = [baseline, candidate].map(|run| &run.identity.protocol.load);
    let unfit = |(a, b): &Pair<'_>| match b.track.is_served() && loads[0] != loads[1] {
        true => Some("can't tell: another limit of latency".into()),
        false => unfit(rounds(a, b), [a.verdict(), b.verdict()]),
    };
    let speeds = |pair: &Pair<'_>| Speeds {
        baseline: pair.0.speeds(),
        candidate: pair.1.speeds(),
        unfit: unfit(pair).is_some(),
        ..Speeds::default()
    };
    let comparisons = judge(&pairs.iter().map(speeds).collect::<Vec<_>>(), Question::Differ);
    let cells = pairs.iter().zip(comparisons).map(|(pair @ (a, b), comparison)| Cell {
        system: b.system.into(),
        test_set: b.test_set.name.clone(),
        track: b.track,
        rounds: rounds(a, b),
        verdicts: [a.verdict(), b.verdict()],
        comparison,
        unfit: unfit(pair),
    });
    let cells: Vec<_> = cells.collect();
    let quality = quality(&pairs, baseline, candidate);
    let lacks = |cells: &[MeasuredCell<'_>], others: &[MeasuredCell<'_>]| {
        let alone = cells.iter().filter(|cell| !others.iter().any(|other| same(other, cell)));
        alone.map(|cell| format!("{} on {} under {}", cell.system, cell.test_set.name, cell.track)).collect()
    };
    let name = |path: &Path| path.display().to_string();
    Answer {
        baseline: name(&args.baseline),
        candidate: name(&args.candidate),
        worse: cells.iter().any(Cell::is_worse) || quality.iter().any(|quality| quality.worse),
        changed_systems: changed_systems(&pairs, baseline, candidate),
        changed_protocol: protocol_changes(&baseline.identity, &candidate.identity),
        only_in_baseline: lacks(&before, &after),
        only_in_candidate: lacks(&after, &before),
        cells,
        quality,
    }
}

/// Quality of each system on each test set. One track is enough: all tracks give the same texts, and `verify`
/// checks that.
fn quality(pairs: &[Pair<'_>], baseline: &Run, candidate: &Run) -> Vec<Quality> {
    let first = pairs.iter().unique_by(|(_, b)| (b.system, &b.test_set.sha256));
    let compare = |(a, b): &Pair<'_>| {
        let (before, after) = (answers(baseline, a)?, answers(candidate, b)?);
        let metrics = &candidate.metrics;
        Some(Quality::compare(b.system, b.test_set, (after, before), QualityLimits::default(), metrics))
    };
    first.filter_map(compare).collect()
}

fn changed_systems(pairs: &[Pair<'_>], baseline: &Run, candidate: &Run) -> Vec<Changes> {
    let systems: BTreeSet<&str> = pairs.iter().map(|(_, b)| b.system).collect();
    let changes = |system| Changes::between((&baseline.identity, system), (&candidate.identity, system));
    systems.into_iter().filter_map(changes).collect()
}

fn answers<'a>(run: &'a Run, cell: &MeasuredCell<'_>) -> Option<&'a [String]> {
    run.outputs.get(run.scored_output(cell)?).map(Vec::as_slice)
}

impl Cell {
    fn is_worse(&self) -> bool {
        let slower = self.comparison.is_some_and(|comparison| comparison.change == Change::Slower);
        let broken = self.verdicts[1] == Verdict::Invalid && self.verdicts[0] != Verdict::Invalid;
        slower || broken
    }

    /// Whether its rounds show a change that so few can't prove.
    fn is_unproven(&self) -> bool {
        self.unfit.is_none() && self.comparison.is_some_and(|comparison| comparison.change == Change::Unclear)
    }

    fn verdict(&self) -> String {
        match (&self.unfit, self.comparison) {
            (Some(reason), _) => reason.clone(),
            (None, Some(_)) if self.is_unproven() => "can't tell: too few rounds for so many cells".into(),
            (None, Some(comparison)) => comparison.change.text().into(),
            (None, None) => "no speed".into(),
        }
    }
}

fn rounds(a: &MeasuredCell<'_>, b: &MeasuredCell<'_>) -> [usize; 2] {
    [a.valid().len(), b.valid().len()]
}

/// Reason why the speeds of a cell support no verdict.
fn unfit(rounds: [usize; 2], verdicts: [Verdict; 2]) -> Option<String> {
    let [before, now] = verdicts.map(Verdict::name);
    match () {
        () if verdicts.contains(&Verdict::Invalid) => Some(format!("{before}, now {now}")),
        () if rounds.iter().any(|&rounds| rounds < LEAST_ROUNDS) => Some("too few rounds to tell".into()),
        () if verdicts[0] == Verdict::Noisy => Some("can't tell: it was NOISY".into()),
        () if verdicts[1] == Verdict::Noisy => Some("can't tell: it is NOISY".into()),
        () => None,
    }
}

/// Columns that a narrow terminal leaves out, first to last.
const DISPENSABLE: [&str; 5] = ["p", "before", "test set", "interval", "words/s"];

fn as_text(answer: &Answer) -> String {
    let heads = ["system", "track", "test set", "words/s", "before", "time", "interval", "p", ""];
    let row = |cell: &Cell| {
        let names = [&cell.system, cell.track.name(), &cell.test_set].map(str::to_owned);
        let figures = cell.comparison.map_or([(); 5].map(|()| "–".into()), |found| found.texts());
        names.into_iter().chain(figures).chain([cell.verdict()]).collect::<Vec<_>>()
    };
    let rows: Vec<_> = answer.cells.iter().map(row).collect();
    let mut lines = vec![table::fitted(&heads, &rows, 3..8, &DISPENSABLE)];
    let text = |quality: &Quality| format!("{}\n{}", quality.about(), quality.details());
    lines.extend(answer.quality.iter().map(|quality| text(quality).trim_end().to_owned()));
    lines.extend(answer.changed_systems.iter().map(|changes| table::wrapped(&changes.about(), "  ")));
    for (what, list, between) in [
        ("the protocol was changed", &answer.changed_protocol, "; "),
        (&*format!("only in {}", answer.baseline), &answer.only_in_baseline, ", "),
        (&*format!("only in {}", answer.candidate), &answer.only_in_candidate, ", "),
    ] {
        let told = (!list.is_empty()).then(|| format!("{what}: {}", list.join(between)));
        lines.extend(told.map(|told| table::wrapped(&told, "  ")));
    }
    lines.push(answer.last_line());
    lines.join("\n") + "\n"
}
