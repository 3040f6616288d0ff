//! Bytes that pipes and sockets hold. They are memory of the kernel, and the peak of no process has them.
//!
//! A descriptor of another process is duplicated for a moment (pidfd_getfd(2)) and asked. The duplicate keeps a
//! closed pipe alive for microseconds, and changes nothing else. A kernel before 5.6, or a container that forbids
//! the call, shows nothing.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use super::descriptors::unread_bytes;
use super::status::{checked, number_behind, number_of, text_of};
use super::tree::threads_of;

/// Most bytes that a pipe holds without root's rights (`fs.pipe-max-size`, pipe(7)). A descriptor that is on its
/// way through a socket belongs to no process; it counts as such a pipe.
const LARGEST_PIPE: u64 = 1 << 20;
/// Option of pidfd_open(2) for a thread that is not the first one (since Linux 6.9).
const PIDFD_THREAD: PidfdFlags = PidfdFlags::from_bits_retain(libc::O_EXCL as u32);
/// `KCMP_FILES` of linux/kcmp.h.
const KCMP_FILES: libc::c_int = 2;
/// Memory of a socket (asm-generic/socket.h); the libc crate lacks the number.
const SO_MEMINFO: libc::c_int = 55;
/// Numbers of SO_MEMINFO (linux/sock_diag.h), with these at their places: the bytes to read, those on their way, and
/// those that wait to be sent.
const MEMORY_NUMBERS: usize = 9;
const TO_READ: usize = 0;
const SENT: usize = 2;
const TO_SEND: usize = 5;

/// A pipe or socket that a process has open.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Device and inode.
    pub key: (u64, u64),
    /// Thread that has it open.
    pub thread: u32,
    /// Number of the descriptor.
    pub number: RawFd,
    /// Whether it is a socket.
    pub is_socket: bool,
}

/// Threads of the process of `pid` that have a table of open files of their own: `pid`, and such as have left the
/// common one (unshare(2), CLONE_FILES).
pub fn threads_with_own_files(pid: u32) -> Vec<u32> {
    // SAFETY: kcmp takes integers only, and compares two tables of the kernel.
    let differs = |&thread: &u32| unsafe { libc::syscall(libc::SYS_kcmp, pid, thread, KCMP_FILES, 0, 0) } > 0;
    let others = threads_of(pid).into_iter().filter(|&thread| thread != pid).filter(differs);
    std::iter::once(pid).chain(others).collect()
}

/// Bytes in the given pipes and sockets, each counted once.
pub fn buffered_bytes(buffers: &[Buffer]) -> u64 {
    let each: BTreeMap<(u64, u64), &Buffer> = buffers.iter().map(|buffer| (buffer.key, buffer)).collect();
    each.values().filter_map(|buffer| bytes_in(buffer)).sum()
}

fn bytes_in(buffer: &Buffer) -> Option<u64> {
    let copy = duplicate(buffer)?;
    let unread = unread_bytes(copy.as_fd()).unwrap_or(0) as u64;
    if !buffer.is_socket {
        return Some(unread);
    }
    let numbers: [u32; MEMORY_NUMBERS] = socket_option(&copy, SO_MEMINFO)?;
    let sent = u64::from(numbers[SENT]);
    match socket_option::<libc::c_int>(&copy, libc::SO_DOMAIN)? {
        libc::AF_UNIX => Some(of_unix_socket(buffer, &copy, unread, sent)),
        _ => Some(u64::from(numbers[TO_READ]) + sent.max(numbers[TO_SEND].into())),
    }
}

/// Bytes that the reader of a Unix socket has yet to read, and descriptors on their way. Of datagrams the kernel tells
/// the reader the size of the first one alone, but the writer knows what it has sent.
fn of_unix_socket(buffer: &Buffer, copy: &OwnedFd, unread: u64, sent: u64) -> u64 {
    let is_datagram = socket_option::<libc::c_int>(copy, libc::SO_TYPE) == Some(libc::SOCK_DGRAM);
    let held = if is_datagram { sent.max(unread) } else { unread };
    let info = text_of(format!("/proc/{}/fdinfo/{}", buffer.thread, buffer.number));
    held + number_behind(&info, "scm_fds:").unwrap_or(0) * LARGEST_PIPE
}

fn duplicate(buffer: &Buffer) -> Option<OwnedFd> {
    let open = |flags: PidfdFlags| pidfd_open(number_of(buffer.thread).ok()?, flags).ok();
    let process = open(PIDFD_THREAD).or_else(|| open(PidfdFlags::empty()))?;
    pidfd_getfd(process, buffer.number, PidfdGetfdFlags::empty()).ok()
}

/// Value of an option of a socket (getsockopt(2)): a number, or an array of numbers.
fn socket_option<T: Copy + Default>(socket: &OwnedFd, option: libc::c_int) -> Option<T> {
    let (mut value, mut length) = (T::default(), size_of::<T>() as libc::socklen_t);
    let (fd, at) = (socket.as_raw_fd(), &raw mut value);
    // SAFETY: `at` is valid for writing `length` bytes, and any bytes make a T.
    checked(unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, option, at.cast(), &raw mut length) }).ok()?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::{UnixDatagram, UnixStream};

    fn buffer_of(file: &impl AsRawFd, is_socket: bool) -> Buffer {
        let number = file.as_raw_fd();
        let data = std::fs::metadata(format!("/proc/self/fd/{number}")).unwrap();
        Buffer { key: (data.dev(), data.ino()), thread: std::process::id(), number, is_socket }
    }

    #[test]
    fn bytes_on_their_way_are_counted_once() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&[1; 5000]).unwrap();
        let pipe = [buffer_of(&reader, false), buffer_of(&writer, false)];
        assert_eq!(buffered_bytes(&pipe), 5000, "both ends are one pipe");
        let (mut here, there) = UnixStream::pair().unwrap();
        here.write_all(&[1; 700]).unwrap();
        assert_eq!(buffered_bytes(&[buffer_of(&here, true), buffer_of(&there, true)]), 700);
        let (here, there) = UnixDatagram::pair().unwrap();
        here.send(&[1; 100]).unwrap();
        drop(here);
        assert!(buffered_bytes(&[buffer_of(&there, true)]) >= 100, "its writer has ended");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut here = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (there, _) = listener.accept().unwrap();
        here.write_all(&[1; 9000]).unwrap();
        assert!(buffered_bytes(&[buffer_of(&here, true), buffer_of(&there, true)]) >= 9000);
    }

    #[test]
    fn a_thread_that_shares_its_files_is_not_asked_again() {
        assert_eq!(threads_with_own_files(std::process::id()), [std::process::id()]);
    }
}
