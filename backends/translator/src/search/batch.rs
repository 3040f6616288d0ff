//! The running batch: the sentences that are being translated, each at its place, and their live hypotheses.
//!
//! Sentences join at any step and leave as soon as they end, so that the batch never waits for its longest
//! sentence. The place of a sentence that left is given to a later one.

use dyno_nn::math::{Kernels, argmax};
use dyno_nn::{Decoder, Row, Sentence, Step};

use super::paths::{NONE, Paths};
use super::repeats;

/// Options of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    /// Number of hypotheses of each sentence.
    pub(crate) beam: usize,
    /// Power of the length by which scores are divided.
    pub(crate) normalize: f32,
    /// Penalty that is subtracted for each word.
    pub(crate) word_penalty: f32,
    /// Greatest length of a translation as a multiple of its source's length; both include the end of the
    /// sentence.
    pub(crate) max_length_factor: f32,
    /// Number of words that a translation may have beyond that multiple.
    pub(crate) more_words: usize,
    /// Greatest number of words of a translation, the end of the sentence included.
    pub(crate) most_words: usize,
    /// Whether a translation of the greatest length ends with the end of the sentence, whatever the scores
    /// say.
    pub(crate) forced_end: bool,
    /// Whether probabilities are divided by what suppressed words leave of them (`renormalize_logits`).
    pub(crate) renormalise: bool,
    /// Rule of the beam.
    pub(crate) rule: Rule,
    /// Whether the search gives all finished hypotheses instead of the best one.
    pub(crate) n_best: bool,
    /// Whether logits serve as scores.
    pub(crate) skip_cost: bool,
    /// Margin of the early stop: a sentence ends when no live hypothesis is within it of the best finished
    /// one, before normalisation. `None` for no early stop.
    pub(crate) early_stop: Option<f32>,
    /// Whether the search notes which source word each word attends to most.
    pub(crate) attention: bool,
    /// Greatest number of times that a phrase may stand in a row; `None` for any number.
    pub(crate) most_repeats: Option<usize>,
    /// Kernels that search rows of scores.
    pub(crate) kernels: Kernels,
}

impl SearchOptions {
    /// Whether a hypothesis of `len` words, including the end, has reached the greatest length. Marian
    /// compares in f32; OpenNMT-py cuts the fraction off.
    pub(super) fn is_full(&self, len: usize, source_len: usize) -> bool {
        let most = self.max_length_factor * source_len as f32 + self.more_words as f32;
        let most = if self.rule == Rule::OpenNmt { most.floor() } else { most };
        len >= self.most_words || len as f32 >= most
    }

    /// Number of translations of a sentence.
    pub(super) fn translations(&self) -> usize {
        if self.n_best { self.beam } else { 1 }
    }

    /// Ranking value of a finished path: (score − penalty·length) / length^normalize. OpenNMT-py's length for the
    /// power counts the word that begins a translation, too (`advance` in its translate/beam_search.py).
    pub(crate) fn value(&self, score: f32, len: usize) -> f32 {
        let begun = if self.rule == Rule::OpenNmt { len + 1 } else { len };
        (score - self.word_penalty * len as f32) / (begun as f32).powf(self.normalize)
    }
}

/// Rule by which a beam keeps hypotheses and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Marian's: a finished hypothesis takes a place for good, and the search ends when no place is left.
    Marian,
    /// That of `generate` in Hugging Face's transformers: finished hypotheses take no place of live ones. A
    /// hypothesis may finish only among the best continuations, as many as the beam has places.
    HuggingFace(Patience),
    /// CTranslate2's (`BeamSearch` in its src/decoding.cc): hypotheses finish as by the rule of Hugging Face.
    /// The search ends when a beam of them is finished, or where lengths don't count, when the best
    /// continuation is.
    CTranslate2,
    /// OpenNMT-py's (`BeamSearch` in its translate/beam_search.py): of the best continuations, as many as the
    /// beam has places, some finish. The search ends when the best one does.
    OpenNmt,
}

