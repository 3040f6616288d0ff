//! Models in any of their forms: their files and their configuration.
//!
//! Engines ask a [`ModelDir`] and don't depend on the form that it was opened from.

mod opening;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::digest::FileIdentity;
use crate::fully_connected;
use crate::manifest::MANIFEST;
use crate::naming::{Tensors, WordLists};
use crate::opennmt;
use crate::shortlist::Cut;
use crate::spec::{Family, ModelSpec};
use crate::{Error, MarianConfig, Precision, Result, Weights};

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

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
