//! Temporary folders of the bench, and of publications. A bench that is killed can't remove its folder, so the next
//! bench does.
//!
//! A living bench holds a lock on a file of its folder, and the kernel gives the lock back with the process.
//! Process numbers would prove less: containers share folders, not numbers.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use dyno_measure::os::user;
use tempfile::{Builder, TempDir};

/// Beginning of the names of the bench's own folders.
const PREFIX: &str = "dyno-scratch-";
/// File whose lock a living bench holds. Folders without it belong to other programs.
const LOCK: &str = ".lock";

/// A temporary folder, removed at the end.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Open for as long as the folder is in use.
    _lock: File,
}

impl Scratch {
    /// Creates a temporary folder, after those that dead benches left have been removed.
    pub fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir(), PREFIX)
    }

    /// The same in `place`, for folders whose names begin with `prefix`.
    pub fn create_in(place: &Path, prefix: &str) -> io::Result<Self> {
        sweep(place, prefix);
        loop {
            let folder = Builder::new().prefix(prefix).tempdir_in(place)?;
            let lock = File::create_new(folder.path().join(LOCK))?;
            // Another bench may take the file for a dead one's before this lock, and remove the folder. On a file
            // system without locks no folder is removed.
            let _ = lock.lock();
            if folder.path().join(LOCK).exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders that dead benches left in `place`. What can't be removed is left. A folder of another
/// user is left alone, also by root. No link is followed: every user may put one there.
fn sweep(place: &Path, prefix: &str) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(prefix);
        if is_named && entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == user()) {
            remove_if_left(&entry.path());
        }
    }
}

/// Removes `folder` if no living process holds its lock.
fn remove_if_left(folder: &Path) {
    let lock = dyno_api::files::open(&folder.join(LOCK));
    if let Some(lock) = lock.ok().filter(|lock| lock.try_lock().is_ok()) {
        let _ = fs::remove_dir_all(folder);
        drop(lock); // a new bench that waits for the lock finds its folder gone, and makes another
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_without_a_living_bench_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str, files: &[&str]| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            files.iter().for_each(|file| fs::write(folder.join(file), "").unwrap());
            folder
        };
        let dead = make("dyno-scratch-dead", &[LOCK, "input.txt"]);
        let alive = make("dyno-scratch-alive", &[LOCK]);
        let held = File::open(alive.join(LOCK)).unwrap();
        held.lock().unwrap();
        let foreign = make("dyno-scratch-foreign", &["thesis.tex"]);
        let other = make("dyno-other", &[LOCK]);
        let linked = make("elsewhere", &[LOCK]);
        let link = place.path().join("dyno-scratch-link");
        std::os::unix::fs::symlink(&linked, &link).unwrap();
        sweep(place.path(), PREFIX);
        assert!(!dead.exists());
        for kept in [&alive, &foreign, &other, &linked, &link] {
            assert!(kept.exists(), "{}", kept.display());
        }
        drop(held);
        sweep(place.path(), PREFIX);
        assert!(!alive.exists(), "its bench has ended");
    }

    #[test]
    fn a_folder_in_use_survives_the_start_of_another_bench() {
        let first = Scratch::create().unwrap();
        let second = Scratch::create().unwrap();
        assert!(first.path().exists() && second.path().exists());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
