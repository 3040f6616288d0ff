//! The processes below a process, as `/proc` shows them: their numbers, the cores and waits of their threads,
//! their CPU time.

use std::fs;
use std::path::PathBuf;

use super::cores::{core_list, cores_of};
use super::status::text_of;

/// Root of a system's processes.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Process above all of them.
    pub supervisor: u32,
    /// Processes in a row between supervisor and system: those of a sandbox.
    pub layers: usize,
}

impl Root {
    /// All processes of the system.
    pub fn below(self) -> Vec<u32> {
        below(self.supervisor).into_iter().skip(self.layers).collect()
    }
}

/// All descendants of `pid`, parents before children.
pub fn below(pid: u32) -> Vec<u32> {
    let mut found = children_of(pid);
    let mut next = 0;
    while next < found.len() {
        let further = children_of(found[next]);
        found.extend(further);
        next += 1;
    }
    found
}

/// Children, by birth or by adoption. The kernel's own list costs microseconds. Where the kernel lacks this
/// list (CONFIG_PROC_CHILDREN), the parents of all processes are read.
pub fn children_of(pid: u32) -> Vec<u32> {
    let lists = threads_of(pid).into_iter().map(|thread| format!("/proc/{pid}/task/{thread}/children"));
    let lists: Option<Vec<String>> = lists.map(|path| fs::read_to_string(path).ok()).collect();
    match lists {
        Some(lists) if !lists.is_empty() => {
            lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse().ok()).collect()
        }
        _ => numbers_in("/proc").into_iter().filter(|&other| parent_of(other) == Some(pid)).collect(),
    }
}

fn parent_of(pid: u32) -> Option<u32> {
    Some(Stat::of(&format!("/proc/{pid}"))?.parent)
}

/// The kernel's line about a process or thread (proc_pid_stat(5)), as far as the bench reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Letter of the state.
    pub state: char,
    /// Number of the parent.
    pub parent: u32,
    /// CPU time of the process, of its ended threads and of the children that it waited for.
    pub ticks: u64,
}

impl Stat {
    fn of(folder: &str) -> Option<Self> {
        Self::read(&text_of(format!("{folder}/stat")))
    }

    /// Reads the line "pid (name) state ppid …". A name may hold anything, brackets too.
    pub fn read(line: &str) -> Option<Self> {
        let mut fields = line.rsplit_once(')')?.1.split_whitespace();
        let (state, parent) = (fields.next()?.chars().next()?, fields.next()?.parse().ok()?);
        // utime, stime, cutime and cstime are fields 14 to 17; the parent is the fourth.
        let times = fields.skip(9).take(4).filter_map(|ticks| ticks.parse().ok());
        Some(Self { state, parent, ticks: times.fold(0, u64::saturating_add) })
    }
}

/// Threads of a process; empty if the process has ended.
pub fn threads_of(pid: u32) -> Vec<u32> {
    numbers_in(&format!("/proc/{pid}/task"))
}

fn numbers_in(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Letters of the states of all threads of `pid`, as in proc(5).
pub fn states_of(pid: u32) -> Vec<char> {
    let state = |thread: u32| Some(Stat::of(&format!("/proc/{pid}/task/{thread}"))?.state);
    threads_of(pid).into_iter().filter_map(state).collect()
}

/// Description of the first thread of `pid` that may run on a core outside of `allowed`.
pub fn escaped_thread(pid: u32, allowed: &[usize]) -> Option<String> {
    let outside = |thread: &u32| {
        let cores = cores_of(*thread).ok()?;
        cores.iter().any(|core| !allowed.contains(core)).then_some(cores)
    };
    let cores = threads_of(pid).iter().find_map(outside)?;
    let name = text_of(format!("/proc/{pid}/comm"));
    Some(format!("a thread of {:?} may run on cores {}", name.trim(), core_list(&cores)))
}

/// CPU time of the threads of `pids` so far, in nanoseconds: exact, unlike the ticks of `stat`.
pub fn running_ns(pids: &[u32]) -> u64 {
    threads_below(pids).into_iter().filter_map(ran_ns).sum()
}

/// A thread: the numbers of its process and its own.
pub type Thread = (u32, u32);

/// Stopped threads of `pids`, each with its CPU time. One that waits in the kernel (D) may still have work there.
pub fn stopped(pids: &[u32]) -> Vec<(Thread, u64)> {
    let is_stopped = |&(pid, thread): &Thread| {
        Stat::of(&format!("/proc/{pid}/task/{thread}")).is_some_and(|stat| matches!(stat.state, 'T' | 't'))
    };
    let stopped = threads_below(pids).into_iter().filter(is_stopped);
    stopped.filter_map(|thread| Some((thread, ran_ns(thread)?))).collect()
}

/// CPU time of a thread so far, in nanoseconds; `None` once it has ended.
pub fn ran_ns((pid, thread): Thread) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn threads_below(pids: &[u32]) -> Vec<Thread> {
    pids.iter().flat_map(|&pid| threads_of(pid).into_iter().map(move |thread| (pid, thread))).collect()
}

/// CPU time of `pids` so far, with their ended threads and the children that they waited for.
pub fn taken_ns(pids: &[u32]) -> u64 {
    let ticks = pids.iter().filter_map(|pid| Some(Stat::of(&format!("/proc/{pid}"))?.ticks));
    ticks.sum::<u64>() * TICK_NS
}

/// Unit of the CPU times that the kernel shows: hundredths of a second (USER_HZ).
pub const TICK_NS: u64 = 10_000_000;

/// State of a thread, as far as a system's silence is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Reads the given pipe.
    Reading,
    /// Runs, or waits for a core or a disk.
    Ready,
    /// Sleeps for a time, or is stopped for one.
    Asleep,
    /// Waits for another thread, process or pipe.
    Blocked,
    /// Waits for an unknown event, or the kernel doesn't show the wait.
    Unknown,
}

