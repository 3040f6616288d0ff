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

/// Marks around a language's code in vocabularies: M2M-100's, MarianMT's. NLLB-200's codes have none; they are
/// special words, so that they differ from pieces with the same letters.
const MARKS: [[&str; 2]; 2] = [["__", "__"], [">>", "<<"]];

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
                first_word: Some(word(target, "target-language", to.as_deref())?),
            }),
            "line" => {
                refuse("source-language", from.as_deref())?;
                let to = to.as_deref().map(|code| word(source, "target-language", Some(code)));
                Ok(Self { before_line: to.transpose()?, first_word: None })
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
            fault: "is missing; this model has words for languages, so set it".into(),
        });
    };
    let mut marked = MARKS.iter().map(|[before, after]| format!("{before}{code}{after}"));
    let found = marked.find_map(|word| vocabulary.lookup(&word)).or_else(|| vocabulary.lookup_special(code));
    found.ok_or_else(|| {
        let code: String = code.chars().take(20).flat_map(char::escape_debug).collect();
        let fault = format!("is {code}, for which this model has no word; set a code from its vocabulary, such as `deu_Latn` or `de`");
        Error::Language { setting, fault }
    })
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
