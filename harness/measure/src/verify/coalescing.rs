//! Coalescing: a set five times over, each time in another order, against the set once. What stands out is held
//! against five different sets as well: then a fixed cost beyond loading, such as a compiler warming up, is on both
//! sides.

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines;
use super::timing::coalesced;
use crate::error::Result;
use crate::rules::Track;

/// Lines of the set: few enough that equal ones meet in any window, enough for several batches.
const LINES: usize = 128;
/// Launches of each kind, taken in turn.
const TURNS: usize = 3;

type Lines = Vec<Vec<u8>>;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    let mut heard = Heard::default();
    let mut figures = Vec::new();
    for &track in examinee.tracks.iter().filter(|&&track| track != Track::Latency) {
        let part = in_track(examinee, track)?;
        figures.push(part.figure);
        heard.findings.extend(part.findings);
        heard.undecided |= part.undecided;
        heard.too_quick |= part.too_quick;
    }
    heard.figure = match figures.is_empty() {
        true => "no throughput track is asked about".into(),
        false => figures.join("; "),
    };
    Ok(heard)
}

fn in_track(examinee: &Examinee<'_>, track: Track) -> Result<Heard> {
    let stock = lines::ordinary(examinee, 5 * LINES, "coalescing");
    let once = examinee.affordable(stock.iter().take(LINES).cloned().collect())?;
    let shuffled = |copy: usize| {
        let order = examinee.random(&format!("copy {copy}")).permutation(once.len());
        order.into_iter().map(|line| once[line].clone()).collect::<Lines>()
    };
    let five_times: Lines = (0..5).flat_map(shuffled).collect();
    let five_sets: Lines = stock.into_iter().take(5 * once.len()).collect();
    let judged = match take_turns(examinee, track, &[&once[..1], &once, &five_times])? {
        Ok(times) => coalesced(&times[0], &times[1], 5.0, &times[2]),
        Err(failed) => return Ok(failed),
    };
    let (undecided, too_quick) = (judged.undecided, judged.too_quick);
    let mut heard = Heard { undecided, too_quick, ..Heard::note(judged.figure) };
    if judged.reason.is_some() {
        let times = match take_turns(examinee, track, &[&once[..1], &five_sets, &five_times])? {
            Ok(times) => times,
            Err(failed) => return Ok(failed),
        };
        let again = five_sets.len() as f64 / five_times.len() as f64;
        let confirmed = coalesced(&times[0], &times[1], 1.0 / again, &times[2]);
        heard.add(track, judged.reason.filter(|_| confirmed.reason.is_some()));
    }
    Ok(heard)
}

/// Launches over each of `inputs` in turn: their times, or what went wrong.
fn take_turns<const N: usize>(
    examinee: &Examinee<'_>,
    track: Track,
    inputs: &[&[Vec<u8>]; N],
) -> Result<std::result::Result<[Vec<f64>; N], Heard>> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for (input, times) in inputs.iter().zip(&mut times) {
            let pass = examinee.pass(track, input)?;
            if !pass.reasons.is_empty() {
                return Ok(Err(Heard::failed(track, pass.reasons)));
            }
            times.push(pass.ending.wall_ns() as f64);
        }
    }
    Ok(Ok(times))
}
