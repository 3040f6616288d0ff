//! The cause of a system's silence. The diagnosis writes a second line, then many lines, then closes the
//! input.
//!
//! The first step that makes the system write names the fault. The system reads a line ahead, its output sits
//! in a buffer, or it waits for the end of input. Each fault has its own usual remedy. A system that never
//! writes is hung.

use std::time::{Duration, Instant};

use dyno_record::{Code, Reason};

use super::dialogue::{Dialogue, Stop};
use crate::constants::TIME_FOR_A_FOLLOW_UP;

/// Half a block of standard output. A block has 4 KiB or more (in glibc on a pipe, and in other libraries).
/// Output of at least half a block comes from a buffer that is full; less comes from a program that reads
/// some lines ahead.
const HALF_BLOCK: usize = 2048;
/// Number of short lines, which come first. A program that takes lines by the hundred shows it before any
/// buffer is full.
const SHORT_LINES: usize = 1000;
/// Number of long lines, which follow: together twice what the largest usual buffer (64 KiB) holds.
const LONG_LINES: usize = 160;
/// Number of lines that are written one by one. Programs read ahead by batches, and batches are rarely
/// larger.
const PACED_LINES: usize = 128;
/// Time limit of the stream of lines, since the diagnosis must end.
const STREAM_TIME: Duration = Duration::from_secs(10);

/// Most seconds of a diagnosis after a line's limit: the waits after a second line, within and after many, and
/// after the end of input.
pub(crate) fn most_seconds(line_seconds: f64) -> f64 {
    4.0 * line_seconds.min(TIME_FOR_A_FOLLOW_UP.as_secs_f64())
}

pub(super) fn diagnose(dialogue: &mut Dialogue, after: Duration, patience: Duration) -> Reason {
    // The system began an answer and stopped. Any further output could be the rest of this answer.
    if !dialogue.unended().is_empty() {
        let bytes = dialogue.unended().len();
        let figure = format!("{bytes} bytes without a line end after {:.1} s", after.as_secs_f64());
        return Code::Hung.reason(figure);
    }
    let begin = Instant::now();
    match provoke(dialogue, patience.min(TIME_FOR_A_FOLLOW_UP)) {
        Ok(Some(reason)) | Err(Stop::Fault(reason)) => reason,
        // The time of the diagnosis counts as well.
        Ok(None) | Err(Stop::Silent(_)) => {
            let after = (after + begin.elapsed()).min(patience.max(after));
            Code::Hung.reason(format!("no answer after {:.1} s", after.as_secs_f64()))
        }
    }
}

/// Fault that one of the steps shows; `None` if no step makes the system write.
fn provoke(dialogue: &mut Dialogue, patience: Duration) -> Result<Option<Reason>, Stop> {
    let line = dialogue.asked;
    dialogue.take_reply();
    // Neither further lines nor the end of input reach a system that doesn't read.
    if !dialogue.input_is_taken() {
        return Ok(None);
    }
    dialogue.write(b"Yes.\n", Instant::now() + patience)?;
    if dialogue.wait_for_output(Instant::now() + patience)? {
        return judge_lag(dialogue, line, patience).map(Some);
    }
    if !dialogue.input_is_taken() {
        return Ok(None);
    }
    if let Some(lines) = stream_until_output(dialogue, patience)? {
        return Ok(Some(judge_late_output(dialogue, lines)));
    }
    dialogue.close();
    if !dialogue.wait_for_output(Instant::now() + patience)? || dialogue.read()? == 0 {
        return Ok(None);
    }
    let figure = format!("no answer to {} lines until the end of input", dialogue.asked);
    Ok(Some(Code::WaitsForEof.reason(figure)))
}

/// Fault of a system that writes at the next line: it reads one line ahead, or it dropped an answer.
fn judge_lag(dialogue: &mut Dialogue, line: usize, patience: Duration) -> Result<Reason, Stop> {
    drain(dialogue, Duration::from_millis(100).min(patience))?;
    dialogue.close();
    drain(dialogue, patience)?;
    let (asked, answered) = (dialogue.asked, dialogue.answered);
    if answered < asked {
        return Ok(Code::LineCount.reason(format!("{answered} answers to {asked} lines in lock-step")));
    }
    Ok(Code::ReadsAhead.reason(format!("the answer to line {line} came after line {} was written", line + 1)))
}

/// Reads until the end, or until no more output comes.
fn drain(dialogue: &mut Dialogue, patience: Duration) -> Result<(), Stop> {
    while dialogue.wait_for_output(Instant::now() + patience)? {
        if dialogue.read()? == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Writes lines until output comes; returns their number.
fn stream_until_output(dialogue: &mut Dialogue, patience: Duration) -> Result<Option<usize>, Stop> {
    let short = std::iter::repeat_n("Yes.\n".to_owned(), SHORT_LINES);
    let long = std::iter::repeat_n("word ".repeat(200) + "\n", LONG_LINES);
    let deadline = Instant::now() + STREAM_TIME;
    for (i, line) in short.chain(long).enumerate() {
        dialogue.write(line.as_bytes(), Instant::now() + patience)?;
        let pause = match i + 1 {
            // Time to work off the lines so far.
            SHORT_LINES => patience,
            // System and bench share a core. Without a pause a quick system would get no time to write
            // between lines.
            n if n <= PACED_LINES || n % 16 == 0 => Duration::from_millis(1),
            _ => Duration::ZERO,
        };
        if dialogue.wait_for_output(Instant::now() + pause)? {
            return Ok(Some(dialogue.asked));
        }
        if Instant::now() > deadline {
            return Ok(None);
        }
    }
    Ok(dialogue.wait_for_output(Instant::now() + patience)?.then_some(dialogue.asked))
}

/// Fault of a system that writes after `lines` lines.
fn judge_late_output(dialogue: &mut Dialogue, lines: usize) -> Reason {
    // After an error, the bytes so far decide.
    let _ = dialogue.read();
    let bytes = dialogue.take_reply().len();
    let code = if bytes >= HALF_BLOCK { Code::BlockBuffered } else { Code::ReadsAhead };
    code.reason(format!("no output for {lines} lines, then {bytes} bytes"))
}
