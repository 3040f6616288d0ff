//! What the bench asks of Linux that the standard library has no safe words for: affinity, accounting, the
//! reaping of other people's children, polling. The only file of the harness with `unsafe`; every function
//! here is safe to call.

#![allow(unsafe_code)] // system calls without a safe wrapper in std; each block is one call with its reason

use std::ffi::CString;
use std::io::{Error, ErrorKind, Result};
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

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
    Ok((0..libc::CPU_SETSIZE as usize).filter(is_in).collect())
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

/// How many bytes a pipe holds that nobody has read yet.
pub fn unread_bytes(pipe: BorrowedFd<'_>) -> Result<usize> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: FIONREAD writes one int.
    checked(unsafe { libc::ioctl(pipe.as_raw_fd(), libc::FIONREAD, &mut bytes) })?;
    Ok(bytes as usize)
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
    for &core in cores.iter().filter(|&&core| core < libc::CPU_SETSIZE as usize) {
        // SAFETY: `core` is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(core, set) };
    }
    // SAFETY: `set` is one initialised cpu_set_t of the given size.
    checked(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) }).map(drop)
}

/// Lets `command` restrict itself to `cores` after the fork and before its first own instruction.
pub fn pin_before_exec(command: &mut Command, cores: Vec<usize>) {
    // SAFETY: between fork and exec only async-signal-safe work is allowed; `pin_thread` makes one system
    // call on stack memory and allocates nothing.
    unsafe { command.pre_exec(move || pin_thread(&cores)) };
}

/// Lets `command` be killed when the thread that starts it goes away, so that nothing outlives a supervisor.
pub fn die_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec; `ask_for_death` makes one system call without memory.
    unsafe { command.pre_exec(ask_for_death) };
}

fn ask_for_death() -> Result<()> {
    // SAFETY: this prctl takes integers only.
    checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) }).map(drop)
}

/// Lets `command` enter the control group behind `door` before its first own instruction.
pub fn enter_group_before_exec(command: &mut Command, door: std::fs::File) {
    // SAFETY: between fork and exec only async-signal-safe work is allowed; `enter_group` makes one system call
    // on constant memory.
    unsafe { command.pre_exec(move || enter_group(door.as_raw_fd())) };
}

fn enter_group(door: RawFd) -> Result<()> {
    // SAFETY: one byte of constant memory is written.
    let written = unsafe { libc::write(door, b"0".as_ptr().cast(), 1) };
    checked(written as libc::c_int).map(drop)
}

/// Whether this process may do what root may.
pub fn is_root() -> bool {
    // SAFETY: geteuid can't fail and touches no memory.
    unsafe { libc::geteuid() == 0 }
}

/// Lets `command` inherit `fd` under the same number (std opens everything close-on-exec).
pub fn inherit(command: &mut Command, fd: RawFd) {
    // SAFETY: fcntl is async-signal-safe; `keep_on_exec` does nothing else.
    unsafe { command.pre_exec(move || keep_on_exec(fd)) };
}

fn keep_on_exec(fd: RawFd) -> Result<()> {
    // SAFETY: F_SETFD takes an int and touches no memory.
    checked(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }).map(drop)
}

/// Takes over a descriptor that was inherited under a known number; `None` if there is none.
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
    // SAFETY: F_GETFL touches no memory.
    let flags = checked(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })?;
    // SAFETY: F_SETFL takes an int and touches no memory.
    checked(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) }).map(drop)
}

/// Points descriptor `fd` of this process at /dev/null, so that the other end of a pipe sees it closed.
pub fn replace_by_null(fd: RawFd) -> Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    // SAFETY: both are plain descriptor numbers; dup2 touches no memory.
    checked(unsafe { libc::dup2(null.as_raw_fd(), fd) }).map(drop)
}

/// What a descriptor is waited for.
#[derive(Clone, Copy)]
pub enum Interest {
    /// Something to read, or the end.
    Read,
    /// Room to write.
    Write,
}

/// Waits until one of `wanted` is ready (or closed at the other end); says which. All `false` = time is up.
pub fn wait_for<const N: usize>(
    wanted: [(BorrowedFd<'_>, Interest); N],
    timeout: Option<Duration>,
) -> Result<[bool; N]> {
    let events = |interest| match interest {
        Interest::Read => libc::POLLIN,
        Interest::Write => libc::POLLOUT,
    };
    let mut fds = wanted.map(|(fd, interest)| libc::pollfd {
        fd: fd.as_raw_fd(),
        events: events(interest),
        revents: 0,
    });
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left_ms = left.map_or(-1, |t| i32::try_from(t.as_micros().div_ceil(1000)).unwrap_or(i32::MAX));
        // SAFETY: `fds` is an array of N pollfd.
        match checked(unsafe { libc::poll(fds.as_mut_ptr(), N as libc::nfds_t, left_ms) }) {
            // A signal (Ctrl-C) is for others: the wait goes on.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(fds.map(|fd| fd.revents != 0)),
        }
    }
}

/// A descriptor that becomes readable when process `pid` ends.
pub fn watch_process(pid: u32) -> Result<OwnedFd> {
    // SAFETY: pidfd_open takes two integers and touches no memory.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
    let fd = checked(fd as libc::c_int)?;
    // SAFETY: the kernel has just opened this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes this process the parent of whatever its descendants leave behind.
pub fn become_subreaper() -> Result<()> {
    // SAFETY: this prctl takes integers only.
    checked(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Kills a whole process group; one that is already gone is fine.
pub fn kill_group(group: u32) {
    // SAFETY: killpg takes two integers.
    unsafe { libc::killpg(group as libc::pid_t, libc::SIGKILL) };
}

/// Kills one process; one that is already gone is fine.
pub fn kill(pid: u32) {
    // SAFETY: kill takes two integers.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// A child that ended, as the kernel accounts for it (with the descendants that it had waited for).
pub struct Ended {
    /// Which child.
    pub pid: u32,
    /// Exit code, where it exited by itself.
    pub code: Option<i32>,
    /// Signal, where one ended it.
    pub signal: Option<i32>,
    /// CPU time in user mode.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// Peak resident memory. It never lies below that of the process which started the child.
    pub peak_bytes: u64,
    /// Switches that the child asked for by waiting.
    pub voluntary_switches: u64,
    /// Switches forced upon it.
    pub involuntary_switches: u64,
}

/// The next ended child, or `None` if children live but none has ended. No child at all is an error (ECHILD).
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

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}
