//! The sandbox: a system sees the operating system and its own files, read-only, and nothing else.
//!
//! bubblewrap (`bwrap`) gives the system an empty root, and namespaces of its own for mounts, processes, the
//! network, users and shared memory. Inside, records, references, homes and other systems' models don't exist,
//! nothing persists from launch to launch, and no process of the bench can be seen. Two processes of bubblewrap
//! stand between supervisor and system. They wait for its end and touch none of its lines.

mod belongings;
mod installation;
mod mounts;
mod resolution;
mod roots;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use itertools::Itertools;

use crate::places::Places;
use crate::system::System;
pub(crate) use belongings::named_files;
use belongings::{folder, home, paths_and_resolutions, search_path};
use installation::program;
use mounts::Mounts;
use resolution::Resolution;
use roots::{cover, name_servers, words};

/// Program that makes the namespaces.
pub(crate) const BWRAP: &str = "bwrap";
/// Processes of bubblewrap between supervisor and system: the one that waits outside, and the first of the
/// inner process namespace.
pub(crate) const LAYERS: usize = 2;

/// Options for every system: namespaces, a terminal session of its own, and no rights beyond the user's. /proc is
/// read-only, because root may set the kernel's parameters there even without rights, and any process its peak of
/// memory.
const NAMESPACES: &str = "--dev /dev --proc /proc --remount-ro /proc --unshare-pid --unshare-ipc --new-session \
                          --die-with-parent --cap-drop ALL --setenv TMPDIR /tmp";
/// A namespace of users. Users without rights always get one; root gets one where the host allows it.
const OF_USERS: &str = "--unshare-user";
/// A network without other hosts.
const OFFLINE: &str = "--unshare-net";
/// Folders that every sandbox has of its own.
const OWN: [&str; 2] = ["/dev", "/proc"];

/// Folder of temporary files, which each launch gets empty. Shared memory lies in a /dev of the launch's own.
const PRIVATE: &str = "/tmp";
/// Folders of an image that are empty and writable, too, as in a container.
const PRIVATE_IN_IMAGES: [&str; 3] = ["/var/tmp", "/run", "/dev/shm"];

/// Whether the host allows a namespace of users, from the first trial.
static HAS_USERS: OnceLock<bool> = OnceLock::new();

fn namespaces(has_users: bool, online: bool) -> Vec<String> {
    let further = [(has_users, OF_USERS), (!online, OFFLINE)];
    let further = further.iter().filter(|(wanted, _)| *wanted).map(|(_, option)| *option);
    NAMESPACES.split(' ').chain(further).map(Into::into).collect()
}

/// The same as far as this host allows them.
fn namespaces_here(online: bool) -> Vec<String> {
    namespaces(HAS_USERS.get().copied().unwrap_or(false), online)
}

