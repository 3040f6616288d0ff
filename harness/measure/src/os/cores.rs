//! Cores that a thread may run on: the kernel's affinity masks.

use std::io::Result;
use std::mem::{MaybeUninit, size_of};

use super::status::checked;

/// Largest number of cores in a mask: the bits of a `cpu_set_t`.
pub const MOST_CORES: usize = libc::CPU_SETSIZE as usize;

/// Cores that this thread may run on, ascending.
pub fn allowed_cores() -> Result<Vec<usize>> {
    cores_of(0)
}

/// Cores that `thread` may run on, ascending; 0 is the calling thread.
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
