//! Fitness of this host for measurements: settings and limits that make figures noisy or wrong, with
//! remedies.
//!
//! All files are read below a root folder, so that tests can imitate other hosts. Disturbances during a run
//! belong to `dyno_measure::noise`.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_measure::host::{numa_nodes, parse_core_list};
use dyno_measure::noise::{CoreTime, STEAL_LIMIT};
use dyno_record::rules::limits::FOREIGN_LIMIT;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// No fault.
    Good,
    /// Figures will be noisier, or less can be measured.
    Warning,
    /// Figures would be wrong.
    Bad,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub health: Health,
    pub found: String,
    /// Remedy; empty if there is no fault.
    pub remedy: String,
}

impl Finding {
    pub fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Good, found: found.into(), remedy: String::new() }
    }

    pub fn warning(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, health: Health::Warning, found: found.into(), remedy: remedy.into() }
    }

    pub fn bad(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { health: Health::Bad, ..Self::warning(what, found, remedy) }
    }
}

/// View of a host: its files, the cores that systems may use, and its memory.
pub struct HostView<'a> {
    /// Root of the file system; `/` except in tests.
    pub root: &'a Path,
    /// Numbers of the usable cores, ascending.
    pub cores: &'a [usize],
    pub available_bytes: u64,
}

impl HostView<'_> {
    /// Findings that need no waiting.
    pub fn findings(&self) -> Vec<Finding> {
        let cores = [self.governor(), self.turbo(), self.siblings(), self.numa(), self.cpu_quota()];
        cores.into_iter().chain([self.memory(), self.clock()]).collect()
    }

    /// Trimmed text of a file; `None` if it can't be read.
    fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok().map(|text| text.trim().into())
    }

    fn cpu(&self, core: usize, file: &str) -> PathBuf {
        PathBuf::from(format!("sys/devices/system/cpu/cpu{core}/{file}"))
    }

    fn governor(&self) -> Finding {
        let governor = |&core: &usize| self.read(self.cpu(core, "cpufreq/scaling_governor"));
        let governors: Option<Vec<String>> = self.cores.iter().map(governor).collect();
        match governors {
            None => {
                Finding::good("governor", "not visible; the governor of a virtual machine lies outside of it")
            }
            Some(all) => match all.iter().find(|name| *name != "performance") {
                None => Finding::good("governor", "performance"),
                Some(other) => {
                    let found = format!("{other}: the clock frequency follows the load");
                    Finding::warning("governor", found, "sudo cpupower frequency-set -g performance")
                }
            },
        }
    }

    fn turbo(&self) -> Finding {
        let boosts = match self.read("sys/devices/system/cpu/intel_pstate/no_turbo") {
            Some(off) => Some(off == "0"),
            None => self.read("sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"),
        };
        match boosts {
            None => Finding::good("turbo", "not visible"),
            Some(false) => Finding::good("turbo", "off"),
            Some(true) => Finding::warning(
                "turbo",
                "on: the clock frequency depends on temperature and on the other cores",
                "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 into cpufreq/boost; \
                 or leave it on in all runs that you compare",
            ),
        }
    }

    fn siblings(&self) -> Finding {
        let pair = |&core: &usize| {
            let list = self.read(self.cpu(core, "topology/thread_siblings_list"))?;
            let others = parse_core_list(&list).into_iter().filter(|&other| other != core);
            let shared: Vec<usize> = others.filter(|other| self.cores.contains(other)).collect();
            (!shared.is_empty()).then(|| format!("{core} with {shared:?}"))
        };
        let pairs: Vec<String> = self.cores.iter().filter_map(pair).collect();
        match pairs.first() {
            None => Finding::good("SMT siblings", "none: each core is a physical core of its own"),
            Some(first) => Finding::warning(
                "SMT siblings",
                format!("cores share the units of one physical core: {first}"),
                "echo off | sudo tee /sys/devices/system/cpu/smt/control, or exclude every second core with taskset",
            ),
        }
    }

    fn numa(&self) -> Finding {
        match &numa_nodes(self.root, self.cores)[..] {
            [] => Finding::good("NUMA nodes", "not visible"),
            [_] => Finding::good("NUMA nodes", "one: all cores have the same memory"),
            nodes => Finding::warning(
                "NUMA nodes",
                format!("{}: a system's weights may lie in another node's memory: {nodes:?}", nodes.len()),
                "numactl --cpunodebind=0 --membind=0 dyno …; or leave it in all runs that you compare",
            ),
        }
    }

    fn cpu_quota(&self) -> Finding {
        let quota = self.read("sys/fs/cgroup/cpu.max").and_then(|text| {
            let (quota, period) = text.split_once(' ')?;
            Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
        });
        match quota {
            Some(cores) if cores < self.cores.len() as f64 => Finding::bad(
                "CPU quota",
                format!("time of {cores:.2} cores on {} cores: the kernel pauses systems", self.cores.len()),
                "assign whole cores (docker --cpuset-cpus, a static CPU policy) instead of a quota",
            ),
            Some(cores) => {
                Finding::good("CPU quota", format!("time of {cores:.2} cores, at least as many as there are"))
            }
            None => Finding::good("CPU quota", "none"),
        }
    }

    fn memory(&self) -> Finding {
        let limit = self.read("sys/fs/cgroup/memory.max").and_then(|text| text.parse::<u64>().ok());
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let bytes = limit.map_or(self.available_bytes, |limit| limit.min(self.available_bytes));
        let found = format!("{:.1} GiB available", gib(bytes));
        match gib(bytes) < 1.0 {
            true => Finding::warning(
                "memory",
                found,
                "end other programs, or raise the control group's memory.max: a system that swaps measures the disk",
            ),
            false => Finding::good("memory", found),
        }
    }

    fn clock(&self) -> Finding {
        match self.read("sys/devices/system/clocksource/clocksource0/current_clocksource") {
            Some(slow) if slow == "hpet" || slow == "acpi_pm" => Finding::bad(
                "clock",
                format!("{slow}: each reading takes microseconds"),
                "boot with clocksource=tsc, or choose another host: the kernel found the time-stamp counter unstable",
            ),
            clock => Finding::good("clock", clock.unwrap_or_else(|| "unknown".into())),
        }
    }
}

