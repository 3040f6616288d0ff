//! System calls that the standard library has no safe words for: clocks and cores here; processes, descriptors and the
//! network in the files below. This folder is the only place of the harness with `unsafe`; every function is safe to call.

#![allow(unsafe_code)] // system calls without a safe wrapper in std; each block is one call with its reason

mod descriptors;
mod network;
mod processes;
pub mod tree;

use std::io::{Error, Result};
use std::mem::{MaybeUninit, size_of};
use std::time::{SystemTime, UNIX_EPOCH};

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

/// A seed that no system can foresee, for questions that no system must prepare for: it may have seen earlier questions,
/// of an earlier run or of an earlier part of this one.
pub fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64)
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

/// Numbers of cores as text: "0,2,3".
pub fn core_list(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
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
