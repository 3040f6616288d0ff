//! The facts of this machine, which make its fingerprint.

mod cache;
mod cpu;

use std::path::Path;

use dyno_record::Host;
use itertools::Itertools;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

pub use cache::{last_level_cache, second_level_cache};

use crate::os::{self, text_of};

/// Facts about this machine.
pub fn detect() -> std::io::Result<Host> {
    let cores = os::allowed_cores()?;
    let isa = dyno_api::Isa::present().filter(|isa| *isa != dyno_api::Isa::Scalar);
    Ok(Host {
        cpu: cpu::name(),
        isa: isa.map(|isa| isa.name().into()).collect(),
        caches: cache::sizes(),
        numa_nodes: numa_nodes(Path::new("/"), &cores),
        cores,
        memory_bytes: memory().total_memory(),
        kernel: System::kernel_version().unwrap_or_default(),
        cgroup_limits: cgroup_limits(),
    })
}

/// Hardware threads of the physical core of `core`, with `core` itself, ascending. The kernel numbers the
/// threads, and CPUID doesn't know these numbers.
pub fn siblings(core: usize) -> Vec<usize> {
    let list = text_of(format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"));
    parse_core_list(&list).into_iter().chain([core]).sorted_unstable().dedup().collect()
}

/// Cores of a kernel's list, such as "0-2,5" (cpuset(7)).
pub fn parse_core_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// Those of `cores` that each NUMA node has, below the root folder of a host; nodes without any are left out.
pub fn numa_nodes(root: &Path, cores: &[usize]) -> Vec<Vec<usize>> {
    let nodes = root.join("sys/devices/system/node");
    let of_node = |node: usize| {
        let list = parse_core_list(&text_of(nodes.join(format!("node{node}/cpulist"))));
        list.into_iter().filter(|core| cores.contains(core)).collect::<Vec<_>>()
    };
    let online = parse_core_list(&text_of(nodes.join("online")));
    online.into_iter().map(of_node).filter(|cores| !cores.is_empty()).collect()
}

fn memory() -> System {
    System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()))
}

/// Bytes of memory that programs may still take.
pub fn available_memory() -> u64 {
    memory().available_memory()
}

fn cgroup_limits() -> Vec<String> {
    let limits = [
        ("cpu.max", "/sys/fs/cgroup/cpu.max"),
        ("memory.max", "/sys/fs/cgroup/memory.max"),
        ("cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
        ("memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    ];
    let set = limits.into_iter().map(|(name, path)| (name, text_of(path)));
    set.filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name} {}", value.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lists_of_cores_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_core_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_core_list("7"), [7]);
        assert!(parse_core_list("").is_empty());
        assert!(siblings(0).contains(&0));
    }

    #[test]
    fn nodes_have_the_cores_that_may_be_used() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join("sys/devices/system/node").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("online", "0-2\n");
        write("node0/cpulist", "0-3,8-11\n");
        write("node1/cpulist", "4-7\n");
        write("node2/cpulist", "\n"); // memory without cores
        assert_eq!(numa_nodes(root.path(), &[2, 3, 4, 8]), [vec![2, 3, 8], vec![4]]);
        assert_eq!(numa_nodes(root.path(), &[5]), [[5]]);
        assert!(numa_nodes(Path::new("/nowhere"), &[5]).is_empty());
    }

    #[test]
    fn crates_and_kernel_agree_on_this_machine() {
        let host = detect().unwrap();
        assert!(!host.cores.is_empty());
        let total = text_of("/proc/meminfo").lines().next().map(str::to_owned).unwrap_or_default();
        let kib = total.trim_start_matches("MemTotal:").trim().trim_end_matches(" kB").parse::<u64>();
        assert_eq!(host.memory_bytes, kib.unwrap() * 1024);
        assert_eq!(host.kernel, text_of("/proc/sys/kernel/osrelease").trim());
    }
}
