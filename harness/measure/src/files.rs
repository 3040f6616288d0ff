//! Files by content: hashes, folders in a fixed order, and places cleared for a new file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use dyno_record::hex;

use sha2::{Digest, Sha256};

/// All files below `path`, or `path` itself, in a fixed order. Links to folders are left out: they may lead in
/// circles.
pub fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.into());
        return Ok(());
    }
    let entries = entries_below(path)?;
    files.extend(entries.into_iter().filter(|entry| !entry.is_dir()));
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

/// SHA-256 of a file, in hexadecimal.
pub fn file_hash(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut dyno_api::files::open(path)?, &mut HashWriter(&mut hash))?;
    Ok(hex(&hash.finalize()))
}

/// Clears `path` for a new file, even if a system left a folder there. Restores the parent folder if a system
/// removed it.
pub fn make_way(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Feeds a hash from `io::copy`, so that a model of many GiB is never in memory at once.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of all files at `models`.
pub fn bytes_of(models: &[PathBuf]) -> u64 {
    let mut files = Vec::new();
    // A model that has been removed counts as empty; the launch has failed and reports it.
    models.iter().for_each(|model| drop(collect_files(model, &mut files)));
    files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}
