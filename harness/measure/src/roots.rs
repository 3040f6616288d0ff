//! Arguments of bubblewrap that make a root for a system with fixed places.
//!
//! The host's root is made of its folders one by one, because a read-only root takes no further names. All of
//! it is read-only but what is covered by an empty folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::places::Places;

/// Folders of the host that every sandbox has of its own.
const OWN: [&str; 2] = ["/dev", "/proc"];

/// Options that make the root.
pub(crate) fn root(places: &Places) -> Vec<String> {
    if let Some(root) = &places.root {
        return words(&["--ro-bind"], &[root, Path::new("/")]);
    }
    let is_taken = |path: &Path| {
        OWN.iter().any(|own| path == Path::new(own)) || places.mounts.iter().any(|(_, at)| at == path)
    };
    let entries = fs::read_dir("/").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<PathBuf> = entries.filter(|path| !is_taken(path)).collect();
    entries.sort();
    entries.iter().flat_map(|path| same(path)).collect()
}

/// Options that put a folder or a link of the host's root at its own path.
fn same(path: &Path) -> Vec<String> {
    match fs::read_link(path) {
        Ok(target) => words(&["--symlink"], &[&target, path]),
        Err(_) if path.is_dir() => words(&["--ro-bind"], &[path, path]),
        Err(_) => Vec::new(),
    }
}

/// Options that put the system's files at their places.
pub(crate) fn mounts(places: &Places) -> Vec<String> {
    places.mounts.iter().flat_map(|(from, at)| words(&["--ro-bind"], &[from, at])).collect()
}

/// Options that cover `at`, where the system would see `path` of the host.
pub(crate) fn cover(path: &Path, at: &Path) -> Vec<String> {
    match path.is_file() {
        true => words(&["--ro-bind", "/dev/null"], &[at]),
        false => words(&["--tmpfs"], &[at]),
    }
}

fn words(option: &[&str], paths: &[&Path]) -> Vec<String> {
    let option = option.iter().map(|&word| word.to_owned());
    option.chain(paths.iter().map(|path| path.display().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_of_its_own_is_all_that_a_system_sees() {
        let places = Places { root: Some("/image".into()), mounts: Vec::new() };
        assert_eq!(root(&places), ["--ro-bind", "/image", "/"]);
        assert!(mounts(&places).is_empty());
    }

    #[test]
    fn the_hosts_root_has_its_folders_but_for_those_that_are_taken() {
        let places = Places { root: None, mounts: vec![("/home/me/etc".into(), "/etc".into())] };
        let root = root(&places).join(" ");
        assert!(root.contains("--ro-bind /usr /usr"), "{root}");
        assert!(!root.contains(" /etc") && !root.contains(" /proc ") && !root.contains(" /dev "), "{root}");
        assert_eq!(mounts(&places), ["--ro-bind", "/home/me/etc", "/etc"]);
    }

    #[test]
    fn a_file_is_covered_by_an_empty_one_and_a_folder_by_an_empty_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(cover(file.path(), Path::new("/model/x")), ["--ro-bind", "/dev/null", "/model/x"]);
        assert_eq!(cover(Path::new("/"), Path::new("/model")), ["--tmpfs", "/model"]);
    }
}
