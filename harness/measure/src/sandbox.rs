//! The sandbox: a system sees the host read-only, and nothing of the measurement.
//!
//! bubblewrap (`bwrap`) gives the system namespaces of its own for mounts, processes, the network and shared
//! memory. Inside, records, references and other systems' models don't exist, nothing persists from launch to
//! launch, and no process of the bench can be seen. Two processes of bubblewrap stand between supervisor and
//! system. They wait for its end and touch none of its lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::system::{Argument, System};

/// Program that makes the namespaces.
pub(crate) const BWRAP: &str = "bwrap";
/// Processes of bubblewrap between supervisor and system: the one that waits outside, and the first of the
/// inner process namespace.
pub(crate) const LAYERS: usize = 2;

/// Options for every system: a read-only root, namespaces, and no rights beyond the user's.
const NAMESPACES: [&str; 16] = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--setenv",
    "TMPDIR",
    "/tmp",
];

/// Folders that each launch gets empty: of temporary files, and of the sockets of the host's services.
const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// A sandbox for the systems of one bench.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Files and folders that no system sees: records and references.
    hidden: Vec<PathBuf>,
    /// Files and folders that a system sees only if they are its own: all systems' models.
    owned: Vec<PathBuf>,
    /// Reason why this host has no sandbox.
    fault: Option<String>,
}

impl Sandbox {
    /// A sandbox without the files and folders `hidden`, and with those of `owned` for their owners alone.
    /// Tries whether this host allows one.
    pub fn new(hidden: &[PathBuf], owned: &[PathBuf]) -> Self {
        let existing = |paths: &[PathBuf]| paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Self { hidden: existing(hidden), owned: existing(owned), fault: fault() }
    }

    /// Reason why this host has no sandbox; `None` if it has one.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Arguments of bubblewrap for `system`, which may write to `reports` alone.
    pub(crate) fn arguments(&self, system: &System, reports: &[PathBuf]) -> Vec<String> {
        let mut arguments: Vec<String> = NAMESPACES.map(String::from).into();
        let mut push = |option: &[&str], path: &Path| {
            arguments.extend(option.iter().map(|&word| word.to_owned()));
            arguments.push(path.display().to_string());
        };
        for (path, view) in self.views(system) {
            match view {
                View::Others | View::Hidden if !path.is_dir() => push(&["--ro-bind", "/dev/null"], &path),
                View::Passage => push(&["--dir"], &path),
                View::Private | View::Others | View::Hidden => push(&["--tmpfs"], &path),
                View::Visible => push(&["--ro-bind", &path.display().to_string()], &path),
            }
        }
        for report in reports {
            push(&["--bind", &report.display().to_string()], report);
        }
        if let Some(folder) = folder(system) {
            push(&["--chdir"], &folder);
        }
        arguments
    }

    /// What becomes of each path. Later paths lie deeper and win; what is hidden wins over what is visible.
    fn views(&self, system: &System) -> Vec<(PathBuf, View)> {
        let private = PRIVATE.iter().map(|&path| (PathBuf::from(path), View::Private));
        let spelled = own_paths(system);
        let passages = spelled.iter().flat_map(|path| left_again(path)).chain(folder(system));
        let passages = passages.map(|path| (path, View::Passage));
        let own = spelled.iter().filter_map(|path| Some((path.canonicalize().ok()?, View::Visible)));
        let others = self.owned.iter().map(|path| (path.clone(), View::Others));
        let hidden = self.hidden.iter().map(|path| (path.clone(), View::Hidden));
        let all = private.chain(others).chain(passages).chain(own).chain(hidden);
        let mut views: Vec<_> = all.filter(|(path, _)| path.exists()).collect();
        views.sort_by_key(|(path, view)| (path.components().count(), *view));
        views.dedup();
        views
    }
}

/// View that a system has of a path, the stronger one last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum View {
    /// There, perhaps empty, so that a path through it resolves and the system can start in it.
    Passage,
    /// Empty and writable, for this launch.
    Private,
    /// Empty, unless the system owns it.
    Others,
    /// Readable.
    Visible,
    /// Empty.
    Hidden,
}

