//! Mounts of a sandbox, in the order in which bubblewrap makes them, and what they show of the host.

use std::path::{Path, PathBuf};

use super::roots::{cover, of_host, same, words};

/// Mounts so far. Later ones lie deeper, or cover earlier ones.
#[derive(Debug)]
pub(crate) struct Mounts {
    arguments: Vec<String>,
    /// Parts of the root that are the host's.
    of_host: Vec<PathBuf>,
    /// Paths that show the host's files from here on, or don't.
    shown: Vec<(PathBuf, bool)>,
}

impl Mounts {
    /// What every sandbox has of the host, in an empty root.
    pub fn of_host() -> Self {
        let of_host = of_host();
        let arguments = of_host.iter().flat_map(|path| same(path)).collect();
        let shown =
            of_host.iter().filter(|path| !path.is_symlink()).map(|path| (path.clone(), true)).collect();
        Self { arguments, of_host, shown }
    }

    /// A folder of the host as the whole root.
    pub fn of_root(root: &Path) -> Self {
        let arguments = words("--ro-bind", &[root, Path::new("/")]);
        Self { arguments, of_host: Vec::new(), shown: Vec::new() }
    }

    /// Whether the sandbox shows `path` of the host, which has no links.
    pub fn shows(&self, path: &Path) -> bool {
        self.shown.iter().rev().find(|(mount, _)| path.starts_with(mount)).is_some_and(|(_, shown)| *shown)
    }

    /// Whether the host's part of the root lies at `path` or below.
    pub fn holds_the_system(&self, path: &Path) -> bool {
        self.of_host.iter().any(|part| part.starts_with(path))
    }

    /// Options that are no mounts.
    pub fn add(&mut self, options: impl IntoIterator<Item = String>) {
        self.arguments.extend(options);
    }

    /// Shows `path`, read-only.
    pub fn show(&mut self, path: &Path) {
        if !self.shows(path) {
            self.arguments.extend(words("--ro-bind", &[path, path]));
            self.shown.push((path.to_owned(), true));
        }
    }

    /// Shows `path`, which may be written to.
    pub fn lend(&mut self, path: &Path) {
        self.arguments.extend(words("--bind", &[path, path]));
        self.shown.push((path.to_owned(), true));
    }

    /// Covers `path` if it would be shown. A folder that holds a part of the root can't be covered.
    pub fn hide(&mut self, path: &Path) {
        if self.shows(path) && !self.holds_the_system(path) {
            self.arguments.extend(cover(path, path));
            self.shown.push((path.to_owned(), false));
        }
    }

    /// An empty folder at `path` that may be written to.
    pub fn empty(&mut self, path: &Path) {
        self.arguments.extend(words("--tmpfs", &[path]));
        self.shown.push((path.to_owned(), false));
    }

    /// Lets `path` be a folder.
    pub fn pass(&mut self, path: &Path) {
        if !self.shows(path) {
            self.arguments.extend(words("--dir", &[path]));
        }
    }

    /// Options of bubblewrap. Nothing is added to the root from here on.
    pub fn sealed(mut self) -> Vec<String> {
        self.arguments.extend(words("--remount-ro", &[Path::new("/")]));
        self.arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_covered_and_what_isnt_needs_no_cover() {
        let mut mounts = Mounts::of_host();
        let [inside, outside] = ["/usr/src/app", "/home/me"].map(Path::new);
        assert!(mounts.shows(inside) && !mounts.shows(outside));
        let before = mounts.arguments.len();
        mounts.hide(outside);
        mounts.show(Path::new("/usr/lib"));
        assert_eq!(mounts.arguments.len(), before);
        mounts.hide(inside);
        assert!(!mounts.shows(&inside.join("x")) && mounts.shows(Path::new("/usr/src")));
        mounts.show(&inside.join("own"));
        mounts.empty(&inside.join("own/cache"));
        assert!(mounts.shows(&inside.join("own/x")) && !mounts.shows(&inside.join("own/cache/x")));
        assert!(mounts.holds_the_system(Path::new("/")) && !mounts.holds_the_system(inside));
    }
}
