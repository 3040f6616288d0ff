//! Conformance: odd lines answered one for one, the last one also without a line end; ordinary ones in order.

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines;
use super::sameness::Comparison;
use crate::error::Result;
use crate::rules::{Code, Reason, Track};

/// Ordinary lines whose order is checked.
const LINES: usize = 100;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    let odd = lines::odd();
    let mut heard = Heard::note(format!("{} odd lines answered one for one", odd.len()));
    for &track in &examinee.tracks {
        let (answers, reasons) = match track {
            Track::Latency => {
                let told = examinee.ask(&odd)?;
                (told.answers, told.reasons)
            }
            _ => {
                let pass = examinee.pass_text(track, &odd.join(&b'\n'), odd.len())?;
                (pass.answers(), pass.reasons)
            }
        };
        let reasons: Vec<Reason> =
            reasons.into_iter().map(|reason| name_line(reason, track, answers.len(), odd.len())).collect();
        let got_through = reasons.is_empty();
        heard.add(track, reasons);
        if got_through {
            check_order(examinee, track, &mut heard)?;
            // An answer at another line's place says nothing about its own.
            if !heard.findings.iter().any(|finding| finding.reason.code == Code::Order) {
                heard.add(track, invalid_utf8(&odd, &answers));
            }
        }
    }
    Ok(heard)
}

/// In lock-step it is known which odd line it was that broke the system.
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

/// The same lines in two orders must give the same answers, each at its own place.
fn check_order(examinee: &Examinee<'_>, track: Track, heard: &mut Heard) -> Result<()> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "order"))?;
    let order = examinee.random("another order").permutation(lines.len());
    let shuffled: Vec<_> = order.iter().map(|&line| lines[line].clone()).collect();
    let first = match examinee.answers(track, &lines)? {
        Ok(answers) => answers,
        Err(failed) => {
            heard.findings.extend(failed.findings);
            return Ok(());
        }
    };
    match examinee.answers(track, &shuffled)? {
        Ok(answers) => {
            let mut second = vec![Vec::new(); answers.len()];
            for (&line, answer) in order.iter().zip(answers) {
                second[line] = answer;
            }
            heard.add(track, Comparison::of(&first, &second).misplaced());
        }
        Err(failed) => heard.findings.extend(failed.findings),
    }
    Ok(())
}

/// The first answer to a valid line that is not valid itself. To an invalid line any answer will do.
pub fn invalid_utf8(source: &[Vec<u8>], answers: &[Vec<u8>]) -> Option<Reason> {
    let is_bad = |(line, answer): (&Vec<u8>, &Vec<u8>)| {
        std::str::from_utf8(line).is_ok() && std::str::from_utf8(answer).is_err()
    };
    let line = source.iter().zip(answers).position(is_bad)?;
    Some(Code::InvalidUtf8.reason(format!("answer to line {}", line + 1)))
}
