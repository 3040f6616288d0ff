//! The sandbox: a system sees the host read-only, and nothing of the measurement.
//!
//! bubblewrap (`bwrap`) gives the system namespaces of its own for mounts, processes, the network and shared
//! memory. Inside, records, references and other systems' models don't exist, nothing persists from launch to
//! launch, and no process of the bench can be seen. Two processes of bubblewrap stand between supervisor and
//! system. They wait for its end and touch none of its lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::files::collect_files;
use crate::places::Places;
use crate::roots;
use crate::system::{Argument, System};
use crate::way::Way;

/// Program that makes the namespaces.
pub(crate) const BWRAP: &str = "bwrap";
/// Processes of bubblewrap between supervisor and system: the one that waits outside, and the first of the
/// inner process namespace.
pub(crate) const LAYERS: usize = 2;

/// Options for a system that sees the host's root, read-only.
const HOST_ROOT: [&str; 3] = ["--ro-bind", "/", "/"];
/// Options for every system: namespaces, and no rights beyond the user's.
const NAMESPACES: [&str; 15] = [
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--remount-ro", // no process may lower its peak of memory there
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

/// Folders that each launch gets empty: of temporary files, of the sockets of the host's services, of shared
/// memory.
const PRIVATE: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// A sandbox for the systems of one bench.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Files and folders that no system sees: records and references.
    hidden: Vec<PathBuf>,
    /// Files and folders that a system sees only if they are its own: all systems' models.
    owned: Vec<PathBuf>,
    /// Reason why this host has no sandbox.
    fault: Option<SandboxFault>,
}

/// Reason why a host has no sandbox.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxFault {
    /// bubblewrap isn't installed.
    #[error("no program {BWRAP}")]
    Missing,
    /// bubblewrap can't make namespaces; its own message.
    #[error("{BWRAP} failed: {0}")]
    Failed(String),
}

impl SandboxFault {
    /// Fault of this host, from a trial.
    pub fn of_this_host() -> Option<Self> {
        let trial = Command::new(BWRAP)
            .args(HOST_ROOT)
            .args(NAMESPACES)
            .args(["--", "true"])
            .stdin(Stdio::null())
            .output();
        match trial {
            Ok(output) if output.status.success() => None,
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                Some(Self::Failed(said.lines().next().unwrap_or("no message").to_owned()))
            }
            Err(_) => Some(Self::Missing),
        }
    }

    /// Remedy for the user of the host.
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Missing => "install the package bubblewrap",
            Self::Failed(_) => {
                "let users make namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu also \
                 kernel.apparmor_restrict_unprivileged_userns=0, in a container a seccomp profile that allows it"
            }
        }
    }
}

impl Sandbox {
    /// A sandbox without the files and folders `hidden`, and with those of `owned` for their owners alone.
    /// Tries whether this host allows one.
    pub fn new(hidden: &[PathBuf], owned: &[PathBuf]) -> Self {
        let existing = |paths: &[PathBuf]| paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Self { hidden: existing(hidden), owned: existing(owned), fault: SandboxFault::of_this_host() }
    }

    /// Reason why this host has no sandbox; `None` if it has one.
    pub const fn fault(&self) -> Option<&SandboxFault> {
        self.fault.as_ref()
    }

    /// Arguments of bubblewrap for `system`, which may write to `reports` alone.
    pub(crate) fn arguments(&self, system: &System, reports: &[PathBuf]) -> Vec<String> {
        if let Some(places) = &system.places {
            return self.with_places(places, system);
        }
        let mut arguments: Vec<String> =
            HOST_ROOT.iter().chain(&NAMESPACES).map(|&word| word.into()).collect();
        let mut push = |option: &[&str], path: &Path| {
            arguments.extend(option.iter().map(|&word| word.to_owned()));
            arguments.push(path.display().to_string());
        };
        let (paths, ways) = paths_and_ways(system);
        let views = self.views(system, &paths, &ways);
        for (path, view) in &views {
            match view {
                View::Others | View::Hidden if !path.is_dir() => push(&["--ro-bind", "/dev/null"], path),
                View::Passage => push(&["--dir"], path),
                View::Private | View::Others | View::Hidden => push(&["--tmpfs"], path),
                View::Visible => push(&["--ro-bind", &path.display().to_string()], path),
            }
        }
        for (place, target) in missing_links(&views, &ways) {
            push(&["--symlink", &target.display().to_string()], place);
        }
        for report in reports {
            push(&["--bind", &report.display().to_string()], report);
        }
        if let Some(folder) = folder(system) {
            push(&["--chdir"], &folder);
        }
        arguments
    }

    /// Arguments for a system with files at fixed paths. Nothing of the host that is hidden, or is any system's
    /// model, lies below them.
    fn with_places(&self, places: &Places, system: &System) -> Vec<String> {
        let mut arguments = roots::root(places);
        arguments.extend(NAMESPACES.map(String::from));
        let private = PRIVATE.iter().map(PathBuf::from).filter(|path| places.on_host(path).exists());
        let of_host = || self.owned.iter().chain(&self.hidden).filter(|_| places.root.is_none()).cloned();
        let covers = private.chain(of_host()).collect::<Vec<_>>();
        arguments.extend(covers.iter().flat_map(|path| roots::cover(path, path)));
        arguments.extend(roots::mounts(places));
        let seen = |path: &PathBuf| Some(roots::cover(path, &places.seen(path)?));
        arguments.extend(self.hidden.iter().filter_map(seen).flatten());
        let folder = system.folder.as_deref().unwrap_or(Path::new("/"));
        arguments.extend(["--chdir".into(), folder.display().to_string()]);
        arguments
    }

