//! Submissions to shared tasks: folders that speak a dialect of their task.
//!
//! A dialect says where a submission's files lie, how its script is called, and which tracks it can answer.
//! Here a folder becomes a [`System`] that runs in the sandbox like any other foreign program.

mod dialect;
mod layout;
mod setup;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dyno_measure::{Argument, System};
use dyno_provision::image::Image;
use dyno_record::identity::SubmissionLaunch;

use crate::exit::Outcome;
use crate::output::say;
pub use dialect::Dialect;
use layout::Layout;

/// Lines that a submission translates together, where its dialect asks for a number and the user names none.
pub const BATCH_LINES: usize = 16;

/// A submission, checked as far as files can tell.
#[derive(Clone, Debug)]
pub struct Submission {
    pub dialect: Dialect,
    /// What the run holds of it.
    pub launch: SubmissionLaunch,
    layout: Layout,
}

/// The image of a container that `path` names, if it names one.
pub fn image_of(path: &Path) -> Option<Image<'_>> {
    path.to_str().and_then(Image::named)
}

impl Submission {
    /// Opens the submission in `folder`, or in an image that its name stands for.
    pub fn open(
        folder: &Path,
        dialect: Dialect,
        pair: Option<String>,
        batch_lines: Option<usize>,
    ) -> Outcome<Self> {
        let image = image_of(folder).map(|image| image.unpacked(&|line| say(line))).transpose()?;
        let (folder, environment) = image.unwrap_or_else(|| (folder.to_owned(), Vec::new()));
        let layout = Layout::of(&folder, dialect)?;
        dialect.check_pair(pair.is_some())?;
        if batch_lines.is_some() && !dialect.names_pair() {
            refuse!("the dialect {dialect} names no size of batches; leave the size out");
        }
        let launch = SubmissionLaunch {
            dialect: dialect.name().into(),
            folder: layout.folder.clone(),
            pair: pair.unwrap_or_default(),
            batch_lines: batch_lines.unwrap_or(BATCH_LINES),
            environment,
        };
        Ok(Self { dialect, launch, layout })
    }

    /// Lets the submission install what it needs, if its dialect has a setup. It doesn't see the files
    /// `hidden`.
    pub fn set_up(&self, hidden: &[PathBuf]) -> Outcome<()> {
        if self.dialect.setup { setup::set_up(&self.launch.folder, hidden) } else { Ok(()) }
    }

    pub fn model(&self) -> &Path {
        &self.layout.model
    }

    pub fn scripts(&self) -> Vec<PathBuf> {
        let setup = self.dialect.setup.then(|| self.launch.folder.join(layout::SETUP));
        [self.layout.script.clone()].into_iter().chain(setup).collect()
    }

    /// Files that decide what the submission answers, beside its model: all parts of a folder of parts, else the
    /// scripts. A root file system is too large to be hashed for each run.
    pub fn own_files(&self) -> Vec<PathBuf> {
        let mounts = self.layout.places.iter().flat_map(|places| &places.mounts);
        let parts = mounts.map(|(from, _)| from.clone()).filter(|from| !self.layout.model.starts_with(from));
        self.scripts().into_iter().chain(parts).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// `system` with the command of this submission, and with its files at their places.
    #[must_use]
    pub fn adapt(&self, system: System) -> System {
        let words = self.dialect.command(&self.layout.call, &self.launch.pair, self.launch.batch_lines);
        let own = self.layout.environment().into_iter().chain(self.launch.environment.clone());
        let environment = own.chain(system.environment).collect();
        let parts = if self.layout.places.is_none() { vec![self.launch.folder.clone()] } else { Vec::new() };
        System {
            command: words.into_iter().map(Argument::Template).collect(),
            folder: Some(self.layout.start.clone()),
            environment,
            parts,
            places: self.layout.places.clone(),
            sized_by_sight: true,
            ..system
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn all_parts_but_the_model_are_files_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("model")).unwrap();
        for name in ["model/weights", "program", "run.sh"] {
            fs::write(folder.path().join(name), "#!/bin/sh\n").unwrap();
        }
        let run = folder.path().join("run.sh");
        fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
        let submission = Submission::open(folder.path(), Dialect::Wmt22, None, None).unwrap();
        let home = folder.path().canonicalize().unwrap();
        assert_eq!(submission.own_files(), ["program", "run.sh"].map(|name| home.join(name)));
        assert_eq!(submission.scripts(), [home.join("run.sh")]);
        assert_eq!(submission.model(), home.join("model"));
    }
}
