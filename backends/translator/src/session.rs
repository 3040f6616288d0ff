//! Sessions of a model: from lines to sentences, through the search, and back to text.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dyno_api::{Answer, Session, Sink};
use dyno_formats::{Selection, Shortlist};
use dyno_nn::Sentence;
use dyno_nn::math::Threads;
use dyno_nn::watch::Component;
use dyno_text::Scratch;

use crate::error::Error;
use crate::search::{Found, Member, Search};
use crate::settings::CalibrationFile;
use crate::shared::Shared;
use crate::unknown;

/// The session of one worker.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    search: Search,
    /// Line of the sentence at each place of the search.
    lines: Vec<Line>,
    ended: Vec<usize>,
    selection: Selection,
    scratch: Scratch,
    text: String,
}

/// A line that is being translated.
#[derive(Default)]
struct Line {
    number: usize,
    bytes: Vec<u8>,
}

/// The words of a line.
struct Words {
    ids: Vec<u32>,
    candidates: Option<Vec<u32>>,
}

impl Words {
    fn sentence(&self) -> Sentence<'_> {
        Sentence { ids: &self.ids, candidates: self.candidates.as_deref() }
    }
}

impl Worker {
    /// A worker with buffers and threads of its own.
    pub(crate) fn new(shared: Arc<Shared>) -> Result<Self, Error> {
        let threads = Threads::new(shared.threads)?;
        let members = shared.members.iter();
        let members = members.map(|(weight, network)| Member::new(*weight, network.decoder())).collect();
        let (options, suppressed) = (shared.decoding.search.clone(), shared.suppressed.clone());
        let first = shared.languages.first_word;
        let search = Search::new(members, threads, options, shared.target_eos, suppressed, first);
        let selection = shared.shortlist.as_ref().map(Shortlist::selection).unwrap_or_default();
        let (lines, ended) = (Vec::new(), Vec::new());
        let (scratch, text) = (Scratch::default(), String::new());
        Ok(Self { shared, search, lines, ended, selection, scratch, text })
    }

    /// The words of a line and the end of the sentence, cut at the greatest length; `None` for a line without
    /// words.
    fn words(&mut self, bytes: &[u8]) -> Option<Words> {
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
        let most = shared.decoding.max_length - 1;
        if ids.len() > most {
            shared.cut_lines.fetch_add(1, Ordering::Relaxed);
            ids.truncate(most);
        }
        ids.extend(shared.source_eos);
        let _output = Component::Output.span();
        let candidates =
            shared.shortlist.as_ref().map(|list| list.select(&ids, &mut self.selection).to_vec());
        Some(Words { ids, candidates })
    }

    /// Answers a line without words. Marian forces the end of the sentence upon such a line: all entries of
    /// its n-best list are empty, with the value of an end that costs nothing.
    fn answer_empty(&self, line: usize, sink: &mut dyn Sink) {
        let options = &self.shared.decoding.search;
        let ranks = if options.n_best { options.beam } else { 1 };
        let score = Some(options.value(0.0, 1));
        (0..ranks).for_each(|rank| sink.answer(Answer { line, rank, text: "", score }));
    }

    /// Lets lines join the running batch; lines without words are answered at once.
    fn join(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) {
        let (mut numbers, mut all) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
        for (at, bytes) in lines.iter().enumerate() {
            match self.words(bytes) {
                Some(words) => {
                    numbers.push(at);
                    all.push(words);
                }
                None => self.answer_empty(first + at, sink),
            }
        }
        let sentences: Vec<Sentence<'_>> = all.iter().map(Words::sentence).collect();
        let _search = Component::Search.span();
        for (at, place) in numbers.into_iter().zip(self.search.admit(&sentences)) {
            self.lines.resize_with(self.lines.len().max(place + 1), Line::default);
            let line = &mut self.lines[*place];
            line.number = first + at;
            line.bytes.clear();
            line.bytes.extend_from_slice(lines[at]);
        }
    }

    /// Takes a step of the running batch, and answers the lines that end with it.
    fn advance(&mut self, sink: &mut dyn Sink) -> Result<(), dyno_text::Error> {
        let mut ended = std::mem::take(&mut self.ended);
        let search = Component::Search.span();
        self.search.step(&mut ended);
        drop(search);
        let answered = ended.iter().try_for_each(|place| self.answer(*place, sink));
        self.ended = ended;
        answered
    }

    /// Answers the line at a place, which ended.
    fn answer(&mut self, place: usize, sink: &mut dyn Sink) -> Result<(), dyno_text::Error> {
        let _detokenise = Component::Detokenise.span();
        let Line { number, bytes } = &self.lines[place];
        for rank in 0..self.search.count(place) {
            let found = self.search.found(place, rank);
            write(&self.shared, bytes, &found, &mut self.text)?;
            sink.answer(Answer { line: *number, rank, text: &self.text, score: found.score });
        }
        let loops = u64::from(self.search.looped(place));
        self.shared.loops.fetch_add(loops, Ordering::Relaxed);
        self.search.leave(place);
        Ok(())
    }

    /// Does `work` on the running batch, and accounts for its time where that is asked for. After an error the
    /// batch is empty.
    fn watched(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), dyno_text::Error>,
    ) -> dyno_api::Result<()> {
        let shared = Arc::clone(&self.shared);
        shared.times.watch(|| work(self)).map_err(|error| {
            self.search.clear();
            Error::from(error).of_backend(shared.backend)
        })
    }
}

/// Writes a translation of the line `bytes` into `text`.
fn write(
    shared: &Shared,
    bytes: &[u8],
    found: &Found<'_>,
    text: &mut String,
) -> Result<(), dyno_text::Error> {
    if shared.replace_unknown {
        unknown::write(&shared.source, &shared.target, bytes, found, text);
        return Ok(());
    }
    shared.target.decode_into(found.ids, text)
}

impl Session for Worker {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|worker| {
            worker.join(0, lines, sink);
            while !worker.search.is_idle() {
                worker.advance(sink)?;
            }
            Ok(())
        })
    }

    fn admit(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|worker| {
            worker.join(first, lines, sink);
            Ok(())
        })
    }

    fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.watched(|worker| worker.advance(sink))
    }
}

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
