//! Files that a system's processes hold, and bytes in the kernel: content that their memory doesn't show.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use dyno_record::Usage;
use dyno_record::rules::limits::HIDDEN_BYTES;

use super::hidden::Hidden;
use super::messages::SeenFile;
use crate::os::buffers::buffered_bytes;
use crate::os::odd_memory::{Status, segments_in, touched_in};
use crate::os::opened::{Open, Opened, allocated_bytes, descriptors_of, key, mapped_by};
use crate::os::text_of;
use crate::os::tree::{running_ns, taken_ns};

/// Folders of the operating system, whose files belong to no system.
const SYSTEM_FOLDERS: [&str; 13] = [
    "/bin", "/boot", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/sbin", "/snap", "/sys",
    "/usr",
];
/// Names of folders that hold packages of a language.
const PACKAGES: [&str; 3] = ["site-packages", "dist-packages", "node_modules"];
/// Folders of an installed interpreter, beside its `bin`.
const OF_AN_INTERPRETER: [&str; 3] = ["lib", "lib64", "share"];
/// Looks after which a process forbids them on purpose, once it has run for longer than `SET_UP_NS`.
pub const FORBIDDEN_LOOKS: u32 = 8;
/// CPU time of a process before it starts a program. It forbids looks meanwhile, as the supervisor does itself.
/// bubblewrap takes less than a millisecond, which may last for half a second on a busy host.
const SET_UP_NS: u64 = 5_000_000;
/// Looks after which a process forbids them on purpose although it has hardly run: three seconds, on average.
pub const FORBIDDEN_LOOKS_AT_REST: u32 = 64;
/// Most files that a report names: more than the parts of any model, and than a system has reason to open beside it.
const MOST_FILES: usize = 4096;

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
    /// Places of parts that the system brings, as it sees them.
    parts: Vec<PathBuf>,
    /// The system's own files in memory that were open or mapped at some look, by device and inode, with the bytes that
    /// each occupied at the last one.
    in_memory: BTreeMap<(u64, u64), Opened>,
    hidden: Hidden,
    /// Processes that forbid looks, each with the looks that it forbade.
    forbidding: BTreeMap<u32, u32>,
    /// Numbers of all processes that were seen: their System V segments outlive them.
    pids: BTreeSet<u32>,
}

impl SeenFiles {
    /// Begins to look at a system that is about to be launched on this process's standard input and output,
    /// that declares or names these files and folders, and that brings `parts`.
    pub fn begin(declared: &[PathBuf], parts: &[PathBuf]) -> Self {
        let streams = [0, 1].into_iter().filter_map(|fd| fs::metadata(format!("/proc/self/fd/{fd}")).ok());
        Self {
            launched: SystemTime::now(),
            streams: streams.map(|data| key(&data)).collect(),
            looks: 0,
            read: BTreeMap::new(),
            declared: declared.to_vec(),
            parts: parts.to_vec(),
            in_memory: BTreeMap::new(),
            hidden: Hidden::default(),
            forbidding: BTreeMap::new(),
            pids: BTreeSet::new(),
        }
    }

    /// Looks at a system's processes. Returns the bytes that they hold beside their own memory: in files in memory,
    /// segments, messages, huge pages, pipes and sockets. Reading a map takes the process's lock on it, so that maps
    /// are read at the first, second, fourth, eighth … look alone.
    pub fn look(&mut self, processes: &[Status], usage: &mut Usage) -> u64 {
        self.looks += 1;
        let reads_maps = self.looks.is_power_of_two();
        let (mut buffers, mut open_now) = (Vec::new(), BTreeSet::new());
        for process in processes {
            let thread = process.shown_by;
            let folders = interpreter_folders(thread);
            let mapped = if reads_maps { mapped_by(thread, HIDDEN_BYTES) } else { Vec::new() };
            let open = descriptors_of(thread, HIDDEN_BYTES)
                .unwrap_or_else(|_| self.was_forbidden(process.pid, ran_ns(process.pid)));
            usage.forbids_looks |= open.hides_files;
            buffers.extend(open.buffers.into_iter().filter(|buffer| !self.streams.contains(&buffer.key)));
            for file in open.files.into_iter().chain(mapped) {
                if self.is_memory(&file) {
                    open_now.insert(file.key);
                    self.in_memory.insert(file.key, file.clone());
                }
                if self.is_foreign(&file) && !folders.iter().any(|folder| file.path.starts_with(folder)) {
                    self.keep(file);
                }
            }
        }
        let threads: Vec<u32> = processes.iter().map(|process| process.shown_by).collect();
        let roots: Vec<String> = threads.iter().map(|thread| format!("/proc/{thread}/root")).collect();
        self.in_memory.retain(|key, file| open_now.contains(key) || is_still_there(file, &roots));
        self.pids.extend(processes.iter().map(|process| process.pid));
        let huge = processes.iter().map(Status::huge_page_bytes).sum();
        self.untouched(&threads, huge) + buffered_bytes(&buffers)
    }

