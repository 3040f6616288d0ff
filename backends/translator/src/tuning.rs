//! The settings about tuning: which file the kernels' choices come from, and whether those it lacks are measured.
//!
//! `tuning` names a file that is read; `tune` one that is read if it is there, completed by measuring each shape that a
//! model's weights have, and written. Nothing else writes one.

use std::path::{Path, PathBuf};

use dyno_api::{Error, SettingsReader};
use dyno_nn::math::{Kernels, Tuning};

/// What is to be written once all weights were packed.
#[derive(Debug)]
pub(crate) struct Measured {
    tuning: &'static Tuning,
    to: PathBuf,
}

/// `kernels` with the tuning that the settings ask for.
pub(crate) fn read(
    reader: &mut SettingsReader<'_>,
    kernels: Kernels,
) -> Result<(Kernels, Option<Measured>), Error> {
    let from = reader.take::<PathBuf>("tuning", "a file")?;
    let to = reader.take::<PathBuf>("tune", "a file")?;
    let refuse = |name: &'static str| |reason: String| reader.refuse(name, reason);
    match (from, to) {
        (None, None) => Ok((kernels, None)),
        (Some(_), Some(_)) => Err(refuse("tune")("it reads its file too; leave `tuning` out".into())),
        (Some(from), None) => {
            let tuning = load(&from).map_err(refuse("tuning"))?;
            with(kernels, tuning).map(|(kernels, _)| (kernels, None)).map_err(refuse("tuning"))
        }
        (None, Some(to)) => {
            let tuning =
                if to.exists() { load(&to).map(Tuning::extended) } else { Ok(Tuning::new(kernels.isa())) };
            let (kernels, tuning) =
                tuning.and_then(|tuning| with(kernels, tuning)).map_err(refuse("tune"))?;
            Ok((kernels, Some(Measured { tuning, to })))
        }
    }
}

fn load(path: &Path) -> Result<Tuning, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    text.parse().map_err(|error: dyno_nn::math::KernelError| error.to_string())
}

fn with(kernels: Kernels, tuning: Tuning) -> Result<(Kernels, &'static Tuning), String> {
    let tuning: &'static Tuning = Box::leak(Box::new(tuning)); // one, for as long as its weights may live
    let kernels = kernels.with_tuning(tuning).map_err(|error| error.to_string())?;
    Ok((kernels, tuning))
}

impl Measured {
    /// Leaves the file.
    pub(crate) fn write(&self) -> Result<(), String> {
        let failed = |error| format!("writing the tuning to {}: {error}", self.to.display());
        std::fs::write(&self.to, self.tuning.to_string()).map_err(failed)
    }
}

/// A tuning file's choices and what they gained, for a person to read.
///
/// # Errors
/// When it can't be read, in words.
pub fn explain_tuning(path: &Path) -> Result<String, String> {
    load(path).map(|tuning| tuning.explain()).map_err(|reason| format!("{}: {reason}", path.display()))
}
