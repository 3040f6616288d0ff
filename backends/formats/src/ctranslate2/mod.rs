//! Directories of CTranslate2: its Transformers with an encoder and a decoder as models of dyno.
//!
//! `model.bin` holds the variables (`crate::model_bin`), which describe the network by their names and shapes
//! (`network`); tensors get Marian's names (`tensors`). Words, settings and SentencePiece models lie beside it
//! (`files`).

mod files;
mod network;
mod tensors;
mod variables;

use std::collections::BTreeMap;
use std::path::Path;

use crate::bytes::Bytes;
use crate::model_bin::{begins, parse};
use crate::naming::Translator;
use crate::yaml::Value;
use crate::{Fault, MarianConfig, Result, Weights};

/// Name of the variables' file.
const WEIGHTS: &str = "model.bin";

/// Greatest number of words of a translation, by CTranslate2's default.
const MOST_WORDS: usize = 256;

/// Greatest number of a line's words where positions are computed; CTranslate2's own limit.
const MOST_POSITIONS: usize = 1024;

/// Checks whether the bytes of a `model.bin` are a file that the reader accepts. This is the entry point for
/// mutated files.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(bytes).map(drop)
}

/// The translator in `directory`; `None` for other directories.
pub(crate) fn open(directory: &Path) -> Result<Option<Translator>> {
    let path = directory.join(WEIGHTS);
    if !path.is_file() || !begins(&Bytes::map(&path)?) {
        return Ok(None);
    }
    let weights = Weights::open(&path)?;
    let words = files::words(directory)?;
    let config = files::config(directory, &weights, &words)?;
    let network = network::read(&weights, &config)?;
    let precision = network.tensors.name(weights)?.precision();
    let decoder = decoder(network.positions, &config, words.languages);
    Ok(Some(Translator {
        vocabularies: files::pieces(directory)?,
        words: None,
        tokens: words.files,
        weights: BTreeMap::from([(precision, path.clone())]),
        decoder: MarianConfig::from_entries(path, decoder),
        spec: network.spec,
        tensors: network.tensors,
    }))
}

/// The settings of the search, by CTranslate2's defaults.
fn decoder(positions: usize, config: &files::Config, languages: &str) -> Vec<(String, Value)> {
    let positions = if positions == 0 { MOST_POSITIONS } else { positions };
    let entries = [
        ("search", "ctranslate2".to_owned()),
        ("normalize", "1".to_owned()),
        ("beam-size", "2".to_owned()),
        ("most-words", MOST_WORDS.min(positions).to_string()),
        ("max-length", positions.to_string()),
        ("max-length-factor", "1000".to_owned()),
        ("language-words", languages.to_owned()),
        ("source-end", config.ends_source.to_string()),
        ("allow-unk", "true".to_owned()),
        ("allow-special", "true".to_owned()),
    ];
    entries.map(|(key, value)| (key.to_owned(), Value::Text(value))).into()
}
