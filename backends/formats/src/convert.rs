//! Conversion: writes any model that [`ModelDir`] opens as a model directory, at the requested precisions.
//!
//! The same input always gives the same bytes. The files are written into a directory beside the target,
//! which is renamed into place at the end: the target is complete or absent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;
use crate::digest::FileIdentity;
use crate::error::Located;
use crate::manifest::{MANIFEST, Manifest};
use crate::marian;
use crate::model_dir::{MARIAN, weights_name};
use crate::narrow::{ConvertedTensor, Narrow, as_it_is};
use crate::opennmt;
use crate::safetensors::{self, Stored};
use crate::shortlist::{Cut, Shortlist};
use crate::spec::NetworkSpec;
use crate::weights::{MODEL_YML, MULTIPLIER_SUFFIX};
use crate::yaml::Entries;
use crate::{DType, Error, MarianConfig, ModelDir, Precision, Result, Weights};

/// Keys of the decoder's YAML that name files; a model directory names its files in the manifest instead.
const FILE_KEYS: [&str; 5] = ["model", "models", "vocabs", "shortlist", "relative-paths"];

/// Name of a whole tokeniser of Hugging Face.
const TOKENIZER: &str = "tokenizer.json";

/// Options of a conversion.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions<'a> {
    /// Precisions of the weights files to write.
    pub precisions: Vec<Precision>,
    /// Precision that `model.toml` names as the model's default.
    pub default_precision: Option<Precision>,
    /// Source and target language for `model.toml`; `None` for the languages of the source.
    pub languages: Option<[String; 2]>,
    /// A shortlist with its file, instead of the source's shortlist. It is written in the binary form where
    /// that form can hold it.
    pub shortlist: Option<(&'a Path, &'a Shortlist)>,
    /// Static activation scales for the int8 file, by the names of the weights.
    pub multipliers: BTreeMap<String, f32>,
    /// Whether the int8 file has its products in the order of the kernels, so that a start maps them.
    pub packed: bool,
    /// Whether an existing model directory at the target may be replaced.
    pub overwrite: bool,
}

/// Result of a conversion.
#[derive(Clone, Debug)]
pub struct ConvertReport {
    /// Directory that was written.
    pub directory: PathBuf,
    /// Files of the directory by name, with sizes and hashes; `model.toml` isn't among them.
    pub files: BTreeMap<String, FileIdentity>,
    /// Quantised tensors of each precision, sorted by name.
    pub tensors: Vec<ConvertedTensor>,
}

/// Writes the model `source` as a model directory at `to`.
///
/// # Errors
/// One line with the file and its fault; the content of `to` is unchanged then.
pub fn convert(source: &ModelDir, to: &Path, options: &ConvertOptions<'_>) -> Result<ConvertReport> {
    refuse_to_overwrite(to, options.overwrite)?;
    let partial = Partial::create(to)?;
    let mut maker = Maker { partial: &partial, manifest: Manifest::default(), tensors: Vec::new() };
    maker.manifest.languages = options.languages.clone().or_else(|| source.languages().cloned());
    maker.manifest.precision = options.default_precision;
    maker.weights(source, options)?;
    maker.vocabularies(source)?;
    maker.shortlist(source, options.shortlist)?;
    maker.configurations(source)?;
    let text = maker.manifest.to_toml();
    partial.write(MANIFEST, text.as_bytes())?;
    let report = ConvertReport { directory: to.into(), files: maker.manifest.files, tensors: maker.tensors };
    partial.move_into_place(to)?;
    Ok(report)
}

/// A directory that is being filled, and its manifest.
struct Maker<'a> {
    partial: &'a Partial,
    manifest: Manifest,
    tensors: Vec<ConvertedTensor>,
}

