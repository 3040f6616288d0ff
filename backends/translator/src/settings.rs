//! What may be set, and what holds where nothing is.
//!
//! A model that comes with its decoder's settings is decoded as they say, with Marian's defaults for what they
//! leave out; one without is decoded greedily, which is fastest. A setting that is given by hand wins over both.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use dyno_api::{Error, SettingsReader, UnknownIsa, WATCH};
use dyno_formats::{Cut, MarianConfig, ModelDir, Precision};
use dyno_nn::math::Kernels;
use serde_json::Value;

use crate::calibration::Scales;
use crate::floats::Floats;
use crate::search::SearchOptions;
use crate::tuning::{self, Measured};

/// The setting for how much of a vocabulary map counts.
pub(crate) const NGRAMS: &str = "shortlist-ngrams";

/// Largest beam: beyond it memory and time make no sense, and nobody has found better translations there.
const LARGEST_BEAM: usize = 1000;

/// Longest translation in lengths of its source: without a limit one need never end.
const LARGEST_FACTOR: f32 = 1000.0;

/// Scores stay finite: the powers of a length, up to 1,000 words, and sums of what is taken off a word.
const POWERS: (f32, f32) = (-10.0, 10.0);
const LARGEST_SCORE: f32 = 1e6;

/// Settings as given, before any model was seen.
#[derive(Debug)]
pub(crate) struct Wishes {
    pub(crate) precision: Option<Precision>,
    /// Of the instruction set that was asked for, or of the best.
    pub(crate) kernels: Kernels,
    /// Where to leave the choices of kernels that opening measures.
    pub(crate) measured: Option<Measured>,
    pub(crate) scales: Scales,
    pub(crate) floats: Floats,
    pub(crate) vocabularies: Option<[PathBuf; 2]>,
    pub(crate) shortlist: ShortlistWish,
    /// How long the n-grams of a vocabulary map may be.
    pub(crate) ngrams: Option<NonZeroUsize>,
    /// One for each model.
    pub(crate) weights: Option<Vec<f32>>,
    beam: Option<usize>,
    normalize: Option<f32>,
    word_penalty: Option<f32>,
    max_length_factor: Option<f32>,
    max_length: Option<usize>,
    n_best: Option<bool>,
    allow_unk: Option<bool>,
    allow_special: Option<bool>,
    skip_cost: Option<bool>,
    early_stop: Option<f32>,
    pub(crate) replace_unknown: bool,
    /// Whether to watch where the time goes.
    pub(crate) breakdown: bool,
}

/// Which shortlist.
#[derive(Debug, Default)]
pub(crate) enum ShortlistWish {
    /// The model's, if it has one.
    #[default]
    Own,
    /// None.
    Off,
    /// This file.
    File(PathBuf, Cut),
}

impl ShortlistWish {
    /// The shortlist that `model` is to be decoded with, if any.
    pub(crate) fn of<'a>(&'a self, model: &'a ModelDir) -> Option<(&'a Path, Cut)> {
        match self {
            Self::Own => model.shortlist(),
            Self::Off => None,
            Self::File(path, cut) => Some((path, *cut)),
        }
    }
}

/// How to decode, all decided.
#[derive(Clone, Debug)]
pub(crate) struct Decoding {
    pub(crate) search: SearchOptions,
    pub(crate) max_length: usize,
    pub(crate) allow_unk: bool,
    pub(crate) allow_special: bool,
}