/// Findings about other load, of other processes or machines, in the time between two readings; none if no time has
/// passed. The limits are those of a round.
pub fn load_findings(spent: &CoreTime) -> Vec<Finding> {
    if spent.all == 0 {
        return Vec::new();
    }
    let share = |ticks: u64| ticks as f64 / spent.all as f64;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let (stolen, busy) = (share(spent.steal), share(spent.busy));
    let steal = match stolen > STEAL_LIMIT {
        true => Finding::warning(
            "steal",
            format!("{} of the time goes to other machines on the same host", percent(stolen)),
            "choose a dedicated instance or another hour, or rounds will be NOISY",
        ),
        false => Finding::good("steal", percent(stolen)),
    };
    let load = match busy > FOREIGN_LIMIT {
        true => Finding::warning(
            "other load",
            format!("the cores are busy {} of the time", percent(busy)),
            "end other programs (see top) or give them cores of their own, or rounds will be NOISY",
        ),
        false => Finding::good("other load", percent(busy)),
    };
    vec![steal, load]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root folder of a host with these files.
    fn host(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
        root
    }

    fn found(files: &[(&str, &str)], what: &str) -> Finding {
        let root = host(files);
        let view = HostView { root: root.path(), cores: &[0, 1], available_bytes: 8 << 30 };
        let findings = view.findings();
        findings.into_iter().find(|finding| finding.what == what).unwrap()
    }

    #[test]
    fn every_trouble_is_found_and_has_a_remedy() {
        let cpu = "sys/devices/system/cpu";
        for (what, files, health, part) in [
            (
                "governor",
                vec![
                    ("cpu0/cpufreq/scaling_governor", "performance"),
                    ("cpu1/cpufreq/scaling_governor", "powersave"),
                ],
                Health::Warning,
                "powersave",
            ),
            ("turbo", vec![("intel_pstate/no_turbo", "0")], Health::Warning, "on"),
            ("turbo", vec![("cpufreq/boost", "1")], Health::Warning, "on"),
            (
                "SMT siblings",
                vec![("cpu0/topology/thread_siblings_list", "0-1")],
                Health::Warning,
                "0 with [1]",
            ),
            (
                "NUMA nodes",
                vec![
                    ("../node/online", "0-1"),
                    ("../node/node0/cpulist", "0"),
                    ("../node/node1/cpulist", "1"),
                ],
                Health::Warning,
                "[[0], [1]]",
            ),
            ("CPU quota", vec![("../../../fs/cgroup/cpu.max", "150000 100000")], Health::Bad, "1.50 cores"),
            ("memory", vec![("../../../fs/cgroup/memory.max", "536870912")], Health::Warning, "0.5 GiB"),
            (
                "clock",
                vec![("../clocksource/clocksource0/current_clocksource", "hpet")],
                Health::Bad,
                "microseconds",
            ),
        ] {
            let files: Vec<_> = files.iter().map(|(path, text)| (format!("{cpu}/{path}"), *text)).collect();
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            let finding = found(&files, what);
            assert_eq!(finding.health, health, "{finding:?}");
            assert!(finding.found.contains(part) && !finding.remedy.is_empty(), "{finding:?}");
        }
    }

    #[test]
    fn a_fit_host_is_let_be() {
        let cpu = "sys/devices/system/cpu";
        for (what, files) in [
            ("turbo", vec![(format!("{cpu}/cpufreq/boost"), "0")]),
            // The sibling is not among the cores that may be used.
            ("SMT siblings", vec![(format!("{cpu}/cpu0/topology/thread_siblings_list"), "0,8")]),
            (
                "NUMA nodes",
                vec![
                    ("sys/devices/system/node/online".into(), "0"),
                    ("sys/devices/system/node/node0/cpulist".into(), "0-63"),
                ],
            ),
            ("CPU quota", vec![("sys/fs/cgroup/cpu.max".into(), "max 100000")]),
            ("CPU quota", vec![("sys/fs/cgroup/cpu.max".into(), "200000 100000")]),
            ("memory", vec![("sys/fs/cgroup/memory.max".into(), "max")]),
            ("governor", vec![]),
        ] {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            let finding = found(&files, what);
            assert_eq!((finding.health, finding.remedy.as_str()), (Health::Good, ""), "{finding:?}");
        }
    }

    #[test]
    fn what_would_make_rounds_noisy_is_said() {
        let health = |busy, steal| {
            let findings = load_findings(&CoreTime { busy, steal, all: 1000 });
            findings.iter().map(|finding| finding.health).collect::<Vec<_>>()
        };
        assert_eq!(health(50, 50), [Health::Warning; 2]);
        assert_eq!(health(10, 5), [Health::Good; 2]);
        assert!(load_findings(&CoreTime { busy: 0, steal: 0, all: 0 }).is_empty());
    }
}
