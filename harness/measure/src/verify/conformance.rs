//! The conformance probe: whether the system answers odd lines one for one, and ordinary lines in order. The
//! last odd line has no line end in files. In files the over-long line has a launch of its own, because it may
//! take more time than all others.

use dyno_record::{Code, Reason, Track};

use super::lines::{self, OVERLONG};
use super::{Examinee, ProbeOutcome};
use crate::error::Result;
use crate::judge::answers::invalid_utf8;
use crate::process::failed::{Asked, sound};
use crate::process::lockstep::Lockstep;
use crate::vectors;

/// Number of ordinary lines whose order is checked.
const LINES: usize = 100;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let odd: Vec<Vec<u8>> = lines::odd().into_iter().map(|(_, line)| line).collect();
    let figure = format!("{} odd lines answered one for one", odd.len());
    let outcome = ProbeOutcome::in_each(examinee.tracks.iter().copied(), "", |track, outcome| {
        let answers = match track.answers_lines() {
            true => in_lockstep(examinee, track, &odd, outcome)?,
            false => as_files(examinee, track, &odd, outcome)?,
        };
        let misplaced = misplaced(examinee, track);
        // A misplaced answer says nothing about its line.
        if !matches!(misplaced, Ok(Some(_))) {
            outcome.add(track, invalid_utf8(&odd, &answers));
            let is_text = examinee.system.translates;
            outcome.add(track, (!is_text).then(|| vectors::fault(&answers)).flatten());
        }
        outcome.add(track, misplaced?);
        Ok(())
    })?;
    Ok(ProbeOutcome { figure, ..outcome })
}

/// Reason if the same lines in two orders don't get the same answers, each in its line's place.
fn misplaced(examinee: &Examinee<'_>, track: Track) -> Asked<Option<Reason>> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "order"))?;
    let order = examinee.random("another order").permutation(lines.len());
    Ok(examinee.compare_with_order(track, &lines, &order)?.misplaced())
}

/// Answers to the odd lines; warns about the time of the over-long one.
fn in_lockstep(
    examinee: &Examinee<'_>,
    track: Track,
    odd: &[Vec<u8>],
    outcome: &mut ProbeOutcome,
) -> Asked<Vec<Vec<u8>>> {
    let Lockstep { answers, replies, reasons, .. } = examinee.ask(track, odd)?;
    let (answered, limit) = (answers.len(), examinee.limits().line_seconds);
    let slow = replies.get(OVERLONG).and_then(|reply| slow_line(&odd[OVERLONG], reply.last_ns, limit));
    outcome.add(track, slow);
    sound(answers, reasons.into_iter().map(|reason| name_line(reason, answered, odd.len())))
}

/// The same of files.
fn as_files(
    examinee: &Examinee<'_>,
    track: Track,
    odd: &[Vec<u8>],
    outcome: &mut ProbeOutcome,
) -> Asked<Vec<Vec<u8>>> {
    let mut others = odd.to_vec();
    let overlong = others.remove(OVERLONG);
    let pass = examinee.pass_text(track, &others.join(&b'\n'), others.len())?;
    if !pass.reasons.is_empty() {
        let broken = first_broken(examinee, track, &others, &pass.reasons[0])?;
        // Behind the over-long line, the others stand one place earlier than among the odd lines.
        let place = broken.map(|place| place + usize::from(place >= OVERLONG));
        let named = |reason: Reason| if let Some(place) = place { at(place, reason) } else { reason };
        return sound(Vec::new(), pass.reasons.into_iter().map(named));
    }
    let mut answers = pass.answers();
    let alone = examinee.pass_patiently(track, &overlong)?;
    outcome.add(track, slow_line(&overlong, alone.ending.wall_ns(), examinee.limits().launch_seconds));
    answers.splice(OVERLONG..OVERLONG, alone.answers());
    sound(answers, alone.reasons.into_iter().map(|reason| at(OVERLONG, reason)))
}

/// Place of the line at which `lines`, given as a file, break the system: the last one of the shortest
/// beginning that has the same fault, or the one before it, if that one takes its line feed along. `None` for faults
/// that a line doesn't cause, or that take their time.
fn first_broken(
    examinee: &Examinee<'_>,
    track: Track,
    lines: &[Vec<u8>],
    fault: &Reason,
) -> Result<Option<usize>> {
    if !matches!(fault.code, Code::LineCount | Code::Crashed | Code::ExitedEarly | Code::ExtraOutput) {
        return Ok(None);
    }
    let is_broken = |lines: &[Vec<u8>]| -> Result<bool> {
        Ok(examinee.pass(track, lines)?.reasons.iter().any(|reason| reason.code == fault.code))
    };
    let (mut sound, mut broken) = (0, lines.len());
    while broken - sound > 1 {
        let middle = (sound + broken) / 2;
        *(if is_broken(&lines[..middle])? { &mut broken } else { &mut sound }) = middle;
    }
    let Some(before) = sound.checked_sub(1) else { return Ok(Some(0)) };
    let without = [&lines[..before], &lines[sound..broken]].concat();
    Ok(Some(if is_broken(&without)? { sound } else { before }))
}

fn slow_line(line: &[u8], ns: u64, limit: f64) -> Option<Reason> {
    let seconds = ns as f64 / 1e9;
    let figure = || format!("{seconds:.1} s for an over-long line of {} bytes", line.len());
    (seconds > limit).then(|| Code::SlowLine.reason(figure()))
}

/// Adds to the figure the odd line at which the system broke; in lock-step this line is known.
fn name_line(reason: Reason, answered: usize, odd: usize) -> Reason {
    let is_at_a_line = !matches!(reason.code, Code::Affinity | Code::CpuShare | Code::LeftProcess);
    if is_at_a_line && answered < odd { at(answered, reason) } else { reason }
}

fn at(place: usize, mut reason: Reason) -> Reason {
    let (kind, _) = lines::odd()[place];
    reason.figure = format!("at odd line {} ({kind}): {}", place + 1, reason.figure);
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_over_long_line_is_the_longest() {
        let odd = lines::odd();
        assert!(odd.iter().all(|(_, line)| line.len() <= odd[OVERLONG].1.len()));
        assert!(odd[OVERLONG].1.len() > 8192);
    }

    #[test]
    fn a_slow_over_long_line_is_a_warning_with_its_time() {
        assert_eq!(slow_line(b"line", 3_000_000_000, 3.0), None);
        let reason = slow_line(b"line", 75_300_000_000, 60.0).unwrap();
        assert_eq!(reason.figure, "75.3 s for an over-long line of 4 bytes");
        assert_eq!(reason.code.severity(Track::Latency), dyno_record::rules::Severity::Warning);
    }
}
