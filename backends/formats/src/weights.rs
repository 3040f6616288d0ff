//! Weights of any file in one view: name → checked, typed, shaped slice.
//!
//! A parser ([`safetensors`](crate::safetensors), [`npz`](crate::npz), [`bin`](crate::bin)) makes a directory
//! of [`Record`](crate::record::Record)s, each of which it proves to lie inside the file. After that only a
//! wrong name, type or shape can fail, and those errors name the file and the tensor. Quantised tensors carry
//! their scales, so that engines don't depend on the format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::Bytes;
use crate::error::Located;
use crate::record::Directory;
use crate::stored::{File, Item};
use crate::tensor::Tensor;
use crate::{DType, Error, Fault, Precision, Result, bin, model_bin, npz, safetensors, torch, zip};

/// Name of the item with a Marian model's configuration.
pub(crate) const MODEL_YML: &str = "special:model.yml";

/// Ending of the names of static activation scales, as in Marian.
pub const MULTIPLIER_SUFFIX: &str = "_QuantMultA";

/// The weights of a model, by name.
pub struct Weights {
    file: File,
    items: BTreeMap<String, Item>,
    metadata: BTreeMap<String, String>,
}

impl Weights {
    /// Maps the file at `path` and checks all of it. The content tells the format, not the name.
    ///
    /// # Errors
    /// One line with the file, the item and its fault.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::parse(path, Bytes::map(path)?)
    }

    /// Whether `path` names a file of weights rather than a model directory or a decoder's YAML.
    pub fn lie_at(path: &Path) -> bool {
        path.is_file() && path.extension().is_some_and(|extension| extension == "npz" || extension == "bin")
    }

    /// As [`open`](Self::open), from bytes in memory; `origin` is for messages.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(origin: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self> {
        Self::parse(&origin.into(), Bytes::Owned(bytes))
    }

    fn parse(origin: &Path, bytes: Bytes) -> Result<Self> {
        let directory = parse(&bytes).in_file(origin)?;
        let items = directory.records.into_iter().map(|(name, record)| (name, record.into())).collect();
        Ok(Self {
            file: File { origin: origin.into(), bytes: Arc::new(bytes) },
            items,
            metadata: directory.metadata,
        })
    }

    /// The file, for messages.
    pub fn origin(&self) -> &Path {
        &self.file.origin
    }

    /// Returns the memory of the file's pages, as far as they can be read again: for callers that have packed
    /// the weights. Pages of packed tensors stay, because products read them.
    pub fn release(&self) {
        if !self.is_packed() {
            self.file.bytes.release();
        }
    }

    /// Whether the file has packed tensors.
    fn is_packed(&self) -> bool {
        self.metadata.contains_key(safetensors::PACKED)
    }

    /// Names of all tensors, sorted. Scales belong to their tensors and aren't listed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    /// All tensors, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = Tensor<'_>> {
        self.items.iter().map(|(name, item)| Tensor { file: &self.file, name, item })
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no tensor.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of parameters: elements of all tensors but the configuration and activation scales.
    pub fn parameters(&self) -> u64 {
        let counts = |name: &str| name != MODEL_YML && !name.ends_with(MULTIPLIER_SUFFIX);
        self.iter().filter(|tensor| counts(tensor.name())).map(|tensor| tensor.len() as u64).sum()
    }

    /// The tensor `name`, or `None`.
    pub fn find(&self, name: &str) -> Option<Tensor<'_>> {
        self.items.get_key_value(name).map(|(name, item)| Tensor { file: &self.file, name, item })
    }

    /// The tensor `name`.
    ///
    /// # Errors
    /// When there is none; the message names the file.
    pub fn get(&self, name: &str) -> Result<Tensor<'_>> {
        self.find(name).ok_or_else(|| {
            Error::content(&self.file.origin, Fault::from("this tensor is missing from the file").of(name))
        })
    }

    /// A text that came with the weights: metadata of a safetensors file.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }

    /// The YAML of a Marian model: `special:model.yml` up to its first NUL.
    ///
    /// # Errors
    /// When the item is neither int8 nor uint8, or isn't UTF-8.
    pub fn model_yml(&self) -> Result<Option<&str>> {
        let Some(tensor) = self.find(MODEL_YML) else { return Ok(None) };
        yaml_text(tensor.dtype(), tensor.raw()).map(Some).of(MODEL_YML).in_file(&self.file.origin)
    }

    /// Narrowest number type of the weights in this file.
    pub fn precision(&self) -> Precision {
        let stored = self.iter().filter(|tensor| tensor.name() != MODEL_YML);
        stored.filter_map(|tensor| Precision::of_stored(tensor.dtype())).min().unwrap_or(Precision::F32)
    }

    /// A second record of the tensor `name`; the numbers stay in the file.
    pub(crate) fn copy_of(&self, name: &str) -> Option<Item> {
        self.items.get(name).cloned()
    }

    /// Replaces all tensors.
    pub(crate) fn keep_only(&mut self, items: BTreeMap<String, Item>) {
        self.items = items;
    }

    /// Replaces some tensors by others of the same names.
    pub(crate) fn replace(&mut self, items: BTreeMap<String, Item>) {
        self.items.extend(items);
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Weights({}, {} tensors)", self.file.origin.display(), self.len())
    }
}

/// Tells the format by the first bytes. The formats can't be confused. A safetensors header has at least 2
/// bytes, so that a first word of 1 is Marian's version 1. And where safetensors has its brace, an archive
/// has its compression method, of which there are fewer than a hundred.
fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    match bytes.get(..8) {
        Some(first) if first.starts_with(&1u64.to_le_bytes()) => bin::parse(bytes),
        Some(_) if bytes.get(8) == Some(&b'{') => safetensors::parse(bytes),
        Some(first) if first.starts_with(b"PK") => archive(bytes),
        Some(first) if first.starts_with(&2u64.to_le_bytes()) => bin::parse(bytes),
        Some(_) if model_bin::begins(bytes) => model_bin::parse(bytes),
        _ => {
            Err("neither npz, nor Marian's bin, nor safetensors, nor CTranslate2's bin, nor a checkpoint of PyTorch by its \
                 first bytes"
                .into())
        }
    }
}

/// An archive: of arrays, or with a pickle that describes its tensors.
fn archive(bytes: &[u8]) -> Result<Directory, Fault> {
    if torch::is_checkpoint(&zip::entries(bytes)?) { torch::parse(bytes) } else { npz::parse(bytes) }
}

/// YAML stored as an array of bytes, up to the first NUL or the end.
fn yaml_text(dtype: DType, bytes: &[u8]) -> Result<&str, Fault> {
    if dtype.size() != 1 {
        return Err(format!("holds {dtype}, text was expected").into());
    }
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    std::str::from_utf8(text).map_err(crate::bytes::not_utf8)
}
