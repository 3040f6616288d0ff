//! Open files by number: inheriting, waiting, closing.

use std::io::Result;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};
use rustix::process::{PidfdFlags, pidfd_open};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::status::{checked, number_of};

/// Number of bytes in a pipe that no process has read yet.
pub fn unread_bytes(pipe: BorrowedFd<'_>) -> Result<usize> {
    Ok(ioctl_fionread(pipe)? as usize)
}

/// Lets `command` inherit `fd` under the same number (std opens everything close-on-exec).
pub fn inherit(command: &mut Command, fd: RawFd) {
    // SAFETY: fcntl is async-signal-safe; `keep_on_exec` does nothing else.
    unsafe { command.pre_exec(move || keep_on_exec(fd)) };
}

/// Closes all descriptors above standard error when this process starts a program, also those that it has
/// inherited itself. A kernel before 5.11 can't, and leaves them open.
pub fn close_on_exec() {
    // SAFETY: close_range takes integers only; with this flag it closes nothing now.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

fn keep_on_exec(fd: RawFd) -> Result<()> {
    // SAFETY: F_SETFD takes an int and touches no memory.
    checked(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }).map(drop)
}

/// Takes over a descriptor that was inherited under a known number; `None` if it is not open.
pub fn adopt(fd: RawFd) -> Option<OwnedFd> {
    // SAFETY: F_GETFD touches no memory; it fails for a number that is not open.
    checked(unsafe { libc::fcntl(fd, libc::F_GETFD) }).ok()?;
    // SAFETY: the descriptor is open, was left open on purpose by `inherit`, and nothing else here owns it.
    let owned = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: F_SETFD takes an int and touches no memory.
    checked(unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) }).ok()?;
    Some(owned)
}

/// Makes reads and writes on `fd` return at once instead of waiting.
pub fn set_nonblocking(fd: BorrowedFd<'_>) -> Result<()> {
    Ok(ioctl_fionbio(fd, true)?)
}

/// Points standard input and output of this process at /dev/null, so that the other ends of their pipes see them
/// closed.
pub fn let_go_of_pipes() -> Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    Ok(dup2_stdout(&null)?)
}

/// Waits until at least one of `wanted` has bytes to read or the end (`IN`), or room to write (`OUT`), or is closed at
/// the other end; returns which. All are `false` after the timeout.
pub fn wait_for<const N: usize>(
    wanted: [(BorrowedFd<'_>, PollFlags); N],
    timeout: Option<Duration>,
) -> Result<[bool; N]> {
    let mut fds = wanted.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags));
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // A time that the kernel's clock can't hold is no limit.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut fds, left.as_ref()) {
            // A signal (Ctrl-C) is for other handlers: the wait goes on.
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(fds.map(|fd| !fd.revents().is_empty())),
        }
    }
}

/// A descriptor that becomes readable when process `pid` ends.
pub fn watch_process(pid: u32) -> Result<OwnedFd> {
    Ok(pidfd_open(number_of(pid)?, PidfdFlags::empty())?)
}
