//! A network namespace of a process's own: a system that is measured translates, and calls nobody.

use std::io::Result;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::checked;

/// Puts this process, and what it starts from now on, into a network namespace of its own, in which only the
/// loopback device is up. Without the right to do that it takes a user namespace along, where the host allows
/// those.
pub fn leave_network() -> Result<()> {
    // SAFETY: getuid and getgid can't fail and touch no memory.
    let user = unsafe { libc::getuid() };
    // SAFETY: as above.
    let group = unsafe { libc::getgid() };
    // SAFETY: unshare takes an integer; this process has one thread only.
    if checked(unsafe { libc::unshare(libc::CLONE_NEWNET) }).is_err() {
        // SAFETY: as above.
        checked(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) })?;
        // The same user as before: without a map its files would be nobody's (user_namespaces(7)).
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    raise_loopback()
}

/// Lets `command` do so before its first own instruction.
pub fn leave_network_before_exec(command: &mut Command) {
    // SAFETY: `leave_network` allocates, which is safe between fork and exec where, as in the supervisor, the
    // process that forks has one thread: no lock of the allocator can be held by another.
    unsafe { command.pre_exec(leave_network) };
}

/// A new network namespace's loopback device is down, and programs may well talk to their own parts by it.
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
