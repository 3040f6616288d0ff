//! The latency track: one line in, its answer out, until the end of input.
//!
//! Each answer is flushed before the next line is read, since the bench sends the next line only after the
//! answer.

use std::io::{BufRead, Write};

use dyno_api::Session;

use super::answers::{OutputOptions, answers, without_end};
use crate::error::{Error, Result};

/// Translates `input` to `output`, line by line.
pub(crate) fn run(
    session: &mut dyn Session,
    options: OutputOptions,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<()> {
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    for number in 0.. {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        reply.clear();
        let answers = answers(session, &[without_end(&line)], &[number], options);
        answers
            .map_err(|source| Error::Line { number: number + 1, source })?
            .iter()
            .for_each(|text| reply.extend(text));
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}
