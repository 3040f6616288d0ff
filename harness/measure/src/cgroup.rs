//! A control group for one system, if the user has the right to make one. With it the kernel itself knows the
//! peak memory of a whole tree of processes, however short-lived they are.
//!
//! Only version 2 has delegation (systemd's `Delegate=yes`, `systemd-run --user --scope`, a container's own
//! name space). A group that holds processes can't give its memory controller to a child. The system's group
//! is therefore made beside the bench's own group first, then below it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::os;

/// A control group for one launch, removed when dropped.
pub struct Group {
    folder: PathBuf,
}

impl Group {
    /// A new group, if this process may make one that counts memory.
    pub fn create() -> Option<Self> {
        let folders = own_and_above();
        // Root may write everywhere, also where a service manager owns the groups.
        if os::is_root() && folders.len() > 1 {
            return None;
        }
        let (own, beside) = (folders.first(), folders.get(1));
        beside.into_iter().chain(own).find_map(|folder| Self::below(folder))
    }

    fn below(folder: &Path) -> Option<Self> {
        let group = Self { folder: folder.join(format!("dyno-{}", std::process::id())) };
        fs::create_dir(&group.folder).ok()?;
        // Without the memory controller the kernel makes no such file.
        group.folder.join("memory.peak").exists().then_some(group)
    }

    /// File of the group's processes: a process enters by writing "0".
    pub fn entry_file(&self) -> Option<File> {
        File::options().write(true).open(self.folder.join("cgroup.procs")).ok()
    }

    /// Caps the memory of all processes of the group together. Swapped memory is memory too.
    pub fn cap_memory(&self, bytes: u64) {
        // Where the kernel takes no limit, the supervisor's looks still find a system above it.
        let _ = fs::write(self.folder.join("memory.max"), bytes.to_string());
        let _ = fs::write(self.folder.join("memory.swap.max"), "0");
    }

    /// Whether the kernel ended a process because the group was at its cap.
    pub fn was_at_cap(&self) -> bool {
        let events = read(self.folder.join("memory.events"));
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.and_then(|kills| kills.trim().parse::<u64>().ok()).is_some_and(|kills| kills > 0)
    }

    /// CPU time of all processes of the group together, with those that no parent waited for.
    pub fn cpu_ns(&self) -> Option<u64> {
        let stat = read(self.folder.join("cpu.stat"));
        let used = stat.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
        Some(used.trim().parse::<u64>().ok()? * 1000)
    }

    /// Peak memory of all processes of the group together.
    pub fn peak_bytes(&self) -> Option<u64> {
        read(self.folder.join("memory.peak")).trim().parse().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The removal fails while a process is left. An empty group costs nothing.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Folders of this process's own group and of all groups above, up to the topmost.
pub fn own_and_above() -> Vec<PathBuf> {
    let (mounts, own) = (read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
    let Some((mount, own)) = mount_point(&mounts).zip(own_path(&own)) else { return Vec::new() };
    let own = mount.join(own.strip_prefix("/").unwrap_or(&own));
    own.ancestors().take_while(|folder| folder.starts_with(&mount)).map(Into::into).collect()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Mount point of version 2: proc_pid_mountinfo(5), fields behind the " - ".
fn mount_point(mountinfo: &str) -> Option<PathBuf> {
    let is_v2 = |line: &&str| line.split_once(" - ").is_some_and(|(_, rest)| rest.starts_with("cgroup2 "));
    mountinfo.lines().find(is_v2)?.split(' ').nth(4).map(Into::into)
}

/// Group of this process: cgroups(7), the line of hierarchy 0.
fn own_path(cgroup: &str) -> Option<PathBuf> {
    cgroup.lines().find_map(|line| line.strip_prefix("0::")).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_group_is_read_from_proc() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
                      31 23 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw\n";
        assert_eq!(mount_point(mounts).unwrap(), Path::new("/sys/fs/cgroup/unified"));
        assert_eq!(mount_point("30 23 0:26 / /proc rw - proc proc rw\n"), None);
        let own = own_path("4:memory:/a\n0::/user.slice/session-1.scope\n").unwrap();
        assert_eq!(own, Path::new("/user.slice/session-1.scope"));
    }

    #[test]
    fn a_cap_and_its_events_are_files_of_the_group() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group { folder: folder.path().to_owned() };
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
    fn a_folder_without_memory_controller_is_no_group_and_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Group::below(folder.path()).is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Group::below(&folder.path().join("absent")).is_none());
        assert!(own_and_above().iter().all(|folder| folder.is_dir()), "{:?}", own_and_above());
    }
}
