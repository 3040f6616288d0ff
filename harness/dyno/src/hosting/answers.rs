//! Answers of a session as lines of an output.

use dyno_api::{Answer, Session};

/// Options of hosting: batches, and forms of the answers.
#[derive(Clone, Copy, Debug)]
pub struct OutputOptions {
    /// Most words of a batch; a longer line is a batch of its own. The latency track always has one line.
    pub batch: usize,
    /// Whether all answers to a line are printed, with number and score, instead of the best alone.
    pub n_best: bool,
}

/// A line as it counts: without line feed, nor the carriage return of a file from elsewhere.
pub fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// For each of `lines` its answers, each with its newline; `numbers` are the lines' in the input.
pub(super) fn answers(
    session: &mut dyn Session,
    lines: &[&[u8]],
    numbers: &[usize],
    options: OutputOptions,
) -> dyno_api::Result<Vec<Vec<u8>>> {
    let mut texts = vec![Vec::new(); lines.len()];
    let mut sink = |answer: Answer<'_>| {
        let text = &mut texts[answer.line];
        if options.n_best {
            let (number, score) = (numbers[answer.line], answer.score.unwrap_or_default());
            push_line(text, &format!("{number} ||| {} ||| {score}", answer.text));
        } else if answer.rank == 0 {
            push_line(text, answer.text);
        }
    };
    session.run(lines, &mut sink)?;
    Ok(texts)
}

/// One line for one line, whatever is in the answer: line ends inside it become spaces.
fn push_line(reply: &mut Vec<u8>, text: &str) {
    reply.extend(text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    reply.push(b'\n');
}
