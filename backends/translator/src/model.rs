//! The opened model: vocabularies, shortlist, networks and settings that belong together, and the facts about them.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use dyno_api::{Breakdown, Facts, Model, OpenedFile, Session};
use dyno_formats::{Shortlist, Vocabularies};
use dyno_nn::Network;
use dyno_nn::watch::Times;
use dyno_text::Vocabulary;

use crate::calibration::Scales;
use crate::floats::NOT_REPRODUCIBLE;
use crate::opening::Opened;
use crate::session::Worker;
use crate::settings::{Decoding, NGRAMS, Wishes};
use crate::{breakdown, unknown};

/// A model that was opened.
pub(crate) struct Translator {
    shared: Arc<Shared>,
}

/// What workers share.
pub(crate) struct Shared {
    pub(crate) backend: &'static str,
    pub(crate) source: Arc<Vocabulary>,
    /// One and the same where both are one file.
    pub(crate) target: Arc<Vocabulary>,
    pub(crate) source_eos: u32,
    pub(crate) target_eos: u32,
    pub(crate) shortlist: Option<Shortlist>,
    /// The networks, each with how much its scores count.
    pub(crate) members: Vec<(f32, Arc<dyn Network>)>,
    pub(crate) decoding: Decoding,
    /// Words that are never written, ascending.
    pub(crate) suppressed: Vec<u32>,
    pub(crate) replace_unknown: bool,
    pub(crate) scales: Scales,
    pub(crate) facts: Facts,
    /// Where the time of all workers went, if somebody wants to know.
    pub(crate) times: Option<Mutex<Times>>,
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
    let Some((path, cut)) = wishes.shortlist.of(&opened.model) else { return Ok(None) };
    let shared = opened.model.shares_vocabulary();
    let vocabularies = Vocabularies { source: &Words(source), target: &Words(target), shared };
    let list = Shortlist::open(path, cut, vocabularies).map_err(|error| error.to_string())?;
    if wishes.ngrams.is_some() && !list.is_map() {
        return Err(format!(
            "{}: {NGRAMS} is about a vocabulary map, and this one is lexical",
            path.display()
        ));
    }
    let list = list.up_to(wishes.ngrams.map_or(usize::MAX, NonZeroUsize::get));
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
    paths.extend(wishes.shortlist.of(&opened[0].model).map(|(path, _)| path.to_path_buf()));
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
        Ok(Box::new(Worker::new(Arc::clone(&self.shared))))
    }

    fn attended_bytes(&self) -> Option<usize> {
        Some(self.shared.members.iter().map(|(_, network)| network.attended_bytes()).sum())
    }

    fn stepped_bytes(&self) -> Option<usize> {
        Some(self.shared.members.iter().map(|(_, network)| network.stepped_bytes()).sum())
    }

    fn breakdown(&self) -> dyno_api::Result<Option<Breakdown>> {
        let times = self.shared.times.as_ref().map(|times| times.lock().expect(UNPOISONED));
        Ok(times.map(|times| breakdown::of(&times)))
    }
}

/// What a lock is taken for can't fail.
pub(crate) const UNPOISONED: &str = "times are added up without a panic";
