//! The track `server`: lines are answered as they arrive, whether or not earlier lines are answered.
//!
//! A thread of its own reads the input. Between two steps of its session, each worker lets waiting lines join
//! its running batch, so that no line waits for the end of others (continuous batching). Sessions without
//! steps, such as encoders and plugins, answer the waiting lines as one batch. The `desk` holds the waiting
//! lines, bounds the batches, and passes answers on in order.

mod desk;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::Arc;

use anyhow::Context;
use dyno_api::{Answer, Model, Session};

use super::answers::{OutputOptions, push_answer};
use super::workers;
use crate::exit::Outcome;
use desk::{Desk, Taken};

/// Translates `input` to `output` with `cores` workers.
pub(super) fn run(
    model: &Arc<dyn Model>,
    cores: usize,
    options: OutputOptions,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Outcome<()> {
    let sessions =
        (0..cores).map(|_| model.session()).collect::<Result<Vec<_>, _>>().context("can't open a session")?;
    serve(sessions, options, input, output)
}

fn serve(
    sessions: Vec<Box<dyn Session>>,
    options: OutputOptions,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Outcome<()> {
    let desk = Arc::new(Desk::new(options.batch, sessions.len(), output));
    let reader = Arc::clone(&desk);
    // Not joined: after a failure, the thread may wait for a line that never comes.
    std::thread::spawn(move || reader.read(input));
    workers::run(sessions, |session| {
        let done = work(session, &desk, options);
        if done.is_err() {
            desk.fail();
        }
        done
    })?;
    desk.close()
}

/// Work of one worker, until the input ends or a worker fails.
fn work(session: &mut dyn Session, desk: &Desk<impl Write>, options: OutputOptions) -> Outcome<()> {
    // What each line in translation fills of the batch.
    let mut filled: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some(Taken { first, lines }) = desk.take(filled.values().sum()) {
        let mut answers: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let mut sink = |answer: Answer<'_>| {
            let text = answers.entry(answer.line).or_default();
            push_answer(text, answer, answer.line, options);
        };
        if !lines.is_empty() {
            let texts: Vec<&[u8]> = lines.iter().map(|line| &line.text[..]).collect();
            session.admit(first, &texts, &mut sink).context("can't translate lines")?;
            filled.extend((first..).zip(lines.iter().map(|line| line.fills)));
        }
        session.step(&mut sink).context("can't translate lines")?;
        if !answers.is_empty() {
            let left = answers.keys().filter_map(|line| filled.remove(line)).sum();
            desk.hand_in(answers, left)?;
        }
    }
    Ok(())
}
