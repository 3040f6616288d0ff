//! The opened model, and a worker's session of it: lines to sentences, search, text.

use std::sync::{Arc, Mutex};

use dyno_api::{Answer, Breakdown, Error, Facts, Model, OpenedFile, Session, Sink};
use dyno_formats::{Selection, Shortlist, Vocabularies};
use dyno_nn::watch::{Component, Times, watch};
use dyno_nn::{Network, Sentence};
use dyno_text::{Scratch, Vocabulary};

use crate::calibration::Scales;
use crate::floats::NOT_REPRODUCIBLE;
use crate::opening::Opened;
use crate::search::{Found, Member, Search, Task};
use crate::settings::{Decoding, ShortlistWish, Wishes};
use crate::{breakdown, unknown};

/// Everything that workers share.
pub(crate) struct Translator {
    shared: Arc<Shared>,
}

struct Shared {
    backend: &'static str,
    source: Arc<Vocabulary>,
    /// One and the same where both are one file.
    target: Arc<Vocabulary>,
    source_eos: u32,
    target_eos: u32,
    shortlist: Option<Shortlist>,
    /// The networks, each with how much its scores count.
    members: Vec<(f32, Arc<dyn Network>)>,
    decoding: Decoding,
    /// Words that are never written, ascending.
    suppressed: Vec<u32>,
    replace_unknown: bool,
    scales: Scales,
    facts: Facts,
    /// Where the time of all workers went, if somebody wants to know.
    times: Option<Mutex<Times>>,
}

type Fallible<T> = Result<T, String>;

impl Translator {
    /// Puts models together that were opened with the same settings; the first one's vocabularies hold for all.
    pub(crate) fn new(
        backend: &'static str,
        opened: &[Opened],
        members: Vec<(f32, Arc<dyn Network>)>,
        wishes: &Wishes,
    ) -> Fallible<Self> {
        let first = opened.first().ok_or("no model")?;
        let [source, target] = first.model.vocabularies() else {
            return Err(format!("{}: names no two vocabularies", first.path.display()));
        };
        let read = |path| Vocabulary::from_path(path).map(Arc::new).map_err(|error| error.to_string());
        let one_file = source == target;
        let source = read(source)?;
        let target = if one_file { Arc::clone(&source) } else { read(target)? };
        members.iter().try_for_each(|(_, network)| fits(network.as_ref(), &source, &target))?;
        one_target(&members)?;
        let decoding = wishes.decide(first.model.decoder()).map_err(|error| error.to_string())?;
        if wishes.replace_unknown {
            unknown::refuse_pieces(&source, &target)?;
        }
        let end = |vocabulary: &Vocabulary| vocabulary.eos_id().ok_or("a vocabulary has no end of sentence");
        let shared = Shared {
            backend,
            source_eos: end(&source)?,
            target_eos: end(&target)?,
            shortlist: shortlist(first, wishes, &source, &target)?,
            suppressed: suppressed(&target, &decoding),
            facts: facts(backend, opened, &members, wishes),
            times: wishes.breakdown.then(Mutex::default),
            members,
            replace_unknown: wishes.replace_unknown,
            scales: wishes.scales.clone(),
            decoding,
            source,
            target,
        };
        Ok(Self { shared: Arc::new(shared) })
    }
}

fn fits(network: &dyn Network, source: &Vocabulary, target: &Vocabulary) -> Fallible<()> {
    for (side, words, vocabulary) in
        [("source", network.source_words(), source), ("target", network.target_words(), target)]
    {
        // Marian pads embeddings, so that a network may have more rows than there are words.
        if words < vocabulary.len() {
            let have = vocabulary.len();
            return Err(format!(
                "the {side} vocabulary has {have} words, the network {words}; they belong to different models"
            ));
        }
    }
    Ok(())
}

