//! Models in any of their forms: their files and their configuration.
//!
//! There are six forms: a model directory (`model.toml`), a translator of Hugging Face (see
//! [`hugging_face`]) or of CTranslate2 (see [`ctranslate2`]), a checkpoint of OpenNMT-py (see [`opennmt`]), a
//! Marian directory (a decoder's YAML beside the files, see `decoder`), and Marian's weights with
//! vocabularies that the caller names. All become a
//! [`ModelDir`], so that the caller doesn't depend on the form. Only a decoder's YAML may name several
//! models, which translate together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::decoder::{Decoder, decoder_of, home_of};
use crate::digest::FileIdentity;
use crate::error::Located;
use crate::foreign;
use crate::fully_connected;
use crate::manifest::{MANIFEST, Manifest};
use crate::marian::refuse_factored;
use crate::naming::{Tensors, Translator, WordLists};
use crate::shortlist::Cut;
use crate::spec::{Family, ModelSpec};
use crate::{Error, Fault, MarianConfig, Precision, Result, Weights};
use crate::{ctranslate2, hugging_face, opennmt};

/// Name of the table with a decoder's settings.
const DECODER: &str = "decoder";

/// Name of the table with a network under Marian's keys.
pub(crate) const MARIAN: &str = "marian";

/// Files and configuration of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelDir {
    pub(crate) path: PathBuf,
    pub(crate) languages: Option<[String; 2]>,
    pub(crate) precision: Option<Precision>,
    pub(crate) vocabularies: Vec<PathBuf>,
    /// Words of both sides, where the vocabularies' files hold more than words.
    pub(crate) words: Option<WordLists>,
    /// Files beside the vocabularies with ids, languages and settings of tokens.
    pub(crate) tokens: Vec<PathBuf>,
    pub(crate) shortlist: Option<(PathBuf, Cut)>,
    pub(crate) weights: BTreeMap<Precision, PathBuf>,
    /// Configurations by name, as they are written: the network's and the decoder's.
    pub(crate) tables: Vec<(String, MarianConfig)>,
    /// The network, where no table describes it.
    pub(crate) spec: Option<ModelSpec>,
    pub(crate) files: Option<BTreeMap<String, FileIdentity>>,
    /// Names of the tensors in a file of another project.
    pub(crate) tensors: Option<Tensors>,
}

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

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Source and target language, if known.
    pub fn languages(&self) -> Option<&[String; 2]> {
        self.languages.as_ref()
    }

    /// The precision that the model's description names as its default.
    pub fn named_precision(&self) -> Option<Precision> {
        self.precision
    }

    /// The precision of the weights that settings without one get: the named one, else the widest file's.
    pub fn default_precision(&self) -> Precision {
        let widest = || self.weights.keys().next_back().copied();
        self.precision.or_else(widest).unwrap_or(Precision::F32)
    }

    /// Files of the source vocabulary and the target vocabulary.
    pub fn vocabularies(&self) -> &[PathBuf] {
        &self.vocabularies
    }

    /// Files beside the vocabularies with ids, languages and settings of tokens, by Hugging Face's names.
    pub fn tokens(&self) -> &[PathBuf] {
        &self.tokens
    }

    /// Words of both sides by their ids, where the vocabularies' files hold more than words.
    pub fn words(&self) -> Option<[&[String]; 2]> {
        self.words.as_ref().map(|[source, target]| [&**source, &**target])
    }

    /// Whether both sides have one vocabulary.
    pub fn shares_vocabulary(&self) -> bool {
        if let Some([source, target]) = &self.words {
            return Arc::ptr_eq(source, target);
        }
        self.vocabularies.windows(2).all(|pair| same_file(&pair[0], &pair[1]))
            && !self.vocabularies.is_empty()
    }

    /// File of the shortlist, and its cut if it is a text.
    pub fn shortlist(&self) -> Option<(&Path, Cut)> {
        self.shortlist.as_ref().map(|(path, cut)| (path.as_path(), *cut))
    }

    /// The configuration of a Marian model; `None` for other models.
    pub fn marian(&self) -> Option<&MarianConfig> {
        self.table(MARIAN)
    }

    /// The decoder's settings that came with the model.
    pub fn decoder(&self) -> Option<&MarianConfig> {
        self.table(DECODER)
    }

    /// The network's family.
    ///
    /// # Errors
    /// When the model describes no network that an engine runs.
    pub fn family(&self) -> Result<Family> {
        match (&self.spec, self.marian()) {
            (Some(spec), _) => Ok(spec.family()),
            (_, Some(marian)) => marian.family(),
            _ if self.table(fully_connected::TABLE).is_some() => Ok(Family::FullyConnected),
            _ if self.table(opennmt::TABLE).is_some() => Ok(Family::Recurrent),
            _ => Err(self.undescribed()),
        }
    }

    /// The description of the network.
    ///
    /// # Errors
    /// When a setting is unknown or makes no sense; the message names its key.
    pub fn spec(&self) -> Result<ModelSpec> {
        if let Some(spec) = &self.spec {
            return Ok(spec.clone());
        }
        let own = [fully_connected::TABLE, opennmt::TABLE].map(|name| self.table(name));
        match (self.marian(), own) {
            (Some(marian), _) => marian.spec(),
            (_, [Some(table), _]) => fully_connected::spec(table),
            (_, [_, Some(table)]) => opennmt::spec(table),
            _ => Err(self.undescribed()),
        }
    }

    fn undescribed(&self) -> Error {
        let what = "describes no network of a translator; it needs the table [marian], [rnn-fc] or [opennmt]";
        Error::content(&self.path, what)
    }

    /// A table by name.
    pub(crate) fn table(&self, name: &str) -> Option<&MarianConfig> {
        self.tables.iter().find(|(table, _)| table == name).map(|(_, entries)| entries)
    }

    /// Weights files by precision.
    pub fn weights(&self) -> &BTreeMap<Precision, PathBuf> {
        &self.weights
    }

    /// The file for weights at `precision`: its own file, else the widest file, which is nearest to the
    /// original. A narrower file never serves.
    ///
    /// # Errors
    /// When all files are narrower; the message names them.
    pub fn weights_for(&self, precision: Precision) -> Result<&Path> {
        let own = self.weights.get(&precision);
        let wider = || self.weights.range(precision..).next_back().map(|(_, path)| path);
        own.or_else(wider).map(PathBuf::as_path).ok_or_else(|| {
            let there: Vec<&str> = self.weights.keys().map(|precision| precision.name()).collect();
            let there = if there.is_empty() { "none".into() } else { there.join(", ") };
            Error::content(
                &self.path,
                format!("has no weights from which {precision} can be made; there: {there}"),
            )
        })
    }

    /// The weights at `precision`, mapped from their own file, or derived as `convert` derives them.
    ///
    /// # Errors
    /// As [`weights_for`](Self::weights_for), and when the file is faulty.
    pub fn load(&self, precision: Precision) -> Result<Weights> {
        // A translator that was saved in halves has no wider original: they are its exact values.
        let widest = self.weights.keys().next_back().copied();
        let exact = self.tensors.is_some() && precision == Precision::F32 && widest == Some(Precision::F16);
        let precision = if exact { Precision::F16 } else { precision };
        self.read(self.weights_for(precision)?)?.at(precision)
    }

    /// The weights in the model's file `path`, under Marian's names.
    pub(crate) fn read(&self, path: &Path) -> Result<Weights> {
        let weights = Weights::open(path)?;
        match &self.tensors {
            Some(tensors) => tensors.name(weights),
            None => Ok(weights),
        }
    }

    /// Checks that the directory lists all files that it uses, and that each has the listed size and hash.
    /// Marian's directories have no list.
    ///
    /// # Errors
    /// The first file that is missing, unlisted or changed.
    pub fn verify(&self) -> Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        for (name, listed) in files {
            let path = self.path.join(name);
            if FileIdentity::of_file(&path)? != *listed {
                return Err(Error::content(
                    &path,
                    format!("isn't the file that {MANIFEST} lists: its hash differs"),
                ));
            }
        }
        let shortlist = self.shortlist.iter().map(|(path, _)| path);
        let used = self.vocabularies.iter().chain(&self.tokens).chain(shortlist).chain(self.weights.values());
        let listed = |path: &PathBuf| files.keys().any(|name| self.path.join(name) == **path);
        match used.into_iter().find(|path| !listed(path)) {
            Some(path) => Err(Error::content(path, format!("is used, but {MANIFEST} lists no hash of it"))),
            None => Ok(()),
        }
    }
}

/// File name of weights in a model directory.
pub fn weights_name(precision: Precision) -> String {
    format!("weights.{precision}.safetensors")
}

fn nowhere(path: &Path) -> Error {
    if path.exists() {
        return Error::content(path, "is neither a model directory nor a decoder's YAML");
    }
    Error::read(path, std::io::ErrorKind::NotFound.into())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
