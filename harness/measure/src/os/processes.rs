//! Processes: settings before the first instruction of a child, the end of a child, and its accounting.
//!
//! The bench tells its own children from the orphans that it adopts. A process whose parents have ended becomes
//! the bench's child. If it is none that the bench has started, a system left it behind.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Result, Write};
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitOptions, kill_process, kill_process_group,
    set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal, setrlimit, waitpid,
};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

use super::cores::pin_thread;
use super::status::{checked, number_of};
use super::tree;

/// Lets `command`, before its first own instruction, leave the user's keyring and the right to raise its priority,
/// restrict itself to `cores`, be killed when the thread that starts it ends, and enter the control group whose list of
/// processes is `entry_file`.
pub fn confine_before_exec(command: &mut Command, cores: Vec<usize>, entry_file: Option<File>) {
    let confine = move || {
        leave_keyring();
        keep_priority()?;
        pin_thread(&cores)?;
        ask_for_death()?;
        entry_file.as_ref().map_or(Ok(()), |mut file| file.write_all(b"0"))
    };
    // SAFETY: between fork and exec only async-signal-safe work is allowed; each step makes system calls with integers
    // and memory that is there, and allocates nothing.
    unsafe { command.pre_exec(confine) };
}

/// Lets `command` be killed when the thread that starts it ends, so that no system outlives its supervisor.
pub fn die_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec; `ask_for_death` makes one system call without memory.
    unsafe { command.pre_exec(ask_for_death) };
}

fn ask_for_death() -> Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Takes an empty keyring of an own session (keyrings(7)). In the user's, a system could keep answers from launch to
/// launch. A kernel without keyrings needs none.
fn leave_keyring() {
    // SAFETY: without a name this call of keyctl reads no memory.
    unsafe {
        libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, std::ptr::null::<libc::c_char>())
    };
}

/// Gives up the right to raise the priority (sched(7)): a system could push aside the bench and other systems. Root,
/// too, starts no program with this right any more.
fn keep_priority() -> Result<()> {
    // It fails without the right to drop rights, where there are none to drop.
    let _ = remove_capability_from_bounding_set(CapabilitySet::SYS_NICE);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Nice, none)?;
    Ok(setrlimit(Resource::Rtprio, none)?)
}

/// Forbids other processes of the user to read this process's memory, files and environment, or to trace it
/// (prctl(2), PR_SET_DUMPABLE). Root may still do so. A program that this process starts isn't protected.
pub fn forbid_looks() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable); // this value can't fail
}

/// Makes this process the parent of orphaned descendants.
pub fn become_subreaper() -> Result<()> {
    Ok(set_child_subreaper(Some(Pid::INIT))?) // any number but 0 stands for yes
}

/// Kills a whole process group, if it still exists.
pub fn kill_group(group: u32) {
    let _ = number_of(group).map(|group| kill_process_group(group, Signal::KILL));
}

/// Kills one process, if it still exists.
pub fn kill(pid: u32) {
    send_signal(pid, Signal::KILL);
}

/// Sends a signal to one process, if it still exists.
pub fn send_signal(pid: u32, signal: Signal) {
    let _ = number_of(pid).map(|pid| kill_process(pid, signal));
}

/// Reaps the child `pid` if it has ended.
fn reap(pid: u32) {
    let _ = number_of(pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
}

/// Next ended child, how it ended, and the kernel's accounting of it and of the descendants that it waited for. `None`
/// if children live but none has ended. Without children: an error (ECHILD).
pub fn reap_any() -> Result<Option<(u32, ExitStatus, libc::rusage)>> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writing one value of their type.
    let pid = checked(unsafe { libc::wait4(-1, &mut status, libc::WNOHANG, usage.as_mut_ptr()) })?;
    // SAFETY: zeroed memory is a valid rusage; the call fills it if a child has ended.
    let usage = unsafe { usage.assume_init() };
    Ok((pid > 0).then(|| (pid as u32, ExitStatus::from_raw(status), usage)))
}

/// Children that the bench has started, and not forgotten.
static OWN_CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn own_children() -> MutexGuard<'static, BTreeSet<u32>> {
    OWN_CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child of the bench. No other thread takes it for an orphan.
pub fn start_child(command: &mut Command) -> Result<Child> {
    let mut own = own_children();
    let child = command.spawn()?;
    own.insert(child.id());
    Ok(child)
}

/// Forgets a child that has ended: its number may come again.
pub fn forget_child(pid: u32) {
    own_children().remove(&pid);
}

/// Ends what systems have left behind, within `patience`.
pub fn end_orphans(patience: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < patience {
        let own = own_children();
        let orphans: Vec<u32> =
            tree::children_of(std::process::id()).into_iter().filter(|pid| !own.contains(pid)).collect();
        if orphans.is_empty() {
            return;
        }
        orphans.iter().copied().for_each(kill);
        orphans.into_iter().for_each(reap);
        drop(own);
        std::thread::sleep(Duration::from_millis(1));
    }
}