impl Maker<'_> {
    fn weights(&mut self, source: &ModelDir, options: &ConvertOptions<'_>) -> Result<()> {
        if options.precisions.is_empty() {
            return Err(Error::content(
                source.path(),
                "is to be converted to no precision; name one or more",
            ));
        }
        for precision in &options.precisions {
            let path = source.weights_for(*precision)?;
            let weights = source.read(path)?;
            weights.refuse_unsupported()?;
            let file = self.weights_file(&weights, *precision, options)?;
            self.add(weights_name(*precision), &file)?;
            self.manifest.origin.insert(file_name(path), FileIdentity::of_file(path)?);
        }
        Ok(())
    }

    fn weights_file(
        &mut self,
        weights: &Weights,
        precision: Precision,
        options: &ConvertOptions<'_>,
    ) -> Result<Vec<u8>> {
        weights.refuse_narrower(precision)?;
        let mut tensors: BTreeMap<String, Stored> = BTreeMap::new();
        for tensor in weights.iter().filter(|tensor| tensor.name() != MODEL_YML) {
            match Narrow::to_write(&tensor, precision)? {
                Some(narrow) => {
                    self.tensors.push(narrow.report(&tensor, precision)?);
                    narrow.store(tensor.name(), &mut tensors);
                }
                None => drop(tensors.insert(tensor.name().into(), as_it_is(&tensor)?)),
            }
        }
        for (name, multiplier) in options.multipliers.iter().filter(|_| precision == Precision::Int8) {
            let (dtype, shape, bytes) = (DType::F32, vec![1], multiplier.to_le_bytes().to_vec());
            tensors.insert(format!("{name}{MULTIPLIER_SUFFIX}"), Stored { dtype, shape, bytes });
        }
        let metadata = [("format", "dyno-1"), ("precision", precision.name())];
        let mut metadata = metadata.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        if options.packed && precision == Precision::Int8 {
            safetensors::pack(&mut metadata, &mut tensors);
        }
        let file = safetensors::write(&metadata, &tensors);
        // Names with a special meaning in safetensors would make the file unreadable.
        safetensors::check(&file).in_file(weights.origin())?;
        Ok(file)
    }

    fn vocabularies(&mut self, source: &ModelDir) -> Result<()> {
        if let Some(words) = source.words() {
            return self.lists(words, source.shares_vocabulary());
        }
        let files = source.vocabularies();
        let names: Vec<String> = if source.shares_vocabulary() {
            files.iter().map(|path| with_extension("vocab", path)).collect()
        } else {
            files.iter().zip(["source", "target"]).map(|(path, stem)| with_extension(stem, path)).collect()
        };
        for (path, name) in files.iter().zip(&names) {
            if !self.manifest.files.contains_key(name) {
                self.add(name.clone(), &Bytes::map(path)?)?;
            }
        }
        self.manifest.vocabularies = names;
        for path in source.tokens() {
            self.add(file_name(path), &Bytes::map(path)?)?;
            self.manifest.tokens.push(file_name(path));
        }
        Ok(())
    }

    /// Writes the words of both sides as lists with a word in each line.
    fn lists(&mut self, words: [&[String]; 2], shared: bool) -> Result<()> {
        let names = if shared { ["vocab.txt"; 2] } else { ["source.txt", "target.txt"] };
        for (name, words) in names.into_iter().zip(words) {
            if !self.manifest.files.contains_key(name) {
                self.add(name.into(), (words.join("\n") + "\n").as_bytes())?;
            }
            self.manifest.vocabularies.push(name.into());
        }
        Ok(())
    }

    fn shortlist(&mut self, source: &ModelDir, given: Option<(&Path, &Shortlist)>) -> Result<()> {
        let (cut, bytes) = match (given, source.shortlist()) {
            (Some((path, list)), _) => {
                let cut = Cut { first: list.first(), best: list.best(), ..Cut::default() };
                (cut, list.to_binary().map_or_else(|| Bytes::map(path), |binary| Ok(Bytes::Owned(binary)))?)
            }
            (None, Some((path, cut))) => (cut, Bytes::map(path)?),
            (None, None) => return Ok(()),
        };
        let binary = crate::shortlist::binary::is_binary(&bytes);
        let name = if binary { "shortlist.bin" } else { "shortlist.txt" };
        self.add(name.into(), &bytes)?;
        self.manifest.shortlist = Some((name.into(), cut));
        Ok(())
    }

    /// A network without a table is written under Marian's keys, and OpenNMT's in its own table.
    fn configurations(&mut self, source: &ModelDir) -> Result<()> {
        let kept = |config: &MarianConfig| -> Entries {
            config.entries().iter().filter(|(key, _)| !FILE_KEYS.contains(&key.as_str())).cloned().collect()
        };
        let tables = source.tables.iter().map(|(name, config)| (name.clone(), kept(config)));
        self.manifest.tables = tables.filter(|(_, entries)| !entries.is_empty()).collect();
        if let Some(spec) = &source.spec {
            self.manifest.tables.push(match spec.network {
                NetworkSpec::OpenNmt(_) => (opennmt::TABLE.into(), opennmt::entries_of(spec)?),
                _ => (MARIAN.into(), marian::entries_of(spec)?),
            });
        }
        Ok(())
    }

    fn add(&mut self, name: String, bytes: &[u8]) -> Result<()> {
        self.partial.write(&name, bytes)?;
        self.manifest.files.insert(name, FileIdentity::of_bytes(bytes));
        Ok(())
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `stem` with the extension of `path`: the extension tells the format of a vocabulary. A tokeniser of Hugging
/// Face keeps its name, which tells its format.
fn with_extension(stem: &str, path: &Path) -> String {
    if path.file_name().is_some_and(|name| name == TOKENIZER) {
        return TOKENIZER.into();
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => format!("{stem}.{extension}"),
        None => stem.into(),
    }
}

/// Only a model directory may be replaced, so that a mistyped path can't delete another folder.
fn refuse_to_overwrite(to: &Path, overwrite: bool) -> Result<()> {
    if fs::symlink_metadata(to).is_err() {
        return Ok(());
    }
    match (overwrite, to.join(MANIFEST).is_file()) {
        (true, true) => Ok(()),
        (true, false) => Err(Error::Exists {
            path: to.into(),
            remedy: "it is no model directory, so it won't be replaced",
        }),
        (false, true) => {
            Err(Error::Exists { path: to.into(), remedy: "name another place, or --overwrite it" })
        }
        (false, false) => Err(Error::Exists { path: to.into(), remedy: "name another place" }),
    }
}

/// A directory that is being written; dropping it deletes it, unless it was moved into place.
pub(crate) struct Partial {
    path: PathBuf,
}

impl Partial {
    pub(crate) fn create(to: &Path) -> Result<Self> {
        let path = beside(to, "partial");
        fs::create_dir(&path).map_err(|reason| Error::write(to, reason))?;
        Ok(Self { path })
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        let written = fs::File::create_new(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(|reason| Error::write(&path, reason))
    }

    pub(crate) fn move_into_place(&self, to: &Path) -> Result<()> {
        let rename = |from: &Path, to: &Path| fs::rename(from, to).map_err(|reason| Error::write(to, reason));
        if fs::symlink_metadata(to).is_err() {
            return rename(&self.path, to);
        }
        let old = beside(to, "old");
        rename(to, &old)?;
        rename(&self.path, to).inspect_err(|_| drop(fs::rename(&old, to)))?;
        fs::remove_dir_all(&old).map_err(|reason| Error::write(&old, reason))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path)); // absent where it was moved into place
    }
}

/// A hidden neighbour of `to` for this process alone, on the same file system, so that a rename suffices.
fn beside(to: &Path, purpose: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(format!(".{purpose}-{}", std::process::id()));
    to.with_file_name(name)
}
