//! `dyno gate`: is the candidate slower, worse or bigger than the baseline? Made for CI: the exit code answers.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::run::stop_on_interrupt;
use super::{load_campaign, print, print_json};
use crate::campaign::{Campaign, System, TestSet, Track};
use crate::cli::GateArgs;
use crate::compare::{self, Change, Comparison, LEAST_PAIRS, Quality, Question, Speeds};
use crate::exit::{Exit, OrBadInput, Outcome, bad_input, no_answer};
use crate::gate::{self, Baseline, Cell, Stage};
use crate::plan::Round;
use crate::progress::Progress;
use crate::say::say;
use crate::score;
use crate::store::Place;
use crate::table;

/// Measures, judges, prints and answers.
pub fn gate(args: &GateArgs) -> Outcome {
    if args.pairs < LEAST_PAIRS {
        let message = format!("{} pairs tell nothing: at least {LEAST_PAIRS} are needed", args.pairs);
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let mut campaign = load_campaign(args.campaign.as_deref())?;
    let baseline = baseline(args, &campaign)?;
    args.filters.apply(&mut campaign)?;
    campaign.systems.retain(|system| !baseline.is(&system.name));
    if args.min_bleu.is_some() {
        score::prepare().or_bad_input()?;
    }
    let stop = stop_on_interrupt()?;
    let mut cells = cells(&campaign, &baseline)?;
    if cells.is_empty() {
        let message = "no candidate is left beside the baseline, or the stored run has no cell of one";
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let scratch = tempfile::tempdir()?;
    let place = args.out.clone().unwrap_or_else(|| scratch.path().join("gate"));
    let sides = cells.iter().flat_map(|cell| [Some(&cell.candidate), cell.baseline.as_ref()]);
    let systems = distinct(sides.flatten().cloned().collect(), |system: &System| system.name.clone());
    let sets = campaign.test_sets.iter().chain(cells.iter().map(|cell| &cell.test_set)).cloned();
    let sets = distinct(sets.collect(), |set: &TestSet| set.sha256.clone());
    let mut stage = Stage::new(&Place::Exactly(&place), &campaign, systems, sets)?;
    let (comparisons, interrupted) = measure(&mut stage, &mut cells, args.pairs, &stop)?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    let quality = quality(&mut stage, &campaign, &cells, &baseline, args.min_bleu)?;
    let ceilings = ceilings(&stage, &campaign, args);
    let speed =
        cells.iter().zip(comparisons).map(|(cell, comparison)| Speed::new(cell, &baseline, comparison));
    conclude(&Answer::new(speed.collect(), quality, ceilings), args.json)
}

fn baseline(args: &GateArgs, campaign: &Campaign) -> Outcome<Baseline> {
    match (&args.baseline, &args.baseline_dyno) {
        (Some(what), None) => Baseline::named(what, campaign),
        (None, Some(program)) => Baseline::dyno(program),
        _ => {
            Err(bad_input("name the baseline: --baseline SYSTEM, COMMAND or RUN, or --baseline-dyno PROGRAM"))
        }
    }
}

fn distinct<T>(items: Vec<T>, key: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().filter(|item| seen.insert(key(item))).collect()
}

/// The cells, each with as many lines as make a round; a stored baseline has its own lines and speeds.
fn cells(campaign: &Campaign, baseline: &Baseline) -> Outcome<Vec<Cell>> {
    let mut cells = Vec::new();
    for set in &campaign.test_sets {
        for &track in &campaign.tracks {
            for candidate in &campaign.systems {
                cells.extend(cell(campaign, baseline, candidate, set, track)?);
            }
        }
    }
    Ok(cells)
}

fn cell(
    campaign: &Campaign,
    baseline: &Baseline,
    candidate: &System,
    set: &TestSet,
    track: Track,
) -> Outcome<Option<Cell>> {
    let beside = baseline.beside(candidate)?;
    let (test_set, speeds) = match &beside {
        Some(system) => {
            let test_set = gate::shorten(campaign, system, set, track)?;
            (test_set, Speeds { paired: true, ..Speeds::default() })
        }
        None => {
            let stored = baseline.stored_cell(|cell| {
                cell.system == candidate.name && cell.test_set.sha256 == set.sha256 && cell.track == track
            });
            let Some(stored) = stored else {
                say(format_args!(
                    "warning: the stored run has no {} on {} under {track}",
                    candidate.name, set.name
                ));
                return Ok(None);
            };
            let rounds = stored.speeds();
            if rounds.len() < LEAST_PAIRS {
                let message = format!(
                    "the stored run has {} rounds of {} under {track}, but {LEAST_PAIRS} are needed: run the \
                     baseline in the official profile, or beside the candidate",
                    rounds.len(),
                    candidate.name
                );
                return Err(no_answer(Exit::NothingMeasured, message));
            }
            (set.clone(), Speeds { baseline: rounds, ..Speeds::default() })
        }
    };
    Ok(Some(Cell { candidate: candidate.clone(), baseline: beside, test_set, track, speeds, noisy: 0 }))
}

/// One pass over all cells, and a second one over those that look slower; judged together.
fn measure(
    stage: &mut Stage,
    cells: &mut [Cell],
    pairs: usize,
    stop: &AtomicBool,
) -> Outcome<(Vec<Comparison>, bool)> {
    let rounds = |cell: &Cell| pairs * if cell.baseline.is_some() { 2 } else { 1 };
    let progress = Progress::new(cells.iter().map(rounds).sum(), 0);
    let mut all: Vec<&mut Cell> = cells.iter_mut().collect();
    let mut interrupted = gate::measure(stage, &mut all, 0..pairs, &progress, stop)?;
    let slower: Vec<bool> = judge(cells)?.iter().map(|found| found.change == Change::Slower).collect();
    if !interrupted && slower.contains(&true) {
        progress.note("what looks slower is measured again");
        let again = cells.iter_mut().zip(&slower).filter(|(_, slower)| **slower).map(|(cell, _)| cell);
        interrupted =
            gate::measure(stage, &mut again.collect::<Vec<_>>(), pairs..2 * pairs, &progress, stop)?;
    }
    progress.finish();
    Ok((if interrupted { Vec::new() } else { judge(cells)? }, interrupted))
}

fn judge(cells: &[Cell]) -> Outcome<Vec<Comparison>> {
    let speeds: Vec<Speeds> = cells.iter().map(|cell| cell.speeds.clone()).collect();
    let nothing = || no_answer(Exit::NothingMeasured, "no round of a cell had a speed");
    compare::judge(&speeds, Question::Slower)
        .into_iter()
        .map(|comparison| comparison.ok_or_else(nothing))
        .collect()
}

/// The gate's answer.
#[derive(Serialize)]
struct Answer {
    regressed: bool,
    cells: Vec<Speed>,
    quality: Vec<Quality>,
    ceilings: Vec<Ceiling>,
}

/// A cell's speeds.
#[derive(Serialize)]
struct Speed {
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

/// What a candidate may take at most.
#[derive(Serialize)]
struct Ceiling {
    system: String,
    what: &'static str,
    mib: f64,
    most_mib: f64,
    exceeded: bool,
}

impl Answer {
    fn new(cells: Vec<Speed>, quality: Vec<Quality>, ceilings: Vec<Ceiling>) -> Self {
        let slower = cells.iter().any(|cell| cell.comparison.change == Change::Slower);
        let worse = quality.iter().any(|quality| quality.worse);
        let regressed = slower || worse || ceilings.iter().any(|ceiling| ceiling.exceeded);
        Self { regressed, cells, quality, ceilings }
    }
}

impl Speed {
    fn new(cell: &Cell, baseline: &Baseline, comparison: Comparison) -> Self {
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

/// Both sides translate each whole set once, under the campaign's first track: a part of it would be too little
/// text to tell their quality apart.
fn quality(
    stage: &mut Stage,
    campaign: &Campaign,
    cells: &[Cell],
    baseline: &Baseline,
    min_bleu: Option<f64>,
) -> Outcome<Vec<Quality>> {
    let track = campaign.tracks[0];
    let of_track = |cell: &&Cell| cell.track == track;
    let mut found = Vec::new();
    for set in &campaign.test_sets {
        for candidate in &campaign.systems {
            let fits = |cell: &&Cell| of_track(cell) && cell.candidate.name == candidate.name;
            let Some(cell) = cells.iter().find(fits) else { continue };
            let mut text =
                |system: &System| stage.answers(&Round { system, test_set: set, track, number: 0 });
            let ours = text(candidate)?;
            let theirs = match &cell.baseline {
                Some(system) => text(system)?,
                None => baseline.stored_answers(&candidate.name, set, track).unwrap_or_default(),
            };
            found.push(Quality::compare(&candidate.name, set, &ours, &theirs, min_bleu));
        }
    }
    Ok(found)
}

fn ceilings(stage: &Stage, campaign: &Campaign, args: &GateArgs) -> Vec<Ceiling> {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let of = |system: &System| {
        let most = |figure: fn(&crate::store::Record) -> Option<u64>| {
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

fn conclude(answer: &Answer, as_json: bool) -> Outcome {
    if as_json {
        print_json(answer)?;
    } else {
        print(&as_text(answer))?;
    }
    Ok(if answer.regressed { Exit::No } else { Exit::Done })
}

fn as_text(answer: &Answer) -> String {
    let heads = [
        "system", "baseline", "track", "test set", "words/s", "baseline", "time", "interval", "p", "noise",
        "",
    ];
    let row = |cell: &Speed| {
        let found = &cell.comparison;
        vec![
            cell.system.clone(),
            cell.baseline.clone(),
            cell.track.name().into(),
            cell.test_set.clone(),
            table::whole(found.candidate_words_per_second),
            table::whole(found.baseline_words_per_second),
            format!("×{:.3}", found.slow_down),
            format!("{:.3}–{:.3}", found.slow_down_low, found.slow_down_high),
            table::p_value(found.p),
            format!("×{:.3}", found.noise_floor),
            format!("{:?}", found.change).to_lowercase(),
        ]
    };
    let mut text = table::grid(&heads, answer.cells.iter().map(row).collect(), 4..10) + "\n";
    for quality in &answer.quality {
        let _ = writeln!(text, "{}", quality.about());
    }
    for Ceiling { system, what, mib, most_mib, exceeded } in &answer.ceilings {
        let verdict = if *exceeded { "too much" } else { "within its ceiling" };
        let _ = writeln!(text, "{system}: {what} {mib:.1} MiB of {most_mib:.1} MiB: {verdict}");
    }
    text + if answer.regressed { "REGRESSED\n" } else { "no regression\n" }
}
