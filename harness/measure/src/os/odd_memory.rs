//! Memory of a process as `/proc` shows it, with the memory that its peak lacks or counts otherwise.

use std::collections::BTreeMap;

use super::status::{bytes_behind, text_of};
use super::tree::threads_of;

/// Device and inode of a file.
pub type File = (u64, u64);

/// The kernel's account of a process at one moment (proc_pid_status(5)).
pub struct Status {
    /// Number of the process.
    pub pid: u32,
    /// Thread that `/proc` shows the process by. Once the first thread has ended, its own files there are empty.
    pub shown_by: u32,
    text: String,
}

impl Status {
    /// Account of `pid`.
    pub fn of(pid: u32) -> Self {
        let of = |thread: u32| Self::read(pid, thread, text_of(format!("/proc/{thread}/status")));
        let first = of(pid);
        if first.peak_bytes() > 0 {
            return first;
        }
        let mut others = threads_of(pid).into_iter().filter(|&thread| thread != pid).map(of);
        others.find(|other| other.peak_bytes() > 0).unwrap_or(first)
    }

    /// Account of `pid` by `text`, that of the thread `shown_by`.
    pub const fn read(pid: u32, shown_by: u32, text: String) -> Self {
        Self { pid, shown_by, text }
    }

    /// Peak resident memory. It starts anew at exec, and whenever the process wants (`clear_refs`, proc(5)).
    pub fn peak_bytes(&self) -> u64 {
        self.bytes("VmHWM:")
    }

    /// Memory that the process holds alone or with others: resident and swapped, or pinned by the kernel on its
    /// behalf. Pinned pages, such as the registered buffers of io_uring, may be mapped no longer.
    pub fn held_bytes(&self) -> u64 {
        self.bytes("VmRSS:").saturating_add(self.bytes("VmSwap:")).max(self.bytes("VmPin:"))
    }

    /// Huge pages (hugetlbfs, MAP_HUGETLB), which the peak lacks.
    pub fn huge_page_bytes(&self) -> u64 {
        self.bytes("HugetlbPages:")
    }

    /// Whether the process ignores the ends of its children: nothing then shows their CPU time and their peaks
    /// (wait(2), NOTES).
    pub fn ignores_children(&self) -> bool {
        let ignored = self.text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & (1 << (libc::SIGCHLD - 1)) != 0)
    }

    fn bytes(&self, name: &str) -> u64 {
        bytes_behind(&self.text, name).unwrap_or(0)
    }
}

/// Memory that `processes` hold together now: of one its own account, of several their proportional set size. `None`
/// of none, or if the kernel doesn't show it.
pub fn held_bytes(processes: &[Status]) -> Option<u64> {
    // A process that has ended holds nothing, although its parent hasn't waited for it yet.
    let processes: Vec<&Status> = processes.iter().filter(|process| process.held_bytes() > 0).collect();
    match processes[..] {
        [process] => Some(process.held_bytes()),
        _ => proportional_bytes(&processes.iter().map(|process| process.shown_by).collect::<Vec<_>>()),
    }
}

/// Memory of several processes with shared pages counted in parts (PSS, proc(5)), also of what is swapped. A pool
/// of workers on one model is thereby charged for the model once. `None` if the kernel doesn't show it.
pub fn proportional_bytes(threads: &[u32]) -> Option<u64> {
    let of = |thread: &u32| {
        let text = text_of(format!("/proc/{thread}/smaps_rollup"));
        Some(bytes_behind(&text, "Pss:")? + bytes_behind(&text, "SwapPss:").unwrap_or(0))
    };
    threads.iter().filter_map(of).reduce(|a, b| a + b)
}

/// Bytes that processes have mapped and touched of the files that count and of System V segments, by device and
/// inode; their own memory holds these. `smaps` has the texts of all processes (proc_pid_smaps(5)). Each page
/// counts once, as it does in their sum.
pub fn touched_in(smaps: &str, counts: impl Fn(&File) -> bool) -> BTreeMap<File, u64> {
    let (mut touched, mut range) = (BTreeMap::<File, u64>::new(), None);
    for line in smaps.lines() {
        if let Some(pss) = bytes_behind(line, "Pss:") {
            let Some(bytes) = range.map(|file| touched.entry(file).or_default()) else { continue };
            *bytes = bytes.saturating_add(pss);
        } else if let Some(file) = file_of_range(line) {
            range = Some(file).filter(|file| counts(file) || line.contains(" /SYSV"));
        }
    }
    touched
}

