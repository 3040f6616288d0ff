//! The settings of kernels, which all engines share: `isa`, `tuning`, `tune` and `threads`.
//!
//! `isa` names an instruction set. `tuning` names a file of the blockings of products, which is read. `tune`
//! names a file that is read if it exists, completed by measuring each shape of the model's weights, and
//! written. `threads` is the number of threads that share the work on a line.

use std::path::{Path, PathBuf};

use dyno_api::{SettingsReader, THREADS, UnknownIsa};
use dyno_kernels::{Kernels, Tuning};

use crate::Error;
pub use crate::error::TuningError;

/// The kernels that the settings ask for.
#[derive(Debug)]
pub struct KernelSettings {
    /// Kernels of the instruction set in the settings, or of the best one, with their tuning.
    pub kernels: Kernels,
    /// Threads that share the work on a line or batch.
    pub threads: usize,
    /// Tuning that is measured while weights are packed, and the file that it is written to.
    measured: Option<(&'static Tuning, PathBuf)>,
}

impl KernelSettings {
    /// Takes the settings `isa`, `tuning`, `tune` and `threads`.
    ///
    /// # Errors
    /// An instruction set that this processor lacks, a file that is no tuning for it, and a number of threads that
    /// no processor has.
    pub fn read(reader: &mut SettingsReader<'_>) -> dyno_api::Result<Self> {
        let (kernels, threads) = (kernels(reader)?, threads(reader)?);
        let from = reader.take::<PathBuf>("tuning", "a file")?;
        let to = reader.take::<PathBuf>("tune", "a file")?;
        let refuse = |name: &'static str| |error: TuningError| reader.refuse(name, error.to_string());
        match (from, to) {
            (None, None) => Ok(Self { kernels, threads, measured: None }),
            (Some(_), Some(_)) => Err(reader.refuse("tune", "it reads its file too; leave `tuning` out")),
            (Some(path), None) => {
                let tuned = load(&path).and_then(|tuning| tune(kernels, tuning, &path));
                let (kernels, _) = tuned.map_err(refuse("tuning"))?;
                Ok(Self { kernels, threads, measured: None })
            }
            (None, Some(to)) => {
                let tuning = if to.exists() {
                    load(&to).map(Tuning::extended)
                } else {
                    Ok(Tuning::new(kernels.isa()))
                };
                let tuned = tuning.and_then(|tuning| tune(kernels, tuning, &to));
                let (kernels, tuning) = tuned.map_err(refuse("tune"))?;
                Ok(Self { kernels, threads, measured: Some((tuning, to)) })
            }
        }
    }

    /// Writes the tuning that the setting `tune` asks for, once all weights are packed.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write_tuning(&self) -> Result<(), Error> {
        let Some((tuning, to)) = &self.measured else { return Ok(()) };
        let failed = |source| TuningError::Write { path: to.clone(), source };
        Ok(std::fs::write(to, tuning.to_string()).map_err(failed)?)
    }
}

/// Greatest number of threads: more than any processor has cores.
const MOST_THREADS: usize = 1024;

fn threads(reader: &mut SettingsReader<'_>) -> dyno_api::Result<usize> {
    let expected = format!("a whole number from 1 to {MOST_THREADS}");
    match reader.take(THREADS, &expected)? {
        Some(count) if !(1..=MOST_THREADS).contains(&count) => {
            Err(reader.refuse(THREADS, format!("it must be {expected}")))
        }
        count => Ok(count.unwrap_or(1)),
    }
}

fn kernels(reader: &mut SettingsReader<'_>) -> dyno_api::Result<Kernels> {
    let Some(name) = reader.take::<String>("isa", "the name of an instruction set")? else {
        return Ok(Kernels::best());
    };
    let isa = name.parse().map_err(|error: UnknownIsa| reader.refuse("isa", error.to_string()))?;
    Kernels::forced(isa).map_err(|error| reader.refuse("isa", error.to_string()))
}

fn load(path: &Path) -> Result<Tuning, TuningError> {
    let text = dyno_api::files::read_to_string(path);
    let text = text.map_err(|source| TuningError::Read { path: path.into(), source })?;
    text.parse().map_err(|source| TuningError::Content { path: path.into(), source })
}

/// `kernels` that use `tuning`, which came from `path`. The tuning lives as long as the process, like the
/// weights.
fn tune(kernels: Kernels, tuning: Tuning, path: &Path) -> Result<(Kernels, &'static Tuning), TuningError> {
    let tuning: &'static Tuning = Box::leak(Box::new(tuning));
    let tuned = kernels.with_tuning(tuning);
    let kernels = tuned.map_err(|source| TuningError::Content { path: path.into(), source })?;
    Ok((kernels, tuning))
}

/// A description of a tuning file for people: each choice and its gain.
///
/// # Errors
/// When the file can't be read, or holds no tuning.
pub fn explain_tuning(path: &Path) -> Result<String, TuningError> {
    load(path).map(|tuning| tuning.explain())
}
