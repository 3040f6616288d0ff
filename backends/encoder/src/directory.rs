//! The files of a model's directory, as Hugging Face and sentence-transformers lay them out.

use std::path::{Path, PathBuf};

use dyno_text::encoders::{Asked, Tokeniser, read_json};

use crate::config::Config;
use crate::modules::Modules;
use crate::{Error, Result};

/// Name of the network's configuration.
const CONFIG: &str = "config.json";

/// A directory with an encoder, whose configuration has been read.
#[derive(Debug)]
pub struct Directory {
    /// The directory with the network: it has the configuration, the weights and the tokeniser.
    pub(crate) network: PathBuf,
    pub(crate) config: Config,
    pub(crate) modules: Modules,
    /// Files that were read so far.
    pub(crate) files: Vec<PathBuf>,
}

/// Whether `path` is a directory with an encoder of a kind that the engine runs.
pub fn is_encoder(path: &Path) -> bool {
    Directory::open(path).is_ok()
}

impl Directory {
    /// Reads the configuration in the directory `path`.
    ///
    /// # Errors
    /// When a file is missing or faulty, or the network is of another kind.
    pub fn open(path: &Path) -> Result<Self> {
        let modules = Modules::open(path)?;
        let network = path.join(&modules.network);
        let file = network.join(CONFIG);
        let config = Config::new(read_json(&file)?).map_err(|fault| Error::content(&file, fault))?;
        let mut files = modules.files.clone();
        files.push(file);
        Ok(Self { network, config, modules, files })
    }

    /// The tokeniser.
    ///
    /// # Errors
    /// When one of its files is missing or faulty.
    pub fn tokeniser(&self) -> Result<Tokeniser> {
        let Self { network, config, modules, .. } = self;
        Ok(Tokeniser::open(Asked {
            folder: network,
            class: config.tokeniser.as_deref(),
            usual_class: config.family.usual_tokeniser(),
            words: config.words,
            positions: config.most_tokens(),
            most_tokens: modules.most_tokens,
            lower_case: modules.lower_case,
            prompt: &modules.prompt,
        })?)
    }

    /// Path of the weights.
    ///
    /// # Errors
    /// When the directory has none that the engine reads.
    pub(crate) fn weights(&self) -> Result<PathBuf> {
        Ok(dyno_formats::hugging_face::weights_of(&self.network)?)
    }
}
