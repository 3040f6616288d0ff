//! Answer of the gate: speeds by cell, quality by system, and limits, as text or JSON.

use std::fmt::Write as _;

use dyno_measure::{Record, Track};
use dyno_results::compare::{Change, Comparison, Quality};
use dyno_stats::numbers::{p_value, whole};
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
    cells: Vec<Speed>,
    quality: Vec<Quality>,
    ceilings: Vec<Ceiling>,
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
    pub(super) fn new(cells: Vec<Speed>, quality: Vec<Quality>, ceilings: Vec<Ceiling>) -> Self {
        let slower = cells.iter().any(|cell| cell.comparison.change == Change::Slower);
        let worse = quality.iter().any(|quality| quality.worse);
        let regressed = slower || worse || ceilings.iter().any(|ceiling| ceiling.exceeded);
        Self { regressed, cells, quality, ceilings }
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
            noisy_rounds: cell.noisy,
            comparison,
        }
    }
}

pub(super) fn ceilings(stage: &Stage, campaign: &Campaign, args: &GateArgs) -> Vec<Ceiling> {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let of = |system: &Entry| {
        let most = |figure: fn(&Record) -> Option<u64>| {
            let records = stage.records().iter().filter(|record| record.system == system.name);
            records.filter_map(figure).max().unwrap_or(0)
        };
        let memory = ("peak memory", most(|record| Some(record.usage.peak_bytes)), args.max_memory);
        let model = ("model", most(|record| record.model_bytes), args.max_model);
        let ceiling = |(what, bytes, most): (&'static str, u64, Option<f64>)| {
            let most_mib = most?;
            let (system, exceeded) = (system.name.clone(), mib(bytes) > most_mib);
            Some(Ceiling { system, what, mib: mib(bytes), most_mib, exceeded })
        };
        [memory, model].into_iter().filter_map(ceiling).collect::<Vec<_>>()
    };
    campaign.systems.iter().flat_map(of).collect()
}

pub(super) fn conclude(answer: &Answer, as_json: bool) -> Outcome {
    if as_json {
        print_json(answer)?;
    } else {
        print(&as_text(answer))?;
    }
    Ok(if answer.regressed { Exit::No } else { Exit::Done })
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
            format!("{:?}", found.change).to_lowercase(),
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
    text + if answer.regressed { "REGRESSED\n" } else { "no regression\n" }
}
