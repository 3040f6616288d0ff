//! A control group for one system, if the user has the right to make one. With it the kernel itself knows the
//! peak memory of a whole tree of processes, however short-lived they are, and what they hold in the kernel.
//!
//! Version 2 has delegation (systemd's `Delegate=yes`, `systemd-run --user --scope`, a container's own name
//! space). A group that holds processes can't give its memory controller to a child there. The system's group is
//! therefore made beside the bench's own group first, then below it. Version 1 knows no such rule.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::os::{self, number_behind, text_of};

/// Mounts that this process sees.
const MOUNTS: &str = "/proc/self/mountinfo";
/// Groups of this process.
const OWN_GROUPS: &str = "/proc/self/cgroup";

/// A control group for one launch, removed when dropped.
pub struct Group {
    folder: PathBuf,
    names: &'static Names,
    /// Most bytes of files in the group's cache at a look.
    most_cached: u64,
    /// Most bytes beside the cache at a look.
    most_held: u64,
}

/// Names of the files of a version's memory controller.
#[derive(Debug)]
struct Names {
    limit: &'static str,
    /// Limit of swapped memory, and whether it is that of all memory.
    swap_limit: (&'static str, bool),
    usage: &'static str,
    peak: &'static str,
    events: &'static str,
    /// Beginning of the fields of `memory.stat` that count groups below, too.
    of_all: &'static str,
}

const VERSION_1: Names = Names {
    limit: "memory.limit_in_bytes",
    swap_limit: ("memory.memsw.limit_in_bytes", true),
    usage: "memory.usage_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
    of_all: "total_",
};
const VERSION_2: Names = Names {
    limit: "memory.max",
    swap_limit: ("memory.swap.max", false),
    usage: "memory.current",
    peak: "memory.peak",
    events: "memory.events",
    of_all: "",
};

impl Group {
    /// A new group, if this process may make one that counts memory.
    pub fn create() -> Option<Self> {
        let folders = own_and_above();
        // Root may write everywhere, also where a service manager owns the groups.
        let is_ones_own = |depth: usize| depth <= 1 || os::user() != 0;
        let candidates = folders.get(1).into_iter().chain(folders.first());
        let mut candidates = candidates.filter(|_| is_ones_own(folders.len()));
        candidates.find_map(|folder| Self::below(folder, &VERSION_2)).or_else(|| {
            let (mount, path) = in_version_1(&text_of(MOUNTS), &text_of(OWN_GROUPS))?;
            is_ones_own(1 + path.components().count()).then(|| Self::below(&mount.join(path), &VERSION_1))?
        })
    }

    fn below(folder: &Path, names: &'static Names) -> Option<Self> {
        let group = Self::at(folder.join(format!("dyno-{}", std::process::id())), names);
        fs::create_dir(&group.folder).ok()?;
        // Without the memory controller the kernel makes no such file.
        group.folder.join(names.peak).exists().then_some(group)
    }

    const fn at(folder: PathBuf, names: &'static Names) -> Self {
        Self { folder, names, most_cached: 0, most_held: 0 }
    }

    /// File of the group's processes: a process enters by writing "0".
    pub fn entry_file(&self) -> Option<File> {
        File::options().write(true).open(self.folder.join("cgroup.procs")).ok()
    }

    /// Caps the memory of all processes of the group together. Swapped memory is memory too.
    pub fn cap_memory(&self, bytes: u64) {
        let (swap_limit, is_of_all) = self.names.swap_limit;
        // Where the kernel takes no limit, the supervisor's looks still find a system above it.
        let _ = fs::write(self.folder.join(self.names.limit), bytes.to_string());
        let _ = fs::write(self.folder.join(swap_limit), if is_of_all { bytes } else { 0 }.to_string());
    }

    /// Whether the kernel ended a process because the group was at its cap.
    pub fn was_at_cap(&self) -> bool {
        let events = text_of(self.folder.join(self.names.events));
        number_behind(&events, "oom_kill ").is_some_and(|kills| kills > 0)
    }

    /// CPU time of all processes of the group together, with those that no parent waited for.
    pub fn cpu_ns(&self) -> Option<u64> {
        number_behind(&text_of(self.folder.join("cpu.stat")), "usage_usec ").map(|used| used * 1000)
    }

    /// Looks at what the group holds, and at the files in its cache.
    pub fn look(&mut self) {
        let cached = self.cached_bytes();
        let used = self.number(self.names.usage).unwrap_or(0);
        self.most_cached = self.most_cached.max(cached);
        self.most_held = self.most_held.max(used.saturating_sub(cached));
    }

    /// Peak memory of all processes of the group together, with what they hold in the kernel. Files in the cache,
    /// which the group was the first to read, are no memory of the system: the peak counts less the most of them.
    pub fn peak_bytes(&self) -> Option<u64> {
        let beside_files =
            self.number(self.names.peak)?.saturating_sub(self.most_cached.max(self.cached_bytes()));
        Some(beside_files.max(self.most_held))
    }

    fn cached_bytes(&self) -> u64 {
        cached_in(&text_of(self.folder.join("memory.stat")), self.names.of_all)
    }

    fn number(&self, name: &str) -> Option<u64> {
        text_of(self.folder.join(name)).trim().parse().ok()
    }
}

/// Bytes of files in the cache, by the text of `memory.stat`, whose fields begin with `of_all`.
pub fn cached_in(stat: &str, of_all: &str) -> u64 {
    let is_file = |name: &str| matches!(name.strip_prefix(of_all), Some("inactive_file" | "active_file"));
    let fields = stat.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| is_file(name));
    fields.filter_map(|(_, bytes)| bytes.parse().ok()).fold(0, u64::saturating_add)
}

