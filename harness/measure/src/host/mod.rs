//! The fingerprint of a machine. Results of different hosts can't be compared, so each run records its host.

mod cache;
mod cpu;

use std::fs;

use serde::{Deserialize, Serialize};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

pub use cache::{last_level_cache, second_level_cache};

use crate::os;

/// Facts about a machine that decide its speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Name of the processor, with its microarchitecture where that is known.
    pub cpu: String,
    /// Instruction sets that matter here, the most capable last, named as in the CPU flags.
    #[serde(deserialize_with = "in_todays_spelling")]
    pub isa: Vec<String>,
    /// Numbers of the cores that this process may use.
    pub cores: Vec<usize>,
    /// Sizes of a core's caches, such as "L2 1024K".
    pub caches: Vec<String>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// Limits of the control group, verbatim; empty if there are none.
    pub cgroup_limits: Vec<String>,
}

impl Host {
    /// Facts about this machine.
    pub fn detect() -> std::io::Result<Self> {
        let cores = os::allowed_cores()?;
        Ok(Self {
            cpu: cpu::name(),
            isa: isa(),
            caches: cache::sizes(),
            cores,
            memory_bytes: memory().total_memory(),
            kernel: System::kernel_version().unwrap_or_default(),
            cgroup_limits: cgroup_limits(),
        })
    }

    /// Differences between this host and `other` that matter for speed, in words. Figures of two hosts
    /// without differences may be compared. Another kernel release alone doesn't count.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let gib = |bytes: u64| format!("{} GiB", (bytes as f64 / f64::from(1 << 30)).round());
        let number = |cores: &[usize]| format!("{} cores", cores.len());
        let figures = |host: &Self| {
            let limits = host.cgroup_limits.join(", ");
            let (isa, caches) = (host.isa.join(" "), host.caches.join(", "));
            [host.cpu.clone(), number(&host.cores), isa, caches, gib(host.memory_bytes), limits]
        };
        let pairs = figures(self).into_iter().zip(figures(other));
        pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("{a}, not {b}")).collect()
    }

    /// The instruction set that decides int8 speed: the last of the list is the most capable.
    pub fn best_isa(&self) -> &str {
        self.isa.last().map_or("scalar", String::as_str)
    }

    /// Architecture of the host, which needs a build of dyno of its own. The instruction sets tell; a host with
    /// none is an Arm processor as dyno saw them before it had kernels for Arm.
    pub fn architecture(&self) -> &'static str {
        let arm = self.isa.is_empty() || self.isa.iter().any(|isa| isa == dyno_api::Isa::Neon.name());
        if arm { "aarch64" } else { "x86_64" }
    }
}

/// Instruction sets in today's spelling. Runs of dyno 0.1 spell two of them without the underscore.
fn in_todays_spelling<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names: Vec<String> = Deserialize::deserialize(deserializer)?;
    let today = |name: String| match name.as_str() {
        "avxvnni" => "avx_vnni".into(),
        "avx512vnni" => "avx512_vnni".into(),
        _ => name,
    };
    Ok(names.into_iter().map(today).collect())
}

/// Text of a file; empty if the file is absent, since no field here is worth a failure.
fn read(path: impl AsRef<std::path::Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn isa() -> Vec<String> {
    dyno_api::Isa::present()
        .filter(|isa| *isa != dyno_api::Isa::Scalar)
        .map(|isa| isa.name().into())
        .collect()
}

/// Hardware threads of the physical core of `core`, with `core` itself, ascending. The kernel numbers the
/// threads, and CPUID doesn't know these numbers.
pub fn siblings(core: usize) -> Vec<usize> {
    let list = read(format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"));
    let mut siblings = parse_core_list(&list);
    siblings.push(core);
    siblings.sort_unstable();
    siblings.dedup();
    siblings
}

/// Cores of a kernel's list, such as "0-2,5" (cpuset(7)).
pub fn parse_core_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
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
    let set = limits.into_iter().map(|(name, path)| (name, read(path)));
    set.filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name} {}", value.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_core_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_core_list("7"), [7]);
        assert!(parse_core_list("").is_empty());
        assert!(siblings(0).contains(&0));
    }

    #[test]
    fn crates_and_kernel_agree_on_this_machine() {
        let host = Host::detect().unwrap();
        assert!(!host.cores.is_empty());
        let total = read("/proc/meminfo").lines().next().map(str::to_owned).unwrap_or_default();
        let kib = total.trim_start_matches("MemTotal:").trim().trim_end_matches(" kB").parse::<u64>();
        assert_eq!(host.memory_bytes, kib.unwrap() * 1024);
        assert_eq!(host.kernel, read("/proc/sys/kernel/osrelease").trim());
    }

    #[test]
    fn old_spellings_of_instruction_sets_read_as_todays() {
        let mut old = serde_json::to_value(Host::detect().unwrap()).unwrap();
        old["isa"] = serde_json::json!(["avx2", "avxvnni", "avx512bw", "avx512vnni"]);
        let read: Host = serde_json::from_value(old).unwrap();
        assert_eq!(read.isa, ["avx2", "avx_vnni", "avx512bw", "avx512_vnni"]);
        assert_eq!(read.best_isa(), "avx512_vnni");
    }

    #[test]
    fn instruction_sets_tell_the_architecture() {
        let mut host = Host::detect().unwrap();
        for (isa, architecture) in
            [(vec!["avx2", "avx512bw"], "x86_64"), (vec!["neon", "i8mm"], "aarch64"), (vec![], "aarch64")]
        {
            host.isa = isa.into_iter().map(String::from).collect();
            assert_eq!(host.architecture(), architecture);
        }
    }
}
