//! The settings of a translator, and the values where nothing is set.
//!
//! A model that comes with its decoder's settings is decoded by them, with Marian's defaults for what they
//! leave out. A model without them is decoded greedily, which is fastest. A setting in the campaign wins over
//! both.

mod activation_scales;
mod full_precision;
mod switches;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use dyno_api::{Error, SettingsReader, WATCH};
use dyno_formats::{Cut, Fault, MarianConfig, ModelDir, Precision};
use dyno_nn::kernel_settings::KernelSettings;
use serde_json::Value;

use activation_scales::PRECISION;
pub use activation_scales::read_multipliers;
pub(crate) use activation_scales::{CalibrationFile, RequestedScales};
pub(crate) use full_precision::{FullPrecision, NOT_REPRODUCIBLE};
pub use switches::{Position, Switch, Switches};

use crate::error::Refusal;
use crate::search::{Patience, Rule, SearchOptions};

/// Name of the setting that limits the n-grams of a vocabulary map.
const NGRAMS: &str = "shortlist-ngrams";

/// Name of the setting that translates long lines part by part.
const SPLIT_LINES: &str = "split-lines";

/// Largest beam. Larger beams take much memory and time, and give no better translations.
const LARGEST_BEAM: usize = 1000;

/// Longest translation as a multiple of its source: without a limit, a translation may never end.
const LARGEST_FACTOR: f32 = 1000.0;

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

/// The shortlist that the settings ask for.
#[derive(Debug, Default)]
pub(crate) enum RequestedShortlist {
    /// The model's shortlist, if it has one.
    #[default]
    Own,
    /// No shortlist.
    Off,
    /// The shortlist in this file.
    File(PathBuf, Cut),
}

impl RequestedShortlist {
    /// The shortlist for `model`, if any.
    pub(crate) fn of<'a>(&'a self, model: &'a ModelDir) -> Option<(&'a Path, Cut)> {
        match self {
            Self::Own => model.shortlist(),
            Self::Off => None,
            Self::File(path, cut) => Some((path, *cut)),
        }
    }
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

/// The decoder's settings that came with the model, if any.
#[derive(Clone, Copy)]
struct Written<'a>(Option<&'a MarianConfig>);

impl Written<'_> {
    /// The requested value, else the value that came with the model (or Marian's default, where settings
    /// came), else `otherwise`.
    fn or<T>(
        self,
        requested: Option<T>,
        key: &str,
        otherwise: T,
        read: fn(&MarianConfig, &str) -> dyno_formats::Result<T>,
    ) -> dyno_formats::Result<T> {
        match (requested, self.0) {
            (Some(value), _) => Ok(value),
            (None, Some(config)) => read(config, key),
            (None, None) => Ok(otherwise),
        }
    }

    fn flag(self, requested: Option<bool>, key: &str) -> dyno_formats::Result<bool> {
        self.or(requested, key, false, MarianConfig::flag)
    }

    fn beam(self, requested: Option<usize>) -> dyno_formats::Result<usize> {
        const KEY: &str = "beam-size";
        let beam = self.or(requested, KEY, 1, MarianConfig::count)?;
        match self.0.filter(|_| !(1..=LARGEST_BEAM).contains(&beam)) {
            Some(config) => {
                Err(config.fault(KEY, format!("is {beam}; it must lie between 1 and {LARGEST_BEAM}")))
            }
            None => Ok(beam),
        }
    }

    fn max_length_factor(self, requested: Option<f32>) -> dyno_formats::Result<f32> {
        const KEY: &str = "max-length-factor";
        let factor = self.or(requested, KEY, 3.0, MarianConfig::float)?; // Marian's default
        match self.0.filter(|_| !(0.0..=LARGEST_FACTOR).contains(&factor)) {
            Some(config) => {
                Err(config.fault(KEY, format!("is {factor}; it must lie between 0 and {LARGEST_FACTOR}")))
            }
            None => Ok(factor),
        }
    }
}

/// Name of the setting and of the decoder's key for the rule of the beam, and its values.
const SEARCH: &str = "search";
const SEARCHES: [&str; 4] = ["marian", "hugging-face", "ctranslate2", "opennmt"];
const KNOWN_SEARCHES: &str = "\"marian\", \"hugging-face\", \"ctranslate2\" or \"opennmt\"";

/// Name of the setting and of the decoder's key for the greatest number of times that a phrase may stand in a row.
const MOST_REPEATS: &str = "most-repeats";

