//! The coalescing probe: whether the system translates equal lines of one file only once.
//!
//! The system gets a set five times over, each copy in another order, and the set once. If the five copies
//! are too quick, the probe compares them with five different sets as well. A fixed cost beyond loading, such
//! as a compiler's warm-up, is then on both sides.

use super::examinee::Examinee;
use super::finding::ProbeOutcome;
use super::lines;
use super::timing::coalesced;
use crate::error::Result;
use crate::rules::Track;

/// Lines of the set: few enough that equal lines meet in any window, enough for several batches.
const LINES: usize = 128;
/// Launches of each kind; the kinds alternate.
const TURNS: usize = 3;

/// Source lines.
type Lines = Vec<Vec<u8>>;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let tracks = examinee.tracks.iter().copied().filter(|track| !track.answers_lines());
    ProbeOutcome::in_each(tracks, "no throughput track is probed", |track| in_track(examinee, track))
}

/// The probe in one throughput track.
fn in_track(examinee: &Examinee<'_>, track: Track) -> Result<ProbeOutcome> {
    let stock = lines::ordinary(examinee, 5 * LINES, "coalescing");
    let once = examinee.affordable(stock.iter().take(LINES).cloned().collect())?;
    let shuffled = |copy: usize| {
        let order = examinee.random(&format!("copy {copy}")).permutation(once.len());
        order.into_iter().map(|line| once[line].clone()).collect::<Lines>()
    };
    let five_times: Lines = (0..5).flat_map(shuffled).collect();
    let five_sets: Lines = stock.into_iter().take(5 * once.len()).collect();
    let judgement = match alternate_launches(examinee, track, &[&once[..1], &once, &five_times])? {
        Ok(times) => coalesced(&times[0], &times[1], 5.0, &times[2]),
        Err(failed) => return Ok(failed),
    };
    let (undecided, too_quick) = (judgement.undecided, judgement.too_quick);
    let mut outcome = ProbeOutcome { undecided, too_quick, ..ProbeOutcome::note(judgement.figure) };
    if judgement.reason.is_some() {
        let times = match alternate_launches(examinee, track, &[&once[..1], &five_sets, &five_times])? {
            Ok(times) => times,
            Err(failed) => return Ok(failed),
        };
        let again = five_sets.len() as f64 / five_times.len() as f64;
        let confirmed = coalesced(&times[0], &times[1], 1.0 / again, &times[2]);
        outcome.add(track, judgement.reason.filter(|_| confirmed.reason.is_some()));
    }
    Ok(outcome)
}

/// Launches over each of `inputs`, in alternation. The result is the launches' times, or the outcome of a
/// failed launch.
fn alternate_launches<const N: usize>(
    examinee: &Examinee<'_>,
    track: Track,
    inputs: &[&[Vec<u8>]; N],
) -> Result<std::result::Result<[Vec<f64>; N], ProbeOutcome>> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for (input, times) in inputs.iter().zip(&mut times) {
            let pass = examinee.pass(track, input)?;
            if !pass.reasons.is_empty() {
                return Ok(Err(ProbeOutcome::failed(track, pass.reasons)));
            }
            times.push(pass.ending.wall_ns() as f64);
        }
    }
    Ok(Ok(times))
}
