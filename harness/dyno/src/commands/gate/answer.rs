//! Answer of the gate: speeds by cell, quality by system, and limits, as text or JSON.

use std::collections::HashSet;
use std::fmt::Write as _;

use dyno_measure::{Record, Track};
use dyno_results::Identity;
use dyno_results::compare::{Change, Changes, Comparison, Quality};
use dyno_stats::numbers::{mebibytes, p_value, whole};
use serde::Serialize;

use crate::campaign::{Campaign, Entry};
use crate::cli::GateArgs;
use crate::exit::{Exit, Outcome};
use crate::gate::{Baseline, Cell, Stage};
use crate::output::{print, print_json};
use crate::table;

/// Answer of the gate.
#[derive(Serialize)]
pub(super) struct Answer {
    regressed: bool,
    undecided: bool,
    cells: Vec<Speed>,
    quality: Vec<Quality>,
    ceilings: Vec<Ceiling>,
    changed_systems: Vec<Changes>,
}

/// Speeds of a cell.
#[derive(Serialize)]
pub(super) struct Speed {
    system: String,
    baseline: String,
    test_set: String,
    track: Track,
    lines: usize,
    baseline_rounds: usize,
    candidate_rounds: usize,
    noisy_rounds: usize,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Size or memory use of a candidate, with its limit.
#[derive(Serialize)]
pub(super) struct Ceiling {
    system: String,
    what: &'static str,
    mib: f64,
    most_mib: f64,
    exceeded: bool,
}

impl Answer {
    pub(super) fn new(
        cells: Vec<Speed>,
        quality: Vec<Quality>,
        ceilings: Vec<Ceiling>,
        changed_systems: Vec<Changes>,
    ) -> Self {
        let any = |change| cells.iter().any(|cell| cell.comparison.change == change);
        let worse = quality.iter().any(|quality| quality.worse);
        let exceeded = ceilings.iter().any(|ceiling| ceiling.exceeded);
        let (slower, undecided) = (any(Change::Slower), any(Change::Unclear));
        Self { regressed: slower || worse || exceeded, undecided, cells, quality, ceilings, changed_systems }
    }

    /// Exit code. A gate that can't tell must not pass.
    fn exit(&self) -> Exit {
        match () {
            () if self.regressed => Exit::No,
            () if self.undecided => Exit::NothingMeasured,
            () => Exit::Done,
        }
    }
}

impl Speed {
    pub(super) fn new(cell: &Cell, baseline: &Baseline, comparison: Comparison) -> Self {
        let beside = cell.baseline.as_ref().map(|system| system.name.clone());
        Self {
            system: cell.candidate.name.clone(),
            baseline: beside.unwrap_or_else(|| baseline.about()),
            test_set: cell.test_set.name.clone(),
            track: cell.track,
            lines: cell.test_set.source.len(),
            baseline_rounds: cell.speeds.baseline.len(),
            candidate_rounds: cell.speeds.candidate.len(),
            noisy_rounds: cell.noisy.baseline + cell.noisy.candidate,
            comparison,
        }
    }
}

pub(super) fn ceilings(stage: &Stage, campaign: &Campaign, args: &GateArgs) -> Vec<Ceiling> {
    let of = |system: &Entry| {
        let most = |figure: fn(&Record) -> Option<u64>| {
            let records = stage.records().iter().filter(|record| record.system == system.name);
            records.filter_map(figure).max().unwrap_or(0)
        };
        let memory = ("peak memory", most(|record| Some(record.usage.peak_bytes)), args.max_memory);
        let model = ("model", most(|record| record.model_bytes), args.max_model);
        let ceiling = |(what, bytes, most): (&'static str, u64, Option<f64>)| {
            let most_mib = most?;
            let (system, mib) = (system.name.clone(), mebibytes(bytes));
            Some(Ceiling { system, what, mib, most_mib, exceeded: mib > most_mib })
        };
        [memory, model].into_iter().filter_map(ceiling).collect::<Vec<_>>()
    };
    campaign.systems.iter().flat_map(of).collect()
}

/// Changes from the baseline to each candidate.
pub(super) fn changes(cells: &[Cell], baseline: &Baseline, sides: &Identity) -> Vec<Changes> {
    let mut seen = HashSet::new();
    let first = cells.iter().filter(|cell| seen.insert(&cell.entries.0.name));
    let changes = |cell: &Cell| {
        let beside = cell.entries.1.as_ref().map(|entry| entry.name.as_str());
        baseline.changes(&cell.entries.0.name, beside, sides)
    };
    first.filter_map(changes).collect()
}

pub(super) fn conclude(answer: &Answer, as_json: bool) -> Outcome {
    if as_json {
        print_json("gate", answer)?;
    } else {
        print(&as_text(answer))?;
    }
    Ok(answer.exit())
}

/// Columns that a narrow terminal leaves out, first to last.
const DISPENSABLE: [&str; 7] = ["noise", "p", "baseline", "test set", "interval", "against", "words/s"];

fn as_text(answer: &Answer) -> String {
    let heads = [
        "system", "against", "track", "test set", "words/s", "baseline", "time", "interval", "p", "noise", "",
    ];
    let row = |cell: &Speed| {
        let found = &cell.comparison;
        vec![
            cell.system.clone(),
            cell.baseline.clone(),
            cell.track.name().into(),
            cell.test_set.clone(),
            whole(found.candidate_words_per_second),
            whole(found.baseline_words_per_second),
            format!("×{:.3}", found.slow_down),
            format!("{:.3}–{:.3}", found.slow_down_low, found.slow_down_high),
            p_value(found.p),
            format!("×{:.3}", found.noise_floor),
            found.change.name().into(),
        ]
    };
    let rows: Vec<_> = answer.cells.iter().map(row).collect();
    let mut text = table::fitted(&heads, &rows, 4..10, &DISPENSABLE) + "\n";
    for quality in &answer.quality {
        let _ = writeln!(text, "{}", quality.about());
    }
    for Ceiling { system, what, mib, most_mib, exceeded } in &answer.ceilings {
        let verdict = if *exceeded { "above the limit" } else { "within the limit" };
        let _ = writeln!(text, "{system}: {what} {mib:.1} MiB of {most_mib:.1} MiB: {verdict}");
    }
    for changes in &answer.changed_systems {
        let _ = writeln!(text, "{}", table::wrapped(&changes.about(), "  "));
    }
    text + match answer.exit() {
        Exit::No => "REGRESSED\n",
        Exit::NothingMeasured => "can't tell: a side of a cell is NOISY; `dyno doctor` finds the cause\n",
        _ => "no regression\n",
    }
}
