//! Cells of the gate: made from the campaign and the baseline, measured in one pass or two, and judged.

use dyno_measure::TestSet;
use dyno_record::{Host, Track, Verdict};
use dyno_results::compare::{self, Change, LEAST_PAIRS, Quality, QualityLimits, Question, Speeds};

use super::baseline::Baseline;
use super::cell::{Cell, Fault, PROFILE};
use super::stage::Stage;
use super::trials::Trials;
use crate::campaign::{Campaign, Entry};
use crate::exit::{Exit, Outcome, no_answer};
use crate::interrupt::Stop;
use crate::progress::Progress;

/// Cells of the gate, each with the lines of a round. A stored baseline has its own lines and speeds.
pub(super) fn cells(
    campaign: &Campaign,
    baseline: &Baseline,
    host: &Host,
    stop: &Stop,
) -> Outcome<Vec<Cell>> {
    let mut trials = Trials::new(campaign, host, stop)?;
    let mut cells = Vec::new();
    for set in &campaign.test_sets {
        for &track in &campaign.tracks {
            for candidate in campaign.systems.iter().filter(|entry| entry.takes_part(track)) {
                cells.extend(cell(&mut trials, baseline, candidate, set, track)?);
            }
        }
    }
    Ok(cells)
}

fn cell(
    trials: &mut Trials,
    baseline: &Baseline,
    candidate: &Entry,
    set: &TestSet,
    track: Track,
) -> Outcome<Option<Cell>> {
    let beside = baseline.beside(candidate)?;
    let (lines, speeds) = match &beside {
        Some((_, system)) => (trials.shorten(system, set, track)?, Speeds::default()),
        None => match stored(baseline, candidate, set, track)? {
            Some((lines, speeds)) => (lines, speeds),
            None => return Ok(None),
        },
    };
    let (test_set, fault) = match lines {
        Ok(lines) => (lines, None),
        Err(fault) => (set.clone(), Some(fault)),
    };
    let (entry, baseline) = beside.unzip();
    let (entries, candidate) = ((candidate.clone(), entry), candidate.system(PROFILE)?);
    let (comparison, disturbed) = (None, [0; 2]);
    Ok(Some(Cell { entries, candidate, baseline, test_set, track, speeds, comparison, disturbed, fault }))
}

/// Lines and speeds of a stored baseline.
type Stored = (Result<TestSet, Fault>, Speeds);

