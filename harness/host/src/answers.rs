//! Answers of a session, as lines of the output.
//!
//! Each input line gets exactly one output line, or one line a hypothesis if all of them are asked for.

use dyno_api::{Answer, Session};
use dyno_record::identity::BatchSize;

/// Size of batches, and form of the answers.
#[derive(Clone, Copy, Debug)]
pub struct OutputOptions {
    /// Size of batches. The latency track ignores it.
    pub batch: BatchSize,
    /// Whether all hypotheses of a line are printed, with line number and score, instead of the best one.
    pub n_best: bool,
}

/// The line without its line feed and without the carriage return of files from Windows.
pub fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Answers to each of `lines`, each ended by a newline. `numbers` are the lines' numbers in the input.
pub(super) fn answers(
    session: &mut dyn Session,
    lines: &[&[u8]],
    numbers: &[usize],
    options: OutputOptions,
) -> dyno_api::Result<Vec<Vec<u8>>> {
    let mut texts = vec![Vec::new(); lines.len()];
    let mut sink = |answer: Answer<'_>| {
        push_answer(&mut texts[answer.line], answer, numbers[answer.line], options);
    };
    session.run(lines, &mut sink)?;
    Ok(texts)
}

/// Adds an answer to the line with this number.
pub(super) fn push_answer(text: &mut Vec<u8>, answer: Answer<'_>, number: usize, options: OutputOptions) {
    if options.n_best {
        let score = answer.score.unwrap_or_default();
        push_line(text, &format!("{number} ||| {} ||| {score}", answer.text));
    } else if answer.rank == 0 {
        push_line(text, answer.text);
    }
}

/// Adds `text` as one line: line ends inside `text` become spaces, so that lines still match their sources.
fn push_line(reply: &mut Vec<u8>, text: &str) {
    reply.extend(text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    reply.push(b'\n');
}
