//! Results of system calls, the kernel's own files, numbers of processes, the user's rights, kinds of file systems. A
//! file of its own, because other files of the folder share it.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use rustix::process::{Pid, geteuid};

/// Turns the C convention (−1 and errno) into a `Result`.
pub(super) fn checked(status: libc::c_int) -> Result<libc::c_int> {
    if status < 0 { Err(Error::last_os_error()) } else { Ok(status) }
}

/// Text of a file of the kernel's; empty if the file can't be read. A process may name itself and its files by any
/// bytes, and must not hide by them.
pub(crate) fn text_of(path: impl AsRef<Path>) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Number behind `name`, in a text with a line for each name such as `HugetlbPages:   4096 kB`.
pub(crate) fn number_behind(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().trim_end_matches(" kB").parse().ok()
}

/// As [`number_behind`], in bytes, of a line in KiB.
pub(super) fn bytes_behind(text: &str, name: &str) -> Option<u64> {
    number_behind(text, name).map(|kib| kib.saturating_mul(1024))
}

pub(super) fn number_of(pid: u32) -> Result<Pid> {
    Pid::from_raw(pid as i32).ok_or_else(|| Error::from_raw_os_error(libc::ESRCH))
}

/// Whether the file at `path` lies in memory: on a tmpfs or ramfs, in huge pages, or in secret memory (statfs(2)).
pub(super) fn is_in_memory(path: &Path) -> bool {
    const KINDS: [u64; 4] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6, 0x5345_434d];
    let kind = rustix::fs::statfs(path).map(|system| system.f_type as u64 & u64::from(u32::MAX));
    kind.is_ok_and(|kind| KINDS.contains(&kind))
}

/// Number of the user whose rights this process has; 0 is root.
pub fn user() -> u32 {
    geteuid().as_raw()
}