/// Condition under which a search by Hugging Face's rule ends, once a beam of hypotheses is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// At once (`early_stopping: true`).
    None,
    /// When no live hypothesis would get a better value at its present length (`false`).
    PresentLength,
    /// When no live hypothesis would get a better value at the greatest length (`"never"`).
    GreatestLength,
}

/// Rules that hold for all sentences.
pub(super) struct Rules {
    pub(super) options: SearchOptions,
    /// Word that ends a translation.
    pub(super) end: u32,
    /// Words that no translation contains, ascending.
    pub(super) suppressed: Vec<u32>,
    /// First word of all translations, if it is known: the target language.
    pub(super) first: Option<u32>,
}

impl Rules {
    /// The next word of a hypothesis of `len` words, if it is known without scores.
    pub(super) fn known(&self, len: usize, source_len: usize) -> Option<u32> {
        let forced = self.options.forced_end && self.options.is_full(len + 1, source_len);
        if forced { Some(self.end) } else { self.first.filter(|_| len == 0) }
    }

    /// Number of continuations to consider of a sentence with `live` hypotheses of `len` words.
    pub(super) fn continuations(&self, live: usize, len: usize) -> usize {
        // At the first free step, one hypothesis fills the whole beam.
        let first = len == usize::from(self.first.is_some());
        match self.options.rule {
            Rule::Marian if first => self.options.beam,
            Rule::Marian => live,
            Rule::OpenNmt => self.options.beam,
            // Each live hypothesis can finish, and as many others stay alive.
            Rule::HuggingFace(_) | Rule::CTranslate2 => 2 * self.options.beam,
        }
    }
}

/// A network of an ensemble at work.
pub(crate) struct Member {
    pub(super) weight: f32,
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) step: Step,
}

impl Member {
    /// A member whose scores have this weight.
    pub(crate) fn new(weight: f32, decoder: Box<dyn Decoder>) -> Self {
        Self { weight, decoder, step: Step::default() }
    }
}

/// The source word that a row attends to most. The last position, the end of the sentence, is excluded.
pub(super) fn aligned(step: &Step, row: usize) -> usize {
    let (_, words) = step.attention.row(row).split_last().unwrap_or((&0.0, &[]));
    argmax(words)
}

/// A sentence of the batch.
#[derive(Default)]
pub(super) struct Searched {
    /// Number of its words, with the end of the sentence.
    pub(super) source_len: usize,
    /// Words that the translation may contain, ascending; empty for all words.
    pub(super) candidates: Vec<u32>,
    pub(super) paths: Paths,
    /// Greatest number of times that a phrase of the translation may stand in a row; `None` for any number.
    most_repeats: Option<usize>,
    /// Whether the best word of some step was barred, since it would have continued a loop.
    pub(super) looped: bool,
    /// Greatest score of a finished hypothesis.
    pub(super) best_finished: f32,
    /// Whether the best continuation of some step finished; by OpenNMT-py's rule, that of the last step.
    pub(super) first_finished: bool,
}

impl Searched {
    /// The word that would continue a loop, if the path that ends at `node` is in one.
    fn barred(&self, node: usize) -> Option<u32> {
        repeats::barred(&self.paths, node, self.most_repeats?)
    }

    /// Whether no live hypothesis, best first, can change the translations any more.
    pub(super) fn has_ended(&mut self, options: &SearchOptions, live: &[Hypothesis]) -> bool {
        live.is_empty() || self.is_beyond_margin(options, live) || self.is_settled(options, live[0])
    }

    /// Whether no live hypothesis is within the margin of the best finished one.
    fn is_beyond_margin(&self, options: &SearchOptions, live: &[Hypothesis]) -> bool {
        let bar = options.early_stop.map_or(f32::NEG_INFINITY, |margin| self.best_finished - margin);
        live.iter().all(|hypothesis| hypothesis.score < bar)
    }

