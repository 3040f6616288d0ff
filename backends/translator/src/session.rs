//! Sessions of a model: from lines to sentences, through the search, and back to text.

use std::sync::Arc;

use dyno_api::{Answer, Session, Sink};
use dyno_formats::{Selection, Shortlist};
use dyno_nn::Sentence;
use dyno_nn::watch::{Component, Times, watch};
use dyno_text::Scratch;

use crate::error::Error;
use crate::search::{Batch, Found, Member, Search};
use crate::settings::CalibrationFile;
use crate::shared::Shared;
use crate::unknown;

/// The session of one worker.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    search: Search,
    selection: Selection,
    scratch: Scratch,
    text: String,
}

/// A line with words.
struct Line {
    index: usize,
    ids: Vec<u32>,
    candidates: Option<Vec<u32>>,
}

impl Line {
    fn sentence(&self) -> Sentence<'_> {
        Sentence { ids: &self.ids, candidates: self.candidates.as_deref() }
    }
}

impl Worker {
    /// A worker with buffers of its own.
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let members = shared.members.iter();
        let members = members.map(|(weight, network)| Member::new(*weight, network.decoder())).collect();
        let search = Search::new(members, shared.decoding.search.clone(), shared.target_eos);
        let selection = shared.shortlist.as_ref().map(Shortlist::selection).unwrap_or_default();
        Self { shared, search, selection, scratch: Scratch::default(), text: String::new() }
    }

    /// The words of a line and the end of the sentence, cut at the greatest length; `None` for a line without
    /// words.
    fn line(&mut self, index: usize, bytes: &[u8]) -> Option<Line> {
        let shared = &self.shared;
        let tokenise = Component::Tokenise.span();
        let mut ids = Vec::new();
        shared.source.encode_into(bytes, &mut self.scratch, &mut ids);
        drop(tokenise);
        if ids.is_empty() {
            return None;
        }
        if let Some(language) = shared.languages.before_line {
            ids.insert(0, language);
        }
        ids.truncate(shared.decoding.max_length - 1);
        ids.push(shared.source_eos);
        let _output = Component::Output.span();
        let candidates =
            shared.shortlist.as_ref().map(|list| list.select(&ids, &mut self.selection).to_vec());
        Some(Line { index, ids, candidates })
    }

    /// Answers a line without words. Marian forces the end of the sentence upon such a line: all entries of
    /// its n-best list are empty, with the value of an end that costs nothing.
    fn answer_empty(&self, line: usize, sink: &mut dyn Sink) {
        let options = &self.shared.decoding.search;
        let ranks = if options.n_best { options.beam } else { 1 };
        let score = Some(options.value(0.0, 1));
        (0..ranks).for_each(|rank| sink.answer(Answer { line, rank, text: "", score }));
    }

    /// Writes a translation into `self.text`.
    fn write(&mut self, bytes: &[u8], found: &Found<'_>) -> Result<(), dyno_text::Error> {
        let shared = &self.shared;
        if shared.replace_unknown {
            unknown::write(&shared.source, &shared.target, bytes, found, &mut self.text);
            return Ok(());
        }
        shared.target.decode_into(found.ids, &mut self.text)
    }

    /// Translates lines as one batch.
    fn translate(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<(), dyno_text::Error> {
        let mut full = Vec::with_capacity(lines.len());
        for (index, bytes) in lines.iter().enumerate() {
            match self.line(index, bytes) {
                Some(line) => full.push(line),
                None => self.answer_empty(index, sink),
            }
        }
        let sentences: Vec<Sentence<'_>> = full.iter().map(Line::sentence).collect();
        let shared = Arc::clone(&self.shared);
        let first = shared.languages.first_word;
        let batch = Batch { sentences: &sentences, suppressed: &shared.suppressed, first };
        let search = Component::Search.span();
        let mut results = self.search.run(&batch);
        drop(search);
        let _detokenise = Component::Detokenise.span();
        for (at, line) in full.iter().enumerate() {
            for rank in 0..results.count(at) {
                let found = results.found(at, rank);
                self.write(lines[line.index], &found)?;
                sink.answer(Answer { line: line.index, rank, text: &self.text, score: found.score });
            }
        }
        results.clear();
        self.search.give_back(results);
        Ok(())
    }
}

impl Session for Worker {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let shared = Arc::clone(&self.shared);
        let done = match &shared.times {
            None => self.translate(lines, sink),
            Some(of_all) => {
                let mut times = Times::default();
                let done = watch(&mut times, || self.translate(lines, sink));
                of_all.lock().expect(UNPOISONED).merge(&times);
                done
            }
        };
        done.map_err(|error| Error::from(error).of_backend(shared.backend))
    }
}

/// Reason why the lock of the times isn't poisoned.
pub(crate) const UNPOISONED: &str = "times are added up without a panic";

/// A session of a calibration: after each call it writes the activation scales of all lines until then.
pub(crate) struct Calibrating {
    pub(crate) worker: Worker,
    pub(crate) calibration: CalibrationFile,
}

impl Session for Calibrating {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.worker.run(lines, sink)?;
        self.calibration.write().map_err(|error| error.of_backend(self.worker.shared.backend))
    }
}
