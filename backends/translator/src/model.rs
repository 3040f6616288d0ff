//! An opened model: the vocabularies, shortlist, networks and settings of a translator, and the facts about
//! them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dyno_api::{Breakdown, Facts, Model, OpenedFile, Session};
use dyno_formats::{MarianConfig, ModelDir, Precision, Shortlist, Vocabularies};
use dyno_nn::watch::SharedTimes;
use dyno_nn::{ActivationScales, Network};
use dyno_text::{Side, Vocabulary};

use crate::error::{Error, Result};
use crate::languages::Languages;
use crate::long_lines::LongLines;
use crate::model_files::OpenedModel;
use crate::session::{Calibrating, Worker};
use crate::settings::{CalibrationFile, Decoding, NOT_REPRODUCIBLE, RequestedSettings};
use crate::shared::Shared;
use crate::unknown;

/// Name of the count of translations that were kept from a loop.
const LOOPS: &str = "answers kept from a loop";

/// An opened model.
pub(crate) struct Translator {
    shared: Arc<Shared>,
    /// File that sessions complete with the activation scales of their lines.
    calibration: Option<CalibrationFile>,
    /// Words above which a line is translated part by part.
    split_lines: Option<NonZeroUsize>,
}

impl Translator {
    /// Makes a translator of models that were opened with the same settings. The vocabularies are those of
    /// the first model.
    pub(crate) fn new(
        backend: &'static str,
        opened: &[OpenedModel],
        members: Vec<(f32, Network)>,
        requested: &RequestedSettings,
    ) -> Result<Self> {
        let first = &opened[0];
        let [source, target] = vocabularies(first)?;
        members.iter().try_for_each(|(_, network)| fits(network, &source, &target))?;
        one_target(&members)?;
        let decoding = requested.decide(first.model.decoder())?;
        if requested.replace_unknown {
            unknown::refuse_pieces(&source, &target)?;
        }
        let end = |vocabulary: &Vocabulary, side| vocabulary.eos_id().ok_or(Error::NoEndOfSentence { side });
        let shared = Shared {
            backend,
            source_eos: if ends_source(first)? { Some(end(&source, "source")?) } else { None },
            target_eos: end(&target, "target")?,
            shortlist: shortlist(first, requested, &source, &target)?,
            suppressed: suppressed(&target, &decoding),
            languages: Languages::of(requested, first.model.decoder(), &source, &target)?,
            facts: facts(backend, opened, &members, requested),
            times: SharedTimes::new(requested.breakdown),
            cut_lines: AtomicU64::new(0),
            loops: AtomicU64::new(0),
            threads: requested.kernel_settings.threads,
            members,
            replace_unknown: requested.replace_unknown,
            decoding,
            source,
            target,
        };
        let (calibration, split_lines) = (requested.scales.calibration.clone(), requested.split_lines);
        Ok(Self { shared: Arc::new(shared), calibration, split_lines })
    }
}

/// The vocabularies of source and target: one and the same where they have one file.
fn vocabularies(opened: &OpenedModel) -> Result<[Arc<Vocabulary>; 2]> {
    let missing = || Error::NoVocabularies { path: opened.path.clone() };
    let read = |side| vocabulary(&opened.model, side)?.map(Arc::new).ok_or_else(missing);
    let source = read(Side::Source)?;
    let shared = match opened.model.vocabularies() {
        [from, to] if opened.model.words().is_none() => from == to,
        _ => opened.model.shares_vocabulary(),
    };
    Ok([Arc::clone(&source), if shared { source } else { read(Side::Target)? }])
}

