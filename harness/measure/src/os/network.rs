//! Network namespaces: a system translates without a network.

use std::io::Result;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{getgid, getuid};

use super::status::checked;

/// Moves this process, and the processes that it starts from now on, into a new network namespace. Only the
/// loopback device is up there. Without the right to do so, the process also takes a new user namespace, if
/// the host allows that.
pub fn leave_network() -> Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // SAFETY: unshare takes an integer; this process has one thread only.
    if checked(unsafe { libc::unshare(libc::CLONE_NEWNET) }).is_err() {
        // SAFETY: as above.
        checked(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) })?;
        // The same user as before: without a map the user's files would belong to `nobody`
        // (user_namespaces(7)).
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    raise_loopback()
}

/// Lets `command` leave the network before its first own instruction.
pub fn leave_network_before_exec(command: &mut Command) {
    // SAFETY: `leave_network` allocates. Between fork and exec that is safe if the process that forks has one
    // thread, as the supervisor has. No other thread can then hold a lock of the allocator.
    unsafe { command.pre_exec(leave_network) };
}

/// Raises the loopback device, which is down in a new namespace. Programs may well use it to talk to their
/// own parts.
fn raise_loopback() -> Result<()> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    let mut request = MaybeUninit::<libc::ifreq>::zeroed();
    // SAFETY: zeroed memory is a valid ifreq: bytes, integers and null pointers.
    let request = unsafe { request.assume_init_mut() };
    request.ifr_name[0] = b'l' as libc::c_char;
    request.ifr_name[1] = b'o' as libc::c_char;
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: SIOCSIFFLAGS reads one ifreq.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, request) }).map(drop)
}