    /// Counts a look that `pid` forbade, which has run for `ran_ns`; nothing was seen, but perhaps that it hides its
    /// files.
    fn was_forbidden(&mut self, pid: u32, ran_ns: u64) -> Open {
        let looks = self.forbidding.entry(pid).or_default();
        *looks += 1;
        let most = if ran_ns > SET_UP_NS { FORBIDDEN_LOOKS } else { FORBIDDEN_LOOKS_AT_REST };
        Open { hides_files: *looks >= most, ..Open::default() }
    }

    fn is_memory(&self, file: &Opened) -> bool {
        let is_named = self.declared.iter().any(|path| file.path.starts_with(path));
        let is_own = file.is_in_memory && (file.is_written || !self.is_older(file));
        (file.is_shared || is_own) && !is_named && !self.streams.contains(&file.key)
    }

    /// Looks once more after the last process has ended: what is there now would be there in the next launch.
    pub fn look_after_the_end(&mut self, usage: &mut Usage) {
        self.in_memory.retain(|_, file| is_still_there(file, &[String::new()]));
        self.untouched(&[], 0);
        usage.hidden_memory_bytes = self.hidden.most_bytes();
    }

    /// Bytes of files in memory and of segments, less those that the processes have mapped and touched, with `huge`
    /// ones. Hidden are files in shared memory alone: programs put temporary files into other folders too.
    fn untouched(&mut self, threads: &[u32], huge: u64) -> u64 {
        let files: BTreeMap<_, _> =
            self.in_memory.iter().map(|(&key, file)| (key, file.allocated_bytes)).collect();
        let pids: Vec<u32> = self.pids.iter().copied().collect();
        let segments = segments_in(&text_of("/proc/sysvipc/shm"), &text_of("/proc/sysvipc/msg"), &pids);
        let held = files.values().sum::<u64>() + segments;
        let looked_at = threads.iter().filter(|_| held >= HIDDEN_BYTES);
        let maps: String = looked_at.map(|thread| text_of(format!("/proc/{thread}/smaps"))).collect();
        let touched = touched_in(&maps, |file| files.contains_key(file));
        let of_segments: u64 =
            touched.iter().filter(|(key, _)| !files.contains_key(key)).map(|(_, bytes)| bytes).sum();
        let shared = files.into_iter().filter(|(key, _)| self.in_memory[key].is_shared).collect();
        self.hidden.add(shared, touched.keys().copied(), segments.saturating_sub(of_segments) + huge);
        held.saturating_sub(touched.values().sum()) + huge
    }

    fn is_older(&self, file: &Opened) -> bool {
        file.made.is_none_or(|made| made < self.launched)
    }

    /// Whether a file was there before the launch, is only read, and belongs to no system folder.
    fn is_foreign(&self, file: &Opened) -> bool {
        self.is_older(file)
            && !file.is_written
            && !self.streams.contains(&file.key)
            && !self.is_of_the_system(&file.path)
    }

    /// Whether a file belongs to the operating system of the host, or to a package. A part that the system brings may
    /// lie at a place in such a folder.
    fn is_of_the_system(&self, path: &Path) -> bool {
        let is_package = |part: Component<'_>| PACKAGES.iter().any(|name| part.as_os_str() == *name);
        let is_below = |folder: &&str| path.starts_with(folder);
        let is_own = self.parts.iter().any(|part| path.starts_with(part));
        path.components().any(is_package) || !is_own && SYSTEM_FOLDERS.iter().any(is_below)
    }

