//! Words for languages: models for several languages have a word for each of them in their vocabulary.
//!
//! M2M-100 and NLLB-200 read the source language before a line, and write the target language first. MarianMT
//! models with several target languages read the target language before a line, as in `>>deu<<`.

use dyno_formats::MarianConfig;
use dyno_text::Vocabulary;

use crate::error::{Error, Result};
use crate::settings::RequestedSettings;

/// Key of a decoder's settings: the places of words for languages, `none`, `line` or `both`.
const KEY: &str = "language-words";

/// Key of a decoder's settings: the first word of translations where the settings name no language.
const FIRST: &str = "first-word";

/// Marks around a language's code in vocabularies: M2M-100's, MarianMT's. NLLB-200's codes have none; they are
/// special words, so that they differ from pieces with the same letters.
const MARKS: [[&str; 2]; 2] = [["__", "__"], [">>", "<<"]];

/// Greatest number of codes that a message lists: a line of a terminal, and all codes of small models.
const LISTED: usize = 12;

/// The words for the languages of a translator.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Languages {
    /// Word before each line.
    pub(crate) before_line: Option<u32>,
    /// First word of each translation.
    pub(crate) first_word: Option<u32>,
}

impl Languages {
    /// The words that the settings ask for.
    pub(crate) fn of(
        requested: &RequestedSettings,
        decoder: Option<&MarianConfig>,
        source: &Vocabulary,
        target: &Vocabulary,
    ) -> Result<Self> {
        let places = decoder.map(|config| config.text(KEY)).transpose()?.unwrap_or("none");
        let [from, to] = &requested.languages;
        match places {
            "both" => Ok(Self {
                before_line: Some(word(source, "source-language", from.as_deref())?),
                first_word: match (to.as_deref(), forced(decoder, target)?) {
                    (None, Some(first)) => Some(first),
                    (to, _) => Some(word(target, "target-language", to)?),
                },
            }),
            "line" => {
                refuse("source-language", from.as_deref())?;
                let to = to.as_deref().map(|code| word(source, "target-language", Some(code)));
                Ok(Self { before_line: to.transpose()?, first_word: forced(decoder, target)? })
            }
            _ => {
                refuse("source-language", from.as_deref())?;
                refuse("target-language", to.as_deref())?;
                Ok(Self::default())
            }
        }
    }
}

/// The id of a language's word.
fn word(vocabulary: &Vocabulary, setting: &'static str, code: Option<&str>) -> Result<u32> {
    let Some(code) = code else {
        return Err(Error::Language {
            setting,
            fault: format!(
                "is missing; this model has words for languages, so set one: {}",
                listed(vocabulary, "")
            ),
        });
    };
    let mut marked = MARKS.iter().map(|[before, after]| format!("{before}{code}{after}"));
    let found = marked.find_map(|word| vocabulary.lookup(&word)).or_else(|| vocabulary.lookup_special(code));
    found.ok_or_else(|| {
        let printable: String = code.chars().take(20).flat_map(char::escape_debug).collect();
        let listed = listed(vocabulary, code);
        let fault =
            format!("is {printable}, for which this model has no word; set one of its codes: {listed}");
        Error::Language { setting, fault }
    })
}

/// The first word that the model's own settings force.
fn forced(decoder: Option<&MarianConfig>, target: &Vocabulary) -> Result<Option<u32>> {
    let Some(config) = decoder.filter(|config| config.has(FIRST)) else { return Ok(None) };
    match config.count(FIRST)? {
        first if first < target.len() => Ok(Some(first as u32)),
        first => {
            let fault = format!("is {first}, but the vocabulary has {} words", target.len());
            Err(config.fault(FIRST, fault).into())
        }
    }
}

/// Codes of the model's languages for a message, those that resemble `code` first.
fn listed(vocabulary: &Vocabulary, code: &str) -> String {
    let ids = 0..vocabulary.len() as u32;
    let mut codes: Vec<String> = ids.filter_map(|id| code_of(vocabulary, &vocabulary.piece(id)?)).collect();
    if codes.is_empty() {
        return "it has none, so leave the setting out".into();
    }
    let alike = |other: &str| code.chars().zip(other.chars()).take_while(|(one, two)| one == two).count();
    codes.sort_by_key(|other| std::cmp::Reverse(alike(other)));
    let more = codes.len().saturating_sub(LISTED);
    let shown = codes[..codes.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The code of a language that `word` stands for.
fn code_of(vocabulary: &Vocabulary, word: &str) -> Option<String> {
    let unmarked = |[before, after]: &[&str; 2]| word.strip_prefix(before)?.strip_suffix(after);
    let marked = MARKS.iter().find_map(unmarked).filter(|code| !code.is_empty() && code.is_ascii());
    let plain = || {
        let (language, script) = word.split_once('_')?;
        let shaped = language.len() == 3 && script.len() == 4 && word.is_ascii();
        (shaped && vocabulary.lookup_special(word).is_some()).then_some(word)
    };
    marked.or_else(plain).map(str::to_owned)
}

fn refuse(setting: &'static str, code: Option<&str>) -> Result<()> {
    match code {
        None => Ok(()),
        Some(_) => Err(Error::Language {
            setting,
            fault: "is set, but this model has no word for it; leave it out".into(),
        }),
    }
}
