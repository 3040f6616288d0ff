//! Memory that the peak of a process lacks, or counts otherwise than other memory.

use std::fs;

/// Shared memory that `pids` have mapped and touched; the peak of their memory holds it. Of several processes
/// each page counts once, as it does in their peak.
pub fn touched_shared_bytes(pids: &[u32]) -> u64 {
    let whole = |pid: &u32| kibibytes(&read(&format!("/proc/{pid}/status")), "RssShmem:");
    let part = |pid: &u32| kibibytes(&read(&format!("/proc/{pid}/smaps_rollup")), "Pss_Shmem:");
    let kibibytes: u64 = match pids {
        [pid] => whole(pid).unwrap_or(0),
        // A kernel before 5.3 doesn't know the parts.
        _ => pids.iter().filter_map(|pid| part(pid).or_else(|| whole(pid))).sum(),
    };
    kibibytes * 1024
}

/// Huge pages of `pid` (hugetlbfs, MAP_HUGETLB), which its peak lacks.
pub fn huge_page_bytes(pid: u32) -> u64 {
    kibibytes(&read(&format!("/proc/{pid}/status")), "HugetlbPages:").unwrap_or(0) * 1024
}

/// Bytes of the System V segments that one of `pids` made (proc_sysvipc(5)), attached or not.
pub fn segments_of(pids: &[u32]) -> u64 {
    segments_in(&read("/proc/sysvipc/shm"), pids)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Value of a line such as `HugetlbPages:   4096 kB`, in files of /proc.
pub(crate) fn kibibytes(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.trim().trim_end_matches(" kB").parse().ok()
}

/// Bytes in memory of segments in the kernel's table. Columns: key, shmid, perms, size, cpid, …, rss at 14.
fn segments_in(table: &str, pids: &[u32]) -> u64 {
    let bytes = |line: &str| {
        let numbers: Vec<u64> = line.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect();
        let made_by = u32::try_from(*numbers.get(4)?).ok()?;
        pids.contains(&made_by).then(|| numbers.get(14).copied().unwrap_or(0))
    };
    table.lines().skip(1).filter_map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_the_kernels_tables() {
        let status = "VmHWM:\t  9000 kB\nRssShmem:\t    12 kB\nHugetlbPages:\t    4096 kB\n";
        assert_eq!(
            (kibibytes(status, "RssShmem:"), kibibytes(status, "HugetlbPages:")),
            (Some(12), Some(4096))
        );
        assert_eq!(kibibytes("", "RssShmem:"), None);
        let segment = |id: u32, made_by: u32, rss: u64| {
            format!("  0 {id}  600 4194304 {made_by} {made_by} 0 0 0 0 0 0 0 1700000000 {rss} 0\n")
        };
        let table = format!("key shmid …\n{}{}", segment(0, 77, 1 << 20), segment(1, 78, 2 << 20));
        assert_eq!((segments_in(&table, &[77]), segments_in(&table, &[78, 77])), (1 << 20, 3 << 20));
        assert_eq!((segments_in(&table, &[1]), segments_in("", &[1])), (0, 0));
    }
}