fn stored(baseline: &Baseline, candidate: &Entry, set: &TestSet, track: Track) -> Outcome<Option<Stored>> {
    let name = &candidate.name;
    let Some(stored) = baseline.stored_cell(name, set, track) else {
        say!("warning: the stored run has no {name} on {} under {track}", set.name);
        return Ok(None);
    };
    if let Some(fault) = stored.records.iter().find_map(|record| Fault::of(record)) {
        return Ok(Some((Err(fault), Speeds::default())));
    }
    let rounds = stored.speeds();
    if rounds.len() < LEAST_PAIRS {
        let message = format!(
            "the stored run has {} rounds of {name} under {track}, but {LEAST_PAIRS} are needed: run the baseline \
             with --profile official, or choose a baseline that runs next to the candidate",
            rounds.len()
        );
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let noisy = stored.verdict() == Verdict::Noisy;
    Ok(Some((Ok(stored.test_set.clone()), Speeds { baseline: rounds, noisy, ..Speeds::default() })))
}

/// Measures and judges all cells, then those that look slower or are undecided once more. Both passes are judged
/// together. True if the user stopped it before the end.
pub(super) fn measure(stage: &mut Stage, cells: &mut [Cell], pairs: usize) -> Outcome<bool> {
    let rounds =
        |cells: &[&mut Cell]| pairs * cells.iter().map(|cell| cell.rounds_of_a_pair()).sum::<usize>();
    let mut all: Vec<&mut Cell> = cells.iter_mut().filter(|cell| cell.fault.is_none()).collect();
    let progress = Progress::new(rounds(&all), 0);
    if stage.pairs(&mut all, 0..pairs, &progress)? {
        return Ok(true);
    }
    judge(cells)?;
    let mut doubtful: Vec<&mut Cell> = cells.iter_mut().filter(|cell| is_doubtful(cell)).collect();
    if !doubtful.is_empty() {
        progress.note("some cells look slower or are undecided: measuring them again");
        progress.extend(rounds(&doubtful));
        if stage.pairs(&mut doubtful, pairs..2 * pairs, &progress)? {
            return Ok(true);
        }
    }
    progress.finish();
    judge(cells).map(|()| false)
}

/// Whether further rounds may change the verdict on `cell`. They don't make a stored baseline less NOISY.
fn is_doubtful(cell: &Cell) -> bool {
    match cell.comparison.map(|found| found.change) {
        Some(Change::Slower) => true,
        Some(Change::Unclear) => !cell.speeds.noisy,
        _ => false,
    }
}

/// Judges all cells without a fault.
fn judge(cells: &mut [Cell]) -> Outcome<()> {
    let open: Vec<&mut Cell> = cells.iter_mut().filter(|cell| cell.fault.is_none()).collect();
    let speeds =
        open.iter().map(|cell| Speeds { noisy: cell.speeds.noisy || cell.is_noisy(), ..cell.speeds.clone() });
    let found = compare::judge(&speeds.collect::<Vec<_>>(), Question::Slower);
    for (cell, comparison) in open.into_iter().zip(found) {
        let Some(comparison) = comparison else {
            let (name, set, track) = (&cell.entries.0.name, &cell.test_set.name, cell.track);
            let message = format!(
                "{name} on {set} under {track} has no round with a speed; its records say why, or choose another baseline"
            );
            return Err(no_answer(Exit::NothingMeasured, message));
        };
        cell.comparison = Some(comparison);
    }
    Ok(())
}

/// Quality of each candidate on each test set, under the first track that has no fault. Each side translates
/// the whole set: the lines of a round would be too little text to compare quality. One track is enough, since
/// a text that depends on the track is a warning of its own.
pub(super) fn quality(
    stage: &mut Stage,
    campaign: &Campaign,
    cells: &mut [Cell],
    baseline: &Baseline,
    limits: QualityLimits,
) -> Outcome<Vec<Quality>> {
    let mut found = Vec::new();
    for set in &campaign.test_sets {
        for candidate in &campaign.systems {
            let is_open = |cell: &&mut Cell| {
                cell.candidate.name == candidate.name
                    && cell.test_set.is_of(&set.name)
                    && cell.fault.is_none()
            };
            let Some(cell) = cells.iter_mut().find(is_open) else { continue };
            match texts(stage, cell, set, baseline)? {
                Ok([ours, theirs]) => {
                    let texts = (ours.as_slice(), theirs.as_slice());
                    let quality = Quality::compare(&candidate.name, set, texts, limits, &campaign.metrics);
                    quality.warning.iter().for_each(|warning| say!("warning: {warning}"));
                    found.push(quality);
                }
                Err(fault) => cell.fault = Some(fault),
            }
        }
    }
    Ok(found)
}

/// Texts of candidate and baseline, or the rule that one of them broke.
fn texts(
    stage: &mut Stage,
    cell: &Cell,
    set: &TestSet,
    baseline: &Baseline,
) -> Outcome<Result<[Vec<String>; 2], Fault>> {
    let ours = match stage.answers(&cell.candidate, set, cell.track)? {
        Ok(ours) => ours,
        Err(fault) => return Ok(Err(fault)),
    };
    let theirs = match &cell.baseline {
        Some(system) => stage.answers(system, set, cell.track)?,
        None => Ok(baseline.stored_answers(&cell.candidate.name, set, cell.track).unwrap_or_default()),
    };
    Ok(theirs.map(|theirs| [ours, theirs]))
}

/// What keeps a limit of the quality from being checked.
pub(super) fn unchecked(limits: QualityLimits, found: &[Quality]) -> Option<String> {
    found.iter().find_map(|quality| {
        let Quality { system, test_set, .. } = quality;
        let fault = match () {
            () if limits.worst.is_some() && quality.score.is_none() => "--worst-quality: no score of",
            () if limits.max_loss.is_some() && !quality.is_compared() => {
                "--max-quality-loss: no comparison with the baseline's text for"
            }
            () => return None,
        };
        Some(format!("{fault} {system} on {test_set}"))
    })
}
