//! Files by content: hashes, folders in a fixed order, and places cleared for a new file.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use dyno_record::hex;

use sha2::{Digest, Sha256};

use crate::os;

/// All files below `path`, or `path` itself, in a fixed order; behind them those to which links to folders lead, each
/// once. A link to a folder around itself or around `path` isn't followed.
pub fn files_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.into()]);
    }
    let (links, mut files) = links_and_files(path)?;
    if !links.is_empty() {
        add_linked(path, links.into(), &mut files)?;
    }
    Ok(files)
}

/// Links to folders, and everything else below `folder` that is no folder.
fn links_and_files(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    Ok(entries_below(folder)?.into_iter().partition(|entry| entry.is_dir()))
}

/// Adds the files to which the `links` below `root` lead. Each folder is walked once, so that circles end.
fn add_linked(root: &Path, mut links: VecDeque<PathBuf>, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let root = root.canonicalize()?;
    let mut known: HashSet<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    while let Some(link) = links.pop_front() {
        let (target, holder) = (link.canonicalize()?, link.parent().unwrap_or(&root).canonicalize()?);
        if root.starts_with(&target) || holder.starts_with(&target) || !known.insert(target) {
            continue;
        }
        let (further, mut found) = links_and_files(&link)?;
        found.retain(|file| file.canonicalize().map_or(true, |file| known.insert(file)));
        links.extend(further);
        files.append(&mut found);
    }
    Ok(())
}

/// Everything below `folder` that is no folder itself, in a fixed order. Links are entries; none is followed.
pub fn entries_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut within = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    within.sort_by_key(fs::DirEntry::path);
    let mut entries = Vec::new();
    for entry in within {
        match entry.file_type()?.is_dir() {
            true => entries.extend(entries_below(&entry.path())?),
            false => entries.push(entry.path()),
        }
    }
    Ok(entries)
}

/// State of a file that no change of its content leaves as it was: the kernel sets the time of the last
/// change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// The state of the file at `path` now.
    pub fn of(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        Ok(Self { inode: data.ino(), bytes: data.len(), changed: (data.ctime(), data.ctime_nsec()) })
    }
}

/// Hashes of this process so far, with the state of each file: a model of many GiB is hashed once, although a run's
/// identity, its guard and each stage of a gate ask for it.
static HASHES: Mutex<Option<HashMap<PathBuf, (Stamp, String)>>> = Mutex::new(None);

/// SHA-256 of a file, in hexadecimal.
pub fn file_hash(path: &Path) -> io::Result<String> {
    let stamp = Stamp::of(path)?;
    let known = || HASHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, hash)) = known().as_ref().and_then(|all| all.get(path)).filter(|known| known.0 == stamp) {
        return Ok(hash.clone());
    }
    let (mut hash, mut file, mut part) = (Sha256::new(), dyno_api::files::open(path)?, Vec::new());
    // In parts, so that a model of many GiB is never in memory at once.
    while file.by_ref().take(1 << 16).read_to_end(&mut part)? > 0 {
        hash.update(&part);
        part.clear();
    }
    let hash = hex(&hash.finalize());
    known().get_or_insert_default().insert(path.into(), (stamp, hash.clone()));
    Ok(hash)
}

/// Clears `path` for a new file, even if a system left a folder there. Restores the parent folder if a system
/// removed it.
pub fn make_way(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Bytes of all files at `models`.
pub fn bytes_of(models: &[PathBuf]) -> u64 {
    files_of(models).iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// Asks the kernel to give up all files at `models`; returns the bytes that it still holds, if there are files.
pub fn forget(models: &[PathBuf]) -> Option<u64> {
    let files: Vec<File> = files_of(models).iter().filter_map(|path| File::open(path).ok()).collect();
    let left = |file: &File| {
        let _ = os::give_up_cached(file); // what stays is counted
        os::cached_bytes(file).ok()
    };
    (!files.is_empty()).then(|| files.iter().filter_map(left).sum())
}

/// All files at `models`. A model that can't be read has none; the launch fails and reports it.
pub(crate) fn files_of(models: &[PathBuf]) -> Vec<PathBuf> {
    models.iter().filter_map(|model| files_at(model).ok()).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_folders_are_followed_once_and_never_around() {
        let (model, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (part, own) = (elsewhere.path().join("part"), model.path().join("own"));
        for folder in [&part, &own] {
            fs::create_dir(folder).unwrap();
        }
        for file in [elsewhere.path().join("weights"), part.join("vocab"), own.join("config")] {
            fs::write(file, "12345").unwrap();
        }
        let around = model.path().parent().unwrap();
        let links = [("a", part.as_path()), ("b", elsewhere.path()), ("c", around), ("d", own.as_path())];
        for (name, target) in links {
            std::os::unix::fs::symlink(target, model.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink("..", part.join("back")).unwrap();
        let found = files_at(model.path()).unwrap();
        let all = ["own/config", "a/vocab", "b/weights"];
        assert_eq!(found, all.map(|name| model.path().join(name)), "whichever link comes first");
        assert_eq!(bytes_of(&[model.path().into()]), 15);
    }

    #[test]
    fn another_content_of_the_same_length_has_another_hash() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let hash_of = |text: &str| {
            // Renamed into place: an inode of its own tells the two apart, however coarse the clock of changes.
            let new = tempfile::NamedTempFile::new_in(file.path().parent().unwrap()).unwrap();
            fs::write(new.path(), text).unwrap();
            fs::rename(new.path(), file.path()).unwrap();
            file_hash(file.path()).unwrap()
        };
        let (one, other) = (hash_of("one"), hash_of("two"));
        assert_ne!(one, other);
        assert_eq!(file_hash(file.path()).unwrap(), other, "as it is now");
        assert_eq!(one, hash_of("one"));
        assert_eq!(one, dyno_record::hash_of(b"one"));
    }
}
