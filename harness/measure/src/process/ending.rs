//! The ending of a process: its status, its usage, and the rules that it broke.

use std::path::PathBuf;

use dyno_record::rules::limits::HIDDEN_BYTES;
use dyno_record::{Audit, Code, Reason, Usage};
use dyno_stats::numbers::mebibytes;

use super::audit;
use crate::supervisor::SeenFile;

/// A system that failed in a sandbox, in which it saw its own files alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confined {
    /// File or folder of the host that it named at its end, and that isn't visible in the sandbox.
    pub unseen: Option<PathBuf>,
}

/// Ending of a process, with its audit.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// Usage of the system.
    pub usage: Usage,
    /// Large files that the system read.
    pub read_files: Vec<SeenFile>,
    /// What the bench knows of a system that failed in its sandbox.
    pub confined: Option<Confined>,
    /// Monotonic time of the launch.
    pub launched_ns: u64,
    /// Nanoseconds between launch and end in which the system was stopped.
    pub stopped_ns: u64,
    /// Joules of the host in the stretches that were metered.
    pub joules: Option<f64>,
    /// Cold start: bytes of the model that the page cache held at the launch.
    pub cached_bytes: Option<u64>,
    /// Findings of the audit.
    pub audit: Audit,
    /// State of the network: "isolated", or why isolation failed.
    pub network: Option<String>,
}

impl Ending {
    /// Nanoseconds from launch to end, without those in which the system was stopped.
    pub fn wall_ns(&self) -> u64 {
        self.usage.ended_ns.saturating_sub(self.launched_ns).saturating_sub(self.stopped_ns)
    }

    /// Broken rules that hold for every process under every track.
    pub fn faults(&self, cores: &[usize]) -> Vec<Reason> {
        let affinity = self.audit.escaped.clone().map(|figure| Code::Affinity.reason(figure));
        let cpu_ns = self.usage.user_ns + self.usage.system_ns + self.usage.unwaited_ns;
        let overdrawn = || self.audit.overdrawn.clone().map(|figure| Code::CpuShare.reason(figure));
        let share = audit::cpu_share(cpu_ns, self.wall_ns(), cores.len()).or_else(overdrawn);
        let left = self.usage.left_processes;
        let left = (left > 0).then(|| Code::LeftProcess.reason(format!("{left} processes")));
        let hidden = self.usage.hidden_memory_bytes;
        let figure = || format!("{} MiB in files in memory, beside its peak", hidden >> 20);
        let hidden = (hidden >= HIDDEN_BYTES).then(|| Code::HiddenMemory.reason(figure()));
        let lowered = self.usage.lowered_peak_bytes;
        let figure = || format!("{} MiB at a look; its own peak was lowered afterwards", lowered >> 20);
        let lowered = (lowered > 0).then(|| Code::HiddenMemory.reason(figure()));
        let unseen = || Code::HiddenMemory.reason("a process hides its files from looks");
        let hidden = hidden.or(lowered).or_else(|| self.usage.forbids_looks.then(unseen));
        [affinity, share, left, hidden, over_memory(&self.usage)].into_iter().flatten().collect()
    }

    /// Reason if the system ended abnormally.
    pub fn abnormal(&self) -> Option<Reason> {
        let usage = &self.usage;
        if usage.flooded {
            let figure = format!("{} bytes on standard error", usage.stderr_bytes);
            return Some(Code::Flood.reason(figure));
        }
        let by_force = usage.killed || usage.signal.is_some();
        if let Some(reason) = over_memory(usage).filter(|_| by_force) {
            return Some(reason);
        }
        let figure = match (usage.code, usage.signal) {
            (Some(0), _) => return None,
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(libc::SIGXFSZ)) => "a file grew beyond the limit of file sizes (`ulimit -f`)".into(),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no exit status".into(),
        };
        let last = usage.stderr_tail.trim_end().lines().last().unwrap_or("").trim();
        let said = if last.is_empty() { String::new() } else { format!("; it said: {}", shorten(last)) };
        let crashed = Code::Crashed.reason(figure + &said);
        Some(self.confined.as_ref().map_or(crashed.clone(), |confined| within_sandbox(crashed, confined)))
    }
}

fn over_memory(usage: &Usage) -> Option<Reason> {
    let cap = usage.exceeded_cap_bytes?;
    let peak = usage.peak_bytes.max(cap);
    let figure = format!("{:.0} MiB or more of {:.0} MiB", mebibytes(peak), mebibytes(cap));
    Some(Code::OverMemory.reason(figure))
}

/// The same reason for a system that perhaps lacked a file in its sandbox.
fn within_sandbox(crashed: Reason, confined: &Confined) -> Reason {
    let (figure, remedy) = match &confined.unseen {
        Some(path) => {
            let path = dyno_api::printable_line(&path.display().to_string());
            (
                format!("{}; {path} isn't visible in the sandbox", crashed.figure),
                format!("name {path} or its folder"),
            )
        }
        None => {
            (crashed.figure, format!("{}; if it lacks a file in the sandbox, name that file", crashed.remedy))
        }
    };
    Reason { figure, remedy: format!("{remedy} in the system's `sandbox-paths`"), ..crashed }
}

/// At most 200 characters, for one line of a terminal.
fn shorten(text: &str) -> String {
    dyno_api::printable_line(text).chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_in_the_sandbox_names_the_path_and_the_key() {
        let usage = || Usage { code: Some(127), ..Usage::default() };
        let told = |confined| Ending { usage: usage(), confined, ..Ending::default() }.abnormal().unwrap();
        assert!(!told(None).remedy.contains("sandbox-paths"));
        assert!(
            told(Some(Confined::default()))
                .remedy
                .ends_with("name that file in the system's `sandbox-paths`")
        );
        let reason = told(Some(Confined { unseen: Some("/opt/x".into()) }));
        assert_eq!(reason.figure, "exit code 127; /opt/x isn't visible in the sandbox");
        assert_eq!(reason.remedy, "name /opt/x or its folder in the system's `sandbox-paths`");
    }

    #[test]
    fn memory_above_the_cap_is_told_before_the_signal_that_ended_the_system() {
        let reason = |usage| Ending { usage, ..Ending::default() }.abnormal().unwrap();
        let killed = Usage { signal: Some(libc::SIGKILL), killed: true, ..Usage::default() };
        assert_eq!(reason(killed.clone()).code, Code::Crashed);
        let over = Usage { peak_bytes: 300 << 20, exceeded_cap_bytes: Some(256 << 20), ..killed };
        let reason = reason(over);
        assert_eq!((reason.code, reason.figure.as_str()), (Code::OverMemory, "300 MiB or more of 256 MiB"));
    }
}
