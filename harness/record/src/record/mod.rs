//! The record of one round: all raw observations. A record is written once and never changed.

mod audit;
mod fault;
mod noise;
mod served;
mod times;
mod usage;

use dyno_api::Facts;
use serde::{Deserialize, Serialize};

use crate::{Profile, Reason, Track, Verdict};
pub use audit::Audit;
pub use noise::{HostSpeed, Noise};
pub use served::{Purpose, Served, ServedRun};
pub use times::{FreshLaunch, Launches, Times};
pub use usage::{MemoryMethod, Usage};

/// Record of one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`](crate::SCHEMA) of the writer.
    pub schema: u32,
    /// Name of the system.
    pub system: String,
    /// Name of the system whose second entry this is. The pair measures the run's own noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// Name of the test set.
    pub test_set: String,
    /// Protocol of the measurement.
    pub track: Track,
    /// Number of the round, from 0.
    pub round: usize,
    /// Thoroughness of the run.
    pub profile: Profile,
    /// Time at which the first attempt at the round began, in milliseconds since 1970. Records without
    /// `ended_unix_ms` have the end here.
    pub started_unix_ms: u64,
    /// Time at which the round had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_unix_ms: Option<u64>,
    /// Whether the round may be quoted.
    pub verdict: Verdict,
    /// Whether the round was not run, because its cell was INVALID already. The reasons say why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Reasons why the round may not be quoted.
    pub reasons: Vec<Reason>,
    /// Oddities of a round that may be quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Reason>,
    /// Noise of each attempt. A disturbed round is measured again, and the last attempt counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Noise>,
    /// Program and arguments as they were run.
    pub command: Vec<String>,
    /// SHA-256 of the system's tuning file, which chooses its kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<String>,
    /// Cores of the system.
    pub system_cores: Vec<usize>,
    /// Cores of the bench.
    pub bench_cores: Vec<usize>,
    /// Number of source lines.
    pub lines: usize,
    /// Number of source words.
    pub words: usize,
    /// What differs by track: the times of the round, if it came so far.
    #[serde(flatten)]
    pub times: Option<Times>,
    /// Turns of the round, if it was measured beside other systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Nanoseconds from launch to the first answer, median of the round's processes; none in the throughput tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<u64>,
    /// Cold starts: most bytes of the model that the page cache held at a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<u64>,
    /// Latency track: nanoseconds of a line between two processes that do nothing else, on this host during
    /// this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipe_floor_ns: Option<u64>,
    /// Launches whose text was not the first launch's.
    #[serde(default)]
    pub differing_launches: usize,
    /// Energy of the host while the system worked, where there is a meter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyUse>,
    /// CPU time of the system while it answered, in lock-step and under the track server. In the throughput
    /// tracks `usage` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuUse>,
    /// Memory of the system after its last answer, the largest of the round's processes; none in the
    /// throughput tracks, where the system ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_bytes: Option<u64>,
    /// Usage of the system, by the kernel's accounting.
    pub usage: Usage,
    /// Findings of the audit: whether the system kept to its cores.
    #[serde(default)]
    pub audit: Audit,
    /// CPU time of the bench itself during the round, its supervisors included.
    #[serde(default)]
    pub bench_ns: u64,
    /// State of the network if isolation was wanted: "isolated", or why isolation failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// State of the sandbox if the system should have one: "bwrap", or why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// SHA-256 of the answers, which names their file.
    pub output: Option<String>,
    /// Facts that the system reports about itself.
    pub facts: Option<Facts>,
    /// Bytes of the model's files.
    pub model_bytes: Option<u64>,
    /// Whether the system was seen to read the model that it declares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model_seen: bool,
}

/// Energy of a round: in lock-step from the first line after the warm-up to the last answer, copies included; in
/// the throughput tracks over all launches of the whole input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyUse {
    /// Joules of the whole host.
    pub joules: f64,
    /// Source words that were answered meanwhile.
    pub words: usize,
}

/// CPU time of a system from the first line after the warm-up to the last answer, copies included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuUse {
    /// Nanoseconds of all processes.
    pub ns: u64,
    /// Source words that were answered meanwhile.
    pub words: usize,
}

