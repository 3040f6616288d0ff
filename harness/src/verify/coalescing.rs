//! Coalescing: a set five times over, each time in another order, against the set once.

use super::timing::coalesced;
use super::{Examinee, Heard, lines};
use crate::exit::Outcome;

/// Lines of the set: few enough that equal ones meet in any window, enough for several batches.
const LINES: usize = 128;
/// Launches of each kind, taken in turn.
const TURNS: usize = 3;

pub(super) fn ask(examinee: &Examinee<'_>) -> Outcome<Heard> {
    let Some(track) = examinee.file_track() else {
        return Ok(Heard::note("no throughput track is asked about"));
    };
    let once = examinee.affordable(lines::ordinary(examinee, LINES, "coalescing"))?;
    let shuffled = |copy: usize| {
        let order = examinee.random(&format!("copy {copy}")).permutation(once.len());
        order.into_iter().map(|line| once[line].clone()).collect::<Vec<_>>()
    };
    let five_times: Vec<_> = (0..5).flat_map(shuffled).collect();
    let inputs = [&once[..1], &once[..], &five_times[..]];
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        for (input, times) in inputs.iter().zip(&mut times) {
            let pass = examinee.pass(track, input)?;
            if !pass.reasons.is_empty() {
                return Ok(Heard::failed(track, pass.reasons));
            }
            times.push(pass.ending.wall_ns() as f64);
        }
    }
    let judged = coalesced(&times[0], &times[1], &times[2]);
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(track, judged.reason);
    Ok(heard)
}
