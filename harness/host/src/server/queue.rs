//! The queue between the reader, the workers and the output: lines that wait, and answers in order.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::{Condvar, Mutex};

use dyno_record::identity::BatchSize;

use crate::answers::without_end;
use crate::error::Result;
use crate::window::weight;
use crate::workers::lock;

/// Most lines that were read and whose answer isn't written, which bounds the memory. With more lines in the
/// queue, an answer takes seconds, which no server may need.
const MOST_LINES: usize = 1024;

/// Share of a batch that must be free before some of the waiting lines join, as a divisor. In a crowd, lines
/// would join one by one as others leave, and the encoder would read its weights for each of them.
const REFILL: usize = 4;

/// Queue, batches and output that reader and workers share.
pub(super) struct LineQueue<W> {
    size: BatchSize,
    workers: usize,
    state: Mutex<State<W>>,
    /// Signal that a line arrived, the input ended, or a worker failed.
    arrived: Condvar,
    /// Signal that answers were written, or a worker failed.
    written: Condvar,
}

struct State<W> {
    waiting: VecDeque<Line>,
    /// What the waiting lines fill of batches, and what the lines in translation do.
    waiting_fills: usize,
    translated_fills: usize,
    /// Number of lines that were read.
    read: usize,
    /// Number of lines whose answer is written.
    written: usize,
    /// Answers that wait for an earlier one.
    answers: BTreeMap<usize, Vec<u8>>,
    output: W,
    input: Input,
}

/// State of the input.
enum Input {
    Open,
    Ended,
    /// The input can't be read.
    Failed(io::Error),
    /// A worker failed, and more lines are of no use.
    Abandoned,
}

/// A line of the input.
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    /// What the line fills of a batch: words, or one line.
    pub(super) fills: usize,
}

impl<W: Write> LineQueue<W> {
    pub(super) fn new(size: BatchSize, workers: usize, output: W) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            waiting_fills: 0,
            translated_fills: 0,
            read: 0,
            written: 0,
            answers: BTreeMap::new(),
            output,
            input: Input::Open,
        };
        Self { size, workers, state: Mutex::new(state), arrived: Condvar::new(), written: Condvar::new() }
    }

    /// Reads lines until the input ends or a worker fails. Lines that arrive together join together: a page
    /// is one batch.
    pub(super) fn read(&self, mut input: impl BufRead) {
        let mut begun = Vec::new();
        let end = loop {
            match arrived(&mut input, &mut begun) {
                Ok(lines) if lines.is_empty() => break Input::Ended,
                Ok(lines) => {
                    if !self.put(lines) {
                        return;
                    }
                }
                Err(error) => break Input::Failed(error),
            }
        };
        let mut state = lock(&self.state);
        if matches!(state.input, Input::Open) {
            state.input = end;
        }
        self.arrived.notify_all();
    }

    /// Puts lines into the queue, each as soon as it has room. False if a worker failed.
    fn put(&self, lines: Vec<Vec<u8>>) -> bool {
        let full =
            |state: &mut State<W>| state.read - state.written >= MOST_LINES && !state.input.is_abandoned();
        let mut state = lock(&self.state);
        for mut text in lines {
            state = self.written.wait_while(state, full).expect("workers return errors");
            text.truncate(without_end(&text).len());
            let fills = self.size.filled_by(weight(&text));
            state.read += 1;
            state.waiting_fills += fills;
            state.waiting.push_back(Line { text, fills });
            self.arrived.notify_one();
        }
        !state.input.is_abandoned()
    }

    /// Lines that join the batch of a worker, whose lines in translation fill `own`, behind the number of the first
    /// one; there may be none. A worker without lines waits for one. `None` if none comes any more.
    pub(super) fn take(&self, own: usize) -> Option<(usize, Vec<Line>)> {
        let mut state = lock(&self.state);
        if own == 0 {
            let idle = |state: &mut State<W>| state.waiting.is_empty() && matches!(state.input, Input::Open);
            state = self.arrived.wait_while(state, idle).expect("workers return errors");
        }
        let ends = state.input.is_abandoned() || own == 0 && state.waiting.is_empty();
        (!ends).then(|| state.take(own, self.size.most(), self.workers))
    }

    /// Takes answers to lines that filled `fills`, and writes those that no earlier line holds back.
    pub(super) fn hand_in(&self, answers: BTreeMap<usize, Vec<u8>>, fills: usize) -> Result<()> {
        let state = &mut *lock(&self.state);
        state.translated_fills -= fills;
        state.answers.extend(answers);
        let before = state.written;
        while let Some(text) = state.answers.remove(&state.written) {
            state.output.write_all(&text)?;
            state.written += 1;
        }
        if state.written > before {
            state.output.flush()?;
            self.written.notify_all();
        }
        Ok(())
    }

    /// Ends all work, because a worker failed.
    pub(super) fn fail(&self) {
        lock(&self.state).input = Input::Abandoned;
        self.arrived.notify_all();
        self.written.notify_all();
    }

    /// Says after the end whether all of the input was read.
    pub(super) fn close(&self) -> Result<()> {
        match std::mem::replace(&mut lock(&self.state).input, Input::Abandoned) {
            Input::Failed(error) => Err(error.into()),
            Input::Open | Input::Ended | Input::Abandoned => Ok(()),
        }
    }
}

/// Lines that have arrived, at least one; none at the end of the input. `begun` is the beginning of a line.
fn arrived(input: &mut impl BufRead, begun: &mut Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            let last = std::mem::take(begun);
            return Ok(if last.is_empty() { Vec::new() } else { vec![last] });
        }
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines: Vec<Vec<u8>> =
            bytes[..whole].split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        if let Some(first) = lines.first_mut() {
            first.splice(..0, begun.drain(..));
        }
        begun.extend(&bytes[whole..]);
        let read = bytes.len();
        input.consume(read);
        if !lines.is_empty() {
            return Ok(lines);
        }
    }
}

impl Input {
    fn is_abandoned(&self) -> bool {
        matches!(self, Self::Abandoned)
    }
}

impl<W> State<W> {
    /// Takes waiting lines into a batch of at most `most`, of which `own` is filled. Each of the workers gets
    /// its share of all lines.
    fn take(&mut self, own: usize, most: usize, workers: usize) -> (usize, Vec<Line>) {
        let (first, mut lines) = (self.read - self.waiting.len(), Vec::new());
        let (free, share) = (most.saturating_sub(own), self.translated_fills + self.waiting_fills);
        if own > 0 && self.waiting_fills > free && free < most / REFILL {
            return (first, lines);
        }
        let (mut filled, share) = (own, share.div_ceil(workers));
        let fits = |filled: usize, line: &Line| filled == 0 || filled < share && filled + line.fills <= most;
        while self.waiting.front().is_some_and(|line| fits(filled, line)) {
            let line = self.waiting.pop_front().expect("a line waits");
            filled += line.fills;
            lines.push(line);
        }
        self.waiting_fills -= filled - own;
        self.translated_fills += filled - own;
        (first, lines)
    }
}
