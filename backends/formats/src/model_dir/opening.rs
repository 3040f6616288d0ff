//! Opens models in any of their forms.
//!
//! There are six forms: a model directory (`model.toml`), a translator of Hugging Face (see [`hugging_face`]) or
//! of CTranslate2 (see [`ctranslate2`]), a checkpoint of OpenNMT-py (see [`opennmt`]), a Marian directory (a
//! decoder's YAML beside the files, see `decoder`), and Marian's weights with vocabularies that the caller names.
//! Only a decoder's YAML may name several models, which translate together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{DECODER, MARIAN, ModelDir, weights_name};
use crate::decoder::{Decoder, decoder_of, home_of};
use crate::error::Located;
use crate::foreign;
use crate::manifest::{MANIFEST, Manifest};
use crate::marian::refuse_factored;
use crate::naming::Translator;
use crate::shortlist::Cut;
use crate::{Error, Fault, MarianConfig, Precision, Result, Weights};
use crate::{ctranslate2, hugging_face, opennmt};

impl ModelDir {
    /// Opens a model directory, a Marian directory, or a decoder's YAML. Marian models that no engine can run
    /// are refused with the reason.
    ///
    /// # Errors
    /// One line with the file and its fault, which may be that the YAML names several models.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut models = Self::open_all(path)?;
        match models.pop() {
            Some(only) if models.is_empty() => Ok(only),
            _ => Err(Error::content(path, Fault::unsupported("an ensemble", "name one of its models alone"))),
        }
    }

    /// The precision that an engine takes for each model at `path` where its settings name none, and whether the
    /// model's description names that precision. Weights alone are taken as they are.
    ///
    /// # Errors
    /// As [`open_all`](Self::open_all).
    pub fn default_precisions(path: &Path) -> Result<Vec<(Precision, bool)>> {
        if Weights::lie_at(path) {
            return Ok(vec![(Weights::open(path)?.precision(), false)]);
        }
        let default = |model: &Self| (model.default_precision(), model.named_precision().is_some());
        Ok(Self::open_all(path)?.iter().map(default).collect())
    }

    /// As [`open`](Self::open), for several models: the members of an ensemble in their order.
    ///
    /// # Errors
    /// One line with the file and its fault.
    pub fn open_all(path: impl AsRef<Path>) -> Result<Vec<Self>> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let models = if path.is_dir() {
            Self::open_directory(path)
        } else {
            match extension {
                "toml" => Self::open_manifest(path).map(|model| vec![model]),
                "pt" if let Some(translator) = opennmt::open(path)? => {
                    Ok(vec![Self::of_translator(&home_of(path), translator)])
                }
                "yml" | "yaml" => Self::open_decoder(path),
                "npz" | "bin" => Err(Error::content(
                    path,
                    "is weights alone; name the directory or the decoder's YAML, or give the vocabularies",
                )),
                _ => Err(nowhere(path)),
            }
        }?;
        models.iter().try_for_each(Self::refuse_unsupported)?;
        Ok(models)
    }

    /// Opens Marian's weights with their vocabularies (source and target).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_weights(
        weights: &Path,
        vocabularies: [&Path; 2],
        shortlist: Option<(&Path, Cut)>,
    ) -> Result<Self> {
        let mut model = Self::of_marian(weights, None)?;
        model.vocabularies = vocabularies.map(PathBuf::from).to_vec();
        model.shortlist = shortlist.map(|(path, cut)| (path.into(), cut));
        model.vocabularies.iter().try_for_each(|path| Self::present(path))?;
        model.refuse_unsupported()?;
        Ok(model)
    }

    fn open_directory(path: &Path) -> Result<Vec<Self>> {
        let manifest = path.join(MANIFEST);
        if manifest.is_file() {
            Self::open_manifest(&manifest).map(|model| vec![model])
        } else if let Some(translator) = Self::foreign(path)? {
            Ok(vec![Self::of_translator(path, translator)])
        } else if let Some(fault) = foreign::fault_of(path) {
            Err(Error::content(path, fault))
        } else if let Some(translator) = opennmt::open(path)? {
            Ok(vec![Self::of_translator(path, translator)])
        } else {
            Self::open_decoder(&decoder_of(path)?)
        }
    }

    /// The models of a decoder's YAML.
    fn open_decoder(path: &Path) -> Result<Vec<Self>> {
        let decoder = Decoder::open(path)?;
        let model = |weights: &PathBuf| {
            let model = Self::of_marian(weights, Some(decoder.config.clone()))?;
            let (vocabularies, shortlist) = (decoder.vocabularies.clone(), decoder.shortlist.clone());
            Ok(Self { path: home_of(path), vocabularies, shortlist, ..model })
        };
        decoder.weights.iter().map(model).collect()
    }

    /// The translator of another project in the directory `path`.
    fn foreign(path: &Path) -> Result<Option<Translator>> {
        match ctranslate2::open(path)? {
            Some(translator) => Ok(Some(translator)),
            None => hugging_face::open(path),
        }
    }

    /// A translator of another project.
    fn of_translator(path: &Path, translator: Translator) -> Self {
        let Translator { vocabularies, words, tokens, weights, decoder, spec, tensors } = translator;
        Self {
            path: path.into(),
            vocabularies,
            words,
            tokens,
            weights,
            tables: vec![(DECODER.into(), decoder)],
            spec: Some(spec),
            tensors: Some(tensors),
            ..Self::default()
        }
    }

    /// Marian's weights with the configuration inside.
    fn of_marian(path: &Path, decoder: Option<MarianConfig>) -> Result<Self> {
        let weights = Weights::open(path)?;
        weights.refuse_unsupported()?;
        let inside = weights.model_yml()?.map(|text| MarianConfig::from_yaml(path, text)).transpose()?;
        let marian = inside.or_else(|| decoder.clone()).ok_or_else(|| {
            Error::content(path, "has no `special:model.yml`, and no configuration stands beside it")
        })?;
        let decoder = decoder.unwrap_or_else(|| MarianConfig::from_entries(path, Vec::new()));
        Ok(Self {
            path: home_of(path),
            weights: BTreeMap::from([(weights.precision(), path.to_owned())]),
            tables: vec![(DECODER.into(), decoder), (MARIAN.into(), marian)],
            ..Self::default()
        })
    }

    fn open_manifest(path: &Path) -> Result<Self> {
        let text = crate::bytes::read_text(path, crate::yaml::LONGEST)?;
        let manifest = Manifest::parse(&text).in_file(path)?;
        let home = home_of(path);
        let weights =
            Precision::ALL.into_iter().map(|precision| (precision, home.join(weights_name(precision))));
        let configuration = |(name, entries)| {
            let origin = format!("{} [{name}]", path.display());
            (name, MarianConfig::from_entries(origin, entries))
        };
        Ok(Self {
            languages: manifest.languages,
            precision: manifest.precision,
            vocabularies: manifest.vocabularies.iter().map(|name| home.join(name)).collect(),
            tokens: manifest.tokens.iter().map(|name| home.join(name)).collect(),
            shortlist: manifest.shortlist.map(|(name, cut)| (home.join(name), cut)),
            weights: weights.filter(|(_, path)| path.is_file()).collect(),
            tables: manifest.tables.into_iter().map(configuration).collect(),
            files: Some(manifest.files),
            path: home,
            ..Self::default()
        })
    }

    fn refuse_unsupported(&self) -> Result<()> {
        self.vocabularies.iter().try_for_each(|path| refuse_factored(path))?;
        self.marian().map_or(Ok(()), MarianConfig::refuse_unsupported)
    }

    fn present(path: &Path) -> Result<()> {
        std::fs::metadata(path).map(drop).map_err(|reason| Error::read(path, reason))
    }
}

fn nowhere(path: &Path) -> Error {
    if path.exists() {
        return Error::content(path, "is neither a model directory nor a decoder's YAML");
    }
    Error::read(path, std::io::ErrorKind::NotFound.into())
}
