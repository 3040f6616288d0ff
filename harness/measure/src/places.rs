//! Places of a system: files and folders that it expects at fixed paths, whatever lies there on the host. A
//! submission to a shared task, for example, is written for `/run.sh` and `/model` of its image. Only a
//! sandbox can put files at such paths.

use std::path::{Path, PathBuf};

/// Root of a system, and what the system finds in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Folder that is the whole root; the host's operating system, read-only, if absent.
    pub root: Option<PathBuf>,
    /// Paths of the host, each with the path at which the system sees it.
    pub mounts: Vec<(PathBuf, PathBuf)>,
}

impl Places {
    /// Paths at which the system sees its parts, on the operating system of the host.
    pub fn parts(&self) -> impl Iterator<Item = PathBuf> {
        self.mounts.iter().map(|(_, at)| at.clone())
    }

    /// Path on the host of what the system sees at `seen`.
    pub fn on_host(&self, seen: &Path) -> PathBuf {
        let mounted = |(from, at): &(PathBuf, PathBuf)| Some(join(from, seen.strip_prefix(at).ok()?));
        let of_root = || Some(join(self.root.as_ref()?, seen.strip_prefix("/").ok()?));
        self.mounts.iter().find_map(mounted).or_else(of_root).unwrap_or_else(|| seen.to_owned())
    }

    /// Path at which the system sees `path` of the host; `None` if it lies outside of all mounts and the
    /// root.
    pub fn seen(&self, path: &Path) -> Option<PathBuf> {
        let mounted = |(from, at): &(PathBuf, PathBuf)| Some(join(at, path.strip_prefix(from).ok()?));
        let in_root = || Some(join(Path::new("/"), path.strip_prefix(self.root.as_ref()?).ok()?));
        self.mounts.iter().find_map(mounted).or_else(in_root)
    }
}

/// `folder/rest`, without a slash at the end where there is no rest.
fn join(folder: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_and_outside_lead_to_each_other() {
        let mounted = Places { root: None, mounts: vec![("/home/me/sub/model".into(), "/model".into())] };
        let rooted = Places { root: Some("/home/me/image".into()), mounts: Vec::new() };
        for (places, inside, outside) in [
            (&mounted, "/model", "/home/me/sub/model"),
            (&mounted, "/model/a/b", "/home/me/sub/model/a/b"),
            (&rooted, "/model/a", "/home/me/image/model/a"),
        ] {
            assert_eq!(places.on_host(Path::new(inside)), Path::new(outside));
            assert_eq!(places.seen(Path::new(outside)).as_deref(), Some(Path::new(inside)));
        }
        assert_eq!(mounted.on_host(Path::new("/usr/x")), Path::new("/usr/x"), "as on the host");
        assert_eq!(mounted.seen(Path::new("/home/me/references")), None);
        assert_eq!(mounted.seen(Path::new("/home/me/sub/model2")), None);
    }
}
