//! `dyno gate`: tests whether a candidate is slower, worse or larger than its baseline.
//!
//! The command is for CI: its exit code is the answer. Pairs of rounds and baselines belong to `crate::gate`.

mod answer;

use answer::{Answer, Speed, ceilings, changes, conclude};
use dyno_measure::{Round, System, TestSet, Track, Verdict};
use dyno_results::compare::{
    self, Change, Comparison, LEAST_PAIRS, Quality, QualityLimits, Question, Speeds,
};
use dyno_results::{Place, scores};

use crate::campaign::{Campaign, Entry, make_ready, named_or_starter};
use crate::cli::GateArgs;
use crate::exit::{Exit, Outcome, bad_input, no_answer};
use crate::gate::{self, Baseline, Cell, Noisy, Stage};
use crate::interrupt::Stop;
use crate::output::say;
use crate::progress::Progress;
use crate::scoring::announce;
use crate::scratch::Scratch;

/// Measures and judges the candidates of `args`, and prints the answer.
pub fn gate(args: &GateArgs) -> Outcome {
    if args.pairs < LEAST_PAIRS {
        let message = format!("{} pairs are too few: the gate needs at least {LEAST_PAIRS}", args.pairs);
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let mut campaign = named_or_starter(args.campaign.as_deref())?;
    let baseline = baseline(args, &campaign)?;
    args.filters.apply(&mut campaign)?;
    campaign.systems.retain(|system| !baseline.is(&system.name));
    refuse_unchecked_limits(args, &campaign)?;
    make_ready(&campaign)?;
    let stop = Stop::on_signals(|| ())?;
    let mut cells = cells(&campaign, &baseline)?;
    if cells.is_empty() {
        let message = "no candidate is left: the filters leave only the baseline, or the stored run has no cell of a candidate";
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let scratch = Scratch::create()?;
    let place = args.out.clone().unwrap_or_else(|| scratch.path().join("gate"));
    let sides = cells.iter().flat_map(|cell| [Some(&cell.entries.0), cell.entries.1.as_ref()]);
    let systems = distinct(sides.flatten().cloned().collect(), |entry: &Entry| entry.name.clone());
    let sets = campaign.test_sets.iter().chain(cells.iter().map(|cell| &cell.test_set)).cloned();
    let sets = distinct(sets.collect(), |set: &TestSet| set.sha256.clone());
    let mut stage = Stage::new(&Place::Exactly(&place), &campaign, systems, sets)?;
    stage.shortfall().into_iter().for_each(say);
    let (comparisons, interrupted) = measure(&mut stage, &mut cells, args.pairs, &stop)?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    let quality = quality(&mut stage, &campaign, &cells, &baseline, args)?;
    let ceilings = ceilings(&stage, &campaign, args);
    let changes = changes(&cells, &baseline, stage.identity());
    let speed =
        cells.iter().zip(comparisons).map(|(cell, comparison)| Speed::new(cell, &baseline, comparison));
    conclude(&Answer::new(speed.collect(), quality, ceilings, changes), args.json)
}

fn baseline(args: &GateArgs, campaign: &Campaign) -> Outcome<Baseline> {
    match (&args.baseline, &args.baseline_dyno) {
        (Some(what), None) => Baseline::named(what, campaign),
        (None, Some(program)) => Baseline::dyno(program),
        _ => Err(bad_input(
            "the baseline is missing: add --baseline SYSTEM|COMMAND|RUN or --baseline-dyno PROGRAM",
        )),
    }
}

/// Refuses a limit that can't be checked: such a gate would let everything pass.
fn refuse_unchecked_limits(args: &GateArgs, campaign: &Campaign) -> Outcome<()> {
    if let Some(limit) = quality_limit(args) {
        if !campaign.metrics.of_sacrebleu().is_empty() {
            scores::prepare(&campaign.metrics, &announce)?;
        }
        let mut sets = campaign.test_sets.iter();
        if let Some(set) = sets.find(|set| campaign.metrics.first_for(set).is_none()) {
            return Err(bad_input(format!(
                "{limit}: test set {} has no references for the campaign's metrics: add them, or filter with --test-set",
                set.name
            )));
        }
    }
    let sizeless = |system: &&Entry| !system.is_hosted() && system.models.is_empty();
    match campaign.systems.iter().find(sizeless) {
        Some(system) if args.max_model.is_some() => Err(bad_input(format!(
            "--max-model: the model files of {} are unknown; add `model` to the system in the campaign",
            system.name
        ))),
        _ => Ok(()),
    }
}

/// Option that limits the quality, if there is one.
fn quality_limit(args: &GateArgs) -> Option<&'static str> {
    let loss = args.max_quality_loss.map(|_| "--max-quality-loss");
    args.worst_quality.map(|_| "--worst-quality").or(loss)
}

fn distinct<T>(items: Vec<T>, key: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().filter(|item| seen.insert(key(item))).collect()
}

/// Cells of the gate, each with the lines of a round. A stored baseline has its own lines and speeds.
fn cells(campaign: &Campaign, baseline: &Baseline) -> Outcome<Vec<Cell>> {
    let mut cells = Vec::new();
    for set in &campaign.test_sets {
        for &track in &campaign.tracks {
            for candidate in campaign.systems.iter().filter(|entry| entry.takes_part(track)) {
                cells.extend(cell(campaign, baseline, candidate, set, track)?);
            }
        }
    }
    Ok(cells)
}

fn cell(
    campaign: &Campaign,
    baseline: &Baseline,
    candidate: &Entry,
    set: &TestSet,
    track: Track,
) -> Outcome<Option<Cell>> {
    let beside = baseline.beside(candidate)?;
    let (test_set, speeds) = match &beside {
        Some((entry, system)) => {
            let test_set = gate::shorten(campaign, (entry, system), set, track)?;
            (test_set, Speeds::default())
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
                     baseline with --profile official, or choose a baseline that runs next to the candidate",
                    rounds.len(),
                    candidate.name
                );
                return Err(no_answer(Exit::NothingMeasured, message));
            }
            let unfit = stored.verdict() == Verdict::Noisy;
            (set.clone(), Speeds { baseline: rounds, unfit, ..Speeds::default() })
        }
    };
    let (entry, baseline) = beside.unzip();
    let entries = (candidate.clone(), entry);
    let candidate = candidate.system()?;
    Ok(Some(Cell { entries, candidate, baseline, test_set, track, speeds, noisy: Noisy::default() }))
}