/// The keys of dyno's own in a decoder's settings, which directories of Hugging Face, of CTranslate2 and dyno's own models bring.
impl Written<'_> {
    /// Greatest number of times that a phrase may stand in a row; 0 stands for any number.
    fn most_repeats(self, requested: Option<usize>) -> dyno_formats::Result<Option<usize>> {
        match self.or(requested, MOST_REPEATS, 0, MarianConfig::count)? {
            0 => Ok(None),
            1 => Err(self.fault(MOST_REPEATS, "must be 2 or more, or 0 for any number")),
            most => Ok(Some(most)),
        }
    }

    /// Greatest number of words of a translation; 0 in the file stands for no limit.
    fn most_words(self) -> dyno_formats::Result<usize> {
        let most = self.or(None, "most-words", 0, MarianConfig::count)?;
        Ok(if most == 0 { usize::MAX } else { most })
    }

    fn rule(self, requested: Option<&str>) -> dyno_formats::Result<Rule> {
        const PATIENCE: &str = "early-stopping";
        let written = self.0.map(|config| config.text(SEARCH)).transpose()?;
        let name = requested.or(written).unwrap_or(SEARCHES[0]);
        let patience = match self.0.map(|config| config.text(PATIENCE)).transpose()?.unwrap_or("false") {
            "false" => Patience::PresentLength,
            "true" => Patience::None,
            "never" => Patience::GreatestLength,
            _ => return Err(self.fault(PATIENCE, "must be true, false or never")),
        };
        match name {
            "marian" => Ok(Rule::Marian),
            "hugging-face" => Ok(Rule::HuggingFace(patience)),
            "ctranslate2" => Ok(Rule::CTranslate2),
            "opennmt" => Ok(Rule::OpenNmt),
            _ => Err(self.fault(SEARCH, format!("must be {KNOWN_SEARCHES}"))),
        }
    }

    fn suppressed(self) -> dyno_formats::Result<Vec<u32>> {
        const KEY: &str = "suppressed-words";
        let words = self.0.map(|config| config.counts(KEY)).transpose()?.unwrap_or_default();
        let ids = words.into_iter().map(u32::try_from).collect::<Result<_, _>>();
        ids.map_err(|_| self.fault(KEY, "has an id that no vocabulary has"))
    }

    fn fault(self, key: &str, what: impl Into<Fault>) -> dyno_formats::Error {
        let none = MarianConfig::from_entries("", Vec::new());
        self.0.unwrap_or(&none).fault(key, what)
    }
}

/// Precision of the weights, and how products quantise or round rows for them. Products in bf16 round the widest weights
/// that are there.
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

fn vocabularies(reader: &mut SettingsReader<'_>) -> Result<Option<[PathBuf; 2]>, Error> {
    const EXPECTED: &str = "a file, or a list of two (source, target)";
    match reader.take::<Value>("vocab", EXPECTED)? {
        None => Ok(None),
        Some(Value::String(one)) => Ok(Some([one.clone().into(), one.into()])),
        Some(value) => match serde_json::from_value::<Vec<String>>(value).as_deref() {
            Ok([one]) => Ok(Some([one.into(), one.into()])),
            Ok([source, target]) => Ok(Some([source.into(), target.into()])),
            _ => Err(reader.refuse("vocab", format!("it must be {EXPECTED}"))),
        },
    }
}

fn shortlist(reader: &mut SettingsReader<'_>) -> Result<RequestedShortlist, Error> {
    const EXPECTED: &str = "a file, a list [file, first, best, threshold], or false";
    let refused = |reader: &SettingsReader<'_>| reader.refuse("shortlist", format!("it must be {EXPECTED}"));
    match reader.take::<Value>("shortlist", EXPECTED)? {
        None | Some(Value::Bool(true)) => Ok(RequestedShortlist::Own),
        Some(Value::Bool(false)) => Ok(RequestedShortlist::Off),
        Some(Value::String(path)) => Ok(RequestedShortlist::File(path.into(), Cut::default())),
        Some(Value::Array(values)) => cut(&values).ok_or_else(|| refused(reader)),
        Some(_) => Err(refused(reader)),
    }
}

fn cut(values: &[Value]) -> Option<RequestedShortlist> {
    let (path, numbers) = values.split_first()?;
    let mut cut = Cut::default();
    for (at, value) in numbers.iter().enumerate() {
        match at {
            0 => cut.first = value.as_u64()? as usize,
            1 => cut.best = value.as_u64()? as usize,
            2 => cut.threshold = value.as_f64()? as f32,
            _ => return None,
        }
    }
    Some(RequestedShortlist::File(path.as_str()?.into(), cut))
}
