//! The coalescing probe: whether the system translates equal lines of one file only once.
//!
//! The system gets a set five times over, each copy in another order. It also gets a file of as many distinct
//! lines, made of halves of the set's lines. Both files have the same words equally often, so that a memory of
//! words saves as much in either.

use dyno_record::rules::limits::COALESCED_RATIO;
use dyno_record::{Code, Track};

use super::lines;
use super::{Examinee, ProbeOutcome};
use crate::judge::launches::{Standing, judge, standing};
use crate::process::failed::Asked;
use crate::text::recombined;
use crate::unknown::turns::turn;
use crate::{Result, words};

/// Lines of the set: few enough that equal lines meet in any window, enough for several batches.
const LINES: usize = 128;
/// Copies of the set in a file.
const COPIES: usize = 5;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let tracks = examinee.tracks.iter().copied().filter(|track| !track.answers_lines());
    ProbeOutcome::in_each(tracks, "no throughput track is probed", |track, outcome| {
        in_track(examinee, track, outcome)
    })
}

fn in_track(examinee: &Examinee<'_>, track: Track, outcome: &mut ProbeOutcome) -> Asked<()> {
    let mut once = examinee.affordable(lines::ordinary(examinee, LINES, "coalescing"))?;
    once.sort_by_key(|line| words(line)); // halves of lines that are about as long
    let mut random = examinee.random("copies of the set");
    let mut turns = Vec::new();
    while standing(&turns, COALESCED_RATIO) == Standing::Open {
        let mut equal = vec![once.clone(); COPIES].concat();
        let mut distinct: Vec<_> = (1..=COPIES).flat_map(|further| recombined(&once, further)).collect();
        random.shuffle(&mut equal);
        random.shuffle(&mut distinct);
        let launch = &mut |lines: &[Vec<u8>]| examinee.pass(track, lines)?.sound();
        turns.push(turn([&once[..1], &equal, &distinct], &mut random, launch)?);
    }
    let files = ["a file of a set five times", "a file of as many other lines with its words"];
    outcome.judge(track, judge(&turns, COALESCED_RATIO, Code::Coalesced, files));
    Ok(())
}
