//! The machine's fingerprint: results of different hosts can't be compared, so each run says where it ran.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::os;

/// What of a machine decides how fast it translates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's own name, with its microarchitecture where we know it.
    pub cpu: String,
    /// The widest instruction sets that matter here, named as in the CPU flags.
    pub isa: Vec<String>,
    /// Cores that this process may use.
    pub cores: Vec<usize>,
    /// Cache sizes of the first of these cores, such as "L2 1024K".
    pub caches: Vec<String>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// Limits of the control group where there are any, verbatim.
    pub cgroup_limits: Vec<String>,
}

impl Host {
    /// Looks at this machine.
    pub fn detect() -> std::io::Result<Self> {
        let cores = os::allowed_cores()?;
        Ok(Self {
            cpu: cpu_name(&read("/proc/cpuinfo")),
            isa: isa(),
            caches: caches(cores[0]),
            cores,
            memory_bytes: memory_bytes(&read("/proc/meminfo")),
            kernel: read("/proc/sys/kernel/osrelease").trim().into(),
            cgroup_limits: cgroup_limits(),
        })
    }

    /// In what of all that decides speed this host and `other` differ, in words; nothing means that figures of
    /// the two may be compared. The kernel's release alone makes no other machine.
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
}

/// An absent file reads as empty: no field here is worth failing for.
fn read(path: impl AsRef<std::path::Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
    Some(line.split_once(':')?.1.trim())
}

fn cpu_name(cpuinfo: &str) -> String {
    let name = field(cpuinfo, "model name").unwrap_or("unknown CPU");
    let number = |key| field(cpuinfo, key).and_then(|v| v.parse::<u32>().ok()).unwrap_or(0);
    match microarchitecture(number("cpu family"), number("model")) {
        Some(zen) => format!("{name} ({zen})"),
        None => name.into(),
    }
}

/// AMD's families by CPUID (Processor Programming References of the families); virtual machines often hide the
/// model's name but not these numbers.
fn microarchitecture(family: u32, model: u32) -> Option<&'static str> {
    match (family, model) {
        (0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some("Zen 4"),
        (0x19, _) => Some("Zen 3"),
        (0x1a, _) => Some("Zen 5"),
        _ => None,
    }
}

fn isa() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    let present = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avxvnni", is_x86_feature_detected!("avxvnni")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", is_x86_feature_detected!("avx512vnni")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let present: [(&str, bool); 0] = [];
    present.into_iter().filter(|(_, present)| *present).map(|(name, _)| name.into()).collect()
}

fn caches(core: usize) -> Vec<String> {
    let index = |i: usize| format!("/sys/devices/system/cpu/cpu{core}/cache/index{i}");
    (0..8)
        .filter(|&i| read(format!("{}/type", index(i))).trim() != "Instruction")
        .map(|i| (read(format!("{}/level", index(i))), read(format!("{}/size", index(i)))))
        .filter(|(level, _)| !level.is_empty())
        .map(|(level, size)| format!("L{} {}", level.trim(), size.trim()))
        .collect()
}

/// Bytes of a core's second-level cache; 1 MiB where the kernel doesn't tell.
pub fn second_level_cache() -> usize {
    let told = caches(0).into_iter().find_map(|cache| kibibytes(cache.strip_prefix("L2 ")?));
    told.unwrap_or(1 << 10) << 10
}

/// Bytes of the largest cache, which stands before memory; 32 MiB where the kernel doesn't tell.
pub fn last_level_cache() -> usize {
    let told = caches(0).into_iter().filter_map(|cache| kibibytes(cache.split_once(' ')?.1)).max();
    told.unwrap_or(32 << 10) << 10
}

/// The kernel's sizes of caches, such as "1024K".
fn kibibytes(size: &str) -> Option<usize> {
    size.strip_suffix('K')?.parse().ok()
}

/// The hardware threads of `core`'s physical core, itself among them, ascending.
pub fn siblings(core: usize) -> Vec<usize> {
    let list = read(format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"));
    let mut siblings = core_list(&list);
    siblings.push(core);
    siblings.sort_unstable();
    siblings.dedup();
    siblings
}

/// The kernel's lists of cores, such as "0-2,5" (cpuset(7)).
fn core_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

fn memory_bytes(meminfo: &str) -> u64 {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    total.and_then(|t| t.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
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
    fn a_nameless_virtual_cpu_is_still_told_by_its_family() {
        let cpuinfo = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n";
        assert_eq!(cpu_name(cpuinfo), "AMD EPYC (Zen 4)");
        assert_eq!(cpu_name("model name : Intel(R) Xeon(R)\ncpu family : 6\n"), "Intel(R) Xeon(R)");
    }

    #[test]
    fn lists_of_cores_are_read_as_the_kernel_writes_them() {
        assert_eq!(core_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(core_list("7"), [7]);
        assert!(core_list("").is_empty());
        assert!(siblings(0).contains(&0));
    }

    #[test]
    fn this_machine_has_a_core_and_memory() {
        let host = Host::detect().unwrap();
        assert!(!host.cores.is_empty());
        assert!(host.memory_bytes > 0);
    }
}
