//! Marian's way of keeping a model: weights that carry their configuration, and a decoder's YAML that says which
//! vocabularies and settings belong to them. It may name several models, an ensemble over the same vocabularies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model_dir::{MANIFEST, home_of};
use crate::shortlist::Cut;
use crate::{Error, MarianConfig, ModelDir, Result, Weights};

impl ModelDir {
    /// The models that a decoder's YAML names.
    pub(crate) fn open_decoder(path: &Path) -> Result<Vec<Self>> {
        let decoder = MarianConfig::open(path)?;
        decoder.refuse_unsupported_decoding()?;
        let key = if decoder.has("models") { "models" } else { "model" };
        let weights = files(&decoder, key)?;
        if weights.is_empty() {
            return Err(decoder.fault("models", "is missing: this is no decoder's configuration"));
        }
        let vocabularies = files(&decoder, "vocabs")?;
        if vocabularies.len() != 2 {
            let fault =
                format!("names {} files; source and target vocabulary were expected", vocabularies.len());
            return Err(decoder.fault("vocabs", fault));
        }
        let shortlist = shortlist(&decoder)?;
        let model = |weights: &PathBuf| {
            let model = Self::of_marian(weights, Some(decoder.clone()))?;
            let (vocabularies, shortlist) = (vocabularies.clone(), shortlist.clone());
            Ok(Self { path: home_of(path), vocabularies, shortlist, ..model })
        };
        weights.iter().map(model).collect()
    }

    /// Marian's weights, and the configuration inside.
    pub(crate) fn of_marian(path: &Path, decoder: Option<MarianConfig>) -> Result<Self> {
        let weights = Weights::open(path)?;
        weights.refuse_unsupported()?;
        let inside = weights.model_yml()?.map(|text| MarianConfig::from_yaml(path, text)).transpose()?;
        let marian = inside.or_else(|| decoder.clone()).ok_or_else(|| {
            Error::content(path, "has no `special:model.yml`, and no configuration stands beside it")
        })?;
        let decoder = decoder.unwrap_or_else(|| MarianConfig::from_entries(path, Vec::new()));
        Ok(Self {
            path: home_of(path),
            languages: None,
            vocabularies: Vec::new(),
            shortlist: None,
            weights: BTreeMap::from([(weights.precision(), path.to_owned())]),
            tables: vec![("decoder".into(), decoder), ("marian".into(), marian)],
            files: None,
        })
    }
}

/// The decoder's YAML of a Marian directory: `decoder.yml`, else the only file that is named like one.
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

/// The files that a key lists.
fn files(decoder: &MarianConfig, key: &str) -> Result<Vec<PathBuf>> {
    decoder.texts(key)?.into_iter().map(|name| resolved(decoder, key, name)).collect()
}

/// A file that the decoder's YAML names: beside it with `relative-paths`, else from where we stand.
fn resolved(decoder: &MarianConfig, key: &str, name: &str) -> Result<PathBuf> {
    let relative = decoder.flag("relative-paths")?;
    let path = if relative { home_of(decoder.origin()).join(name) } else { name.into() };
    if path.is_file() {
        return Ok(path);
    }
    let hint = if relative { "" } else { " (`relative-paths: true` looks beside this file)" };
    Err(decoder.fault(key, format!("names {}, which isn't a file{hint}", path.display())))
}

/// `shortlist: [path, first, best, prune]`, or of a binary one `[path, check]`.
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
            0 if matches!(*value, "true" | "false") => {} // whether to check: we always do
            0 => cut.first = value.parse().map_err(|_| expected())?,
            1 => cut.best = value.parse().map_err(|_| expected())?,
            2 => cut.threshold = value.parse().map_err(|_| expected())?,
            _ => return Err(expected()),
        }
    }
    Ok(Some((path, cut)))
}