/// Turns of a round that was measured beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slices {
    /// Name that the records of one group share.
    pub group: String,
    /// Names of the systems of the group.
    pub beside: Vec<String>,
    /// Lock-step tracks: nanoseconds of the set's lines in each turn. In one turn all systems have the same
    /// lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turn_ns: Vec<u64>,
    /// Host's own speed beside the turns, about once a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_speed: Vec<HostSpeed>,
}

impl Record {
    /// Latencies of lock-step in nanoseconds, in source order: those of lines, or of pages to their last
    /// line; empty in the other tracks.
    pub fn latency_ns(&self) -> &[u64] {
        match &self.times {
            Some(Times::Lockstep { latency_ns, .. }) => latency_ns,
            Some(Times::Pages { last_line_ns, .. }) => last_line_ns,
            _ => &[],
        }
    }

    /// Whether the system's launches read its model from the disk, but for a hundredth.
    pub fn is_cold(&self) -> bool {
        let model = self.model_bytes.unwrap_or(0);
        self.cached_bytes.is_some_and(|cached| cached <= model / 100)
    }

    /// Nanoseconds to the first line of each page, in source order; empty in the other tracks.
    pub fn first_line_ns(&self) -> &[u64] {
        match &self.times {
            Some(Times::Pages { first_line_ns, .. }) => first_line_ns,
            _ => &[],
        }
    }

    /// Nanoseconds to the first text of each answer, and the number of its pieces; empty unless the system
    /// writes answers in pieces, line by line.
    pub fn pieces(&self) -> (&[u64], &[usize]) {
        match &self.times {
            Some(Times::Lockstep { first_text_ns, pieces, .. }) => (first_text_ns, pieces),
            _ => (&[], &[]),
        }
    }

    /// Launches of a throughput track.
    pub fn launches(&self) -> Option<&Launches> {
        match &self.times {
            Some(Times::Launches(launches)) => Some(launches),
            _ => None,
        }
    }

    /// Runs and greatest rate of the server track.
    pub fn served(&self) -> Option<&Served> {
        match &self.times {
            Some(Times::Server { served }) => Some(served),
            _ => None,
        }
    }

    /// Times that add up to the round's: those of its launches or of its lines.
    fn times_ns(&self) -> &[u64] {
        self.launches().map_or(self.latency_ns(), |launches| &launches.ns)
    }

    /// Source words of one launch's input, or of the set in lock-step.
    pub fn words_of_a_pass(&self) -> usize {
        self.launches().and_then(|launches| launches.words).unwrap_or(self.words)
    }

    /// Joules of the host for a source word.
    pub fn joules_per_word(&self) -> Option<f64> {
        self.energy.map(|energy| energy.joules / energy.words as f64)
    }

    /// Seconds of CPU time for a source word. In the throughput tracks those of the launches, loading
    /// included; in the others those from the end of the warm-up on.
    pub fn cpu_seconds_per_word(&self) -> Option<f64> {
        let of_launches = |launches: &Launches| {
            let words = self.words_of_a_pass() as f64 * launches.ns.len() as f64;
            (self.usage.cpu_ns(), words)
        };
        let of_work = self.cpu.map(|cpu| (cpu.ns as f64, cpu.words as f64));
        let (ns, words) = of_work.or_else(|| self.launches().map(of_launches))?;
        (ns > 0.0 && words > 0.0).then(|| ns / 1e9 / words)
    }

    /// Whether the model's size is what the campaign declares: the system neither reports files nor was seen
    /// to read the model.
    pub fn model_is_declared(&self) -> bool {
        let reports = self.facts.as_ref().is_some_and(|facts| !facts.files.is_empty());
        self.model_bytes.is_some() && !reports && !self.model_seen
    }

