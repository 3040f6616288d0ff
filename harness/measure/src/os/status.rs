//! Results of system calls, and the user's rights. A file of its own, because all other files of the folder
//! share it.

use std::io::{Error, Result};

/// Turns the C convention (−1 and errno) into a `Result`.
pub(super) fn checked(status: libc::c_int) -> Result<libc::c_int> {
    if status < 0 { Err(Error::last_os_error()) } else { Ok(status) }
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