/// State of each thread of `pids`; `pipe` is the link of a descriptor, such as `pipe:[4711]`.
pub fn waits(pids: &[u32], pipe: &str) -> Vec<Wait> {
    threads_below(pids).into_iter().map(|(pid, thread)| wait_of(pid, thread, pipe)).collect()
}

fn wait_of(pid: u32, thread: u32, pipe: &str) -> Wait {
    let folder = format!("/proc/{pid}/task/{thread}");
    match Stat::of(&folder).map(|stat| stat.state) {
        None | Some('Z' | 'X') => return Wait::Blocked, // ended meanwhile
        Some('S') => {}
        Some('R' | 'D') => return Wait::Ready,
        Some(_) => return Wait::Asleep,
    }
    let Ok(call) = fs::read_to_string(format!("{folder}/syscall")) else { return Wait::Unknown };
    wait_in(&call, pipe, |descriptor| fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok())
}

/// State by a line of `/proc/…/syscall`: number and arguments of the call in which a thread sleeps. `link_of` gives the
/// link of a descriptor.
pub fn wait_in(call: &str, pipe: &str, link_of: impl Fn(u64) -> Option<PathBuf>) -> Wait {
    let mut words = call.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<i64>().ok());
    let arguments: Vec<u64> =
        words.filter_map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()).collect();
    let argument = |i: usize| arguments.get(i).copied();
    match number {
        Some(libc::SYS_read | libc::SYS_readv) => {
            let link = argument(0).and_then(link_of).unwrap_or_default();
            match link.to_string_lossy() {
                link if link == pipe => Wait::Reading,
                // The other end is in the tree, where its process is looked at. The peer of a socket or timer
                // may be anywhere.
                link if link.starts_with("pipe:") => Wait::Blocked,
                _ => Wait::Unknown,
            }
        }
        Some(libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => Wait::Asleep,
        // futex(2): the fourth argument is a timeout, after which the thread goes on by itself.
        Some(libc::SYS_futex) if argument(3).is_some_and(|timeout| timeout != 0) => Wait::Asleep,
        Some(libc::SYS_futex | libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_rt_sigsuspend) => Wait::Blocked,
        _ => Wait::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::odd_memory::{Status, proportional_bytes};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_is_read_behind_its_name() {
        let line = "7 (a) R (b) S 3 7 7 0 -1 4194560 100 0 0 0 5 6 70 800 20 0 1 0 12345 1000 200\n";
        assert_eq!(Stat::read(line), Some(Stat { state: 'S', parent: 3, ticks: 881 }));
        assert_eq!((Stat::read("7 (a) S\n"), Stat::read("")), (None, None));
    }

    #[test]
    fn a_thread_with_a_name_of_odd_bytes_is_seen() {
        rustix::thread::set_name(c"\xff").unwrap();
        assert!(Stat::of("/proc/thread-self").is_some());
    }

    #[test]
    fn waits_are_classified_by_their_system_call() {
        let link = |descriptor| Some(["pipe:[7]", "socket:[8]", "pipe:[9]"][descriptor as usize].into());
        let wait = |call: &str, arguments: &str| {
            wait_in(&format!("{call} {arguments} 0x7ffe 0x7f00"), "pipe:[7]", link)
        };
        let (read, futex) = (libc::SYS_read.to_string(), libc::SYS_futex.to_string());
        assert_eq!(wait(&read, "0x0 0x55 0x400 0x0 0x0 0x0"), Wait::Reading);
        assert_eq!(
            wait(&read, "0x1 0x55 0x400 0x0 0x0 0x0"),
            Wait::Unknown,
            "the peer of a socket is unknown"
        );
        assert_eq!(wait(&read, "0x2 0x55 0x400 0x0 0x0 0x0"), Wait::Blocked);
        assert_eq!(wait(&futex, "0x55 0x189 0x0 0x0 0x0 0xffffffff"), Wait::Blocked);
        assert_eq!(wait(&futex, "0x55 0x189 0x0 0x7ffd 0x0 0xffffffff"), Wait::Asleep, "with a timeout");
        assert_eq!(wait("running", ""), Wait::Unknown);
    }

    #[test]
    fn children_threads_and_their_waits_are_found() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.as_ref().unwrap();
        let link =
            fs::read_link(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(stdin))).unwrap();
        let pids = [child.id()];
        let reads = || waits(&pids, link.to_str().unwrap()) == [Wait::Reading];
        // The child takes a moment to start.
        let seen = (0..12_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            reads()
        });
        assert!(seen, "{:?}", waits(&pids, link.to_str().unwrap()));
        assert!(below(std::process::id()).contains(&child.id()));
        assert!(proportional_bytes(&pids).is_some_and(|bytes| bytes > 0));
        assert!(Status::of(child.id()).peak_bytes() > 0);
        assert!(running_ns(&pids) > 0);
        let own = [std::process::id()];
        let [taken, running] = [taken_ns(&own), running_ns(&own)];
        while running_ns(&own) < running + 3 * TICK_NS {}
        assert!(taken_ns(&own) >= taken + TICK_NS, "this process was busy");
        assert_eq!(waits(&pids, "pipe:[0]"), [Wait::Blocked], "another pipe");
        assert_eq!(escaped_thread(child.id(), &cores_of(child.id()).unwrap()), None);
        assert!(escaped_thread(child.id(), &[]).unwrap().starts_with("a thread of \"cat\" may run on cores"));
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
