//! What a silent system is up to: told by giving it a second line, then many, then the end of its input.
//!
//! The first of these that makes it speak names the fault, and each has its own usual remedy: it reads a line
//! ahead, its output sits in a buffer, or it waits for the end of input. One that never speaks is hung.

use std::time::{Duration, Instant};

use super::dialogue::{Dialogue, Stop};
use crate::rules::{Code, Reason};

/// A block of standard output is 4 KiB or more (glibc on a pipe, and everybody after it); half of it separates
/// buffers that fill from programs that read some lines ahead.
const BLOCK: usize = 2048;
/// Short lines first, so that a program which takes lines by the hundred shows it before any buffer is full.
const SHORT_LINES: usize = 1000;
/// Then long ones, until more has gone in than the largest usual buffer (64 KiB) holds, twice.
const LONG_LINES: usize = 160;
/// Of these, how many one by one: programs read ahead by batches, and those are rarely larger.
const PACED_LINES: usize = 128;
/// The stream stops here, however far it got: the probe must end.
const STREAM: Duration = Duration::from_secs(10);

/// For each further question nobody is waited for longer than this: it has had its time.
const PATIENCE: Duration = Duration::from_secs(3);

/// Finds out why `dialogue` fell silent `after` so long.
pub(super) fn diagnose(dialogue: &mut Dialogue, after: Duration, patience: Duration) -> Reason {
    // It has begun an answer and goes no further: nothing that it is given can be told from the rest of that.
    if !dialogue.answer().is_empty() {
        let bytes = dialogue.answer().len();
        let figure = format!("{bytes} bytes without a line end after {:.1} s", after.as_secs_f64());
        return Code::Hung.reason(figure);
    }
    let begin = Instant::now();
    match explain(dialogue, patience.min(PATIENCE)) {
        Ok(Some(reason)) | Err(Stop::Fault(reason)) => reason,
        // It has had the time since, too.
        Ok(None) | Err(Stop::Silent(_)) => hung((after + begin.elapsed()).min(patience.max(after))),
    }
}

fn hung(after: Duration) -> Reason {
    Code::Hung.reason(format!("no answer after {:.1} s", after.as_secs_f64()))
}

/// `None`: nothing makes it speak.
fn explain(dialogue: &mut Dialogue, patience: Duration) -> Result<Option<Reason>, Stop> {
    let line = dialogue.asked;
    dialogue.take_reply();
    dialogue.write(b"Yes.\n", Instant::now() + patience)?;
    if dialogue.wait_for_output(Instant::now() + patience)? {
        return lags(dialogue, line, patience).map(Some);
    }
    if let Some(lines) = stream(dialogue, patience)? {
        return Ok(Some(speaks_late(dialogue, lines)));
    }
    dialogue.close();
    if !dialogue.wait_for_output(Instant::now() + patience)? || dialogue.read()? == 0 {
        return Ok(None);
    }
    let figure = format!("no answer to {} lines until the end of input", dialogue.asked);
    Ok(Some(Code::WaitsForEof.reason(figure)))
}

/// It spoke at the next line: it reads one ahead, or has dropped an answer and goes on with the next.
fn lags(dialogue: &mut Dialogue, line: usize, patience: Duration) -> Result<Reason, Stop> {
    drain(dialogue, Duration::from_millis(100).min(patience))?;
    dialogue.close();
    drain(dialogue, patience)?;
    let (asked, answered) = (dialogue.asked, dialogue.answered);
    if answered < asked {
        return Ok(Code::LineCount.reason(format!("{answered} answers to {asked} lines in lock-step")));
    }
    Ok(Code::ReadsAhead.reason(format!("the answer to line {line} came after line {} was written", line + 1)))
}

/// Reads until the end, or until nothing more comes.
fn drain(dialogue: &mut Dialogue, patience: Duration) -> Result<(), Stop> {
    while dialogue.wait_for_output(Instant::now() + patience)? {
        if dialogue.read()? == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Writes line after line until something comes; says after how many.
fn stream(dialogue: &mut Dialogue, patience: Duration) -> Result<Option<usize>, Stop> {
    let short = std::iter::repeat_n("Yes.\n".to_owned(), SHORT_LINES);
    let long = std::iter::repeat_n("word ".repeat(200) + "\n", LONG_LINES);
    let deadline = Instant::now() + STREAM;
    for (i, line) in short.chain(long).enumerate() {
        dialogue.write(line.as_bytes(), Instant::now() + patience)?;
        let pause = match i + 1 {
            // Time to work off what it has been given.
            SHORT_LINES => patience,
            // The two share a core: without a pause a quick system would never get to speak between lines.
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

fn speaks_late(dialogue: &mut Dialogue, lines: usize) -> Reason {
    // An error shows as little having come.
    let _ = dialogue.read();
    let bytes = dialogue.take_reply().len();
    if bytes >= BLOCK {
        return Code::BlockBuffered
            .reason(format!("nothing until {lines} lines had gone in, then {bytes} bytes"));
    }
    Code::ReadsAhead.reason(format!("nothing until {lines} lines had gone in, then {bytes} bytes"))
}
