//! The settings of a decoder that came with a model, where nothing is requested: Marian's keys, and some of dyno's own.

use dyno_formats::{Fault, MarianConfig};

use crate::search::{Patience, Rule};

/// Largest beam. Larger beams take much memory and time, and give no better translations.
pub(super) const LARGEST_BEAM: usize = 1000;

/// Longest translation as a multiple of its source: without a limit, a translation may never end.
pub(super) const LARGEST_FACTOR: f32 = 1000.0;

/// Name of the setting and of the decoder's key for the rule of the beam, and its values.
pub(super) const SEARCH: &str = "search";
pub(super) const SEARCHES: [&str; 4] = ["marian", "hugging-face", "ctranslate2", "opennmt"];
pub(super) const KNOWN_SEARCHES: &str = "\"marian\", \"hugging-face\", \"ctranslate2\" or \"opennmt\"";

/// Name of the setting and of the decoder's key for the greatest number of times that a phrase may stand in a row.
pub(super) const MOST_REPEATS: &str = "most-repeats";

/// The decoder's settings that came with the model, if any.
#[derive(Clone, Copy)]
pub(super) struct Written<'a>(pub(super) Option<&'a MarianConfig>);

impl Written<'_> {
    /// The requested value, else the value that came with the model (or Marian's default, where settings
    /// came), else `otherwise`.
    pub(super) fn or<T>(
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

    pub(super) fn flag(self, requested: Option<bool>, key: &str) -> dyno_formats::Result<bool> {
        self.or(requested, key, false, MarianConfig::flag)
    }

    pub(super) fn beam(self, requested: Option<usize>) -> dyno_formats::Result<usize> {
        const KEY: &str = "beam-size";
        let beam = self.or(requested, KEY, 1, MarianConfig::count)?;
        match self.0.filter(|_| !(1..=LARGEST_BEAM).contains(&beam)) {
            Some(config) => {
                Err(config.fault(KEY, format!("is {beam}; it must lie between 1 and {LARGEST_BEAM}")))
            }
            None => Ok(beam),
        }
    }

    pub(super) fn max_length_factor(self, requested: Option<f32>) -> dyno_formats::Result<f32> {
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

/// The keys of dyno's own in a decoder's settings, which directories of Hugging Face, of CTranslate2 and dyno's own
/// models bring.
impl Written<'_> {
    /// Greatest number of times that a phrase may stand in a row; 0 stands for any number.
    pub(super) fn most_repeats(self, requested: Option<usize>) -> dyno_formats::Result<Option<usize>> {
        match self.or(requested, MOST_REPEATS, 0, MarianConfig::count)? {
            0 => Ok(None),
            1 => Err(self.fault(MOST_REPEATS, "must be 2 or more, or 0 for any number")),
            most => Ok(Some(most)),
        }
    }

    /// Greatest number of words of a translation; 0 in the file stands for no limit.
    pub(super) fn most_words(self) -> dyno_formats::Result<usize> {
        let most = self.or(None, "most-words", 0, MarianConfig::count)?;
        Ok(if most == 0 { usize::MAX } else { most })
    }

    pub(super) fn rule(self, requested: Option<&str>) -> dyno_formats::Result<Rule> {
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

    pub(super) fn suppressed(self) -> dyno_formats::Result<Vec<u32>> {
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
