//! Large files that a system's processes hold: content that their memory doesn't show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::messages::SeenFile;
use crate::os::odd_memory::{huge_page_bytes, segments_of, touched_shared_bytes};
use crate::os::opened::{Opened, allocated_bytes, descriptors_of, key, mapped_by};
use crate::rules::limits::HIDDEN_BYTES;

/// Folders of the operating system, whose files belong to no system.
const SYSTEM_FOLDERS: [&str; 13] = [
    "/bin", "/boot", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/sbin", "/snap", "/sys",
    "/usr",
];
/// Names of folders that hold packages of a language.
const PACKAGES: [&str; 3] = ["site-packages", "dist-packages", "node_modules"];
/// Folders of an installed interpreter, beside its `bin`.
const OF_AN_INTERPRETER: [&str; 3] = ["lib", "lib64", "share"];
/// Looks after which a process forbids them on purpose. A process that starts a program forbids them for a
/// moment, as the supervisor does itself; on a busy host the moment may be long.
const FORBIDDEN_LOOKS: u32 = 8;
/// Most files that a report names.
const MOST_FILES: usize = 64;

/// The large files that the looks at a tree have shown.
pub(super) struct SeenFiles {
    launched: SystemTime,
    /// Standard input and output of the system, which are the bench's.
    streams: Vec<(u64, u64)>,
    looks: u64,
    /// Files that are read, by device and inode.
    read: BTreeMap<(u64, u64), SeenFile>,
    /// Files that the system declares or names, which are no memory wherever they lie.
    declared: Vec<PathBuf>,
    /// Path of each file in shared memory that was open or mapped at some look, by device and inode.
    shared: BTreeMap<(u64, u64), PathBuf>,
    /// Most bytes of shared memory that processes held without mapping them.
    pub hidden_memory_bytes: u64,
    /// Whether a process forbade looks at its files.
    pub forbids_looks: bool,
    /// Processes that forbid looks, each with the looks that it forbade.
    forbidding: BTreeMap<u32, u32>,
    /// Numbers of all processes that were seen: their System V segments outlive them.
    pids: BTreeSet<u32>,
}

impl SeenFiles {
    /// Begins to look at a system that is about to be launched on this process's standard input and output,
    /// and that declares or names these files and folders.
    pub fn begin(declared: &[PathBuf]) -> Self {
        Self {
            launched: SystemTime::now(),
            streams: [0, 1].iter().filter_map(stream).collect(),
            looks: 0,
            read: BTreeMap::new(),
            declared: declared.to_vec(),
            shared: BTreeMap::new(),
            hidden_memory_bytes: 0,
            forbids_looks: false,
            forbidding: BTreeMap::new(),
            pids: BTreeSet::new(),
        }
    }

    /// Looks at the processes `pids`. Reading a map takes the process's lock on it, so that maps are read at
    /// the first, second, fourth, eighth … look alone.
    pub fn look(&mut self, pids: &[u32]) {
        self.looks += 1;
        let reads_maps = self.looks.is_power_of_two();
        let mut held = BTreeMap::new();
        for &pid in pids {
            let folders = interpreter_folders(pid);
            let mapped = if reads_maps { mapped_by(pid, HIDDEN_BYTES) } else { Vec::new() };
            let open = descriptors_of(pid, HIDDEN_BYTES).unwrap_or_else(|_| self.was_forbidden(pid));
            for file in open.into_iter().chain(mapped) {
                if self.is_memory(&file) {
                    self.shared.insert(file.key, file.path.clone());
                    held.insert(file.key, file.allocated_bytes);
                }
                if self.is_foreign(&file) && !folders.iter().any(|folder| file.path.starts_with(folder)) {
                    self.keep(file);
                }
            }
        }
        let still_there = pids.first().map(|pid| self.still_there(&format!("/proc/{pid}/root")));
        held.extend(still_there.unwrap_or_default());
        self.pids.extend(pids);
        self.judge(held.values().sum(), pids);
    }

    /// Counts a look that `pid` forbade; no file was seen.
    fn was_forbidden(&mut self, pid: u32) -> Vec<Opened> {
        let looks = self.forbidding.entry(pid).or_default();
        *looks += 1;
        self.forbids_looks |= *looks >= FORBIDDEN_LOOKS;
        Vec::new()
    }

    /// Whether a file is memory of the system's own.
    fn is_memory(&self, file: &Opened) -> bool {
        let is_named = self.declared.iter().any(|path| file.path.starts_with(path));
        file.is_shared && !is_named && !self.streams.contains(&file.key)
    }

    /// Looks once more after the last process has ended: what is there now would be there in the next launch.
    pub fn look_after_the_end(&mut self) {
        let held = self.still_there("");
        self.judge(held.into_iter().map(|(_, bytes)| bytes).sum(), &[]);
    }