/// The vocabulary of one side of a model; `None` where the model names none for both sides.
///
/// # Errors
/// When its file is faulty.
pub fn vocabulary(model: &ModelDir, side: Side) -> Result<Option<Vocabulary>> {
    let ([source, target], at) = match model.vocabularies() {
        [source, target] => ([source, target], usize::from(side == Side::Target)),
        _ => return Ok(None),
    };
    let path = [source, target][at];
    let read = match model.words() {
        Some(words) => Vocabulary::of_words(path, words[at]),
        None => Vocabulary::open(path, model.tokens(), side),
    };
    let is_of_opennmt = |config: &MarianConfig| config.text("search").is_ok_and(|name| name == "opennmt");
    Ok(Some(if model.decoder().is_some_and(is_of_opennmt) { read?.as_opennmt() } else { read? }))
}

/// Whether the source ends with the end of a sentence: the models of OpenNMT have none there.
fn ends_source(opened: &OpenedModel) -> Result<bool> {
    Ok(opened.model.decoder().map(|config| config.flag("source-end")).transpose()?.unwrap_or(true))
}

/// Checks that the network has a row for each word of the vocabularies. It may have more: Marian pads
/// embeddings.
fn fits(network: &Network, source: &Vocabulary, target: &Vocabulary) -> Result<()> {
    for (side, words, vocabulary) in
        [("source", network.source_words(), source), ("target", network.target_words(), target)]
    {
        if words < vocabulary.len() {
            return Err(Error::VocabularySize { side, vocabulary: vocabulary.len(), network: words });
        }
    }
    Ok(())
}

/// The shortlist that the settings ask for.
fn shortlist(
    opened: &OpenedModel,
    requested: &RequestedSettings,
    source: &Vocabulary,
    target: &Vocabulary,
) -> Result<Option<Shortlist>> {
    let Some((path, cut)) = requested.shortlist.of(&opened.model) else { return Ok(None) };
    let shared = opened.model.shares_vocabulary();
    let vocabularies = Vocabularies { source: &Words(source), target: &Words(target), shared };
    let list = Shortlist::open(path, cut, vocabularies)?;
    if requested.ngrams.is_some() && !list.is_map() {
        return Err(Error::NgramsOfLexical { path: path.into() });
    }
    let list = list.up_to(requested.ngrams.map_or(usize::MAX, NonZeroUsize::get));
    let ends = source.eos_id().zip(target.eos_id());
    if ends.is_some_and(|(source, target)| !list.goes_with(target, source)) {
        return Err(Error::EndlessShortlist { path: path.into() });
    }
    Ok(Some(list))
}

/// A vocabulary in the interface of shortlists.
pub struct Words<'a>(pub &'a Vocabulary);

impl dyno_formats::Vocabulary for Words<'_> {
    fn words(&self) -> usize {
        self.0.len()
    }

    fn id(&self, word: &str) -> u32 {
        self.0.lookup(word).or(self.0.unk_id()).unwrap_or(0)
    }
}

/// Control characters, whose byte pieces Marian writes only with `allow-special`
/// (`SentencePieceVocab::populateControlChars`). Other bytes spell characters that no piece has.
const CONTROL_BYTES: std::ops::Range<u8> = 0..32;

fn control_pieces(target: &Vocabulary) -> impl Iterator<Item = u32> {
    CONTROL_BYTES.filter_map(|byte| target.lookup(&format!("<0x{byte:02X}>")))
}

/// Ids of the words that no translation may contain, ascending.
fn suppressed(target: &Vocabulary, decoding: &Decoding) -> Vec<u32> {
    let mut words = Vec::new();
    if !decoding.allow_unk {
        words.extend(target.unk_id());
    }
    if !decoding.allow_special {
        words.extend(control_pieces(target));
    }
    words.extend(decoding.suppressed.iter().filter(|word| (**word as usize) < target.len()));
    words.sort_unstable();
    words.dedup();
    words
}

/// Checks that the networks of an ensemble have the same target words: their scores are added word by word.
fn one_target(members: &[(f32, Network)]) -> Result<()> {
    let words = |pair: &[(f32, Network)]| (pair[0].1.target_words(), pair[1].1.target_words());
    match members.windows(2).map(words).find(|(one, next)| one != next) {
        Some((one, next)) => Err(Error::EnsembleWords { one, next }),
        None => Ok(()),
    }
}