    /// What becomes of each path. Later paths lie deeper and win; what is hidden wins over what is visible.
    fn views(&self, system: &System, paths: &[PathBuf], ways: &[Way]) -> Vec<(PathBuf, View)> {
        let private = PRIVATE.iter().map(|&path| (PathBuf::from(path), View::Private));
        let passages = ways.iter().flat_map(|way| way.left.clone()).chain(folder(system));
        let passages = passages.map(|path| (path, View::Passage));
        let own = paths.iter().filter_map(|path| Some((path.canonicalize().ok()?, View::Visible)));
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

/// Files and folders that belong to a system, as they are spelled, and the ways to them. They are its folder, its
/// parts, the files that it names, and the files that links in its models' folders lead to.
fn paths_and_ways(system: &System) -> (Vec<PathBuf>, Vec<Way>) {
    let further = system.folder.iter().chain(&system.parts).cloned();
    let mut paths: Vec<PathBuf> = named_files(system).into_iter().chain(further).collect();
    let mut files = Vec::new();
    // A model that can't be read is the system's own failure.
    system.models.iter().for_each(|model| drop(collect_files(model, &mut files)));
    paths.extend(files.into_iter().filter(|file| file.is_symlink() && file.is_file()));
    let ways = paths.iter().map(|path| Way::of(path)).collect();
    (paths, ways)
}

/// Links that a sandbox with these views lacks: those in folders that are empty in it.
fn missing_links<'a>(views: &[(PathBuf, View)], ways: &'a [Way]) -> Vec<&'a (PathBuf, PathBuf)> {
    let is_missing = |place: &Path| {
        let mut around = views.iter().rev().filter(|(path, view)| {
            *view != View::Passage && place.parent().is_some_and(|parent| parent.starts_with(path))
        });
        around.next().is_some_and(|(_, view)| *view != View::Visible)
    };
    let mut links: Vec<_> =
        ways.iter().flat_map(|way| &way.links).filter(|(place, _)| is_missing(place)).collect();
    links.sort();
    links.dedup();
    links
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

/// A word of a command, the value in it: that of `--vocab=FILE`, or of a setting `vocab="FILE"`, and the words of
/// that value, as in `shortlist=FILE 100 50`.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value.trim_matches('"'));
    let parts = value.into_iter().flat_map(|value| value.split(' ').filter(move |part| *part != value));
    [word].into_iter().chain(value).chain(parts)
}

/// Folder that the system is started in, without symbolic links.
fn folder(system: &System) -> Option<PathBuf> {
    let folder = system.folder.clone().or_else(|| std::env::current_dir().ok());
    folder.and_then(|folder| folder.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views_of(sandbox: &Sandbox, system: &System) -> Vec<(PathBuf, View)> {
        let (paths, ways) = paths_and_ways(system);
        sandbox.views(system, &paths, &ways)
    }

    fn view_of(sandbox: &Sandbox, system: &System, path: &Path) -> Option<View> {
        views_of(sandbox, system)
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
    fn parts_are_visible_and_so_are_files_among_the_words_of_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("python/lib")).unwrap();
        std::fs::write(root.join("list"), "").unwrap();
        let mut system =
            System::of_command("s", ["sh".into(), format!("shortlist={}/list 100 50", root.display())]);
        (system.folder, system.parts) = (Some("/".into()), vec![root.join("python")]);
        let sandbox = Sandbox::new(&[], std::slice::from_ref(&root));
        for (name, view) in
            [("python/lib", View::Visible), ("list", View::Visible), ("elsewhere", View::Others)]
        {
            assert_eq!(view_of(&sandbox, &system, &root.join(name)), Some(view), "{name}");
        }
    }

    #[test]
    fn folders_that_a_path_leaves_again_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("model"), "").unwrap();
        let mut system = System::of_command("s", ["sh"]);
        system.models = vec![root.join("a/b/../../a/../model")];
        let views = views_of(&Sandbox::new(&[], &[]), &system);
        for (name, view) in [("a", View::Passage), ("a/b", View::Passage), ("model", View::Visible)] {
            assert!(views.contains(&(root.join(name), view)), "{name}: {views:?}");
        }
    }

    #[test]
    fn links_on_the_way_to_a_model_are_there_where_the_sandbox_has_empty_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["data", "own"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("data/weights"), "").unwrap();
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
        link("data", "latest");
        link("../data/weights", "own/weights");
        let mut system = System::of_command("s", ["sh"]);
        system.models = vec![root.join("latest/weights"), root.join("own")];
        let (paths, ways) = paths_and_ways(&system);
        let links = |private: &Path| {
            let views = [(private.to_owned(), View::Private), (root.join("own"), View::Visible)];
            missing_links(&views, &ways).into_iter().map(|(place, _)| place.clone()).collect::<Vec<_>>()
        };
        assert!(paths.contains(&root.join("own/weights")), "what a link in the model leads to is visible");
        assert_eq!(links(&root), [root.join("latest")], "the model's own folder has its link");
        assert!(links(&root.join("elsewhere")).is_empty(), "as on the host");
    }

    #[test]
    fn the_folder_to_start_in_is_there_even_if_it_isnt_the_systems() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let views = views_of(&Sandbox::new(&[], &[]), &System::of_command("s", ["sh"]));
        assert!(views.contains(&(here, View::Passage)), "{views:?}");
    }
}