impl Drop for Group {
    fn drop(&mut self) {
        // The removal fails while a process is left. An empty group costs nothing.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Folders of this process's own group and of all groups above, up to the topmost.
pub fn own_and_above() -> Vec<PathBuf> {
    in_version_2(&text_of(MOUNTS), &text_of(OWN_GROUPS))
}

/// As [`own_and_above`], by the texts of `mountinfo` and `cgroup`. Fields behind the " - " name the type of a
/// mount, the fifth one its place (proc_pid_mountinfo(5)). The line of hierarchy 0 has this process's group
/// (cgroups(7)).
pub fn in_version_2(mountinfo: &str, cgroup: &str) -> Vec<PathBuf> {
    let is_v2 = |line: &&str| line.split_once(" - ").is_some_and(|(_, rest)| rest.starts_with("cgroup2 "));
    let mount = mountinfo.lines().find(is_v2).and_then(|line| line.split(' ').nth(4)).map(Path::new);
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::")).map(Path::new);
    let Some((mount, own)) = mount.zip(own) else { return Vec::new() };
    let own = mount.join(own.strip_prefix("/").unwrap_or(own));
    own.ancestors().take_while(|folder| folder.starts_with(mount)).map(Into::into).collect()
}

/// Mount point of version 1's memory controller, and the path of this process's group below it: fields behind the
/// " - " name type and controllers, the fourth one the group at the mount point.
pub fn in_version_1(mountinfo: &str, cgroup: &str) -> Option<(PathBuf, PathBuf)> {
    let has_memory = |controllers: &str| controllers.split(',').any(|name| name == "memory");
    let is_v1 = |line: &&str| {
        let rest = line.split_once(" - ").and_then(|(_, rest)| rest.strip_prefix("cgroup "));
        rest.and_then(|rest| rest.rsplit(' ').next()).is_some_and(has_memory)
    };
    let fields: Vec<&str> = mountinfo.lines().find(is_v1)?.split(' ').collect();
    let group = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
            .filter(|(controllers, _)| has_memory(controllers))
            .map(|(_, path)| path.to_owned())
    };
    let own = cgroup.lines().find_map(group)?;
    Some((fields.get(4)?.into(), Path::new(&own).strip_prefix(fields.get(3)?).ok()?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_group_is_read_from_proc() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
                      31 23 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw\n";
        let own = "4:memory:/a\n0::/user.slice/session-1.scope\n";
        let folders = ["/user.slice/session-1.scope", "/user.slice", ""]
            .map(|group| PathBuf::from(format!("/sys/fs/cgroup/unified{group}")));
        assert_eq!(in_version_2(mounts, own), folders);
        assert!(in_version_2("30 23 0:26 / /proc rw - proc proc rw\n", own).is_empty());
        assert!(in_version_2(mounts, "4:memory:/a\n").is_empty());
    }

    #[test]
    fn a_cap_and_its_events_are_files_of_the_group() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group::at(folder.path().to_owned(), &VERSION_2);
        group.cap_memory(5 << 20);
        let written = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((written("memory.max"), written("memory.swap.max")), ("5242880".into(), "0".into()));
        assert!(!group.was_at_cap());
        for (events, expected) in [("max 3\noom 1\noom_kill 0\n", false), ("oom 1\noom_kill 2\n", true)] {
            fs::write(folder.path().join("memory.events"), events).unwrap();
            assert_eq!(group.was_at_cap(), expected, "{events}");
        }
    }

    #[test]
    fn the_peak_holds_all_but_the_files_in_the_cache() {
        let (folder, mib) = (tempfile::tempdir().unwrap(), 1 << 20);
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        let holds = |names: &Names, used: u64, cached: u64, peak: u64| {
            let of_all = names.of_all;
            write(names.usage, (used * mib).to_string());
            write(names.peak, format!("{}\n", peak * mib));
            write(
                "memory.stat",
                format!("anon 7\n{of_all}inactive_file {}\n{of_all}active_file 0\n", cached * mib),
            );
        };
        for names in [&VERSION_1, &VERSION_2] {
            let mut group = Group::at(folder.path().to_owned(), names);
            holds(names, 60, 40, 90);
            group.look();
            assert_eq!(group.peak_bytes(), Some(50 * mib), "a peak between two looks");
            holds(names, 250, 10, 251);
            group.look();
            holds(names, 300, 300, 300);
            assert_eq!(group.peak_bytes(), Some(240 * mib), "reading files later lowers nothing");
            std::mem::forget(group);
        }
    }

    #[test]
    fn the_group_of_version_1_is_found_below_its_mount_point() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n\
                      31 23 0:27 /box /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
                      32 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let found = |own: &str| in_version_1(mounts, own).map(|(mount, path)| mount.join(path));
        assert_eq!(
            found("5:cpu,cpuacct:/\n4:memory:/box/in\n0::/\n").unwrap(),
            Path::new("/sys/fs/cgroup/memory/in")
        );
        assert_eq!(found("4:memory:/elsewhere\n"), None);
        assert_eq!(in_version_1("30 23 0:26 / /proc rw - proc proc rw\n", "4:memory:/\n"), None);
    }

    #[test]
    fn a_folder_without_memory_controller_is_no_group_and_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Group::below(folder.path(), &VERSION_2).is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Group::below(&folder.path().join("absent"), &VERSION_1).is_none());
        assert!(own_and_above().iter().all(|folder| folder.is_dir()), "{:?}", own_and_above());
    }
}
