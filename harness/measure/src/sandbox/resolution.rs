//! The resolution of a path: the links that it passes, and the folders that it leaves again by `..`. A sandbox
//! without them doesn't resolve the path.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Most links of a path, as the kernel's own limit (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// The steps of a path to a file or folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Place of each link, without links itself, and the link's text.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders that the path leaves by `..`.
    pub left: Vec<PathBuf>,
}

impl Resolution {
    /// The resolution of `path`, as far as it leads.
    pub fn of(path: &Path) -> Self {
        let mut resolution = Self::default();
        let absolute = std::path::absolute(path).unwrap_or_default();
        let (mut here, mut ahead) = (PathBuf::from("/"), steps(&absolute));
        while let Some(step) = ahead.pop_front() {
            if step == ".." {
                resolution.left.push(here.clone());
                here.pop();
                continue;
            }
            let next = here.join(step);
            match fs::read_link(&next) {
                Ok(target) if resolution.links.len() < MOST_LINKS => {
                    here = if target.is_absolute() { "/".into() } else { here };
                    steps(&target).into_iter().rev().for_each(|step| ahead.push_front(step));
                    resolution.links.push((next, target));
                }
                _ => here = next,
            }
        }
        resolution
    }
}

/// Names and `..` of a path in turn.
fn steps(path: &Path) -> VecDeque<OsString> {
    let step = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_of_links_are_passed_and_left_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("data/deep")).unwrap();
        fs::write(root.join("data/model"), "").unwrap();
        symlink("data/deep", root.join("near")).unwrap();
        symlink(root.join("near/../model"), root.join("latest")).unwrap();
        let resolution = Resolution::of(&root.join("latest"));
        let links = [("latest", root.join("near/../model")), ("near", PathBuf::from("data/deep"))]
            .map(|(at, to)| (root.join(at), to));
        assert_eq!(resolution, Resolution { links: links.into(), left: vec![root.join("data/deep")] });
        assert_eq!(Resolution::of(&root.join("data/model")), Resolution::default());
    }

    #[test]
    fn links_in_a_circle_end() {
        let folder = tempfile::tempdir().unwrap();
        symlink("b", folder.path().join("a")).unwrap();
        symlink("a", folder.path().join("b")).unwrap();
        assert!(Resolution::of(&folder.path().join("a")).links.len() <= MOST_LINKS);
    }
}
