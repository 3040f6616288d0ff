//! Results of system calls, the user's rights, kinds of file systems. A file of its own, because other files of
//! the folder share it.

use std::ffi::CString;
use std::io::{Error, Result};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Turns the C convention (−1 and errno) into a `Result`.
pub(super) fn checked(status: libc::c_int) -> Result<libc::c_int> {
    if status < 0 { Err(Error::last_os_error()) } else { Ok(status) }
}

/// Whether the file at `path` lies in memory: on a tmpfs or ramfs, or in huge pages (statfs(2)).
pub(super) fn is_in_memory(path: &Path) -> bool {
    const KINDS: [u64; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut system = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the path ends in a NUL, and the pointer is valid for writing one statfs.
    let done = checked(unsafe { libc::statfs(path.as_ptr(), system.as_mut_ptr()) });
    // SAFETY: zeroed memory is a valid statfs; the call filled it.
    let kind = unsafe { system.assume_init() }.f_type as u64 & u64::from(u32::MAX);
    done.is_ok() && KINDS.contains(&kind)
}

/// Number of the user whose rights this process has.
pub fn user() -> u32 {
    // SAFETY: geteuid can't fail and touches no memory.
    unsafe { libc::geteuid() }
}

/// Whether this process has the rights of root.
pub fn is_root() -> bool {
    user() == 0
}
