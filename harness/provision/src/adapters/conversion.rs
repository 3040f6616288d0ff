//! Models in an engine's own form: made once by the adapter's `convert.py`, and kept in the user's cache by
//! content.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dyno_measure::files::{collect_files, file_hash};
use dyno_record::hash_of;

use super::description::Convert;
use super::environment::Environment;
use super::folders::Adapter;
use crate::error::{Error, Result};
use crate::{Listener, cache_folder, last_line};

/// A model and its form for the engine, made or not.
pub struct Conversion<'a> {
    adapter: &'a Adapter,
    program: PathBuf,
    settings: Vec<String>,
    model: &'a Path,
    /// Folder of the result.
    pub made: PathBuf,
}

impl<'a> Conversion<'a> {
    /// The conversion of `model` for `adapter` under the settings `values`; `None` if the engine reads the
    /// model as it is.
    pub fn of(adapter: &'a Adapter, model: &'a Path, values: &[(&str, String)]) -> Result<Option<Self>> {
        let Some(convert) = &adapter.description.convert else { return Ok(None) };
        if model.join(&convert.unless).exists() {
            return Ok(None);
        }
        let program = adapter.folder.join("convert.py");
        let settings = deciding(convert, values);
        let programs: Vec<_> =
            [program.clone(), adapter.requirements()].into_iter().chain(adapter.shared()).collect();
        let key = key(programs.iter().filter(|path| path.is_file()), model, &settings)?;
        let cache = cache_folder()?;
        let made = cache.join("adapters/models").join(format!("{}-{key}", adapter.name));
        Ok(Some(Self { adapter, program, settings, model, made }))
    }

    /// Converts the model if that is still to be done: aside, then renamed into place.
    pub fn provide(&self, say: Listener<'_>) -> Result<()> {
        if self.made.is_dir() {
            return Ok(());
        }
        let adapter = &self.adapter.name;
        say(format_args!("adapter {adapter}: converting {} (once) …", self.model.display()));
        let parent = self.made.parent().unwrap_or(&self.made);
        std::fs::create_dir_all(parent)?;
        let aside = tempfile::Builder::new().prefix("building-").tempdir_in(parent)?;
        let made = aside.path().join("model");
        let mut command = Command::new(Environment::of(self.adapter)?.python());
        command.arg(&self.program).arg(self.model).arg(&made).args(&self.settings).stdin(Stdio::null());
        let output = command.output()?;
        if !output.status.success() {
            let (adapter, model) = (adapter.clone(), self.model.to_owned());
            return Err(Error::Conversion { adapter, model, said: last_line(&output.stderr) });
        }
        match std::fs::rename(&made, &self.made) {
            Err(_) if self.made.is_dir() => Ok(()), // another process was faster
            renamed => Ok(renamed?),
        }
    }
}

/// The settings that decide the result, as `name=value`.
fn deciding(convert: &Convert, values: &[(&str, String)]) -> Vec<String> {
    let decides = |(name, _): &&(&str, String)| convert.settings.iter().any(|setting| setting == name);
    values.iter().filter(decides).map(|(name, value)| format!("{name}={value}")).collect()
}

/// Hash of all that decides the result: the converter, its packages, what adapters share, the settings, the model's
/// files.
fn key<'a>(
    programs: impl Iterator<Item = &'a PathBuf>,
    model: &Path,
    settings: &[String],
) -> io::Result<String> {
    let mut facts = settings.to_vec();
    for program in programs {
        facts.push(file_hash(program)?);
    }
    let mut files = Vec::new();
    collect_files(model, &mut files)?;
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.strip_prefix(model).unwrap_or(file).display();
        facts.push(format!("{name} {}", file_hash(file)?));
    }
    Ok(hash_of(facts.join("\n").as_bytes())[..16].to_owned())
}
