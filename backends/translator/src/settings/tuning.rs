//! The settings `tuning` and `tune`: which file the blockings of products come from, and whether missing ones
//! are measured.
//!
//! `tuning` names a file that is read. `tune` names a file that is read if it exists, completed by measuring
//! each shape of the model's weights, and written.

use std::path::{Path, PathBuf};

use dyno_api::SettingsReader;
use dyno_nn::math::{Kernels, Tuning};

use crate::error::{Error, Result};

/// A tuning that is written once all weights are packed.
#[derive(Debug)]
pub(crate) struct MeasuredTuning {
    tuning: &'static Tuning,
    to: PathBuf,
}

/// `kernels` with the tuning that the settings ask for.
pub(super) fn read(
    reader: &mut SettingsReader<'_>,
    kernels: Kernels,
) -> dyno_api::Result<(Kernels, Option<MeasuredTuning>)> {
    let from = reader.take::<PathBuf>("tuning", "a file")?;
    let to = reader.take::<PathBuf>("tune", "a file")?;
    let refuse = |name: &'static str| |error: Error| reader.refuse(name, error.to_string());
    match (from, to) {
        (None, None) => Ok((kernels, None)),
        (Some(_), Some(_)) => Err(reader.refuse("tune", "it reads its file too; leave `tuning` out")),
        (Some(path), None) => {
            let tuned = load(&path).and_then(|tuning| tune(kernels, tuning, &path));
            tuned.map(|(kernels, _)| (kernels, None)).map_err(refuse("tuning"))
        }
        (None, Some(to)) => {
            let tuning =
                if to.exists() { load(&to).map(Tuning::extended) } else { Ok(Tuning::new(kernels.isa())) };
            let tuned = tuning.and_then(|tuning| tune(kernels, tuning, &to));
            let (kernels, tuning) = tuned.map_err(refuse("tune"))?;
            Ok((kernels, Some(MeasuredTuning { tuning, to })))
        }
    }
}

fn load(path: &Path) -> Result<Tuning> {
    let text =
        dyno_api::files::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
    text.parse().map_err(|source| Error::Tuning { path: path.into(), source })
}

/// `kernels` that use `tuning`, which came from `path`. The tuning lives as long as the process, like the
/// weights.
fn tune(kernels: Kernels, tuning: Tuning, path: &Path) -> Result<(Kernels, &'static Tuning)> {
    let tuning: &'static Tuning = Box::leak(Box::new(tuning));
    let tuned = kernels.with_tuning(tuning);
    let kernels = tuned.map_err(|source| Error::Tuning { path: path.into(), source })?;
    Ok((kernels, tuning))
}

impl MeasuredTuning {
    /// Writes the file.
    pub(crate) fn write(&self) -> Result<()> {
        let failed = |source| Error::Write { what: "the tuning", path: self.to.clone(), source };
        std::fs::write(&self.to, self.tuning.to_string()).map_err(failed)
    }
}

/// A description of a tuning file for people: each choice and its gain.
///
/// # Errors
/// When the file can't be read, or holds no tuning.
pub fn explain_tuning(path: &Path) -> Result<String> {
    load(path).map(|tuning| tuning.explain())
}