/// Files and folders that belong to a system, as they are spelled: its folder, and the files that it names.
fn own_paths(system: &System) -> Vec<PathBuf> {
    named_files(system).into_iter().chain(system.folder.clone()).collect()
}

/// Files that a system names: its models, and the files of its command.
pub(crate) fn named_files(system: &System) -> Vec<PathBuf> {
    let folder = folder(system).unwrap_or_default();
    let words = system.command.iter().flat_map(|argument| match argument {
        Argument::Fixed(word) | Argument::Template(word) => values(word),
    });
    let files = words.map(|word| folder.join(word)).filter(|path| path.is_file());
    let named = system.models.iter().chain(&system.tuning).cloned();
    files.chain(named).collect()
}

/// Folders that a path leaves again by `..`. Without them the path leads nowhere.
fn left_again(path: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(path).unwrap_or_default();
    let left = absolute.ancestors().filter(|prefix| prefix.ends_with("..")).filter_map(Path::parent);
    left.filter_map(|prefix| prefix.canonicalize().ok()).collect()
}

/// A word of a command, and the value in it: that of `--vocab=FILE`, or of a setting `vocab="FILE"`.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value.trim_matches('"'));
    [word].into_iter().chain(value)
}

/// Folder that the system is started in, without symbolic links.
fn folder(system: &System) -> Option<PathBuf> {
    let folder = system.folder.clone().or_else(|| std::env::current_dir().ok());
    folder.and_then(|folder| folder.canonicalize().ok())
}

/// Reason why bubblewrap doesn't work here, from a trial.
fn fault() -> Option<String> {
    let trial = Command::new(BWRAP).args(NAMESPACES).args(["--", "true"]).stdin(Stdio::null()).output();
    match trial {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("bwrap failed: {}", said.lines().next().unwrap_or("no message")))
        }
        Err(_) => Some("no program bwrap: install the package bubblewrap".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view_of(sandbox: &Sandbox, system: &System, path: &Path) -> Option<View> {
        sandbox
            .views(system)
            .into_iter()
            .rev()
            .find(|(other, _)| path.starts_with(other))
            .map(|(_, view)| view)
    }

    #[test]
    fn the_deepest_path_decides_and_what_is_hidden_wins() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        for name in ["work", "work/model", "work/run", "other"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        std::fs::write(path("work/reference.de"), "Ein Hund\n").unwrap();
        let mut system = System::of_command("s", ["sh"]);
        (system.folder, system.models) = (Some(path("work")), vec![path("work/model")]);
        let sandbox = Sandbox::new(
            &["work/run", "work/reference.de", "absent"].map(path),
            &["other", "work/model"].map(path),
        );
        for (name, view) in [
            ("work/program", View::Visible),
            ("work/model/weights", View::Visible),
            ("work/run/records.jsonl", View::Hidden),
            ("work/reference.de", View::Hidden),
            ("other/model", View::Others),
        ] {
            assert_eq!(view_of(&sandbox, &system, &path(name)), Some(view), "{name}");
        }
        assert_eq!(view_of(&sandbox, &system, Path::new("/tmp/state")), Some(View::Private));
        assert_eq!(view_of(&sandbox, &system, Path::new("/usr/bin")), None, "as on the host, read-only");
    }

    #[test]
    fn folders_that_a_path_leaves_again_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("model"), "").unwrap();
        let mut system = System::of_command("s", ["sh"]);
        system.models = vec![root.join("a/b/../../a/../model")];
        let views = Sandbox::new(&[], &[]).views(&system);
        for (name, view) in [("a", View::Passage), ("a/b", View::Passage), ("model", View::Visible)] {
            assert!(views.contains(&(root.join(name), view)), "{name}: {views:?}");
        }
    }

    #[test]
    fn the_folder_to_start_in_is_there_even_if_it_isnt_the_systems() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let views = Sandbox::new(&[], &[]).views(&System::of_command("s", ["sh"]));
        assert!(views.contains(&(here, View::Passage)), "{views:?}");
    }
}