    fn keep(&mut self, file: Opened) {
        if self.read.len() < MOST_FILES && file.bytes >= HIDDEN_BYTES {
            self.read.insert(file.key, SeenFile { path: file.path.into(), bytes: file.bytes });
        }
    }

    /// The files that were read.
    pub fn read(&self) -> Vec<SeenFile> {
        self.read.values().cloned().collect()
    }
}

/// CPU time of a process so far, in nanoseconds. The ticks have that of threads that have ended.
fn ran_ns(pid: u32) -> u64 {
    running_ns(&[pid]).max(taken_ns(&[pid]))
}

/// Whether a file still is where it was, below one of `roots`. It holds its bytes also while it is closed.
fn is_still_there(file: &mut Opened, roots: &[String]) -> bool {
    let path = file.path.as_os_str().as_bytes();
    let data = |root: &String| fs::metadata(OsStr::from_bytes(&[root.as_bytes(), path].concat())).ok();
    let found = roots.iter().filter_map(data).find(|data| key(data) == file.key);
    file.allocated_bytes = found.as_ref().map_or(0, allocated_bytes);
    found.is_some()
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
            is_in_memory: false,
            is_written: false,
            made,
        }
    }

    #[test]
    fn a_file_in_shared_memory_counts_while_it_is_there_unless_it_is_mapped_or_the_model() {
        let named = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        fs::write(named.path(), vec![1; 3 << 20]).unwrap();
        let own = [Status::of(std::process::id())];
        let looks = |seen: &mut SeenFiles| {
            let beside: Vec<u64> = (0..3).map(|_| seen.look(&own, &mut Usage::default())).collect();
            (beside, seen.hidden.most_bytes())
        };
        let mut seen = SeenFiles::begin(&[], &[]);
        let (beside, hidden) = looks(&mut seen);
        assert!(beside[0] >= 3 << 20, "it is memory beside that of the process");
        assert!(hidden >= 3 << 20, "open: {hidden}");
        let path = named.into_temp_path();
        seen.hidden = Hidden::default();
        let (_, hidden) = looks(&mut seen);
        assert!(hidden >= 3 << 20, "closed: {hidden}");
        let reopened = fs::File::open(&path).unwrap();
        assert_eq!(looks(&mut SeenFiles::begin(&[path.to_path_buf()], &[])).1, 0, "the declared model");
        drop((reopened, path));
        seen.hidden = Hidden::default();
        assert_eq!(looks(&mut seen).1, 0, "removed");
    }

    #[test]
    fn looks_are_forbidden_on_purpose_by_a_process_that_works_or_for_long() {
        let after = |ran_ns| {
            let mut seen = SeenFiles::begin(&[], &[]);
            (1..=99).find(|_| seen.was_forbidden(7, ran_ns).hides_files)
        };
        assert_eq!(after(SET_UP_NS + 1), Some(FORBIDDEN_LOOKS), "it has loaded something");
        assert_eq!(after(500_000), Some(FORBIDDEN_LOOKS_AT_REST), "it waits for a core to start a program");
    }

    #[test]
    fn only_older_files_that_are_read_and_no_parts_of_programs_are_foreign() {
        let seen = SeenFiles { streams: vec![(7, 7)], ..SeenFiles::begin(&[], &[]) };
        for path in ["/home/me/real.bin", "/dev/shm/weights", "/tmp/x", "/memfd:w (deleted)", "/opt/model"] {
            assert!(seen.is_foreign(&file(path)), "{path}");
        }
        for path in ["/usr/lib/locale/locale-archive", "/home/me/venv/lib/python3/site-packages/a/b.dat"] {
            assert!(!seen.is_foreign(&file(path)), "{path}");
        }
        let brought = SeenFiles::begin(&[], &["/snap".into(), "/usr/own".into()]);
        for (path, is_foreign) in [("/snap/weights", true), ("/usr/own/w", true), ("/usr/lib/w", false)] {
            assert_eq!(brought.is_foreign(&file(path)), is_foreign, "{path}");
        }
        assert!(!brought.is_foreign(&file("/snap/site-packages/w")));
        let new = Opened { made: Some(seen.launched), ..file("/tmp/x") };
        let written = Opened { is_written: true, ..file("/tmp/x") };
        let input = Opened { key: (7, 7), ..file("/tmp/input.txt") };
        assert!(![new, written, input].iter().any(|file| seen.is_foreign(file)));
    }
}