/// Measures all cells, then those that look slower or are NOISY once more; both passes are judged together.
fn measure(
    stage: &mut Stage,
    cells: &mut [Cell],
    pairs: usize,
    stop: &Stop,
) -> Outcome<(Vec<Comparison>, bool)> {
    let rounds = |cell: &Cell| pairs * if cell.baseline.is_some() { 2 } else { 1 };
    let progress = Progress::new(cells.iter().map(rounds).sum(), 0);
    let mut all: Vec<&mut Cell> = cells.iter_mut().collect();
    let mut interrupted = gate::measure(stage, &mut all, 0..pairs, &progress, stop)?;
    let is_doubtful = |(found, cell): (&Comparison, &Cell)| found.change == Change::Slower || cell.is_noisy();
    let doubtful: Vec<bool> = judge(cells)?.iter().zip(cells.iter()).map(is_doubtful).collect();
    if !interrupted && doubtful.contains(&true) {
        progress.note("some cells look slower or are NOISY: measuring them again");
        let again = cells.iter_mut().zip(&doubtful).filter(|(_, doubtful)| **doubtful).map(|(cell, _)| cell);
        interrupted =
            gate::measure(stage, &mut again.collect::<Vec<_>>(), pairs..2 * pairs, &progress, stop)?;
    }
    progress.finish();
    Ok((if interrupted { Vec::new() } else { judge(cells)? }, interrupted))
}

fn judge(cells: &[Cell]) -> Outcome<Vec<Comparison>> {
    let speeds = |cell: &Cell| Speeds { unfit: cell.speeds.unfit || cell.is_noisy(), ..cell.speeds.clone() };
    let speeds: Vec<Speeds> = cells.iter().map(speeds).collect();
    let nothing = || no_answer(Exit::NothingMeasured, "a cell has no round with a speed");
    compare::judge(&speeds, Question::Slower)
        .into_iter()
        .map(|comparison| comparison.ok_or_else(nothing))
        .collect()
}

/// Quality of both sides. Each side translates the whole sets once, under the campaign's first track: the
/// lines of a round would be too little text to compare quality.
fn quality(
    stage: &mut Stage,
    campaign: &Campaign,
    cells: &[Cell],
    baseline: &Baseline,
    args: &GateArgs,
) -> Outcome<Vec<Quality>> {
    let limits = QualityLimits { worst: args.worst_quality, max_loss: args.max_quality_loss };
    let track = campaign.tracks[0];
    let of_track = |cell: &&Cell| cell.track == track;
    let mut found = Vec::new();
    for set in &campaign.test_sets {
        for candidate in &campaign.systems {
            let fits = |cell: &&Cell| of_track(cell) && cell.candidate.name == candidate.name;
            let Some(cell) = cells.iter().find(fits) else { continue };
            let mut text = |system: &System| stage.answers(Round { system, test_set: set, track, number: 0 });
            let candidate_text = text(&cell.candidate)?;
            let baseline_text = match &cell.baseline {
                Some(system) => text(system)?,
                None => baseline.stored_answers(&candidate.name, set, track).unwrap_or_default(),
            };
            let texts = (candidate_text.as_slice(), baseline_text.as_slice());
            let quality = Quality::compare(&candidate.name, set, texts, limits, &campaign.metrics);
            quality.warning.iter().for_each(|warning| say(format_args!("warning: {warning}")));
            refuse_unknown_quality(args, &quality)?;
            found.push(quality);
        }
    }
    Ok(found)
}

/// Refuses an answer where the quality is limited but unknown.
fn refuse_unknown_quality(args: &GateArgs, quality: &Quality) -> Outcome<()> {
    let Quality { system, test_set, .. } = quality;
    let fault = match () {
        () if args.worst_quality.is_some() && quality.score.is_none() => "--worst-quality: no score of",
        () if args.max_quality_loss.is_some() && !quality.is_compared() => {
            "--max-quality-loss: no comparison with the baseline's text for"
        }
        () => return Ok(()),
    };
    Err(no_answer(Exit::NothingMeasured, format!("{fault} {system} on {test_set}")))
}
