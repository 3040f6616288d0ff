//! The latency track: one line in, its answer out, until the end of input.
//!
//! Each answer is flushed before the next line is read, since the bench sends the next line only after the
//! answer.

use std::io::{BufRead, Write};
use std::sync::Arc;

use anyhow::Context;
use dyno_api::Model;

use super::answers::{OutputOptions, answers, without_end};
use crate::exit::Outcome;

/// Translates `input` to `output`, line by line.
pub(super) fn run(
    model: &Arc<dyn Model>,
    options: OutputOptions,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Outcome<()> {
    let mut session = model.session().context("can't open a session")?;
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    for number in 0.. {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        reply.clear();
        let answers = answers(session.as_mut(), &[without_end(&line)], &[number], options);
        answers
            .with_context(|| format!("can't translate line {}", number + 1))?
            .iter()
            .for_each(|text| reply.extend(text));
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}