    /// Whether the rule of the beam wants no more than the finished hypotheses, `best` being the best live
    /// one.
    fn is_settled(&mut self, options: &SearchOptions, best: Hypothesis) -> bool {
        let finished = self.paths.count();
        match options.rule {
            Rule::Marian => false,
            Rule::HuggingFace(patience) => self.is_unbeatable(options, patience, best),
            Rule::CTranslate2 if options.normalize == 0.0 => {
                self.first_finished && finished >= options.translations()
            }
            Rule::CTranslate2 => finished >= options.beam,
            Rule::OpenNmt => self.first_finished && finished >= options.translations(),
        }
    }

    /// Whether the sentence has a beam of finished hypotheses that the best live one can't better by the rule
    /// of Hugging Face (`_check_early_stop_heuristic` in its generation/utils.py).
    fn is_unbeatable(&mut self, options: &SearchOptions, patience: Patience, best: Hypothesis) -> bool {
        let Some(worst) = self.paths.keep_best(options.beam) else { return false };
        let len = match patience {
            Patience::None => return true,
            Patience::GreatestLength if options.normalize > 0.0 => options.most_words,
            Patience::GreatestLength | Patience::PresentLength => best.len,
        };
        options.value(best.score, len) <= worst
    }
}

/// A live hypothesis.
#[derive(Clone, Copy)]
pub(super) struct Hypothesis {
    /// Place of its sentence.
    pub(super) sentence: usize,
    /// Last word of its path.
    pub(super) node: usize,
    /// Number of its words.
    pub(super) len: usize,
    /// Sum of its words' scores; greedy search has no scores.
    pub(super) score: f32,
}

/// The sentences of one worker, and what the last step left of their hypotheses.
#[derive(Default)]
pub(super) struct Running {
    /// Sentences by their place; a place may be free.
    pub(super) sentences: Vec<Searched>,
    free: Vec<usize>,
    /// Live hypotheses: those of a sentence stand together, and sentences in the order in which they came.
    pub(super) live: Vec<Hypothesis>,
    /// Rows of the last step that the live hypotheses continue.
    pub(super) kept: Vec<usize>,
    /// Places of the sentences that ended with the last step.
    pub(super) ended: Vec<usize>,
}

impl Running {
    /// Gives a place to each of `sentences`, with one hypothesis that has no words. A phrase of its translation
    /// may stand `most_repeats` times in a row, or as often as one in the source.
    pub(super) fn admit(
        &mut self,
        sentences: &[Sentence<'_>],
        most_repeats: Option<usize>,
        places: &mut Vec<usize>,
    ) {
        places.clear();
        for sentence in sentences {
            let place = self.free.pop().unwrap_or_else(|| {
                self.sentences.push(Searched::default());
                self.sentences.len() - 1
            });
            let searched = &mut self.sentences[place];
            searched.source_len = sentence.ids.len();
            searched.candidates.clear();
            searched.candidates.extend_from_slice(sentence.candidates.unwrap_or_default());
            searched.paths.clear();
            (searched.best_finished, searched.first_finished) = (f32::NEG_INFINITY, false);
            searched.most_repeats = most_repeats.map(|most| most.max(repeats::in_a_row(sentence.ids)));
            searched.looped = false;
            self.live.push(Hypothesis { sentence: place, node: NONE, len: 0, score: 0.0 });
            places.push(place);
        }
    }

    /// Replaces `rows` by the input of each live hypothesis.
    pub(super) fn rows(&self, rows: &mut Vec<Row>) {
        rows.clear();
        rows.extend(self.live.iter().map(|&Hypothesis { sentence, node, len, .. }| Row {
            previous: self.sentences[sentence].paths.word(node),
            sentence,
            position: len,
            barred: self.sentences[sentence].barred(node),
        }));
    }

    /// Frees the place of a sentence that ended.
    pub(super) fn free(&mut self, place: usize) {
        self.free.push(place);
    }

    /// Drops all sentences.
    pub(super) fn clear(&mut self) {
        self.live.clear();
        self.free.clear();
        self.free.extend(0..self.sentences.len());
    }
}