impl Wishes {
    /// Takes all settings that translators know.
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        const NUMBER: &str = "a finite number";
        const FLAG: &str = "true or false";
        let (kernels, measured) = kernels(reader).and_then(|kernels| tuning::read(reader, kernels))?;
        let wishes = Self {
            precision: precision(reader)?,
            kernels,
            measured,
            scales: Scales::read(reader)?,
            floats: Floats::read(reader)?,
            vocabularies: vocabularies(reader)?,
            shortlist: shortlist(reader)?,
            ngrams: reader.take(NGRAMS, "a whole number above 0")?,
            weights: reader.take("weights", "a list of numbers")?,
            beam: reader.take("beam", "a whole number")?,
            normalize: reader.take("normalize", NUMBER)?,
            word_penalty: reader.take("word-penalty", NUMBER)?,
            max_length_factor: reader.take("max-length-factor", NUMBER)?,
            max_length: reader.take("max-length", "a whole number")?,
            n_best: reader.take("n-best", FLAG)?,
            allow_unk: reader.take("allow-unk", FLAG)?,
            allow_special: reader.take("allow-special", FLAG)?,
            skip_cost: reader.take("skip-cost", FLAG)?,
            early_stop: reader.take("early-stop", NUMBER)?,
            replace_unknown: reader.take("replace-unknown", FLAG)?.unwrap_or(false),
            breakdown: reader.take(WATCH, FLAG)?.unwrap_or(false),
        };
        wishes.check(reader)?;
        Ok(wishes)
    }

    /// Why n-grams can't be left out where there are none, and of which setting.
    pub(crate) fn ngrams_fault(&self, shortlist: bool) -> Option<(&'static str, String)> {
        let unfit = self.ngrams.is_some() && !shortlist;
        unfit.then(|| (NGRAMS, "it is about a vocabulary map, and there is no shortlist".into()))
    }

    fn check(&self, reader: &SettingsReader<'_>) -> Result<(), Error> {
        if self.beam.is_some_and(|beam| !(1..=LARGEST_BEAM).contains(&beam)) {
            return Err(reader.refuse("beam", format!("it must lie between 1 and {LARGEST_BEAM}")));
        }
        if self.weights.iter().flatten().any(|weight| !weight.is_finite()) {
            return Err(reader.refuse("weights", "it must be finite numbers"));
        }
        if self.max_length_factor.is_some_and(|factor| !(factor > 0.0 && factor <= LARGEST_FACTOR)) {
            return Err(reader
                .refuse("max-length-factor", format!("it must be above 0, and {LARGEST_FACTOR} at most")));
        }
        if self.max_length.is_some_and(|length| length < 2) {
            return Err(reader.refuse("max-length", "it must be 2 or more: a word and the end"));
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

    /// Decides, with what came with the model.
    pub(crate) fn decide(&self, decoder: Option<&MarianConfig>) -> dyno_formats::Result<Decoding> {
        let written = Written(decoder.filter(|config| !config.entries().is_empty()));
        let search = SearchOptions {
            beam: written.beam(self.beam)?,
            normalize: written.or(self.normalize, "normalize", 0.0, MarianConfig::float)?,
            word_penalty: written.or(self.word_penalty, "word-penalty", 0.0, MarianConfig::float)?,
            max_length_factor: written.max_length_factor(self.max_length_factor)?,
            n_best: written.flag(self.n_best, "n-best")?,
            skip_cost: written.flag(self.skip_cost, "skip-cost")?,
            early_stop: self.early_stop,
            attention: self.replace_unknown,
            kernels: self.kernels,
        };
        let max_length = written.or(self.max_length, "max-length", 1000, MarianConfig::count)?; // Marian's default
        Ok(Decoding {
            search,
            max_length: max_length.max(2),
            allow_unk: written.flag(self.allow_unk, "allow-unk")? || self.replace_unknown,
            allow_special: written.flag(self.allow_special, "allow-special")?,
        })
    }
}

/// The settings that came with a model, if any did.
#[derive(Clone, Copy)]
struct Written<'a>(Option<&'a MarianConfig>);

impl Written<'_> {
    /// The wish, else what is written (or Marian's default, where something is), else `otherwise`.
    fn or<T>(
        self,
        wish: Option<T>,
        key: &str,
        otherwise: T,
        read: fn(&MarianConfig, &str) -> dyno_formats::Result<T>,
    ) -> dyno_formats::Result<T> {
        match (wish, self.0) {
            (Some(value), _) => Ok(value),
            (None, Some(config)) => read(config, key),
            (None, None) => Ok(otherwise),
        }
    }

    fn flag(self, wish: Option<bool>, key: &str) -> dyno_formats::Result<bool> {
        self.or(wish, key, false, MarianConfig::flag)
    }

    fn beam(self, wish: Option<usize>) -> dyno_formats::Result<usize> {
        const KEY: &str = "beam-size";
        let beam = self.or(wish, KEY, 1, MarianConfig::count)?;
        match self.0.filter(|_| !(1..=LARGEST_BEAM).contains(&beam)) {
            Some(config) => {
                Err(config.fault(KEY, format!("is {beam}; it must lie between 1 and {LARGEST_BEAM}")))
            }
            None => Ok(beam),
        }
    }

    fn max_length_factor(self, wish: Option<f32>) -> dyno_formats::Result<f32> {
        const KEY: &str = "max-length-factor";
        let factor = self.or(wish, KEY, 3.0, MarianConfig::float)?; // Marian's default
        match self.0.filter(|_| !(0.0..=LARGEST_FACTOR).contains(&factor)) {
            Some(config) => {
                Err(config.fault(KEY, format!("is {factor}; it must lie between 0 and {LARGEST_FACTOR}")))
            }
            None => Ok(factor),
        }
    }
}

fn precision(reader: &mut SettingsReader<'_>) -> Result<Option<Precision>, Error> {
    let name = reader.take::<String>("precision", "f32, f16, int16 or int8")?;
    name.map(|name| name.parse().map_err(|reason: String| reader.refuse("precision", reason))).transpose()
}

fn kernels(reader: &mut SettingsReader<'_>) -> Result<Kernels, Error> {
    let Some(name) = reader.take::<String>("isa", "the name of an instruction set")? else {
        return Ok(Kernels::best());
    };
    let isa = name.parse().map_err(|error: UnknownIsa| reader.refuse("isa", error.to_string()))?;
    Kernels::forced(isa).map_err(|error| reader.refuse("isa", error.to_string()))
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

fn shortlist(reader: &mut SettingsReader<'_>) -> Result<ShortlistWish, Error> {
    const EXPECTED: &str = "a file, a list [file, first, best, threshold], or false";
    let refused = |reader: &SettingsReader<'_>| reader.refuse("shortlist", format!("it must be {EXPECTED}"));
    match reader.take::<Value>("shortlist", EXPECTED)? {
        None | Some(Value::Bool(true)) => Ok(ShortlistWish::Own),
        Some(Value::Bool(false)) => Ok(ShortlistWish::Off),
        Some(Value::String(path)) => Ok(ShortlistWish::File(path.into(), Cut::default())),
        Some(Value::Array(values)) => cut(&values).ok_or_else(|| refused(reader)),
        Some(_) => Err(refused(reader)),
    }
}

fn cut(values: &[Value]) -> Option<ShortlistWish> {
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
    Some(ShortlistWish::File(path.as_str()?.into(), cut))
}