fn shortlist(
    opened: &Opened,
    wishes: &Wishes,
    source: &Vocabulary,
    target: &Vocabulary,
) -> Fallible<Option<Shortlist>> {
    let (path, cut) = match (&wishes.shortlist, opened.model.shortlist()) {
        (ShortlistWish::File(path, cut), _) => (path.as_path(), *cut),
        (ShortlistWish::Own, Some(own)) => own,
        _ => return Ok(None),
    };
    let shared = opened.model.shares_vocabulary();
    let vocabularies = Vocabularies { source: &Words(source), target: &Words(target), shared };
    let list = Shortlist::open(path, cut, vocabularies).map_err(|error| error.to_string())?;
    let ends = source.eos_id().zip(target.eos_id());
    if ends.is_some_and(|(source, target)| !list.goes_with(target, source)) {
        let path = path.display();
        return Err(format!(
            "{path}: a sentence's candidates need not hold its end, so that translations wouldn't end; let the shortlist \
             always select some first words, the end among them"
        ));
    }
    Ok(Some(list))
}

/// A vocabulary as shortlists see it.
pub struct Words<'a>(pub &'a Vocabulary);

impl dyno_formats::Vocabulary for Words<'_> {
    fn words(&self) -> usize {
        self.0.len()
    }

    fn id(&self, word: &str) -> u32 {
        self.0.lookup(word).or(self.0.unk_id()).unwrap_or(0)
    }
}

fn suppressed(target: &Vocabulary, decoding: &Decoding) -> Vec<u32> {
    let mut words = Vec::new();
    if !decoding.allow_unk {
        words.extend(target.unk_id());
    }
    if !decoding.allow_special {
        words.extend((0..=255).filter_map(|byte| target.lookup(&format!("<0x{byte:02X}>"))));
    }
    words.sort_unstable();
    words
}

/// Scores are added up word by word, so that an ensemble's networks must write the same words.
fn one_target(members: &[(f32, Arc<dyn Network>)]) -> Fallible<()> {
    let words = |pair: &[(f32, Arc<dyn Network>)]| (pair[0].1.target_words(), pair[1].1.target_words());
    match members.windows(2).map(words).find(|(one, next)| one != next) {
        Some((one, next)) => {
            Err(format!("an ensemble's networks must write the same words; one writes {one}, another {next}"))
        }
        None => Ok(()),
    }
}

fn facts(
    backend: &'static str,
    opened: &[Opened],
    members: &[(f32, Arc<dyn Network>)],
    wishes: &Wishes,
) -> Facts {
    let weights = opened.iter().flat_map(|opened| [Some(&opened.weights), opened.floats.as_ref()]).flatten();
    let mut paths: Vec<_> = weights.map(|weights| weights.origin().to_path_buf()).collect();
    paths.extend(opened[0].model.vocabularies().iter().cloned());
    match (&wishes.shortlist, opened[0].model.shortlist()) {
        (ShortlistWish::File(path, _), _) => paths.push(path.clone()),
        (ShortlistWish::Own, Some((path, _))) => paths.push(path.into()),
        _ => {}
    }
    paths.sort();
    paths.dedup();
    let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let precision = opened[0].weights.precision();
    let computed = match precision {
        dyno_formats::Precision::F16 => " weights, f32 products",
        _ if wishes.floats.races => " or f32 for each product, whichever was faster",
        _ if wishes.scales.scales.is_static() => ", static activation scales",
        _ => "",
    };
    Facts {
        backend: backend.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        isa: Some(wishes.kernels.isa().name().into()),
        precision: Some(format!("{precision}{computed}")),
        parameters: Some(members.iter().map(|(_, network)| network.parameters()).sum()),
        not_reproducible: wishes.floats.races.then(|| NOT_REPRODUCIBLE.into()),
        files: paths.into_iter().map(|path| OpenedFile { bytes: size(&path), path }).collect(),
    }
}

impl Model for Translator {
    fn facts(&self) -> Facts {
        self.shared.facts.clone()
    }

    fn session(&self) -> dyno_api::Result<Box<dyn Session>> {
        let members = self.shared.members.iter();
        let members =
            members.map(|(weight, network)| Member::new(*weight, Arc::clone(network).decoder())).collect();
        let search = Search::new(members, self.shared.decoding.search.clone(), self.shared.target_eos);
        let selection = self.shared.shortlist.as_ref().map(Shortlist::selection).unwrap_or_default();
        Ok(Box::new(Worker {
            shared: Arc::clone(&self.shared),
            search,
            selection,
            scratch: Scratch::default(),
            text: String::new(),
        }))
    }