    /// Source words a second. In lock-step the time is the sum of the lines' or pages' times, in the
    /// throughput tracks the sum of the launches' times (official). In the server track it is the greatest
    /// rate, in words.
    pub fn words_per_second(&self) -> Option<f64> {
        if let Some(served) = self.served() {
            return Some(served.rate? * self.words as f64 / self.lines.max(1) as f64);
        }
        let passes = self.launches().map_or(1, |launches| launches.ns.len());
        let total = self.times_ns().iter().copied().fold(0, u64::saturating_add);
        (total > 0).then(|| self.words_of_a_pass() as f64 * passes as f64 / (total as f64 / 1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    fn record(facts: &serde_json::Value) -> Record {
        let noise = serde_json::json!({
            "schema": SCHEMA, "system": "s", "test_set": "t", "track": "latency", "round": 0,
            "profile": "quick", "started_unix_ms": 0, "verdict": "VALID", "reasons": [], "command": [],
            "system_cores": [], "bench_cores": [], "lines": 1, "words": 1, "usage": Usage::default(),
            "output": null, "facts": facts, "model_bytes": null
        });
        serde_json::from_value(noise).expect("a record")
    }

    #[test]
    fn pages_hold_all_lines_and_each_has_its_times() {
        let of = |page_lines: &[usize], first_line_ns: &[u64], last_line_ns: &[u64]| {
            let [first_line_ns, last_line_ns] = [first_line_ns, last_line_ns].map(<[u64]>::to_vec);
            let times = Some(Times::Pages { page_lines: page_lines.to_vec(), first_line_ns, last_line_ns });
            Record { track: Track::Pages, lines: 5, words: 30, times, ..record(&serde_json::Value::Null) }
        };
        let whole = of(&[3, 2], &[20, 30], &[60, 40]);
        assert_eq!((whole.fault(), whole.words_per_second()), (None, Some(30.0 / 100e-9)));
        assert_eq!((whole.latency_ns(), whole.first_line_ns()), (&[60, 40][..], &[20, 30][..]));
        let read: Record = serde_json::from_value(serde_json::to_value(&whole).unwrap()).unwrap();
        assert_eq!(read, whole);
        for lacking in [
            of(&[3], &[20], &[60]),
            of(&[5], &[20, 30], &[60, 40]),
            of(&[3, 2], &[20, 50], &[60, 40]),
            of(&[3, 2], &[20, 0], &[60, 40]),
            of(&[5, 0], &[20, 30], &[60, 40]),
            of(&[usize::MAX, 6], &[20, 30], &[60, 40]),
        ] {
            assert_eq!(lacking.fault(), Some("it has no times for the pages of its lines"));
        }
    }

    #[test]
    fn cpu_time_is_that_of_all_launches_or_of_the_work_alone() {
        let usage = Usage { user_ns: 4_000_000_000, system_ns: 1_500_000_000, ..Usage::default() };
        let usage = Usage { unwaited_ns: 500_000_000, ..usage };
        let launches = Launches { ns: vec![1, 1, 1], words: Some(1000), ..Launches::default() };
        let times = Some(Times::Launches(launches));
        let whole = Record { usage, times, ..record(&serde_json::Value::Null) };
        assert_eq!(whole.cpu_seconds_per_word(), Some(0.002), "6 s for three launches over 1,000 words");
        let in_lock_step = Record { times: None, ..whole };
        assert_eq!(in_lock_step.cpu_seconds_per_word(), None, "loading isn't told from work");
        let cpu = CpuUse { ns: 3_000_000_000, words: 1000 };
        assert_eq!(Record { cpu: Some(cpu), ..in_lock_step }.cpu_seconds_per_word(), Some(0.003));
        let impossible = [CpuUse { words: 0, ..cpu }, CpuUse { ns: u64::MAX, ..cpu }];
        assert!(impossible.into_iter().all(CpuUse::is_impossible) && !cpu.is_impossible());
    }

    #[test]
    fn a_size_is_declared_until_files_are_reported_or_seen() {
        let bare = Record { model_bytes: Some(7), ..record(&serde_json::Value::Null) };
        assert!(bare.model_is_declared());
        assert!(!Record { model_seen: true, ..bare.clone() }.model_is_declared());
        assert!(!Record { model_bytes: None, ..bare }.model_is_declared(), "without a size");
        let files = serde_json::json!([{ "path": "f", "bytes": 7 }]);
        let told = record(&serde_json::json!({ "backend": "b", "version": "1", "files": files }));
        assert!(!Record { model_bytes: Some(7), ..told }.model_is_declared());
    }
}
