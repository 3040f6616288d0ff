//! One process of a system from launch to end, under a track's contract. Rounds time it and probes question it,
//! both through here, so that a probe judges exactly what a round measures.
//!
//! ```text
//! Subject ─ lockstep   ─► Dialogue ─► Supervised (dyno supervise ─► the system)
//!         └ whole_file ──────────────►
//! ```

pub mod audit;
mod dialogue;
pub mod environment;
mod lockstep;
mod silence;
mod supervised;
pub mod tree;
pub mod whole_file;

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

pub use audit::Audit;
#[cfg(test)]
pub use lockstep::LOADING;
pub use lockstep::{Lockstep, lockstep, lockstep_for};
pub use whole_file::{Pass, whole_file};

use crate::campaign::{Limits, System};

use crate::rules::{Code, Reason, Track};
use crate::supervisor::Report;

/// What is started, and under which conditions.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Who.
    pub system: &'a System,
    /// Under which protocol.
    pub track: Track,
    /// The cores that it may use.
    pub cores: &'a [usize],
    /// When it is given up.
    pub limits: Limits,
    /// Where a built-in system leaves its facts.
    pub facts: &'a Path,
    /// Where a hosted system leaves its breakdown; it is asked for one only where this is set.
    pub breakdown: Option<&'a Path>,
    /// Whether it gets a network namespace of its own.
    pub isolated: bool,
}

impl Subject<'_> {
    /// Program and arguments.
    pub fn command(&self) -> io::Result<Vec<String>> {
        let mut command = self.system.command(self.track, self.cores, self.facts)?;
        if let Some(path) = self.breakdown.filter(|_| self.system.is_hosted()) {
            command.extend(["--breakdown".into(), path.display().to_string()]);
        }
        Ok(command)
    }

    /// For the end, after the last answer: a system has this long to go.
    fn leave(&self) -> Duration {
        // Ten seconds free the largest model; who waits less for a line waits less for the end, too.
        Duration::from_secs_f64(self.limits.line_seconds.min(10.0))
    }
}

/// How a process ended, what it took, and whether it kept to its cores.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// What the supervisor reports.
    pub report: Report,
    /// Monotonic time of the launch.
    pub launched_ns: u64,
    /// What the audit saw.
    pub audit: Audit,
    /// What became of the wish for a network of its own.
    pub network: Option<String>,
}

impl Ending {
    /// From launch to end.
    pub fn wall_ns(&self) -> u64 {
        self.report.ended_ns.saturating_sub(self.launched_ns)
    }

    /// What the audit has to say against it: rules that hold for every process under every track.
    pub fn faults(&self, cores: &[usize]) -> Vec<Reason> {
        let affinity = self.audit.escaped.clone().map(|figure| Code::Affinity.reason(figure));
        let cpu_ns = self.report.user_ns + self.report.system_ns;
        let overdrawn = || self.audit.overdrawn.clone().map(|figure| Code::CpuShare.reason(figure));
        let share = audit::cpu_share(cpu_ns, self.wall_ns(), cores.len()).or_else(overdrawn);
        let left = self.report.left_processes;
        let left = (left > 0).then(|| Code::LeftProcess.reason(format!("{left} processes")));
        [affinity, share, left].into_iter().flatten().collect()
    }
}

/// Makes room for a new file at `path`, whatever a system has put there, or taken away with its folder.
pub fn make_way(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// How a system ended, if not as it should.
fn bad_end(report: &Report) -> Option<Reason> {
    if report.flooded {
        let figure = format!("{} bytes on standard error", report.stderr_bytes);
        return Some(Code::Flood.reason(figure));
    }
    let figure = match (report.code, report.signal) {
        (Some(0), _) => return None,
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit status".into(),
    };
    let last = report.stderr_tail.trim_end().lines().last().unwrap_or("").trim();
    let said = if last.is_empty() { String::new() } else { format!("; it said: {}", shorten(last)) };
    Some(Code::Crashed.reason(figure + &said))
}

/// At most 200 characters, for one line of a terminal.
fn shorten(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.take(200).collect()
}
