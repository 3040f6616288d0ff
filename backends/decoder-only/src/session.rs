//! The lines that a worker answers: prompts into the network, then a word of each line at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use dyno_api::{Answer, Session, Sink};
use dyno_nn::math::argmax;
use dyno_nn::watch::Component;
use dyno_text::Scratch;

use crate::error::failed;
use crate::network::{Row, Worker};
use crate::shared::Shared;
use crate::{Error, Result};

/// Rows of prompts that go through the network together: more hardly make a product faster, and fewer values
/// stay in near caches.
const ROWS: usize = 256;

/// Words that an answer may have beyond the line's own measure: a short line may need them.
const MORE: usize = 16;

/// A line without its answer.
struct Sentence {
    line: usize,
    slot: usize,
    /// Words in the slot.
    position: usize,
    /// Last word so far.
    last: u32,
    /// What the model has said.
    said: Vec<u8>,
    /// Number of words that the model may still say.
    left: usize,
}

/// Reasons why a line's answer ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The model ends it.
    Word,
    /// It is complete; the model might say more.
    Complete,
    /// It has the greatest length.
    Length,
}

/// Buffers and lines of one worker.
pub(crate) struct LanguageSession {
    shared: Arc<Shared>,
    worker: Worker,
    scratch: Scratch,
    sentences: Vec<Sentence>,
    /// Slots that no line has.
    free: Vec<usize>,
    /// Slots so far; the first one keeps what stands before each line.
    slots: usize,
    /// Greatest number of positions that each slot has held.
    held: Vec<usize>,
    rows: Vec<Row>,
    logits: Vec<f32>,
}

impl LanguageSession {
    /// A session whose slots begin with the prompt's part before lines.
    pub(crate) fn new(shared: Arc<Shared>) -> Result<Self> {
        let mut worker = shared.network.worker(shared.threads)?;
        let mut logits = Vec::new();
        let before = shared.prompt.before.iter().enumerate();
        let rows: Vec<Row> = before.map(|(position, id)| Row { id: *id, slot: 0, position }).collect();
        for rows in rows.chunks(ROWS) {
            shared.network.forward(&mut worker, rows, &[], &mut logits);
        }
        let (sentences, free, scratch) = (Vec::new(), Vec::new(), Scratch::default());
        let held = vec![rows.len()];
        shared.counts.held.fetch_add(rows.len() as u64, Ordering::Relaxed);
        Ok(Self { shared, worker, scratch, sentences, free, slots: 1, held, rows: Vec::new(), logits })
    }

    /// Reads the prompts of `lines`, whose numbers begin with `first`, and their answers' first words.
    fn read(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        let (shared, arrival) = (Arc::clone(&self.shared), Instant::now());
        let from = self.sentences.len();
        self.rows.clear();
        let tokenise = Component::Tokenise.span();
        for (at, line) in lines.iter().enumerate() {
            let line = String::from_utf8_lossy(line);
            if !self.place(first + at, &line)? {
                sink.answer(Answer { line: first + at, rank: 0, text: "", score: None });
            }
        }
        drop(tokenise);
        self.hold();
        let (start, read) = (Instant::now(), self.rows.len());
        let mut words = Vec::new();
        let rows = std::mem::take(&mut self.rows);
        for part in rows.chunks(ROWS) {
            // The next word follows a prompt's last row: its position is the sentence's last.
            let ends = |row: &Row| {
                let sentence = self.sentences[from..].iter().find(|sentence| sentence.slot == row.slot);
                sentence.is_some_and(|sentence| sentence.position == row.position + 1)
            };
            let wanted: Vec<usize> = (0..part.len()).filter(|at| ends(&part[*at])).collect();
            shared.network.forward(&mut self.worker, part, &wanted, &mut self.logits);
            let before = words.len();
            words.extend(self.likeliest());
            shared.counts.first.add_waits(words.len() - before, arrival);
        }
        self.rows = rows;
        shared.counts.reading.add(read, start);
        self.add(from, &words, sink);
        Ok(())
    }

