//! What the bench asks of Linux that the standard library has no safe words for: clock, cores, terminal and disk here;
//! other people's processes, descriptors and the network below. With the files of its folder the only one of the harness
//! with `unsafe`; every function here is safe to call.

#![allow(unsafe_code)] // system calls without a safe wrapper in std; each block is one call with its reason

mod descriptors;
mod network;
mod processes;

use std::ffi::CString;
use std::io::{Error, Result};
use std::mem::{MaybeUninit, size_of};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use descriptors::{
    Interest, adopt, inherit, replace_by_null, set_nonblocking, unread_bytes, wait_for, watch_process,
};
pub use network::{leave_network, leave_network_before_exec};
pub use processes::{
    Ended, become_subreaper, die_with_parent, enter_group_before_exec, kill, kill_group, pin_before_exec,
    reap_any,
};

/// Turns the C convention (−1 and errno) into a `Result`.
fn checked(status: libc::c_int) -> Result<libc::c_int> {
    if status < 0 { Err(Error::last_os_error()) } else { Ok(status) }
}

/// Nanoseconds of the monotonic clock, which all processes of a host share: the supervisor's launch time and
/// the bench's arrival times can be subtracted.
pub fn monotonic_ns() -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is valid for writing one timespec.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr()) };
    assert_eq!(status, 0, "Linux has always had CLOCK_MONOTONIC");
    // SAFETY: the call succeeded, so it has filled `time`.
    let time = unsafe { time.assume_init() };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Cores that a process can be told to stay on: the bits of a `cpu_set_t`.
pub const MOST_CORES: usize = libc::CPU_SETSIZE as usize;

/// The cores that this thread may run on, ascending.
pub fn allowed_cores() -> Result<Vec<usize>> {
    cores_of(0)
}

/// The cores that `thread` may run on, ascending; 0 is the calling one.
pub fn cores_of(thread: u32) -> Result<Vec<usize>> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    let (thread, size) = (thread as libc::pid_t, size_of::<libc::cpu_set_t>());
    // SAFETY: `set` is valid for writing one cpu_set_t, and its size is given.
    checked(unsafe { libc::sched_getaffinity(thread, size, set.as_mut_ptr()) })?;
    // SAFETY: zeroed memory is a valid (empty) set; the call filled it.
    let set = unsafe { set.assume_init() };
    let is_in = |core: &usize| {
        // SAFETY: `core` is below CPU_SETSIZE, the number of bits of a set.
        unsafe { libc::CPU_ISSET(*core, &set) }
    };
    Ok((0..MOST_CORES).filter(is_in).collect())
}

/// CPU time of this process so far, in user mode and in the kernel.
pub fn own_cpu_ns() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writing one rusage.
    let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    assert_eq!(status, 0, "RUSAGE_SELF and a valid pointer can't fail");
    // SAFETY: zeroed memory is a valid rusage; the call filled it.
    let usage = unsafe { usage.assume_init() };
    nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}

/// Bytes that an unprivileged user may still write to the file system of `path`.
pub fn free_bytes(path: &Path) -> Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut stat = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `path` is a C string, and `stat` is valid for writing one statvfs.
    checked(unsafe { libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) })?;
    // SAFETY: zeroed memory is a valid statvfs; the call filled it.
    let stat = unsafe { stat.assume_init() };
    Ok(stat.f_bavail * stat.f_frsize)
}

/// Columns of the terminal behind standard output; `None` where there is none.
pub fn terminal_columns() -> Option<usize> {
    let mut size = MaybeUninit::<libc::winsize>::zeroed();
    // SAFETY: TIOCGWINSZ writes one winsize, for which `size` is valid.
    checked(unsafe { libc::ioctl(1, libc::TIOCGWINSZ, size.as_mut_ptr()) }).ok()?;
    // SAFETY: zeroed memory is a valid winsize; the call filled it.
    let size = unsafe { size.assume_init() };
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

/// Restricts the calling thread (and what it starts) to `cores`.
pub fn pin_thread(cores: &[usize]) -> Result<()> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: zeroed memory is a valid, empty set.
    let set = unsafe { set.assume_init_mut() };
    for &core in cores.iter().filter(|&&core| core < MOST_CORES) {
        // SAFETY: `core` is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(core, set) };
    }
    // SAFETY: `set` is one initialised cpu_set_t of the given size.
    checked(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) }).map(drop)
}

/// Whether this process may do what root may.
pub fn is_root() -> bool {
    // SAFETY: geteuid can't fail and touches no memory.
    unsafe { libc::geteuid() == 0 }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}