/// The facts about an opened model.
fn facts(
    backend: &'static str,
    opened: &[OpenedModel],
    members: &[(f32, Network)],
    requested: &RequestedSettings,
) -> Facts {
    let weights =
        opened.iter().flat_map(|opened| [Some(&opened.weights), opened.full_precision.as_ref()]).flatten();
    let mut paths: Vec<_> = weights.map(|weights| weights.origin().to_path_buf()).collect();
    paths.extend(opened[0].model.vocabularies().iter().chain(opened[0].model.tokens()).cloned());
    paths.extend(requested.shortlist.of(&opened[0].model).map(|(path, _)| path.to_path_buf()));
    Facts {
        backend: backend.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        isa: Some(requested.kernel_settings.kernels.isa().name().into()),
        precision: Some(precision(opened[0].weights.precision(), requested)),
        parameters: Some(members.iter().map(|(_, network)| network.parameters()).sum()),
        cut_lines: None,
        counts: BTreeMap::new(),
        not_reproducible: requested.full_precision.0.auto_precision.then(|| NOT_REPRODUCIBLE.into()),
        files: OpenedFile::all(paths),
    }
}

/// Precision of products of weights in `stored`.
fn precision(stored: Precision, requested: &RequestedSettings) -> String {
    let ways = requested.full_precision.0;
    let products = match (stored, requested.scales.scales) {
        (Precision::F32, ActivationScales::Bf16) => return "bf16".into(),
        (Precision::F16, ActivationScales::Bf16) => " weights, bf16 products",
        (Precision::F16, _) => " weights, f32 products",
        _ if ways.auto_precision => " or f32 for each product, whichever was faster",
        _ if !ways.memoised => ", quantised and packed for each product",
        _ => "",
    };
    format!("{stored}{products}{}", requested.scales)
}

impl Model for Translator {
    fn facts(&self) -> Facts {
        let cut = self.shared.cut_lines.load(Ordering::Relaxed);
        let loops = self.shared.loops.load(Ordering::Relaxed);
        let mut counts: BTreeMap<String, u64> =
            (loops > 0).then(|| (LOOPS.to_owned(), loops)).into_iter().collect();
        for (name, count) in self.shared.members.iter().flat_map(|(_, network)| network.counts()) {
            *counts.entry(name.to_owned()).or_default() += count;
        }
        Facts { cut_lines: (cut > 0).then_some(cut), counts, ..self.shared.facts.clone() }
    }

    fn session(&self) -> dyno_api::Result<Box<dyn Session>> {
        let worker =
            Worker::new(Arc::clone(&self.shared)).map_err(|error| error.of_backend(self.shared.backend))?;
        let session: Box<dyn Session> = match &self.calibration {
            None => Box::new(worker),
            Some(calibration) => Box::new(Calibrating { worker, calibration: calibration.clone() }),
        };
        Ok(match self.split_lines {
            None => session,
            Some(most) => Box::new(LongLines::new(session, most.get())),
        })
    }

    fn attended_bytes(&self) -> Option<usize> {
        Some(self.shared.members.iter().map(|(_, network)| network.attended_bytes()).sum())
    }

    fn stepped_bytes(&self) -> Option<usize> {
        Some(self.shared.members.iter().map(|(_, network)| network.stepped_bytes()).sum())
    }

    fn breakdown(&self) -> dyno_api::Result<Option<Breakdown>> {
        Ok(self.shared.times.breakdown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_bytes_control_characters_alone_are_never_written() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../text/tests/goldens/unigram-bytes.spm");
        let target = Vocabulary::from_path(file.as_ref()).unwrap();
        let control: Vec<u32> = control_pieces(&target).collect();
        let of = |byte: &str| target.lookup(byte).unwrap();
        assert_eq!(control.len(), 32);
        assert!(control.contains(&of("<0x00>")) && control.contains(&of("<0x1F>")));
        assert!(!control.contains(&of("<0x20>")) && !control.contains(&of("<0xF0>")));
    }
}
