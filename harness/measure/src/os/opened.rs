//! Files that a process has open or mapped, as `/proc` shows them.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::buffers::{Buffer, threads_with_own_files};
use super::status::{is_in_memory, text_of};

/// A regular file that a process has open or mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Path, as the process sees it.
    pub path: PathBuf,
    /// Device and inode.
    pub key: (u64, u64),
    /// Length in bytes.
    pub bytes: u64,
    /// Bytes that the file occupies; in shared memory they are memory.
    pub allocated_bytes: u64,
    /// Whether the file is shared memory: in /dev/shm, or without a name.
    pub is_shared: bool,
    /// Whether the file lies in memory, wherever that is mounted.
    pub is_in_memory: bool,
    /// Whether the process may write to the file.
    pub is_written: bool,
    /// When the file was made, or else last changed.
    pub made: Option<SystemTime>,
}

impl Opened {
    fn of(path: PathBuf, at: &Path, data: &Metadata, is_written: bool) -> Self {
        Self {
            is_in_memory: is_in_memory(at),
            key: key(data),
            bytes: data.len(),
            // The kernel doesn't count the pages of secret memory.
            allocated_bytes: if is_secret_memory(&path) { data.len() } else { allocated_bytes(data) },
            is_shared: is_shared_memory(&path),
            path,
            is_written,
            made: data.created().or_else(|_| data.modified()).ok(),
        }
    }
}

/// Device and inode of a file.
pub fn key(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}

/// Bytes that a file occupies.
pub fn allocated_bytes(data: &Metadata) -> u64 {
    data.blocks() * 512 // stat(2): units of 512
}

/// What a process has open: files, and what holds bytes in the kernel.
#[derive(Default)]
pub struct Open {
    /// Regular files.
    pub files: Vec<Opened>,
    /// Pipes and sockets.
    pub buffers: Vec<Buffer>,
    /// Whether the process hides files: it forbids looks, or the kernel keeps files for it in memory that no descriptor
    /// of its own leads to.
    pub hides_files: bool,
}

/// Files of at least `least` bytes that a process has open, files in memory of any size, pipes and sockets. An
/// error if the process forbids looks; a process that has ended has nothing open. `pid` may be any of its threads.
pub fn descriptors_of(pid: u32, least: u64) -> io::Result<Open> {
    let mut open = Open::default();
    for thread in threads_with_own_files(pid) {
        let links = match fs::read_dir(format!("/proc/{thread}/fd")) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
            links => links.into_iter().flatten().flatten(),
        };
        links.for_each(|entry| _ = open.add(thread, &entry, least));
    }
    Ok(open)
}

impl Open {
    fn add(&mut self, thread: u32, entry: &fs::DirEntry, least: u64) -> Option<()> {
        let at = entry.path();
        let data = fs::metadata(&at).ok()?;
        let kind = data.file_type();
        if kind.is_fifo() || kind.is_socket() {
            let number = entry.file_name().to_str()?.parse().ok()?;
            self.buffers.push(Buffer { key: key(&data), thread, number, is_socket: kind.is_socket() });
        } else if data.is_file() && (data.len() >= least || is_in_memory(&at)) {
            // The permissions of the link are those of the open file.
            let is_written = fs::symlink_metadata(&at).ok()?.mode() & 0o200 != 0;
            self.files.push(Opened::of(fs::read_link(&at).ok()?, &at, &data, is_written));
        } else if fs::read_link(&at).ok()?.as_os_str() == "anon_inode:[io_uring]" {
            let info = at.to_str()?.replacen("/fd/", "/fdinfo/", 1);
            self.hides_files |= registers_memory(&text_of(info));
        }
        Some(())
    }
}

/// Whether a ring of io_uring holds files in memory that are registered with it (io_uring_register(2)). Their
/// descriptors may be closed by then; the ring's account gives their names alone, and no size.
pub fn registers_memory(info: &str) -> bool {
    let mut files = info.lines().skip_while(|line| !line.starts_with("UserFiles:")).skip(1);
    files.by_ref().take_while(|line| line.starts_with(' ')).any(|line| line.contains(": /memfd:"))
}

/// Files of at least `least` bytes that `pid` has mapped, but for its code.
pub fn mapped_by(pid: u32, least: u64) -> Vec<Opened> {
    let maps = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let file = |path: &[u8]| {
        let at = PathBuf::from(OsStr::from_bytes(&[format!("/proc/{pid}/root").as_bytes(), path].concat()));
        let data = fs::metadata(&at).ok().filter(|data| data.is_file() && data.len() >= least)?;
        Some(Opened::of(OsStr::from_bytes(path).into(), &at, &data, false))
    };
    let found = |path: &[u8]| file(path).or_else(|| file(&with_line_feeds(path)));
    data_files(&maps).into_iter().filter_map(found).collect()
}

