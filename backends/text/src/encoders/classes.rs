//! The classes of tokenisers in Python that a directory names, and the files from which the engine builds the
//! same tokeniser.
//!
//! A class may do more than its files say: morphemes in Japanese, other ids for the same pieces. So a class
//! that the engine doesn't equal is refused by its name, never replaced by a similar one.

use std::path::Path;

use super::settings::Settings;
use super::source::Source;
use crate::{Error, Result};

/// Classes that the engine builds from files, without the `Fast` at the end of a name.
const BUILT: [(&str, Source); 4] = [
    ("BertTokenizer", Source::WordPieces),
    ("DistilBertTokenizer", Source::WordPieces),
    ("RobertaTokenizer", Source::BytePairs),
    ("XLMRobertaTokenizer", Source::Pieces),
];

/// Further classes that do what `tokenizer.json` says, and nothing else.
const WHOLE: [&str; 5] = [
    "CamembertTokenizer",
    "ElectraTokenizer",
    "MPNetTokenizer",
    "PreTrainedTokenizer",
    "TokenizersBackend", // since transformers 5
];

/// Those of them whose settings are BERT's.
const LIKE_BERT: [&str; 2] = ["ElectraTokenizer", "MPNetTokenizer"];

/// Ending of the classes that read `tokenizer.json`.
const FAST: &str = "Fast";

/// The family of a class, whose settings go over those of tokenizer.json; `None` for a class of no family.
pub(super) fn family_of(settings: &Settings) -> Option<Source> {
    let like_bert = LIKE_BERT.contains(&plain_name(settings)).then_some(Source::WordPieces);
    built(settings).or(like_bert)
}

/// The tokeniser that the engine builds for a class from its files.
fn built(settings: &Settings) -> Option<Source> {
    let name = plain_name(settings);
    BUILT.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

/// Name of the class, without the ending of those that read `tokenizer.json`.
fn plain_name(settings: &Settings) -> &str {
    let name = settings.class_or_usual();
    name.strip_suffix(FAST).unwrap_or(name)
}

/// The tokeniser of a folder without tokenizer.json.
pub(super) fn source_of(settings: &Settings, folder: &Path) -> Result<Source> {
    let name = settings.class_or_usual();
    let Some(source) = built(settings) else {
        let known: Vec<_> = BUILT.iter().map(|(known, _)| *known).collect();
        let fault = format!(
            "the tokeniser {name:?} isn't supported without tokenizer.json, only {}; save it in that form",
            known.join(", ")
        );
        return Err(Error::content(folder, fault));
    };
    match source.files().iter().find(|file| !folder.join(file).exists()) {
        None => Ok(source),
        Some(missing) => {
            let fault = format!(
                "has no tokeniser: {name} needs tokenizer.json or {}, and {missing} is missing",
                source.files().join(" with ")
            );
            Err(Error::content(folder, fault))
        }
    }
}

/// Refuses a class that does more than `tokenizer.json` says.
pub(super) fn check_whole(settings: &Settings, folder: &Path) -> Result<()> {
    let Some(name) = settings.class() else { return Ok(()) };
    let built = BUILT.iter().map(|(known, _)| *known);
    if name.ends_with(FAST) || built.chain(WHOLE).any(|known| known == name) {
        return Ok(());
    }
    let fault = format!(
        "the tokeniser {name:?} isn't supported: it does more than tokenizer.json says; take a model whose \
         `tokenizer_class` ends in {FAST}"
    );
    Err(Error::content(folder, fault))
}
