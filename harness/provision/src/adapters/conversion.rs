//! Models in an engine's own form: made once by the adapter's `convert.py`, and kept in the user's cache by
//! content.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dyno_measure::files::{collect_files, file_hash};
use dyno_record::hash_of;

use super::folders::Adapter;
use crate::error::{Error, Result};
use crate::{Listener, cache_folder, last_line};

/// Folder of what `adapter` makes of `model`, made or not; `None` if the engine reads the model as it is. Its name
/// has a hash of all that decides the result: the converter, its packages, what adapters share, the `settings`, the
/// model's files.
pub fn folder_of(adapter: &Adapter, model: &Path, settings: &[String]) -> Result<Option<PathBuf>> {
    let Some(convert) = &adapter.description.convert else { return Ok(None) };
    if model.join(&convert.unless).exists() {
        return Ok(None);
    }
    let mut facts = settings.to_vec();
    for program in [program_of(adapter), adapter.requirements()].into_iter().chain(adapter.shared()) {
        if program.is_file() {
            facts.push(file_hash(&program)?);
        }
    }
    let mut files = Vec::new();
    collect_files(model, &mut files)?;
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.strip_prefix(model).unwrap_or(file).display();
        facts.push(format!("{name} {}", file_hash(file)?));
    }
    let name = format!("{}-{}", adapter.name, &hash_of(facts.join("\n").as_bytes())[..16]);
    Ok(Some(cache_folder()?.join("adapters/models").join(name)))
}

/// Converts `model` into `folder`: aside, then renamed into place.
pub fn convert(
    adapter: &Adapter,
    model: &Path,
    settings: &[String],
    folder: &Path,
    say: Listener<'_>,
) -> Result<()> {
    let name = &adapter.name;
    say(format_args!("adapter {name}: converting {} (once) …", model.display()));
    let parent = folder.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent)?;
    let aside = tempfile::Builder::new().prefix("building-").tempdir_in(parent)?;
    let made = aside.path().join("model");
    let mut command = Command::new(adapter.python()?);
    command.arg(program_of(adapter)).arg(model).arg(&made).args(settings).stdin(Stdio::null());
    let output = command.output()?;
    if !output.status.success() {
        let said = last_line(&output.stderr);
        return Err(Error::Refused(format!("adapter {name}: can't convert {}: {said}", model.display())));
    }
    match std::fs::rename(&made, folder) {
        Err(_) if folder.is_dir() => Ok(()), // another process was faster
        renamed => Ok(renamed?),
    }
}

fn program_of(adapter: &Adapter) -> PathBuf {
    adapter.folder.join("convert.py")
}
