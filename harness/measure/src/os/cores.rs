//! Cores that a thread may run on: the kernel's affinity masks.

use std::io::Result;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

/// Largest number of cores in a mask.
pub const MOST_CORES: usize = CpuSet::MAX_CPU;

/// Cores that this thread may run on, ascending.
pub fn allowed_cores() -> Result<Vec<usize>> {
    cores_of(0)
}

/// Cores that `thread` may run on, ascending; 0 is the calling thread.
pub fn cores_of(thread: u32) -> Result<Vec<usize>> {
    let set = sched_getaffinity(Pid::from_raw(thread as i32))?;
    Ok((0..MOST_CORES).filter(|&core| set.is_set(core)).collect())
}

/// Numbers of cores as text: "0,2,3".
pub fn core_list(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// Restricts the calling thread (and what it starts) to `cores`.
pub fn pin_thread(cores: &[usize]) -> Result<()> {
    let mut set = CpuSet::new();
    cores.iter().filter(|&&core| core < MOST_CORES).for_each(|&core| set.set(core));
    Ok(sched_setaffinity(None, &set)?)
}
