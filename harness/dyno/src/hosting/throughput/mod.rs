//! Many lines at a time: pinned workers, one a core, take batches of a window; answers leave in order.
//!
//! There is no thread besides the workers, and none of them waits at a window's end: whoever finds no batch reads
//! the next window while the others still translate the last one, and whoever completes the first unfinished window
//! writes it. Weights are shared; a worker owns its session alone.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Write};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use anyhow::Context;
use dyno_api::{Model, Session};

use super::answers::{OutputOptions, answers};
use super::window::Window;
use crate::exit::Outcome;
use dyno_measure::os;

/// A window has so many batches for each worker: sorting pays once like lines find each other, and memory stays small.
const BATCHES_A_WORKER: usize = 32;

/// At its end the work of a window is cut so that each worker has this many batches or more, to even out.
const LEAST_BATCHES_A_WORKER: usize = 4;

/// Windows that may wait for an earlier one to be completed.
const MOST_WINDOWS: usize = 4;

/// Translates `input` to `output` with `cores` workers.
pub(super) fn run(
    model: &Arc<dyn Model>,
    cores: usize,
    options: OutputOptions,
    input: impl BufRead + Send,
    output: impl Write + Send,
) -> Outcome<()> {
    let sessions = (0..cores).map(|_| model.session()).collect::<Result<Vec<_>, _>>().context("a session")?;
    translate(sessions, input, output, options)
}

fn translate(
    mut sessions: Vec<Box<dyn Session>>,
    input: impl BufRead + Send,
    output: impl Write + Send,
    options: OutputOptions,
) -> Outcome<()> {
    let pool = WorkerPool::new(input, output, options, sessions.len());
    if let [only] = &mut sessions[..] {
        pool.work(only.as_mut())?;
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = sessions
                .iter_mut()
                .enumerate()
                .map(|(number, session)| {
                    let pool = &pool;
                    scope.spawn(move || {
                        pin_to_core_number(number);
                        pool.work(session.as_mut())
                    })
                })
                .collect();
            let joined =
                workers.into_iter().map(|worker| worker.join().expect("sessions return their errors"));
            joined.collect::<Vec<_>>().into_iter().collect::<Outcome<()>>()
        })?;
    }
    Ok(lock(&pool.outbox).output.flush()?)
}

/// Where workers meet.
struct WorkerPool<R, W> {
    options: OutputOptions,
    workers: usize,
    inbox: Mutex<Inbox<R>>,
    outbox: Mutex<Outbox<W>>,
    /// A window was written, or somebody failed.
    changed: Condvar,
}

/// What is to be translated.
struct Inbox<R> {
    input: R,
    /// Numbers of the next line and of the next window.
    line: usize,
    window: usize,
    jobs: VecDeque<Job>,
}

/// A batch of a window.
struct Job {
    /// Number of the window.
    number: usize,
    window: Arc<Window>,
    batch: Range<usize>,
}

/// What is to be written.
struct Outbox<W> {
    output: W,
    /// Windows of which something is missing, or which wait for one of those.
    waiting: BTreeMap<usize, Answers>,
    failed: bool,
}

/// The answers to a window, so far.
struct Answers {
    texts: Vec<Vec<u8>>,
    missing: usize,
}

impl<R: BufRead, W: Write> WorkerPool<R, W> {
    fn new(input: R, output: W, options: OutputOptions, workers: usize) -> Self {
        let inbox = Inbox { input, line: 0, window: 0, jobs: VecDeque::new() };
        let outbox = Outbox { output, waiting: BTreeMap::new(), failed: false };
        Self {
            options,
            workers,
            inbox: Mutex::new(inbox),
            outbox: Mutex::new(outbox),
            changed: Condvar::new(),
        }
    }

    /// One worker, until there is nothing more to do.
    fn work(&self, session: &mut dyn Session) -> Outcome<()> {
        let done = self.work_until_end(session);
        if done.is_err() {
            lock(&self.outbox).failed = true; // so that the others end, too
            self.changed.notify_all();
        }
        done
    }

    fn work_until_end(&self, session: &mut dyn Session) -> Outcome<()> {
        while let Some(job) = self.next_job()? {
            let numbers = job.window.numbers(job.batch);
            let lines: Vec<&[u8]> = numbers.iter().map(|number| job.window.line(*number)).collect();
            let numbered: Vec<usize> = numbers.iter().map(|number| job.window.first + number).collect();
            let texts = answers(session, &lines, &numbered, self.options).context("translating")?;
            self.hand_in(job.number, numbers, texts)?;
        }
        Ok(())
    }

    /// The next batch, of the next window where there is none left; `None` at the end. The others wait meanwhile.
    fn next_job(&self) -> Outcome<Option<Job>> {
        let mut inbox = lock(&self.inbox);
        if inbox.jobs.is_empty() {
            if !self.may_read() {
                return Ok(None);
            }
            self.read_window(&mut inbox)?;
        }
        Ok(inbox.jobs.pop_front())
    }

    /// Waits until few enough windows are unwritten; no, where somebody failed.
    fn may_read(&self) -> bool {
        let full = |outbox: &mut Outbox<W>| outbox.waiting.len() >= MOST_WINDOWS && !outbox.failed;
        let outbox = self.changed.wait_while(lock(&self.outbox), full);
        !outbox.expect("workers that fail return").failed
    }

    fn read_window(&self, inbox: &mut Inbox<R>) -> Outcome<()> {
        let batch = self.options.batch;
        let window = Window::read(&mut inbox.input, inbox.line, batch * BATCHES_A_WORKER * self.workers)?;
        if window.is_empty() {
            return Ok(());
        }
        let number = inbox.window;
        inbox.line += window.len();
        inbox.window += 1;
        let even =
            if self.workers == 1 { batch } else { window.words() / (LEAST_BATCHES_A_WORKER * self.workers) };
        let (batches, window) = (window.batches(batch.min(even)), Arc::new(window));
        let answers = Answers { texts: vec![Vec::new(); window.len()], missing: window.len() };
        lock(&self.outbox).waiting.insert(number, answers);
        let job = |batch| Job { number, window: Arc::clone(&window), batch };
        inbox.jobs.extend(batches.into_iter().map(job));
        Ok(())
    }

    /// Takes the answers to lines of a window; writes all windows that are complete, in order.
    fn hand_in(&self, window: usize, numbers: &[usize], texts: Vec<Vec<u8>>) -> Outcome<()> {
        let mut outbox = lock(&self.outbox);
        let answers =
            outbox.waiting.get_mut(&window).expect("a window waits until all its answers are there");
        for (number, text) in numbers.iter().zip(texts) {
            answers.texts[*number] = text;
        }
        answers.missing -= numbers.len();
        while let Some(first) = outbox.waiting.first_entry().filter(|first| first.get().missing == 0) {
            let text = first.remove().texts.concat();
            outbox.output.write_all(&text)?;
            self.changed.notify_all();
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("workers that fail return, and poison nothing")
}

/// Where the process may use several cores each worker keeps to one. A host that refuses costs speed only.
fn pin_to_core_number(worker: usize) {
    if let Ok(cores) = os::allowed_cores() {
        let _ = os::pin_thread(&[cores[worker % cores.len()]]);
    }
}

#[cfg(test)]
mod tests;