/// Paths in `/proc/…/maps` (proc_pid_maps(5)) that no executable range belongs to. A path is any bytes.
pub fn data_files(maps: &[u8]) -> HashSet<&[u8]> {
    let ranges = || maps.split(|&byte| byte == b'\n').filter_map(range_of);
    let is_code = |permissions: &[u8]| permissions.contains(&b'x');
    let code: HashSet<&[u8]> = ranges().filter(|(_, p)| is_code(p)).map(|(path, _)| path).collect();
    ranges().map(|(path, _)| path).filter(|path| !code.contains(path)).collect()
}

/// Path and permissions of a range of a file.
fn range_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut fields = line.splitn(6, |&byte| byte == b' ');
    let permissions = fields.nth(1)?;
    let path = fields.nth(3)?.trim_ascii_start();
    path.starts_with(b"/").then_some((path, permissions))
}

/// The path with its line feeds, which the kernel writes as `\012`: alone, so that a name may hold these characters
/// too.
fn with_line_feeds(path: &[u8]) -> Vec<u8> {
    let (mut rest, mut found) = (path, Vec::new());
    while let Some((&first, others)) = rest.split_first() {
        let (byte, behind) = rest.strip_prefix(br"\012").map_or((first, others), |behind| (b'\n', behind));
        found.push(byte);
        rest = behind;
    }
    found
}

/// Whether a file is shared memory: named, or without a name (memfd_create(2), memfd_secret(2)).
fn is_shared_memory(path: &Path) -> bool {
    let is_nameless = path.as_os_str().as_bytes().starts_with(b"/memfd:") || is_secret_memory(path);
    path.starts_with("/dev/shm") || is_nameless
}

/// Whether a file is memory that the kernel itself can't read (memfd_secret(2)).
fn is_secret_memory(path: &Path) -> bool {
    path == Path::new("/secretmem (deleted)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_data_in_a_map() {
        let maps = b"5580-5581 r--p 00000000 fe:00 11   /usr/bin/python3\n\
                     5581-5582 r-xp 00001000 fe:00 11   /usr/bin/python3\n\
                     7f00-7f01 r--p 00000000 fe:00 12   /home/me/my model.bin\n\
                     7f02-7f03 rw-s 00000000 00:19 13   /dev/shm/\xff\n\
                     7f04-7f05 rw-p 00000000 00:00 0    [heap]\n\
                     7f06-7f07 rw-p 00000000 00:00 0\n";
        assert_eq!(data_files(maps), HashSet::from([&b"/home/me/my model.bin"[..], b"/dev/shm/\xff"]));
        assert_eq!(with_line_feeds(br"/tmp/a\012b\01"), b"/tmp/a\nb\\01");
    }

    #[test]
    fn a_ring_that_keeps_a_file_in_memory_is_told_from_one_that_keeps_others() {
        let ring = |files: &str| format!("SqThread:\t-1\nUserFiles:\t1\n{files}UserBufs:\t0\n");
        assert!(registers_memory(&ring("    0: /srv/lines\n    1: /memfd:w\\040(deleted)\n")));
        assert!(!registers_memory(&ring("    0: /srv/memfd:w\n")));
        assert!(!registers_memory(&ring("")) && !registers_memory("pos:\t0\n"));
    }

    #[test]
    fn open_files_are_seen_with_their_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("weights");
        fs::write(&path, vec![0; 5000]).unwrap();
        let _open = fs::File::open(&path).unwrap();
        let seen = descriptors_of(std::process::id(), 5000).unwrap().files;
        let seen = seen.iter().find(|file| file.path == path).expect("the open file");
        assert_eq!((seen.bytes, seen.is_written), (5000, false));
        assert!(
            descriptors_of(std::process::id(), 5001).unwrap().files.iter().all(|file| file.path != path),
            "too small"
        );
        assert!(
            is_shared_memory(Path::new("/dev/shm/w")) && is_shared_memory(Path::new("/memfd:w (deleted)"))
        );
        assert!(
            is_shared_memory(Path::new("/secretmem (deleted)")) && !is_shared_memory(Path::new("/secretmem"))
        );
        assert!(!is_shared_memory(&path));
    }
}