/// A sandbox for the systems of one bench.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Files and folders that no system sees: records and references.
    hidden: Vec<PathBuf>,
    /// Files and folders that a system sees only as far as they are its own: all systems' models, the folders of
    /// campaigns.
    owned: Vec<PathBuf>,
    /// Reason why this host has no sandbox; `None` if it has one.
    pub fault: Option<SandboxFault>,
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
        let tried = |options: Vec<String>| {
            let trial =
                Command::new(BWRAP).args(["--ro-bind", "/", "/"]).args(options).args(["--", "true"]).output();
            match trial {
                Ok(output) if output.status.success() => None,
                Ok(output) => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    Some(Self::Failed(said.lines().next().unwrap_or("no message").to_owned()))
                }
                Err(_) => Some(Self::Missing),
            }
        };
        let has_users = *HAS_USERS.get_or_init(|| tried(namespaces(true, false)).is_none());
        if has_users { None } else { tried(namespaces(false, false)) }
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

    /// Arguments of bubblewrap for `system`, which may write to `reports` alone.
    pub(crate) fn arguments(&self, system: &System, reports: &[PathBuf]) -> Vec<String> {
        if let Some(places) = &system.places {
            return self.with_places(places, system);
        }
        let mut mounts = self.mounts(system);
        reports.iter().for_each(|report| mounts.lend(report));
        if let Some(folder) = folder(system) {
            mounts.add(words("--chdir", &[&folder]));
        }
        mounts.sealed()
    }

    /// First path in `text` that the host has, and that `system` should name to see it: a word that is a path, or
    /// the name of a program. `text` is what the system said at its end.
    pub(crate) fn unseen(&self, system: &System, text: &str) -> Option<PathBuf> {
        if system.places.is_some() {
            return None;
        }
        let (folder, path, mounts) = (folder(system)?, search_path(system), self.mounts(system));
        let others = self.owned.iter().filter(|other| !folder.starts_with(other)).chain(&self.hidden);
        let is_secret = |path: &Path| others.clone().any(|other| path.starts_with(other));
        let is_everybodys =
            |path: &Path| path == Path::new(PRIVATE) || OWN.iter().any(|own| path.starts_with(own));
        let is_unseen = |path: &PathBuf| {
            !mounts.shows(path) && !folder.starts_with(path) && !is_secret(path) && !is_everybodys(path)
        };
        let found = |word: &str| {
            let file = Some(folder.join(word)).filter(|file| file.exists());
            file.or_else(|| program(word, &folder, &path))?.canonicalize().ok()
        };
        let ends = |c: char| c.is_whitespace() || "'\"`,:;()[]".contains(c);
        text.split(ends).filter(|word| !word.is_empty()).filter_map(found).find(is_unseen)
    }

    fn mounts(&self, system: &System) -> Mounts {
        let mut mounts = Mounts::of_host();
        mounts.add(namespaces_here(false));
        let (paths, resolutions) = paths_and_resolutions(system);
        for (path, view) in self.views(system, &paths, &resolutions) {
            match view {
                View::Passage => mounts.pass(&path),
                View::Private => mounts.empty(&path),
                View::Others | View::Hidden => mounts.hide(&path),
                View::Visible => mounts.show(&path),
            }
        }
        for (place, target) in missing_links(&mounts, &resolutions) {
            mounts.add(words("--symlink", &[&target, &place]));
        }
        mounts
    }

    fn with_places(&self, places: &Places, system: &System) -> Vec<String> {
        let mut mounts = places.root.as_deref().map_or_else(Mounts::of_host, Mounts::of_root);
        mounts.add(namespaces_here(false));
        let of_image = PRIVATE_IN_IMAGES.iter().filter(|_| places.root.is_some());
        let private = [&PRIVATE].into_iter().chain(of_image).map(Path::new);
        private.filter(|path| places.on_host(path).exists()).for_each(|path| mounts.empty(path));
        self.owned.iter().chain(&self.hidden).for_each(|path| mounts.hide(path));
        let at_places = places.mounts.iter().flat_map(|(from, at)| words("--ro-bind", &[from, at]));
        mounts.add(at_places);
        let seen = |path: &PathBuf| Some(cover(path, &places.seen(path)?));
        mounts.add(self.hidden.iter().filter_map(seen).flatten());
        mounts.add(words("--chdir", &[system.folder.as_deref().unwrap_or(Path::new("/"))]));
        mounts.sealed()
    }

    /// What becomes of each path. Later paths lie deeper and win; what is hidden wins over what is visible.
    fn views(&self, system: &System, paths: &[PathBuf], resolutions: &[Resolution]) -> Vec<(PathBuf, View)> {
        let private = [(PathBuf::from(PRIVATE), View::Private)];
        let passages = resolutions
            .iter()
            .flat_map(|resolution| resolution.left.clone())
            .chain(folder(system))
            .chain(home());
        let passages = passages.map(|path| (path, View::Passage));
        let own = paths.iter().filter_map(|path| Some((path.canonicalize().ok()?, View::Visible)));
        let others = self.owned.iter().map(|path| (path.clone(), View::Others));
        let hidden = self.hidden.iter().map(|path| (path.clone(), View::Hidden));
        let all = private.into_iter().chain(others).chain(passages).chain(own).chain(hidden);
        let there = all.filter(|(path, _)| path.exists());
        there.sorted_by_key(|(path, view)| (path.components().count(), *view)).dedup().collect()
    }
}

