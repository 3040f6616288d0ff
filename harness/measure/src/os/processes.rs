//! Processes: settings before the first instruction of a child, the end of a child, and its accounting.

use std::io::Result;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::clock::nanoseconds;
use super::cores::pin_thread;
use super::status::checked;

/// Lets `command` restrict itself to `cores` after the fork and before its first own instruction.
pub fn pin_before_exec(command: &mut Command, cores: Vec<usize>) {
    // SAFETY: between fork and exec only async-signal-safe work is allowed; `pin_thread` makes one system
    // call on stack memory and allocates nothing.
    unsafe { command.pre_exec(move || pin_thread(&cores)) };
}

/// Lets `command` be killed when the thread that starts it ends, so that no system outlives its supervisor.
pub fn die_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec; `ask_for_death` makes one system call without memory.
    unsafe { command.pre_exec(ask_for_death) };
}

fn ask_for_death() -> Result<()> {
    // SAFETY: this prctl takes integers only.
    checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) }).map(drop)
}

/// Lets `command` enter a control group before its first own instruction. `entry_file` is the group's list of
/// processes.
pub fn enter_group_before_exec(command: &mut Command, entry_file: std::fs::File) {
    // SAFETY: between fork and exec only async-signal-safe work is allowed; `enter_group` makes one system
    // call on constant memory.
    unsafe { command.pre_exec(move || enter_group(entry_file.as_raw_fd())) };
}

fn enter_group(entry_file: RawFd) -> Result<()> {
    // SAFETY: one byte of constant memory is written.
    let written = unsafe { libc::write(entry_file, b"0".as_ptr().cast(), 1) };
    checked(written as libc::c_int).map(drop)
}

/// Gives `command` an empty keyring of its own session before its first own instruction (keyrings(7)). In the
/// user's, a system could keep answers from launch to launch. A kernel without keyrings needs none.
pub fn leave_keyring_before_exec(command: &mut Command) {
    // SAFETY: between fork and exec; `leave_keyring` makes one system call with a null pointer.
    unsafe { command.pre_exec(leave_keyring) };
}

fn leave_keyring() -> Result<()> {
    // SAFETY: without a name this call of keyctl reads no memory.
    unsafe {
        libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, std::ptr::null::<libc::c_char>())
    };
    Ok(())
}

/// Takes from `command`, before its first own instruction, the right to raise its priority (sched(7)): it could push aside the
/// bench and other systems. Root, too, starts no program with this right any more.
pub fn keep_priority_before_exec(command: &mut Command) {
    // SAFETY: between fork and exec; `keep_priority` makes system calls with integers and constant memory.
    unsafe { command.pre_exec(keep_priority) };
}

fn keep_priority() -> Result<()> {
    // SAFETY: this prctl takes integers only. It fails without the right to drop rights, where there are none to drop.
    unsafe { libc::prctl(libc::PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0) };
    [libc::RLIMIT_NICE, libc::RLIMIT_RTPRIO].into_iter().try_for_each(forbid)
}

/// Number of the capability in capability.h of Linux.
const CAP_SYS_NICE: libc::c_ulong = 23;

fn forbid(resource: libc::__rlimit_resource_t) -> Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid for reading one rlimit.
    checked(unsafe { libc::setrlimit(resource, &none) }).map(drop)
}

/// Forbids other processes of the user to read this process's memory, files and environment, or to trace it
/// (prctl(2), PR_SET_DUMPABLE). Root may still do so. A program that this process starts isn't protected.
pub fn forbid_looks() {
    // SAFETY: this prctl takes integers only; it can't fail for the value 0.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
}

/// Makes this process the parent of orphaned descendants.
pub fn become_subreaper() -> Result<()> {
    // SAFETY: this prctl takes integers only.
    checked(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Kills a whole process group, if it still exists.
pub fn kill_group(group: u32) {
    // SAFETY: killpg takes two integers.
    unsafe { libc::killpg(group as libc::pid_t, libc::SIGKILL) };
}

/// Kills one process, if it still exists.
pub fn kill(pid: u32) {
    // SAFETY: kill takes two integers.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// Stops one process with all its threads, if it still exists.
pub fn stop_process(pid: u32) {
    // SAFETY: kill takes two integers.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGSTOP) };
}

/// Continues a stopped process, if it still exists.
pub fn continue_process(pid: u32) {
    // SAFETY: kill takes two integers.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGCONT) };
}

/// A child that ended, with the kernel's accounting (of the child and the descendants that it waited for).
pub struct Ended {
    /// Process number of the child.
    pub pid: u32,
    /// Exit code, if the child exited by itself.
    pub code: Option<i32>,
    /// Signal, if one ended the child.
    pub signal: Option<i32>,
    /// CPU time in user mode.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// Peak resident memory, never below the peak of the process that started the child.
    pub peak_bytes: u64,
    /// Context switches that the child asked for by waiting.
    pub voluntary_switches: u64,
    /// Context switches that the kernel forced on the child.
    pub involuntary_switches: u64,
}

/// Reaps the child `pid` if it has ended.
pub fn reap(pid: u32) {
    let mut status = 0;
    // SAFETY: the pointer is valid for writing one integer.
    unsafe { libc::waitpid(pid as libc::pid_t, &mut status, libc::WNOHANG) };
}

/// Next ended child, or `None` if children live but none has ended. Without children: an error (ECHILD).
pub fn reap_any() -> Result<Option<Ended>> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writing one value of their type.
    let pid = checked(unsafe { libc::wait4(-1, &mut status, libc::WNOHANG, usage.as_mut_ptr()) })?;
    if pid == 0 {
        return Ok(None);
    }
    // SAFETY: zeroed memory is a valid rusage; the call filled it.
    let usage = unsafe { usage.assume_init() };
    Ok(Some(Ended {
        pid: pid as u32,
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
        peak_bytes: usage.ru_maxrss as u64 * 1024, // Linux counts it in KiB: getrusage(2)
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    }))
}
