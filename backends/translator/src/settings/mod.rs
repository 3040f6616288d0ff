//! The settings of a translator, and the values where nothing is set.
//!
//! A model that comes with its decoder's settings is decoded by them, with Marian's defaults for what they
//! leave out. A model without them is decoded greedily, which is fastest. A setting in the campaign wins over
//! both.

mod activation_scales;
mod files;
mod full_precision;
mod switches;
mod written;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use dyno_api::{Error, SettingsReader, WATCH};
use dyno_formats::{MarianConfig, Precision};
use dyno_nn::kernel_settings::KernelSettings;

use activation_scales::PRECISION;
pub use activation_scales::read_multipliers;
pub(crate) use activation_scales::{CalibrationFile, RequestedScales};
pub(crate) use files::RequestedShortlist;
use files::{shortlist, vocabularies};
pub(crate) use full_precision::{FullPrecision, NOT_REPRODUCIBLE};
pub use switches::{Position, Switch, Switches};
use written::{KNOWN_SEARCHES, LARGEST_BEAM, LARGEST_FACTOR, MOST_REPEATS, SEARCH, SEARCHES, Written};

use crate::error::Refusal;
use crate::search::SearchOptions;

/// Name of the setting that limits the n-grams of a vocabulary map.
const NGRAMS: &str = "shortlist-ngrams";

/// Name of the setting that translates long lines part by part.
const SPLIT_LINES: &str = "split-lines";

/// Limits of the powers of a length, and of a penalty for each word, with which scores of 1,000 words stay
/// finite.
const POWERS: (f32, f32) = (-10.0, 10.0);
const LARGEST_SCORE: f32 = 1e6;

/// Settings as given, before a model is opened.
#[derive(Debug)]
pub(crate) struct RequestedSettings {
    pub(crate) precision: Option<Precision>,
    pub(crate) kernel_settings: KernelSettings,
    pub(crate) scales: RequestedScales,
    pub(crate) full_precision: FullPrecision,
    pub(crate) vocabularies: Option<[PathBuf; 2]>,
    pub(crate) shortlist: RequestedShortlist,
    /// Greatest length of the n-grams of a vocabulary map.
    pub(crate) ngrams: Option<NonZeroUsize>,
    /// Weight of each model in an ensemble.
    pub(crate) weights: Option<Vec<f32>>,
    beam: Option<usize>,
    normalize: Option<f32>,
    word_penalty: Option<f32>,
    max_length_factor: Option<f32>,
    max_length: Option<usize>,
    /// Words above which a line is translated part by part.
    pub(crate) split_lines: Option<NonZeroUsize>,
    n_best: Option<bool>,
    allow_unk: Option<bool>,
    allow_special: Option<bool>,
    skip_cost: Option<bool>,
    early_stop: Option<f32>,
    most_repeats: Option<usize>,
    search: Option<String>,
    pub(crate) replace_unknown: bool,
    /// Languages of source and target, for models that have words for them.
    pub(crate) languages: [Option<String>; 2],
    /// Whether to keep a breakdown of the time.
    pub(crate) breakdown: bool,
}

/// The settings of decoding, with all defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct Decoding {
    pub(crate) search: SearchOptions,
    pub(crate) max_length: usize,
    pub(crate) allow_unk: bool,
    pub(crate) allow_special: bool,
    /// Further words that no translation contains.
    pub(crate) suppressed: Vec<u32>,
}

