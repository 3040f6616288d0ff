//! The coalescing probe: whether the system translates equal lines of one file only once.
//!
//! The system gets a set five times over, each copy in another order. It also gets a file of as many distinct
//! lines, made of halves of the set's lines. Both files have the same words equally often, so that a memory of
//! words saves as much in either.

use dyno_record::rules::limits::COALESCED_RATIO;
use dyno_record::{Code, Track};

use super::alternation::turn;
use super::examinee::Examinee;
use super::finding::ProbeOutcome;
use super::lines::{self, recombined};
use super::timing::{Standing, judge, standing};
use crate::error::Result;
use crate::text::words;

/// Lines of the set: few enough that equal lines meet in any window, enough for several batches.
const LINES: usize = 128;
/// Copies of the set in a file.
const COPIES: usize = 5;

/// Source lines.
type Lines = Vec<Vec<u8>>;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let tracks = examinee.tracks.iter().copied().filter(|track| !track.answers_lines());
    ProbeOutcome::in_each(tracks, "no throughput track is probed", |track| in_track(examinee, track))
}

/// The probe in one throughput track.
fn in_track(examinee: &Examinee<'_>, track: Track) -> Result<ProbeOutcome> {
    let mut once = examinee.affordable(lines::ordinary(examinee, LINES, "coalescing"))?;
    once.sort_by_key(|line| words(line)); // halves of lines that are about as long
    let mut random = examinee.random("copies of the set");
    let mut turns = Vec::new();
    while turns.is_empty() || standing(&turns, COALESCED_RATIO) == Standing::Open {
        let mut equal: Lines = (0..COPIES).flat_map(|_| once.iter().cloned()).collect();
        let mut distinct: Lines = (1..=COPIES).flat_map(|further| recombined(&once, further)).collect();
        random.shuffle(&mut equal);
        random.shuffle(&mut distinct);
        match turn([&once[..1], &equal, &distinct], &mut random, |lines| examinee.pass(track, lines))? {
            Ok((turn, _)) => turns.push(turn),
            Err(reasons) => return Ok(ProbeOutcome::failed(track, reasons)),
        }
    }
    let files = ["a file of a set five times", "a file of as many other lines with its words"];
    let mut outcome = ProbeOutcome::default();
    outcome.judge(track, judge(&turns, COALESCED_RATIO, Code::Coalesced, files));
    Ok(outcome)
}