    /// Gives a line a slot, and its prompt's rows to `rows`; false where there is nothing to read, neither in
    /// the line nor around it.
    fn place(&mut self, line: usize, text: &str) -> Result<bool> {
        let Self { shared, scratch, .. } = self;
        let Shared { prompt, words, network, counts, .. } = &**shared;
        let mut ids = Vec::new();
        let text_error = |source| Error::Text { path: network.file().path().into(), source };
        prompt.encode(words, text, scratch, &mut ids).map_err(text_error)?;
        let (before, room) = (prompt.before.len(), prompt.room(network.spec.context));
        let mut own = ids.len().saturating_sub(prompt.around);
        // Half of the positions that the prompt leaves is for the line, and half for its answer.
        if own > room / 2 {
            let mut of_line = Vec::new();
            words.encode(text, scratch, &mut of_line).map_err(text_error)?;
            of_line.truncate(room / 2);
            prompt.encode(words, &words.decode(&of_line), scratch, &mut ids).map_err(text_error)?;
            own = room / 2;
            counts.cut_lines.fetch_add(1, Ordering::Relaxed);
        }
        if ids.is_empty() {
            return Ok(false);
        }
        let measured = (own as f32 * shared.max_length_factor) as usize + MORE;
        let left = network.spec.context.saturating_sub(before + ids.len()).max(1);
        let most = measured.min(shared.max_length).min(left);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.worker.begin(slot);
        let rows = ids.iter().zip(before..).map(|(id, position)| Row { id: *id, slot, position });
        self.rows.extend(rows);
        let position = before + ids.len();
        self.sentences.push(Sentence { line, slot, position, last: 0, said: Vec::new(), left: most });
        Ok(true)
    }

    /// Counts the positions whose keys and values the slots hold: room of slots only grows.
    fn hold(&mut self) {
        for Sentence { slot, position, .. } in &self.sentences {
            if self.held.len() <= *slot {
                self.held.resize(slot + 1, 0);
            }
            let more = position.saturating_sub(self.held[*slot]);
            self.held[*slot] += more;
            self.shared.counts.held.fetch_add(more as u64, Ordering::Relaxed);
        }
    }

    /// The likeliest word of each row of logits.
    fn likeliest(&self) -> Vec<u32> {
        let rows = self.logits.chunks_exact(self.shared.network.words());
        rows.map(|row| argmax(row) as u32).collect()
    }

    /// Adds the next `words` of the sentences from `from` on, and answers those that end with them.
    fn add(&mut self, from: usize, words: &[u32], sink: &mut dyn Sink) {
        let shared = Arc::clone(&self.shared);
        for (sentence, word) in self.sentences[from..].iter_mut().zip(words) {
            let Some(end) = sentence.add(*word, &shared) else { continue };
            shared.counts.of_answer(
                end == End::Complete,
                end == End::Length,
                shared.rule.lacks_marks(&sentence.said),
            );
            sentence.position = 0; // done
            self.free.push(sentence.slot);
            let _detokenise = Component::Detokenise.span();
            let text = shared.rule.answer(&sentence.said);
            sink.answer(Answer { line: sentence.line, rank: 0, text: &text, score: None });
        }
        self.sentences.retain(|sentence| sentence.position > 0);
    }

    /// A step of all sentences.
    fn write(&mut self, sink: &mut dyn Sink) {
        let (shared, start) = (Arc::clone(&self.shared), Instant::now());
        self.rows.clear();
        for Sentence { slot, position, last, .. } in &mut self.sentences {
            self.rows.push(Row { id: *last, slot: *slot, position: *position });
            *position += 1;
        }
        self.hold();
        let wanted: Vec<usize> = (0..self.rows.len()).collect();
        shared.network.forward(&mut self.worker, &self.rows, &wanted, &mut self.logits);
        let words = self.likeliest();
        shared.counts.writing.add(words.len(), start);
        self.add(0, &words, sink);
    }

    /// Does `work`; when it fails, no line is left.
    fn watched(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> dyno_api::Result<()> {
        let shared = Arc::clone(&self.shared);
        shared.times.watch(|| work(self)).map_err(|error| {
            self.free.extend(self.sentences.drain(..).map(|sentence| sentence.slot));
            failed(error)
        })
    }
}

impl Sentence {
    /// Adds a word that the model says; the reason why the answer ends with it, if it does.
    fn add(&mut self, word: u32, shared: &Shared) -> Option<End> {
        if shared.words.ends(word) {
            return Some(End::Word);
        }
        let bytes = shared.words.tokenizer.bytes(word);
        self.said.extend(bytes);
        (self.last, self.left) = (word, self.left - 1);
        match shared.rule.is_complete(&self.said, bytes.len()) {
            true => Some(End::Complete),
            false => (self.left == 0).then_some(End::Length),
        }
    }
}

impl Session for LanguageSession {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|session| {
            session.read(0, lines, sink)?;
            while !session.sentences.is_empty() {
                session.write(sink);
            }
            Ok(())
        })
    }

    fn admit(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|session| session.read(first, lines, sink))
    }

    fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|session| {
            if !session.sentences.is_empty() {
                session.write(sink);
            }
            Ok(())
        })
    }
}
