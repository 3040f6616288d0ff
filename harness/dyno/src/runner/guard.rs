//! The guard of a run's files: models, libraries and programs of all systems.
//!
//! Systems that run outside of a sandbox have the user's rights, so that one could slow another by a change
//! of its files, or by taking them out of the memory that caches the disk. Each round begins with the
//! system's files unchanged and in memory.

use std::io;
use std::path::{Path, PathBuf};

use dyno_measure::System;
use dyno_measure::files::{file_hash, files_at};
use dyno_measure::host::available_memory;
use itertools::Itertools;

use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::Outcome;

/// The files that decide about systems, as they were when the run began.
#[derive(Debug, Default)]
pub struct Guard {
    files: Vec<Guarded>,
}

#[derive(Debug)]
struct Guarded {
    system: String,
    path: PathBuf,
    hash: String,
}

impl Guard {
    /// A guard of the files of `campaign`. A file that can't be read is the failure of its system.
    pub fn of(campaign: &Campaign) -> Self {
        let guarded = |entry: &Entry, path: PathBuf| {
            Some(Guarded { system: entry.name.clone(), hash: file_hash(&path).ok()?, path })
        };
        let of_entry = |entry| files_of(entry).into_iter().filter_map(move |path| guarded(entry, path));
        Self { files: campaign.systems.iter().flat_map(of_entry).collect() }
    }

    /// Checks that no file has another content than before. A file that was only touched, or linked
    /// elsewhere, is the same. A system may change its own files: those of `measured`, which has just been
    /// measured. Only files that changed their state are read.
    pub fn check(&mut self, measured: Option<&System>) -> Outcome<()> {
        for file in &mut self.files {
            let is_own = measured.is_some_and(|system| system.original() == file.system);
            match file_hash(&file.path).ok().filter(|hash| is_own || *hash == file.hash) {
                Some(hash) => file.hash = hash,
                None if is_own => {} // the next launch fails without the file
                None => return Err(changed(file)),
            }
        }
        Ok(())
    }
}

fn changed(Guarded { system, path, .. }: &Guarded) -> crate::exit::Failure {
    let path = path.display();
    bad_input!(
        "{path} of system {system:?} was changed while the run went on; put it back and resume the run. Give systems \
         that you don't trust `sandbox = \"bwrap\"`; a system that changes its own files needs `interleave = \"rounds\"`"
    )
}

/// Models, library and program of a system, and what an adapter's conversion made. Other files of its command may
/// be ones that it writes.
fn files_of(entry: &Entry) -> Vec<PathBuf> {
    let (program, made) = match &entry.launch {
        Launch::BuiltIn { .. } => (None, None),
        Launch::Plugin { library, .. } => (Some(library.clone()), None),
        Launch::Adapter(adapter) => (Some(adapter.program()), adapter.model().ok()),
        Launch::Foreign { command, folder } => (command.first().map(|program| folder.join(program)), None),
        Launch::Submission(submission) => (submission.scripts().into_iter().next(), None),
    };
    let models = entry.models.iter().map(PathBuf::as_path).chain(made);
    let program = program.filter(|path| path.is_file());
    files_of_models(models).chain(program).sorted().dedup().collect()
}

/// Files of all `models` that can be read.
fn files_of_models<'a>(models: impl Iterator<Item = &'a Path>) -> impl Iterator<Item = PathBuf> {
    models.filter_map(|model| files_at(model).ok()).flatten()
}

/// Reads the models of `systems`, so that the memory that caches the disk holds them. Models that fill the memory
/// would only push each other out.
pub fn warm<'a>(systems: impl Iterator<Item = &'a System>) {
    let models = systems.flat_map(|system| &system.models).map(PathBuf::as_path);
    let files: Vec<PathBuf> = files_of_models(models).sorted().dedup().collect();
    let bytes: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    if bytes <= available_memory() / 2 {
        for mut file in files.iter().filter_map(|file| dyno_api::files::open(file).ok()) {
            let _ = io::copy(&mut file, &mut io::sink()); // the launch reports a file that can't be read
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn another_content_is_a_change_and_another_time_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "weights").unwrap();
        let launch = Launch::Foreign { command: vec!["cat".into()], folder: folder.path().into() };
        let entry = Entry::new("it", launch, vec![path.clone()]);
        let hash = file_hash(&path).unwrap();
        assert_eq!(files_of(&entry), std::slice::from_ref(&path));
        let mut guard = Guard { files: vec![Guarded { system: entry.name, path: path.clone(), hash }] };
        assert!(guard.check(None).is_ok());
        fs::hard_link(&path, folder.path().join("backup")).unwrap();
        assert!(guard.check(None).is_ok(), "a link changes no content");
        fs::write(&path, "WEIGHTS").unwrap();
        let refusal = guard.check(None).unwrap_err().error.to_string();
        assert!(
            refusal.contains("of system \"it\" was changed while the run went on; put it back"),
            "{refusal}"
        );
        fs::write(&path, "weights").unwrap();
        assert!(guard.check(None).is_ok(), "it was put back");
        fs::write(&path, "adapted").unwrap();
        assert!(
            guard.check(Some(&System::of_command("it (twin)", ["cat"]))).is_err(),
            "another system's round"
        );
        assert!(guard.check(Some(&System::of_command("it", ["cat"]))).is_ok(), "its own round");
        assert!(guard.check(None).is_ok(), "what it made of its file counts from now on");
        fs::remove_file(&path).unwrap();
        assert!(guard.check(None).is_err());
    }
}