    fn attended_bytes(&self) -> Option<usize> {
        Some(self.shared.members.iter().map(|(_, network)| network.attended_bytes()).sum())
    }

    fn breakdown(&self) -> dyno_api::Result<Option<Breakdown>> {
        let times = self.shared.times.as_ref().map(|times| times.lock().expect(UNPOISONED));
        Ok(times.map(|times| breakdown::of(&times)))
    }
}

/// What a lock is taken for can't fail.
const UNPOISONED: &str = "times are added up without a panic";

/// One worker.
struct Worker {
    shared: Arc<Shared>,
    search: Search,
    selection: Selection,
    scratch: Scratch,
    text: String,
}

/// A line that has words.
struct Line {
    index: usize,
    ids: Vec<u32>,
    candidates: Option<Vec<u32>>,
}

impl Worker {
    /// The line's words and its end, cut at the longest length; `None` where it has no words.
    fn line(&mut self, index: usize, bytes: &[u8]) -> Option<Line> {
        let shared = &self.shared;
        let tokenise = Component::Tokenise.span();
        let mut ids = Vec::new();
        shared.source.encode_into(bytes, &mut self.scratch, &mut ids);
        drop(tokenise);
        if ids.is_empty() {
            return None;
        }
        ids.truncate(shared.decoding.max_length - 1);
        ids.push(shared.source_eos);
        let _output = Component::Output.span();
        let candidates =
            shared.shortlist.as_ref().map(|list| list.select(&ids, &mut self.selection).to_vec());
        Some(Line { index, ids, candidates })
    }

    /// Marian forces the end of the sentence upon a line without words: all of its list is empty, with
    /// the value of an end that costs nothing.
    fn answer_empty(&self, line: usize, sink: &mut dyn Sink) {
        let options = &self.shared.decoding.search;
        let ranks = if options.n_best { options.beam } else { 1 };
        let score = Some(options.value(0.0, 1));
        (0..ranks).for_each(|rank| sink.answer(Answer { line, rank, text: "", score }));
    }

    fn write(&mut self, bytes: &[u8], found: &Found<'_>) -> Result<(), dyno_text::Error> {
        let shared = &self.shared;
        if shared.replace_unknown {
            unknown::write(&shared.source, &shared.target, bytes, found, &mut self.text);
            return Ok(());
        }
        shared.target.decode_into(found.ids, &mut self.text)
    }

    fn translate(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let mut full = Vec::with_capacity(lines.len());
        for (index, bytes) in lines.iter().enumerate() {
            match self.line(index, bytes) {
                Some(line) => full.push(line),
                None => self.answer_empty(index, sink),
            }
        }
        let sentences: Vec<Sentence<'_>> = full.iter().map(Line::sentence).collect();
        let shared = Arc::clone(&self.shared);
        let task = Task { sentences: &sentences, suppressed: &shared.suppressed };
        let search = Component::Search.span();
        let mut results = self.search.run(&task);
        drop(search);
        let _detokenise = Component::Detokenise.span();
        for (at, line) in full.iter().enumerate() {
            for rank in 0..results.count(at) {
                let found = results.found(at, rank);
                let written = self.write(lines[line.index], &found);
                written.map_err(|error| failed(shared.backend, error))?;
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
        let mut times = Times::default();
        let done = match &shared.times {
            None => self.translate(lines, sink),
            Some(of_all) => {
                let done = watch(&mut times, || self.translate(lines, sink));
                of_all.lock().expect(UNPOISONED).merge(&times);
                done
            }
        };
        done?;
        shared.scales.write().map_err(|reason| failed(shared.backend, reason))
    }
}

fn failed(backend: &str, reason: impl ToString) -> Error {
    Error::Failed { backend: backend.into(), reason: reason.to_string() }
}

impl Line {
    fn sentence(&self) -> Sentence<'_> {
        Sentence { ids: &self.ids, candidates: self.candidates.as_deref() }
    }
}
