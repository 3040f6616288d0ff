//! Layout of a submission's folder: where script and model lie, and at which paths the submission sees them.
//!
//! A folder is either a whole root file system, as an image unpacks to, or only the parts that the task
//! names. Parts are seen at the root of the host's operating system, read-only.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_measure::{Places, check_command};
use itertools::Itertools;

use super::dialect::{Dialect, Place};
use crate::exit::Outcome;

/// Script that every dialect calls.
const RUN: &str = "run.sh";
/// Script that `wmt26` calls once.
pub(super) const SETUP: &str = "setup.sh";
const MODEL: &str = "model";
/// Folders of an operating system. A submission's part of such a name would hide the host's.
const OF_THE_HOST: [&str; 14] =
    ["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "tmp", "usr", "var"];
/// Search path of programs in a root file system that brings its own.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Folder of the submission, without links.
    pub folder: PathBuf,
    pub script: PathBuf,
    /// Path at which the submission sees its script.
    pub call: String,
    pub start: PathBuf,
    /// Folder of the model, on the host.
    pub model: PathBuf,
    /// Fixed paths; `None` for a submission that runs in its own folder.
    pub places: Option<Places>,
}

impl Layout {
    pub(super) fn of(folder: &Path, dialect: Dialect) -> Outcome<Self> {
        let Some(found) = folder.canonicalize().ok().filter(|found| found.is_dir()) else {
            let remedy = "give the folder that holds the submission's run.sh, or unpack its image into one";
            refuse!("no folder {}; {remedy}", folder.display());
        };
        let layout = match dialect.place {
            Place::Root => Self::at_root(found, dialect)?,
            Place::Id => Self::at_id(found, dialect)?,
            Place::Own => Self::in_its_folder(found, dialect)?,
        };
        if !layout.has_own_root() {
            check_command(&[layout.script.display().to_string()], &layout.folder)?;
        }
        Ok(layout)
    }

    /// `/run.sh` and `/model`.
    fn at_root(folder: PathBuf, dialect: Dialect) -> Outcome<Self> {
        let script = existing(&folder, RUN, dialect)?;
        let model = existing(&folder, MODEL, dialect)?;
        let places = Some(places(&folder)?);
        Ok(Self { folder, script, call: "/run.sh".into(), start: "/".into(), model, places })
    }

    /// `/model/ID/run.sh`. The folder holds `model/ID`, or is `ID` itself.
    fn at_id(folder: PathBuf, dialect: Dialect) -> Outcome<Self> {
        let (model, places) = if folder.join(RUN).is_file() {
            let at = Path::new("/model").join(folder.file_name().unwrap_or_default());
            (folder.clone(), Places { root: None, mounts: vec![(folder.clone(), at)] })
        } else {
            (only_model(&folder, dialect)?, places(&folder)?)
        };
        let id = model.file_name().unwrap_or_default().display().to_string();
        let (script, call) = (model.join(RUN), format!("/model/{id}/{RUN}"));
        Ok(Self { folder, script, call, start: "/".into(), model, places: Some(places) })
    }

    /// The submission runs where it lies, because what `setup.sh` installs may hold its path.
    fn in_its_folder(folder: PathBuf, dialect: Dialect) -> Outcome<Self> {
        let script = existing(&folder, RUN, dialect)?;
        let setup = existing(&folder, SETUP, dialect)?;
        check_command(&[setup.display().to_string()], &folder)?;
        let model = Some(folder.join(MODEL)).filter(|model| model.is_dir()).unwrap_or_else(|| folder.clone());
        Ok(Self { script, call: RUN.into(), start: folder.clone(), model, places: None, folder })
    }

    fn has_own_root(&self) -> bool {
        self.places.as_ref().is_some_and(|places| places.root.is_some())
    }

    /// Variables of a root file system, in which the host's paths mean nothing.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let variables = [("PATH", PATH), ("HOME", "/tmp")].map(|(name, value)| (name.into(), value.into()));
        variables.into_iter().filter(|_| self.has_own_root()).collect()
    }
}

/// The path `name` of `folder`, which the dialect needs.
fn existing(folder: &Path, name: &str, dialect: Dialect) -> Outcome<PathBuf> {
    let (path, place) = (folder.join(name), folder.display());
    if !path.exists() {
        refuse!("no {name} in {place}, which the dialect {dialect} needs; add it, or choose another dialect");
    }
    Ok(path)
}

