//! The files of a directory, by the names that Hugging Face's libraries give them.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::network::Family;
use crate::bytes::read_text;
use crate::error::clip;
use crate::{Error, Fault, Result};

/// Name of the network's configuration.
pub(super) const CONFIG: &str = "config.json";

/// Name of the generation's settings.
pub(super) const GENERATION: &str = "generation_config.json";

/// Name of the weights.
const WEIGHTS: &str = "model.safetensors";

/// Name of the tokeniser's settings.
const SETTINGS: &str = "tokenizer_config.json";

/// Longest configuration that is read; usual ones have a few kilobytes.
const LONGEST: usize = 1 << 20;

/// Weights in other forms, with what is wrong.
const OTHER_WEIGHTS: [(&str, &str); 4] = [
    ("model.safetensors.index.json", "are divided into several files; save the model as one file"),
    ("pytorch_model.bin", "are in PyTorch's format alone; save the model as model.safetensors"),
    ("pytorch_model.bin.index.json", "are in PyTorch's format alone; save the model as model.safetensors"),
    ("tf_model.h5", "are in TensorFlow's format alone; save the model as model.safetensors"),
];

/// Files of tokenisers beside the pieces, which may have ids, languages and settings.
const TOKENS: [&str; 5] =
    ["vocab.json", "target_vocab.json", SETTINGS, "special_tokens_map.json", "added_tokens.json"];

/// Path of the weights in `directory`.
///
/// # Errors
/// When the directory has none in safetensors; the message has the remedy.
pub fn weights_of(directory: &Path) -> Result<PathBuf> {
    let path = directory.join(WEIGHTS);
    if path.exists() {
        return Ok(path);
    }
    let found = OTHER_WEIGHTS.into_iter().find(|(other, _)| directory.join(other).exists());
    let (_, fault) = found.unwrap_or(("", "are missing; a model has model.safetensors"));
    Err(Error::content(directory, format!("the weights {fault}")))
}

/// Files of the two vocabularies, and the files beside them.
pub(super) fn vocabularies(directory: &Path, family: Family) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let there = |name: &str| Some(directory.join(name)).filter(|path| is_there(path));
    let missing = |names: &str| {
        let fault = format!("has no {names}; copy it from the model's origin");
        Error::content(directory, fault)
    };
    let need = |name: &str| there(name).ok_or_else(|| missing(name));
    let both = |path: PathBuf| vec![path.clone(), path];
    let vocabularies = match family {
        Family::Marian => {
            need("vocab.json")?;
            vec![need("source.spm")?, need("target.spm")?]
        }
        Family::M2m => {
            refuse_legacy(there(SETTINGS))?;
            let whole = there("tokenizer.json").or_else(|| there("sentencepiece.bpe.model"));
            if there("tokenizer.json").is_none() && is_m2m(directory) {
                need("vocab.json")?;
            }
            let pieces = there("vocab.json").and_then(|_| there("sentencepiece.bpe.model"));
            both(pieces.or(whole).ok_or_else(|| missing("tokenizer.json or sentencepiece.bpe.model"))?)
        }
    };
    Ok((vocabularies, TOKENS.into_iter().filter_map(there).collect()))
}

/// Refuses settings by which NLLB-200 reads the source language behind a line.
fn refuse_legacy(settings: Option<PathBuf>) -> Result<()> {
    #[derive(serde::Deserialize)]
    struct Settings {
        legacy_behaviour: Option<bool>,
    }
    let Some(path) = settings else { return Ok(()) };
    match read_json::<Settings>(&path)?.legacy_behaviour {
        Some(true) => {
            let remedy = "dyno's word for a language stands before a line; remove the key, as new models do";
            let fault = Fault::unsupported("a language behind the line", remedy);
            Err(Error::content(&path, fault.of("legacy_behaviour")))
        }
        _ => Ok(()),
    }
}

/// Whether a directory's settings name M2M-100's tokeniser, whose ids stand in `vocab.json`.
fn is_m2m(directory: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Settings {
        tokenizer_class: String,
    }
    let settings = read_json::<Settings>(&directory.join(SETTINGS));
    settings.is_ok_and(|settings| settings.tokenizer_class.starts_with("M2M100Tokenizer"))
}

/// Whether an entry has this name, be it a file or a link to nowhere. What is no file is refused on reading.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether the directory has the weights and pieces of a translator, whatever its configuration says.
pub(super) fn has_parts_of_translator(directory: &Path) -> bool {
    let pieces = ["source.spm", "sentencepiece.bpe.model"].into_iter();
    is_there(&directory.join(WEIGHTS)) && pieces.map(|name| directory.join(name)).any(|path| is_there(&path))
}

/// The name of the family in a configuration.
pub(super) fn model_type(config: &Path) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Typed {
        model_type: String,
    }
    let typed: Typed = serde_json::from_str(&read_text(config, LONGEST).ok()?).ok()?;
    Some(typed.model_type)
}

/// The JSON file at `path`.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    parse_json(read_text(path, LONGEST)?.as_bytes()).map_err(|fault| Error::content(path, fault))
}

/// The JSON text in `bytes`.
pub(super) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| {
        format!("{}; copy the file anew from the model's origin", clip(&error.to_string())).into()
    })
}