    /// Compares what `pids` hold in files, segments and huge pages with what the peak of their memory holds
    /// of it.
    fn judge(&mut self, in_files: u64, pids: &[u32]) {
        let huge: u64 = pids.iter().map(|&pid| huge_page_bytes(pid)).sum();
        let held = in_files + segments_of(&self.pids.iter().copied().collect::<Vec<_>>());
        let touched = if held >= HIDDEN_BYTES { touched_shared_bytes(pids) } else { 0 };
        self.hidden_memory_bytes = self.hidden_memory_bytes.max(held.saturating_sub(touched) + huge);
    }

    /// Files in shared memory that were open at an earlier look, and still are where they were below `root`.
    /// They hold their bytes, also while they are closed.
    fn still_there(&self, root: &str) -> Vec<((u64, u64), u64)> {
        let file = |(known, path): (&(u64, u64), &PathBuf)| {
            let data = fs::metadata(format!("{root}{}", path.display())).ok()?;
            (key(&data) == *known).then(|| (*known, allocated_bytes(&data)))
        };
        self.shared.iter().filter_map(file).collect()
    }

    /// Whether a file was there before the launch, is only read, and belongs to no system folder.
    fn is_foreign(&self, file: &Opened) -> bool {
        let is_older = file.made.is_none_or(|made| made < self.launched);
        is_older && !file.is_written && !self.streams.contains(&file.key) && !is_of_the_system(&file.path)
    }

    fn keep(&mut self, file: Opened) {
        if self.read.len() < MOST_FILES {
            self.read.insert(file.key, SeenFile { path: file.path, bytes: file.bytes });
        }
    }

    /// The files that were read.
    pub fn read(&self) -> Vec<SeenFile> {
        self.read.values().cloned().collect()
    }
}

fn stream(fd: &i32) -> Option<(u64, u64)> {
    fs::metadata(format!("/proc/self/fd/{fd}")).ok().map(|data| key(&data))
}

fn is_of_the_system(path: &Path) -> bool {
    let is_package = |part: std::path::Component<'_>| PACKAGES.iter().any(|name| part.as_os_str() == *name);
    SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder)) || path.components().any(is_package)
}

/// Folders beside the program of `pid`, if it lies in a folder `bin`: those of an installed interpreter.
fn interpreter_folders(pid: u32) -> Vec<PathBuf> {
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let bin = program.parent().filter(|bin| bin.ends_with("bin"));
    let prefix = bin.and_then(Path::parent).into_iter();
    prefix.flat_map(|prefix| OF_AN_INTERPRETER.map(|name| prefix.join(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Opened {
        let made = Some(SystemTime::UNIX_EPOCH);
        Opened {
            path: path.into(),
            key: (1, 2),
            bytes: 5 << 20,
            allocated_bytes: 0,
            is_shared: false,
            is_written: false,
            made,
        }
    }

    #[test]
    fn a_file_in_shared_memory_counts_while_it_is_there_unless_it_is_the_model() {
        let named = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        fs::write(named.path(), vec![1; 3 << 20]).unwrap();
        let (mut seen, pids) = (SeenFiles::begin(&[]), [std::process::id()]);
        seen.look(&pids);
        assert!(seen.hidden_memory_bytes >= 3 << 20, "open: {}", seen.hidden_memory_bytes);
        let path = named.into_temp_path();
        seen.hidden_memory_bytes = 0;
        seen.look(&pids);
        assert!(seen.hidden_memory_bytes >= 3 << 20, "closed: {}", seen.hidden_memory_bytes);
        let reopened = fs::File::open(&path).unwrap();
        let mut declaring = SeenFiles::begin(&[path.to_path_buf()]);
        declaring.look(&pids);
        assert_eq!(declaring.hidden_memory_bytes, 0, "the declared model");
        drop((reopened, path));
        seen.hidden_memory_bytes = 0;
        seen.look(&pids);
        assert_eq!(seen.hidden_memory_bytes, 0, "removed");
    }

    #[test]
    fn only_older_files_that_are_read_and_no_parts_of_programs_are_foreign() {
        let seen = SeenFiles { streams: vec![(7, 7)], ..SeenFiles::begin(&[]) };
        for path in ["/home/me/real.bin", "/dev/shm/weights", "/tmp/x", "/memfd:w (deleted)", "/opt/model"] {
            assert!(seen.is_foreign(&file(path)), "{path}");
        }
        for path in ["/usr/lib/locale/locale-archive", "/home/me/venv/lib/python3/site-packages/a/b.dat"] {
            assert!(!seen.is_foreign(&file(path)), "{path}");
        }
        let new = Opened { made: Some(seen.launched), ..file("/tmp/x") };
        let written = Opened { is_written: true, ..file("/tmp/x") };
        let input = Opened { key: (7, 7), ..file("/tmp/input.txt") };
        assert!(![new, written, input].iter().any(|file| seen.is_foreign(file)));
    }
}
