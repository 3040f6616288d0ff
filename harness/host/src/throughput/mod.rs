//! The throughput tracks: pinned workers, one for each core, translate batches of a window; answers leave in
//! order.
//!
//! All threads are workers, and no worker waits at the end of a window. A worker that finds no batch reads
//! the next window while the others still translate the last one. The worker that completes the first
//! unfinished window writes its answers. Workers share the weights; each worker owns its session.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Write};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex};

use dyno_api::Session;

use super::answers::{OutputOptions, answers};
use super::window::Window;
use super::workers::{self, lock};
use crate::error::{Error, Result};

/// Batches per worker in a full window: enough for sorting to find lines of like length, and little memory.
const BATCHES_A_WORKER: usize = 32;

/// Least number of batches per worker: a small window is cut into smaller batches, to spread its work evenly.
const LEAST_BATCHES_A_WORKER: usize = 4;

/// Largest number of unwritten windows, which bounds the memory.
const MOST_WINDOWS: usize = 4;

/// Translates `input` to `output`, with a worker for each session.
pub(super) fn run(
    sessions: Vec<Box<dyn Session>>,
    options: OutputOptions,
    input: impl BufRead + Send,
    output: impl Write + Send,
) -> Result<()> {
    let pool = WorkerPool::new(input, output, options, sessions.len());
    workers::run(sessions, |session| pool.work(session))?;
    Ok(lock(&pool.outbox).output.flush()?)
}

/// Input, output and batches that the workers share.
struct WorkerPool<R, W> {
    options: OutputOptions,
    workers: usize,
    inbox: Mutex<Inbox<R>>,
    outbox: Mutex<Outbox<W>>,
    /// Signal that a window was written or a worker failed.
    changed: Condvar,
}

/// Lines and batches to translate.
struct Inbox<R> {
    input: R,
    /// Number of the next line.
    line: usize,
    jobs: VecDeque<Job>,
}

/// Batch of a window.
struct Job {
    window: Arc<Window>,
    batch: Range<usize>,
}

/// Answers to write.
struct Outbox<W> {
    output: W,
    /// Answers to windows that are incomplete, or that wait for an earlier incomplete window, by the number of the
    /// first line.
    waiting: BTreeMap<usize, Answers>,
    failed: bool,
}

/// Answers to a window, as far as they are known.
struct Answers {
    texts: Vec<Vec<u8>>,
    missing: usize,
}

impl<R: BufRead, W: Write> WorkerPool<R, W> {
    fn new(input: R, output: W, options: OutputOptions, workers: usize) -> Self {
        let inbox = Inbox { input, line: 0, jobs: VecDeque::new() };
        let outbox = Outbox { output, waiting: BTreeMap::new(), failed: false };
        Self {
            options,
            workers,
            inbox: Mutex::new(inbox),
            outbox: Mutex::new(outbox),
            changed: Condvar::new(),
        }
    }

    /// Work of one worker, until the input ends or a worker fails.
    fn work(&self, session: &mut dyn Session) -> Result<()> {
        let done = self.work_until_end(session);
        if done.is_err() {
            lock(&self.outbox).failed = true; // ends the other workers
            self.changed.notify_all();
        }
        done
    }

    fn work_until_end(&self, session: &mut dyn Session) -> Result<()> {
        while let Some(job) = self.next_job()? {
            let numbers = &job.window.order[job.batch];
            let lines: Vec<&[u8]> = numbers.iter().map(|&number| &job.window.lines[number][..]).collect();
            let numbered: Vec<usize> = numbers.iter().map(|number| job.window.first + number).collect();
            let texts = answers(session, &lines, &numbered, self.options).map_err(Error::Lines)?;
            self.hand_in(job.window.first, numbers, texts)?;
        }
        Ok(())
    }

    /// Next batch, from the next window if the last one has none left; `None` at the end. Other workers that
    /// need a batch wait meanwhile.
    fn next_job(&self) -> Result<Option<Job>> {
        let mut inbox = lock(&self.inbox);
        if inbox.jobs.is_empty() {
            if !self.may_read() {
                return Ok(None);
            }
            self.read_window(&mut inbox)?;
        }
        Ok(inbox.jobs.pop_front())
    }

    /// Waits until few enough windows are unwritten. False if a worker failed.
    fn may_read(&self) -> bool {
        let full = |outbox: &mut Outbox<W>| outbox.waiting.len() >= MOST_WINDOWS && !outbox.failed;
        let outbox = self.changed.wait_while(lock(&self.outbox), full);
        !outbox.expect("workers that fail return").failed
    }

    fn read_window(&self, inbox: &mut Inbox<R>) -> Result<()> {
        let batch = self.options.batch;
        let window = Window::read(&mut inbox.input, inbox.line, batch, BATCHES_A_WORKER * self.workers)?;
        if window.lines.is_empty() {
            return Ok(());
        }
        inbox.line += window.lines.len();
        let even = match self.workers {
            1 => batch,
            workers => batch.at_most(window.filled(batch) / (LEAST_BATCHES_A_WORKER * workers)),
        };
        let (batches, window) = (window.batches(even), Arc::new(window));
        let answers = Answers { texts: vec![Vec::new(); window.lines.len()], missing: window.lines.len() };
        lock(&self.outbox).waiting.insert(window.first, answers);
        let job = |batch| Job { window: Arc::clone(&window), batch };
        inbox.jobs.extend(batches.into_iter().map(job));
        Ok(())
    }

    /// Stores the answers to lines of the window that begins at `first`, then writes all windows that are complete, in
    /// order.
    fn hand_in(&self, first: usize, numbers: &[usize], texts: Vec<Vec<u8>>) -> Result<()> {
        let mut outbox = lock(&self.outbox);
        let answers = outbox.waiting.get_mut(&first).expect("a window waits until all its answers are there");
        for (number, text) in numbers.iter().zip(texts) {
            answers.texts[*number] = text;
        }
        answers.missing -= numbers.len();
        while let Some(next) = outbox.waiting.first_entry().filter(|next| next.get().missing == 0) {
            let text = next.remove().texts.concat();
            outbox.output.write_all(&text)?;
            self.changed.notify_all();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