/// Device and inode of a range: its line is "range permissions offset device inode path".
fn file_of_range(line: &str) -> Option<File> {
    let mut words = line.split_ascii_whitespace().skip(3);
    let (major, minor) = words.next()?.split_once(':')?;
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    Some((libc::makedev(number(major)?, number(minor)?), words.next()?.parse().ok()?))
}

/// Bytes of the System V segments that one of `pids` made, attached or not, and of the messages in queues that
/// one of them was the last to send to, by the kernel's tables of both (proc_sysvipc(5)).
pub fn segments_in(segments: &str, queues: &str, pids: &[u32]) -> u64 {
    // Columns: key, shmid, perms, size, cpid, …, rss at 14; and key, msqid, perms, cbytes, qnum, lspid, …
    sum_of(segments, 14, 4, pids).saturating_add(sum_of(queues, 3, 5, pids))
}

/// Sum of `column` over those rows of a table of the kernel's that have one of `pids` in the column `of`.
fn sum_of(table: &str, column: usize, of: usize, pids: &[u32]) -> u64 {
    let row =
        |line: &str| line.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect::<Vec<u64>>();
    let counts = |row: &Vec<u64>| pids.iter().any(|&pid| row.get(of) == Some(&pid.into()));
    let rows = table.lines().skip(1).map(row).filter(counts);
    rows.filter_map(|row| row.get(column).copied()).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_and_pinned_memory_is_held() {
        let status = |text: &str| Status::read(1, 1, text.into());
        let swapped = status("VmHWM:\t  900 kB\nVmRSS:\t  300 kB\nVmSwap:\t  500 kB\nVmPin:\t  0 kB\n");
        assert_eq!((swapped.peak_bytes(), swapped.held_bytes()), (900 << 10, 800 << 10));
        assert_eq!(status("VmRSS:\t  13 kB\nVmPin:\t  200 kB\n").held_bytes(), 200 << 10);
        assert!(status("SigIgn:\t0000000000010000\n").ignores_children() && !status("").ignores_children());
    }

    #[test]
    fn what_is_touched_of_given_files_alone_counts() {
        let smaps = "7f00-7f01 rw-s 00000000 00:1a 13   /dev/shm/weights\nRss:  4096 kB\nPss:  2048 kB\n\
                     7f02-7f03 rw-s 00000000 00:1a 14   /dev/shm/other\nPss:  512 kB\n\
                     7f04-7f05 rw-s 00000000 00:01 3    /SYSV00000000 (deleted)\nPss:  64 kB\n\
                     7f06-7f07 rw-p 00000000 00:00 0\nPss:  32 kB\n";
        let file = |minor, number, kib: u64| ((libc::makedev(0, minor), number), kib << 10);
        let [weights, other, segment] = [file(0x1a, 13, 2048), file(0x1a, 14, 512), file(1, 3, 64)];
        assert_eq!(touched_in(smaps, |file| *file == weights.0), [weights, segment].into());
        let either = |file: &File| [weights.0, other.0].contains(file);
        assert_eq!(touched_in(smaps, either), [weights, other, segment].into());
    }

    #[test]
    fn values_are_read_from_the_kernels_tables() {
        let status = "VmHWM:\t  9000 kB\nRssShmem:\t    12 kB\nHugetlbPages:\t    4096 kB\n";
        assert_eq!(
            (bytes_behind(status, "RssShmem:"), bytes_behind(status, "HugetlbPages:")),
            (Some(12 << 10), Some(4 << 20))
        );
        assert_eq!(bytes_behind("", "RssShmem:"), None);
        let segment = |id: u32, made_by: u32, rss: u64| {
            format!("  0 {id}  600 4194304 {made_by} {made_by} 0 0 0 0 0 0 0 1700000000 {rss} 0\n")
        };
        let table = format!("key shmid …\n{}{}", segment(0, 77, 1 << 20), segment(1, 78, 2 << 20));
        let segments = |table: &str, pids: &[u32]| segments_in(table, "", pids);
        assert_eq!((segments(&table, &[77]), segments(&table, &[78, 77])), (1 << 20, 3 << 20));
        assert_eq!((segments(&table, &[1]), segments("", &[1])), (0, 0));
        let queues = "key msqid perms …\n 0 7 600 16384 2 77 0 0\n 0 8 600 8192 1 78 77 0\n";
        let messages = |pids: &[u32]| segments_in("", queues, pids);
        assert_eq!((messages(&[77]), messages(&[77, 78])), (16_384, 24_576));
    }
}
