//! The fingerprint of a machine. Results of different hosts can't be compared, so each run records its host.

use serde::{Deserialize, Serialize};

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
    /// Those of these cores that each NUMA node has, where the kernel says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numa_nodes: Vec<Vec<usize>>,
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
    /// Differences between this host and `other` that matter for speed, in words. Figures of two hosts
    /// without differences may be compared. Another kernel release alone doesn't count.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let gib = |bytes: u64| format!("{} GiB", (bytes as f64 / f64::from(1 << 30)).round());
        // Earlier records name no nodes.
        let nodes = |host: &Self| match host.numa_nodes.len() {
            0 | 1 => "one NUMA node".to_owned(),
            several => format!("{several} NUMA nodes"),
        };
        let figures = |host: &Self| {
            let (cores, limits) = (format!("{} cores", host.cores.len()), host.cgroup_limits.join(", "));
            // Nor do they name bf16, which the processor's name tells.
            let isa =
                host.isa.iter().map(String::as_str).filter(|isa| *isa != dyno_api::Isa::Avx512Bf16.name());
            let isa = isa.collect::<Vec<_>>().join(" ");
            [
                host.cpu.clone(),
                cores,
                nodes(host),
                isa,
                host.caches.join(", "),
                gib(host.memory_bytes),
                limits,
            ]
        };
        let pairs = figures(self).into_iter().zip(figures(other));
        pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("{a}, not {b}")).collect()
    }

    /// The most capable instruction set, the last of the list.
    pub fn best_isa(&self) -> &str {
        self.isa.last().map_or("scalar", String::as_str)
    }

    /// The host in a line.
    pub fn line(&self) -> String {
        let cores = self.cores.len();
        format!("{}, {cores} {}, {}", self.cpu, if cores == 1 { "core" } else { "cores" }, self.best_isa())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn host(isa: &[&str]) -> Host {
        let facts = serde_json::json!({
            "cpu": "c", "isa": isa, "cores": [0], "caches": [], "memory_bytes": 1, "kernel": "6", "cgroup_limits": []
        });
        serde_json::from_value(facts).unwrap()
    }

    #[test]
    fn old_spellings_of_instruction_sets_read_as_todays() {
        let read = host(&["avx2", "avxvnni", "avx512bw", "avx512vnni"]);
        assert_eq!(read.isa, ["avx2", "avx_vnni", "avx512bw", "avx512_vnni"]);
        assert_eq!(read.best_isa(), "avx512_vnni");
    }

    #[test]
    fn a_host_that_did_not_name_bf16_yet_is_the_same() {
        let [before, now] = [host(&["avx2", "avx512_vnni"]), host(&["avx2", "avx512_vnni", "avx512_bf16"])];
        assert_eq!(now.differences(&before), Vec::<String>::new());
        assert_eq!(now.differences(&host(&["avx2"])), ["avx2 avx512_vnni, not avx2"]);
    }

    #[test]
    fn another_number_of_nodes_is_another_host() {
        let of = |nodes: &[&[usize]]| Host {
            numa_nodes: nodes.iter().map(|cores| cores.to_vec()).collect(),
            ..host(&[])
        };
        assert_eq!(of(&[&[0], &[1]]).differences(&of(&[&[0, 1]])), ["2 NUMA nodes, not one NUMA node"]);
        assert!(of(&[&[0]]).differences(&of(&[])).is_empty(), "an earlier record names no nodes");
    }

    #[test]
    fn instruction_sets_tell_the_architecture() {
        let of = |isa: &[&str]| host(isa).architecture();
        assert_eq!(of(&["avx2", "avx512bw"]), "x86_64");
        assert_eq!([of(&["neon", "i8mm"]), of(&[])], ["aarch64"; 2]);
    }
}
