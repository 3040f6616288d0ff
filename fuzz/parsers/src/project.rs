//! Files of the project, from which damage starts, and folders for damaged ones.

use std::path::{Path, PathBuf};

/// A folder for the files of one parser: in memory, where the host has such a place, since a disk takes a
/// hundred times as long to replace a file.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a scratch folder")
}

/// Path of a file of the project.
pub(crate) fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Contents of files in a folder of the project.
pub(crate) fn files(folder: &str, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| std::fs::read(file(folder).join(name)).expect(name)).collect()
}

/// Copies the files of `from` into `to`, with all folders below.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the scratch folder is writable");
    for entry in std::fs::read_dir(from).expect("a folder of the project") {
        let from = entry.expect("an entry").path();
        let to = to.join(from.file_name().expect("a name"));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).expect("the scratch folder is writable")),
        }
    }
}
