//! Marian's form of a model: weights with their configuration inside, and a decoder's YAML with the
//! vocabularies and settings. The YAML may name several models, which are an ensemble over the same
//! vocabularies.

use std::path::{Path, PathBuf};

use crate::manifest::MANIFEST;
use crate::shortlist::Cut;
use crate::{Error, MarianConfig, Result};

/// Content of a decoder's YAML.
pub(crate) struct Decoder {
    pub(crate) config: MarianConfig,
    /// Weights of each model.
    pub(crate) weights: Vec<PathBuf>,
    /// Source vocabulary, then target vocabulary.
    pub(crate) vocabularies: Vec<PathBuf>,
    pub(crate) shortlist: Option<(PathBuf, Cut)>,
}

impl Decoder {
    /// Reads a decoder's YAML, and refuses settings that can't be honoured.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let config = MarianConfig::open(path)?;
        config.refuse_unsupported_decoding()?;
        let key = if config.has("models") { "models" } else { "model" };
        let weights = files(&config, key)?;
        if weights.is_empty() {
            return Err(config.fault("models", "is missing: this is no decoder's configuration"));
        }
        let vocabularies = files(&config, "vocabs")?;
        if vocabularies.len() != 2 {
            let found = vocabularies.len();
            let fault = format!("names {found} files; source and target vocabulary were expected");
            return Err(config.fault("vocabs", fault));
        }
        Ok(Self { shortlist: shortlist(&config)?, config, weights, vocabularies })
    }
}

/// The decoder's YAML of a Marian directory: `decoder.yml`, else the only file with such a name.
pub(crate) fn decoder_of(directory: &Path) -> Result<PathBuf> {
    let usual = directory.join("decoder.yml");
    if usual.is_file() {
        return Ok(usual);
    }
    let entries = std::fs::read_dir(directory).map_err(|reason| Error::read(directory, reason))?;
    let named = |name: &str| {
        let config = name.starts_with("config") && (name.ends_with(".yml") || name.ends_with(".yaml"));
        name.ends_with(".decoder.yml") || config
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| named(name)).collect();
    names.sort();
    match &names[..] {
        [name] => Ok(directory.join(name)),
        [] => Err(Error::content(
            directory,
            format!("has neither {MANIFEST} nor decoder.yml: no model is here"),
        )),
        _ => Err(Error::content(
            directory,
            format!("has several configurations; name one of {}", names.join(", ")),
        )),
    }
}

/// The directory of a file.
pub(crate) fn home_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// The files in the list at a key.
fn files(decoder: &MarianConfig, key: &str) -> Result<Vec<PathBuf>> {
    decoder.texts(key)?.into_iter().map(|name| resolved(decoder, key, name)).collect()
}

/// A file of the decoder's YAML: relative to the YAML with `relative-paths`, else to the working directory.
fn resolved(decoder: &MarianConfig, key: &str, name: &str) -> Result<PathBuf> {
    let relative = decoder.flag("relative-paths")?;
    let path = if relative { home_of(decoder.origin()).join(name) } else { name.into() };
    if path.is_file() {
        return Ok(path);
    }
    let hint = if relative { "" } else { " (`relative-paths: true` looks beside this file)" };
    let path = dyno_api::printable_line(&path.display().to_string());
    Err(decoder.fault(key, format!("names {path}, which isn't a file{hint}")))
}

/// Parses `shortlist: [path, first, best, prune]`, or `[path, check]` of a binary shortlist.
fn shortlist(decoder: &MarianConfig) -> Result<Option<(PathBuf, Cut)>> {
    const KEY: &str = "shortlist";
    let values = decoder.texts(KEY)?;
    let Some(name) = values.first() else { return Ok(None) };
    let path = resolved(decoder, KEY, name)?;
    let mut cut = Cut::default();
    let expected =
        || decoder.fault(KEY, "must be [file, first, best, threshold], or [file, false] of a binary one");
    for (index, value) in values[1..].iter().enumerate() {
        match index {
            0 if matches!(*value, "true" | "false") => {} // whether to check: dyno always checks
            0 => cut.first = value.parse().map_err(|_| expected())?,
            1 => cut.best = value.parse().map_err(|_| expected())?,
            2 => cut.threshold = value.parse().map_err(|_| expected())?,
            _ => return Err(expected()),
        }
    }
    Ok(Some((path, cut)))
}