impl RequestedSettings {
    /// Takes all settings of a translator.
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        const NUMBER: &str = "a finite number";
        const FLAG: &str = "true or false";
        let kernel_settings = KernelSettings::read(reader)?;
        let (precision, scales) = precision(reader)?;
        let requested = Self {
            precision,
            kernel_settings,
            scales,
            full_precision: FullPrecision::read(reader)?,
            vocabularies: vocabularies(reader)?,
            shortlist: shortlist(reader)?,
            ngrams: reader.take(NGRAMS, "a whole number above 0")?,
            weights: reader.take("weights", "a list of numbers")?,
            beam: reader.take("beam", "a whole number")?,
            normalize: reader.take("normalize", NUMBER)?,
            word_penalty: reader.take("word-penalty", NUMBER)?,
            max_length_factor: reader.take("max-length-factor", NUMBER)?,
            max_length: reader.take("max-length", "a whole number")?,
            split_lines: reader.take(SPLIT_LINES, "a whole number above 0")?,
            n_best: reader.take("n-best", FLAG)?,
            allow_unk: reader.take("allow-unk", FLAG)?,
            allow_special: reader.take("allow-special", FLAG)?,
            skip_cost: reader.take("skip-cost", FLAG)?,
            early_stop: reader.take("early-stop", NUMBER)?,
            most_repeats: reader.take(MOST_REPEATS, "a whole number")?,
            search: reader.take(SEARCH, KNOWN_SEARCHES)?,
            replace_unknown: reader.take("replace-unknown", FLAG)?.unwrap_or(false),
            languages: [
                reader.take("source-language", "a language's code")?,
                reader.take("target-language", "a language's code")?,
            ],
            breakdown: reader.take(WATCH, FLAG)?.unwrap_or(false),
        };
        requested.check(reader)?;
        Ok(requested)
    }

    /// The refusal of settings that weights of this precision, with a shortlist or without, can't honour.
    pub(crate) fn refusal(&self, precision: Precision, shortlist: bool) -> Option<Refusal> {
        let ngrams = || {
            let unfit = self.ngrams.is_some() && !shortlist;
            unfit.then(|| (NGRAMS, "it needs a vocabulary map, but no shortlist is set".into()))
        };
        let refusal = self.scales.refusal(precision);
        refusal.or_else(|| self.full_precision.refusal(precision, shortlist)).or_else(ngrams)
    }

    fn check(&self, reader: &SettingsReader<'_>) -> Result<(), Error> {
        if self.beam.is_some_and(|beam| !(1..=LARGEST_BEAM).contains(&beam)) {
            return Err(reader.refuse("beam", format!("it must lie between 1 and {LARGEST_BEAM}")));
        }
        if self.search.as_deref().is_some_and(|name| !SEARCHES.contains(&name)) {
            return Err(reader.refuse(SEARCH, format!("it must be {KNOWN_SEARCHES}")));
        }
        if self.weights.iter().flatten().any(|weight| !weight.is_finite()) {
            return Err(reader.refuse("weights", "it must be finite numbers"));
        }
        if self.max_length_factor.is_some_and(|factor| !(factor > 0.0 && factor <= LARGEST_FACTOR)) {
            return Err(reader
                .refuse("max-length-factor", format!("it must be above 0, and {LARGEST_FACTOR} at most")));
        }
        if self.most_repeats == Some(1) {
            return Err(reader.refuse(MOST_REPEATS, "it must be 2 or more, or 0 for any number"));
        }
        if self.max_length.is_some_and(|length| length < 2) {
            return Err(reader.refuse("max-length", "it must be 2 or more: a word and the end"));
        }
        if self.split_lines.is_some() && self.n_best == Some(true) {
            return Err(reader.refuse(SPLIT_LINES, "the parts of a line have no common n-best list"));
        }
        for (name, value, (least, most)) in [
            ("normalize", self.normalize, POWERS),
            ("word-penalty", self.word_penalty, (-LARGEST_SCORE, LARGEST_SCORE)),
            ("early-stop", self.early_stop, (0.0, LARGEST_SCORE)),
        ] {
            if value.is_some_and(|value| !(least..=most).contains(&value)) {
                return Err(reader.refuse(name, format!("it must lie between {least} and {most}")));
            }
        }
        Ok(())
    }

    /// The settings of decoding, with the defaults of the model's decoder.
    pub(crate) fn decide(&self, decoder: Option<&MarianConfig>) -> dyno_formats::Result<Decoding> {
        let written = Written(decoder.filter(|config| !config.entries().is_empty()));
        let search = SearchOptions {
            beam: written.beam(self.beam)?,
            normalize: written.or(self.normalize, "normalize", 0.0, MarianConfig::float)?,
            word_penalty: written.or(self.word_penalty, "word-penalty", 0.0, MarianConfig::float)?,
            max_length_factor: written.max_length_factor(self.max_length_factor)?,
            more_words: written.or(None, "more-words", 0, MarianConfig::count)?,
            most_words: written.most_words()?,
            forced_end: written.flag(None, "forced-end")?,
            renormalise: written.flag(None, "renormalise")?,
            rule: written.rule(self.search.as_deref())?,
            n_best: written.flag(self.n_best, "n-best")?,
            skip_cost: written.flag(self.skip_cost, "skip-cost")?,
            early_stop: self.early_stop,
            most_repeats: written.most_repeats(self.most_repeats)?,
            attention: self.replace_unknown,
            kernels: self.kernel_settings.kernels,
        };
        // Marian's default is 1000.
        let max_length = written.or(self.max_length, "max-length", 1000, MarianConfig::count)?;
        Ok(Decoding {
            search,
            max_length: max_length.max(2),
            allow_unk: written.flag(self.allow_unk, "allow-unk")? || self.replace_unknown,
            allow_special: written.flag(self.allow_special, "allow-special")?,
            suppressed: written.suppressed()?,
        })
    }
}

/// Precision of the weights, and how products quantise or round rows for them. Products in bf16 round the widest
/// weights that are there.
fn precision(reader: &mut SettingsReader<'_>) -> Result<(Option<Precision>, RequestedScales), Error> {
    let name = reader.take::<String>(PRECISION, "f32, bf16, f16, int16 or int8")?;
    let scales = RequestedScales::read(reader)?;
    if name.as_deref() == Some("bf16") {
        let scales = scales.in_bf16().map_err(|(setting, reason)| reader.refuse(setting, reason))?;
        return Ok((None, scales));
    }
    let precision = name.map(|name| name.parse()).transpose();
    let refused =
        |reason: String| reader.refuse(PRECISION, format!("{reason}; products may be in bf16, too"));
    Ok((precision.map_err(refused)?, scales))
}
