//! The tracks `pages` and `server`: lines are answered as they arrive, whether or not earlier lines are answered.
//!
//! A thread of its own reads the input. Between two steps of its session, each worker lets waiting lines join
//! its running batch, so that no line waits for the end of others (continuous batching). Sessions without
//! steps, such as encoders and plugins, answer the waiting lines as one batch. The `queue` holds the waiting
//! lines, bounds the batches, and passes answers on in order.

mod queue;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::Arc;

use dyno_api::{Answer, Session};

use super::answers::{OutputOptions, push_answer};
use super::workers;
use crate::error::{Error, Result};
use queue::LineQueue;

/// Translates `input` to `output`, with a worker for each session.
pub(super) fn run(
    sessions: Vec<Box<dyn Session>>,
    options: OutputOptions,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let queue = Arc::new(LineQueue::new(options.batch, sessions.len(), output));
    let reader = Arc::clone(&queue);
    // Not joined: after a failure, the thread may wait for a line that never comes.
    std::thread::spawn(move || reader.read(input));
    workers::run(sessions, |session| {
        let done = work(session, &queue, options);
        if done.is_err() {
            queue.fail();
        }
        done
    })?;
    queue.close()
}

/// Work of one worker, until the input ends or a worker fails.
fn work(session: &mut dyn Session, queue: &LineQueue<impl Write>, options: OutputOptions) -> Result<()> {
    // What each line in translation fills of the batch.
    let mut filled: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some((first, lines)) = queue.take(filled.values().sum()) {
        let mut answers: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let mut sink = |answer: Answer<'_>| {
            let text = answers.entry(answer.line).or_default();
            push_answer(text, answer, answer.line, options);
        };
        if !lines.is_empty() {
            let texts: Vec<&[u8]> = lines.iter().map(|line| &line.text[..]).collect();
            session.admit(first, &texts, &mut sink).map_err(Error::Lines)?;
            filled.extend((first..).zip(lines.iter().map(|line| line.fills)));
        }
        session.step(&mut sink).map_err(Error::Lines)?;
        if !answers.is_empty() {
            let left = answers.keys().filter_map(|line| filled.remove(line)).sum();
            queue.hand_in(answers, left)?;
        }
    }
    Ok(())
}
