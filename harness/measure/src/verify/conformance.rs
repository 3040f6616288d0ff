//! The conformance probe: whether the system answers odd lines one for one, and ordinary lines in order. The
//! last odd line has no line end in files.

use super::examinee::Examinee;
use super::finding::ProbeOutcome;
use super::lines;
use super::sameness::Comparison;
use crate::error::Result;
use crate::rules::{Code, Reason, Track};

/// Number of ordinary lines whose order is checked.
const LINES: usize = 100;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let odd = lines::odd();
    let mut outcome = ProbeOutcome::note(format!("{} odd lines answered one for one", odd.len()));
    for &track in &examinee.tracks {
        let (answers, reasons) = match track {
            Track::Latency => {
                let replies = examinee.ask(&odd)?;
                (replies.answers, replies.reasons)
            }
            _ => {
                let pass = examinee.pass_text(track, &odd.join(&b'\n'), odd.len())?;
                (pass.answers(), pass.reasons)
            }
        };
        let reasons: Vec<Reason> =
            reasons.into_iter().map(|reason| name_line(reason, track, answers.len(), odd.len())).collect();
        let got_through = reasons.is_empty();
        outcome.add(track, reasons);
        if got_through {
            check_order(examinee, track, &mut outcome)?;
            // A misplaced answer says nothing about its line.
            if !outcome.findings.iter().any(|finding| finding.reason.code == Code::Order) {
                outcome.add(track, invalid_utf8(&odd, &answers));
            }
        }
    }
    Ok(outcome)
}

/// Adds to the figure the kind of the odd line at which the system broke. In lock-step this line is known.
fn name_line(mut reason: Reason, track: Track, answered: usize, odd: usize) -> Reason {
    const KINDS: [&str; 19] = [
        "an empty line",
        "one word",
        "spaces alone",
        "tabs",
        "a carriage return at the end",
        "combining marks",
        "Unicode's line separators",
        "emoji",
        "right-to-left text",
        "a byte order mark",
        "control characters alone",
        "markup and punctuation",
        "a line like an option",
        "rare code points",
        "150 words",
        "an over-long line",
        "invalid UTF-8",
        "UTF-8 cut in a letter",
        "an ordinary line",
    ];
    let is_at_a_line = !matches!(reason.code, Code::Affinity | Code::CpuShare | Code::LeftProcess);
    if let (Track::Latency, true, true, Some(kind)) =
        (track, is_at_a_line, answered < odd, KINDS.get(answered))
    {
        reason.figure = format!("at {kind}: {}", reason.figure);
    }
    reason
}

/// Checks that the same lines in two orders get the same answers, each in its line's place.
fn check_order(examinee: &Examinee<'_>, track: Track, outcome: &mut ProbeOutcome) -> Result<()> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "order"))?;
    let order = examinee.random("another order").permutation(lines.len());
    let shuffled: Vec<_> = order.iter().map(|&line| lines[line].clone()).collect();
    let first = match examinee.answers(track, &lines)? {
        Ok(answers) => answers,
        Err(failed) => {
            outcome.findings.extend(failed.findings);
            return Ok(());
        }
    };
    match examinee.answers(track, &shuffled)? {
        Ok(answers) => {
            let mut second = vec![Vec::new(); answers.len()];
            for (&line, answer) in order.iter().zip(answers) {
                second[line] = answer;
            }
            outcome.add(track, Comparison::of(&first, &second).misplaced());
        }
        Err(failed) => outcome.findings.extend(failed.findings),
    }
    Ok(())
}

/// Reason for the first invalid answer to a valid line. Answers to invalid lines are not judged.
pub fn invalid_utf8(source: &[Vec<u8>], answers: &[Vec<u8>]) -> Option<Reason> {
    let is_bad = |(line, answer): (&Vec<u8>, &Vec<u8>)| {
        std::str::from_utf8(line).is_ok() && std::str::from_utf8(answer).is_err()
    };
    let line = source.iter().zip(answers).position(is_bad)?;
    Some(Code::InvalidUtf8.reason(format!("answer to line {}", line + 1)))
}