/// Arguments of bubblewrap for a program that may write to `folder`, in which it starts, and sees none of the
/// files `hidden`. `online` lets it use the host's network.
pub fn setup_arguments(folder: &Path, hidden: &[PathBuf], online: bool) -> Vec<String> {
    let mut mounts = Mounts::of_host();
    mounts.add(namespaces_here(online));
    if let Some((from, at)) = name_servers().filter(|_| online) {
        mounts.add(words("--ro-bind", &[&from, &at]));
    }
    mounts.empty(Path::new(PRIVATE));
    mounts.lend(folder);
    hidden.iter().filter_map(|path| path.canonicalize().ok()).for_each(|path| mounts.hide(&path));
    mounts.add(words("--chdir", &[folder]));
    mounts.sealed()
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

/// Links that a sandbox with these mounts lacks: those in folders that don't show the host's files.
fn missing_links(mounts: &Mounts, resolutions: &[Resolution]) -> BTreeSet<(PathBuf, PathBuf)> {
    let is_missing = |(place, _): &&(PathBuf, PathBuf)| {
        !mounts.holds_the_system(place) && place.parent().is_some_and(|parent| !mounts.shows(parent))
    };
    resolutions.iter().flat_map(|resolution| &resolution.links).filter(is_missing).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views_of(sandbox: &Sandbox, system: &System) -> Vec<(PathBuf, View)> {
        let (paths, resolutions) = paths_and_resolutions(system);
        sandbox.views(system, &paths, &resolutions)
    }

    fn shows(sandbox: &Sandbox, system: &System, path: &Path) -> bool {
        sandbox.mounts(system).shows(path)
    }

    #[test]
    fn a_system_sees_what_it_names_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        for name in
            ["work/model", "work/model/notes", "work/run", "work/.git", "work/src", "work/named", "other"]
        {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        for file in ["work/model/reference.de", "work/src/main.sh", "work/beside.sh"] {
            std::fs::write(path(file), "Ein Hund\n").unwrap();
        }
        let mut system = System::of_command("s", ["sh", "src/main.sh", "--lists=named", "."]);
        (system.folder, system.models) = (Some(path("work")), vec![path("work/model")]);
        let sandbox = Sandbox::new(
            &["work/model/reference.de", "absent"].map(path),
            &["other", "work/model", "work"].map(path),
        );
        for (name, visible) in [
            ("work/model/weights", true),
            ("work/src/helper.sh", true),
            ("work/named/list", true),
            ("work/model/reference.de", false),
            ("work/beside.sh", false),
            ("work/.git/HEAD", false),
            ("work/run/records.jsonl", false),
            ("other/model", false),
        ] {
            assert_eq!(shows(&sandbox, &system, &path(name)), visible, "{name}");
        }
        assert!(
            !shows(&sandbox, &system, Path::new("/tmp/state"))
                && shows(&sandbox, &system, Path::new("/usr/bin"))
        );
        let said = "sh: can't open './beside.sh': No such file";
        assert_eq!(sandbox.unseen(&system, said), Some(path("work/beside.sh")));
        assert_eq!(sandbox.unseen(&system, "cat: src/main.sh: of sh"), None);
        assert_eq!(sandbox.unseen(&system, &path("other").display().to_string()), None, "another's");
        system.parts = vec![path("work/beside.sh")];
        assert_eq!(sandbox.unseen(&system, said), None);
    }

    #[test]
    fn a_submissions_links_show_nothing_of_the_host() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("sub/model")).unwrap();
        std::fs::write(root.join("secret"), "").unwrap();
        std::os::unix::fs::symlink("../../secret", root.join("sub/model/weights")).unwrap();
        let mut system = System::of_command("s", ["sh"]);
        (system.folder, system.parts) = (Some(root.join("sub")), vec![root.join("sub")]);
        system.models = vec![root.join("sub/model")];
        let sandbox = Sandbox::new(&[], &[]);
        assert!(shows(&sandbox, &system, &root.join("secret")), "a model of the user's own");
        system.sized_by_sight = true;
        assert!(
            !shows(&sandbox, &system, &root.join("secret")) && shows(&sandbox, &system, &root.join("sub/x"))
        );
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
        for (name, visible) in [("python/lib", true), ("list", true), ("elsewhere", false)] {
            assert_eq!(shows(&sandbox, &system, &root.join(name)), visible, "{name}");
        }
    }

    #[test]
    fn root_may_do_no_more_than_others_and_only_setup_may_go_online() {
        let line = |arguments: Vec<String>| arguments.join(" ");
        let system = line(Sandbox::new(&[], &[]).arguments(&System::of_command("s", ["sh"]), &[]));
        let [offline, online] =
            [false, true].map(|online| line(setup_arguments(Path::new("/home/me/sub"), &[], online)));
        for line in [&system, &offline, &online] {
            assert!(line.contains("--cap-drop ALL") && line.contains("--new-session"), "{line}");
            assert!(!line.contains("--ro-bind / /"), "{line}");
        }
        assert!(system.contains("--unshare-net") && offline.contains("--unshare-net"));
        assert!(
            !online.contains("--unshare-net") && online.contains("--bind /home/me/sub /home/me/sub"),
            "{online}"
        );
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
        link("../data", "own/all");
        link("..", "own/around");
        let mut system = System::of_command("s", ["sh"]);
        system.models = vec![root.join("latest/weights"), root.join("own")];
        let (paths, resolutions) = paths_and_resolutions(&system);
        assert!(paths.contains(&root.join("own/weights")), "what a link in the model leads to is visible");
        assert!(paths.contains(&root.join("own/all")), "a folder, too");
        assert!(!paths.contains(&root.join("own/around")), "but not the one around the model");
        let links = missing_links(&Sandbox::new(&[], &[]).mounts(&system), &resolutions);
        let places: Vec<_> = links.into_iter().map(|(place, _)| place).collect();
        assert!(places.contains(&root.join("latest")), "{places:?}");
        assert!(!places.contains(&root.join("own/weights")), "the model's own folder has its link");
        assert!(!places.contains(&"/bin".into()), "a link of the root");
    }

    #[test]
    fn the_folder_to_start_in_is_there_even_if_it_isnt_the_systems() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let views = views_of(&Sandbox::new(&[], &[]), &System::of_command("s", ["sh"]));
        assert!(views.contains(&(here, View::Passage)), "{views:?}");
    }
}
