//! Checkpoints of OpenNMT-py 3 with its recurrent network as models of dyno.
//!
//! A checkpoint is a file of PyTorch (`crate::torch`), such as `model_step_1000.pt`: weights, options and
//! words. Beside it the weights may lie in a safetensors file of the same name. `options` reads the network
//! from the options and the tensors' shapes, `words` the vocabularies, and `tensors` names what the engine
//! reads. `table` is the same network in a model directory. Nothing of the file is executed.

mod options;
mod table;
pub(crate) mod tensors;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;
use crate::error::Located;
use crate::naming::{Tensors, Translator};
use crate::torch::Checkpoint;
use crate::yaml::Value;
use crate::{Error, Fault, MarianConfig, Result, Weights};

pub(crate) use table::{TABLE, entries_of, spec};

/// Suffix of checkpoints.
const SUFFIX: &str = "pt";

/// First bytes of a zip archive, which tell a checkpoint from older files of PyTorch.
const ARCHIVE: &[u8] = b"PK";

/// Longest line that is read: OpenNMT-py knows no limit, and a search needs one.
const LONGEST_LINE: usize = 1 << 16;

/// Checks whether the bytes of a checkpoint are a file that the reader accepts. This is the entry point for
/// mutated files.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<()> {
    let origin = Path::new("checkpoint");
    let checkpoint = Checkpoint::parse(bytes).in_file(origin)?;
    let weights = Weights::from_bytes(origin, bytes.to_vec())?;
    read(&checkpoint, origin, &weights).map(drop)
}

/// Whether `path` is named as a checkpoint.
pub(crate) fn is_checkpoint(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|suffix| suffix == SUFFIX)
}

/// The translator at `path`, a checkpoint or a directory with one; `None` for other files and directories.
pub(crate) fn open(path: &Path) -> Result<Option<Translator>> {
    let file =
        if path.is_dir() { only(path)? } else { Some(path.to_owned()).filter(|path| is_checkpoint(path)) };
    let Some(file) = file else { return Ok(None) };
    let bytes = Bytes::map(&file)?;
    if !bytes.starts_with(ARCHIVE) {
        let remedy = "save it by OpenNMT-py 3, which needs PyTorch 1.6 or later";
        return Err(Error::content(&file, Fault::unsupported("this form of a checkpoint", remedy)));
    }
    let checkpoint = Checkpoint::parse(&bytes).in_file(&file)?;
    let weights = weights_of(&checkpoint, &file);
    let stored = Weights::open(&weights)?;
    let (network, words) = read(&checkpoint, &file, &stored)?;
    let precision = network.tensors.name(stored)?.precision();
    Ok(Some(Translator {
        vocabularies: vec![file.clone(); 2],
        words: Some(words),
        tokens: Vec::new(),
        weights: BTreeMap::from([(precision, weights)]),
        decoder: MarianConfig::from_entries(file, decoder()),
        spec: network.spec,
        tensors: network.tensors,
    }))
}

/// A network with the names of its tensors.
struct Network {
    spec: crate::ModelSpec,
    tensors: Tensors,
}

/// Reads network and words from a checkpoint, whose weights are `weights`.
fn read(
    checkpoint: &Checkpoint<'_>,
    file: &Path,
    weights: &Weights,
) -> Result<(Network, crate::naming::WordLists)> {
    let words = words::Words::read(&checkpoint.pickle).in_file(file)?;
    let spec = options::read(&checkpoint.pickle, file, weights, &words)?;
    let tensors = tensors::of(spec.opennmt()?, spec.words, spec.vectors);
    tensors::refuse_others(&tensors, weights, spec.vectors)?;
    words.fit(spec.words).in_file(file)?;
    Ok((Network { spec, tensors }, words.lists))
}

/// The one checkpoint of a directory.
fn only(directory: &Path) -> Result<Option<PathBuf>> {
    let entries = std::fs::read_dir(directory).map_err(|reason| Error::read(directory, reason))?;
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_checkpoint(path)).collect();
    match found.pop() {
        Some(_) if !found.is_empty() => {
            let fault = format!("has {} checkpoints; name one of them", found.len() + 1);
            Err(Error::content(directory, fault))
        }
        only => Ok(only),
    }
}

/// The file with the weights: the checkpoint, or what OpenNMT-py has beside it (`-save_format safetensors`). It
/// writes such a file by the checkpoint's name, and reads it with a number in the name.
fn weights_of(checkpoint: &Checkpoint<'_>, file: &Path) -> PathBuf {
    if checkpoint.pickle.find(checkpoint.pickle.root(), "model").is_some() {
        return file.to_owned();
    }
    let numbered = file.with_extension("00.safetensors");
    if numbered.is_file() { numbered } else { file.with_extension("safetensors") }
}

/// The settings of the search, by OpenNMT-py's defaults (`onmt/opts.py`).
fn decoder() -> Vec<(String, Value)> {
    let entries = [
        ("search", "opennmt".to_owned()),
        ("beam-size", "5".to_owned()),
        ("normalize", "1".to_owned()),
        ("most-words", "250".to_owned()),
        ("max-length-factor", "1.25".to_owned()),
        ("more-words", "5".to_owned()),
        ("max-length", LONGEST_LINE.to_string()),
        ("source-end", "false".to_owned()),
        ("allow-unk", "true".to_owned()),
        ("allow-special", "true".to_owned()),
    ];
    entries.map(|(key, value)| (key.to_owned(), Value::Text(value))).into()
}
