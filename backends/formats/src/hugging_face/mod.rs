//! Directories of Hugging Face: the files that all of its models have, and translators as models of dyno.
//!
//! MarianMT (OPUS-MT) and M2M-100 (NLLB-200) are Transformers. `config.json` becomes the description of a
//! network (`network`), the generation's settings become those of a decoder (`generation`), and tensors get
//! Marian's names (`tensors`), which are those of the engines. Quantisation and conversion then need no second
//! way.

mod files;
mod generation;
mod network;
mod tensors;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use files::weights_of;

use crate::naming::Translator;
use crate::weights::Weights;
use crate::{Error, Fault, MarianConfig, Result};
use files::{CONFIG, GENERATION, read_json};
use generation::WireGeneration;
use network::{Family, WireNetwork};

/// Checks whether the bytes of a `config.json` describe a translator that dyno runs. This is the entry point
/// for mutated files.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    let network: WireNetwork = files::parse_json(bytes)?;
    let generation: WireGeneration = files::parse_json(bytes)?;
    let family = network.family().ok_or("is of another family")?;
    network.spec(family, Path::new(CONFIG))?;
    generation.entries(family, &network.ends(family), network.positions()).map(drop)
}

/// The translator in `directory`; `None` for other directories.
pub(crate) fn open(directory: &Path) -> Result<Option<Translator>> {
    let config = directory.join(CONFIG);
    let is_translator = files::has_parts_of_translator(directory);
    if !files::is_there(&config) {
        let missing = || Error::content(directory, "has no config.json; copy it from the model's origin");
        return if is_translator { Err(missing()) } else { Ok(None) };
    }
    if is_translator {
        read_json::<serde::de::IgnoredAny>(&config)?;
    }
    // A faulty file is told by the family that it claims; without a family it is another project's.
    let Some(family) = files::model_type(&config).and_then(|name| Family::named(&name)) else {
        return Ok(None);
    };
    let network: WireNetwork = read_json(&config)?;
    let fault = |fault: Fault| Error::content(&config, fault);
    let spec = network.spec(family, &config).map_err(fault)?;
    let (origin, generation) = generation_of(directory, &config)?;
    let decoder = generation.entries(family, &network.ends(family), network.positions());
    let decoder = decoder.map_err(|fault| Error::content(&origin, fault))?;
    let tensors = tensors::of(&network, family);
    let weights = weights_of(directory)?;
    let precision = Weights::open(&weights)?.precision();
    let (vocabularies, tokens) = files::vocabularies(directory, family)?;
    Ok(Some(Translator {
        vocabularies,
        words: None,
        tokens,
        weights: BTreeMap::from([(precision, weights)]),
        decoder: MarianConfig::from_entries(origin, decoder),
        spec,
        tensors,
    }))
}

/// The settings of generation: those of their own file, else the old ones inside of `config.json`.
fn generation_of(directory: &Path, config: &Path) -> Result<(PathBuf, WireGeneration)> {
    let own = directory.join(GENERATION);
    let origin = if files::is_there(&own) { own } else { config.into() };
    let generation = read_json(&origin)?;
    Ok((origin, generation))
}