fn only_model(folder: &Path, dialect: Dialect) -> Outcome<PathBuf> {
    let models = folder.join(MODEL);
    let mut names = names_in(&models);
    names.retain(|name| models.join(name).join(RUN).is_file());
    match names.as_slice() {
        [name] => Ok(models.join(name)),
        [] => existing(folder, RUN, dialect),
        _ => {
            let (models, names) = (models.display(), names.join(", "));
            refuse!("{models} has several models: {names}; give the folder of one of them")
        }
    }
}

/// Places of a folder: a root file system, or parts of one.
fn places(folder: &Path) -> Outcome<Places> {
    if folder.join("usr/bin").is_dir() || folder.join("bin/sh").symlink_metadata().is_ok() {
        return Ok(Places { root: Some(folder.into()), mounts: Vec::new() });
    }
    let mut mounts = Vec::new();
    for name in names_in(folder) {
        let path = folder.join(&name);
        if OF_THE_HOST.contains(&name.as_str()) {
            let remedy = "rename it, or make the folder a whole root file system";
            refuse!("{} would hide the host's /{name}; {remedy}", path.display());
        }
        let Ok(from) = path.canonicalize() else { continue };
        // A link would lead elsewhere from its place.
        if !from.starts_with(folder) {
            refuse!("{} leads out of the submission; put the files themselves there", path.display());
        }
        mounts.push((from, Path::new("/").join(name)));
    }
    Ok(Places { root: None, mounts })
}

/// Sorted names in `folder`, without those that begin with a dot.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !name.starts_with('.')).sorted().collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use dyno_record::rules::names::named;

    use super::*;

    fn layout_of(folder: &Path, dialect: &str) -> Outcome<Layout> {
        Layout::of(folder, named(dialect).unwrap())
    }

    /// A folder with these files, each a script if its name ends so.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[test]
    fn parts_are_seen_at_the_root_and_a_root_is_seen_whole() {
        let parts = folder(&["run.sh", "model/weights", "program", ".git/HEAD"]);
        let layout = layout_of(parts.path(), "wmt22").unwrap();
        let places = layout.places.unwrap();
        let at: Vec<_> = places.mounts.iter().map(|(_, at)| at.display().to_string()).collect();
        assert_eq!((places.root, at.join(" ")), (None, "/model /program /run.sh".into()));
        let root = folder(&["run.sh", "model/weights", "usr/bin/python3"]);
        let layout = layout_of(root.path(), "wmt22").unwrap();
        assert_eq!(layout.places.as_ref().unwrap().root, Some(root.path().canonicalize().unwrap()));
        assert!(layout.environment().iter().any(|(name, value)| name == "PATH" && value == PATH));
    }

    #[test]
    fn a_model_of_wmt25_is_found_by_its_id_from_inside_and_outside() {
        let image = folder(&["model/mine/run.sh", "model/mine/weights"]);
        for folder in [image.path().to_owned(), image.path().join("model/mine")] {
            let layout = layout_of(&folder, "wmt25").unwrap();
            assert_eq!(layout.call, "/model/mine/run.sh");
            let places = layout.places.unwrap();
            assert_eq!(places.on_host(Path::new(&layout.call)), layout.script);
        }
    }

    #[test]
    fn a_part_that_leads_out_of_the_submission_is_refused() {
        let other = folder(&["weights"]);
        for (files, dialect) in [(["run.sh"], "wmt22"), (["model/mine/run.sh"], "wmt25")] {
            let image = folder(&files);
            std::os::unix::fs::symlink(other.path(), image.path().join("data")).unwrap();
            fs::create_dir_all(image.path().join("model")).unwrap();
            let fault = layout_of(image.path(), dialect).unwrap_err().error.to_string();
            assert!(fault.contains("data leads out of the submission; "), "{fault}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let fault = |files: &[&str], dialect: &str| {
            layout_of(folder(files).path(), dialect).unwrap_err().error.to_string()
        };
        for (files, dialect, part) in [
            (&["model/w"] as &[&str], "wmt22", "no run.sh in"),
            (&["run.sh"], "wmt22", "no model in"),
            (&["model/a/weights"], "wmt25", "no run.sh in"),
            (&["model/a/run.sh", "model/b/run.sh"], "wmt25", "several models: a, b"),
            (&["run.sh"], "wmt26", "no setup.sh in"),
            (&["run.sh", "model/w", "etc/passwd"], "wmt22", "would hide the host's /etc"),
        ] {
            let fault = fault(files, dialect);
            assert!(fault.contains(part) && fault.contains("; "), "{fault}");
        }
        assert!(layout_of(Path::new("/absent"), "wmt22").is_err());
    }
}
