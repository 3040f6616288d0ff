//! The record of one round: everything that was seen, raw. Written once, never changed.

use std::path::PathBuf;

use dyno_api::Facts;
use serde::{Deserialize, Serialize};

use crate::files::collect_files;
use crate::noise::Noise;
use crate::plan::Round;
use crate::process::audit::Audit;
use crate::profile::Profile;
use crate::rules::{Reason, Track, Verdict};
use crate::supervisor::Report;

/// Version of the record's shape; a reader refuses a newer one.
pub const SCHEMA: u32 = 2;

/// One round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Name of the system.
    pub system: String,
    /// Whose second entry it is, measured to know the run's own noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// Name of the test set.
    pub test_set: String,
    /// The protocol.
    pub track: Track,
    /// From 0.
    pub round: usize,
    /// How thorough.
    pub profile: Profile,
    /// Milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Whether it may be quoted.
    pub verdict: Verdict,
    /// Why not.
    pub reasons: Vec<Reason>,
    /// What else is to be said, though it may be quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Reason>,
    /// What the host did, an attempt each: what it disturbed is measured again, and the last attempt counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Noise>,
    /// Program and arguments as they were run.
    pub command: Vec<String>,
    /// SHA-256 of the tuning that it was handed: the ways through its products.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<String>,
    /// Cores of the system.
    pub system_cores: Vec<usize>,
    /// Cores of the bench.
    pub bench_cores: Vec<usize>,
    /// Source lines.
    pub lines: usize,
    /// Source words.
    pub words: usize,
    /// Throughput tracks: lines of each launch's input, filler and repeats among them; `lines` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_lines: Option<usize>,
    /// Throughput tracks: words of each launch's input; `words` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_words: Option<usize>,
    /// Latency track: nanoseconds a line, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_ns: Vec<u64>,
    /// Throughput tracks: nanoseconds a launch, from launch to end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launch_ns: Vec<u64>,
    /// Throughput tracks: the same for launches with a single line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_line_ns: Vec<u64>,
    /// Latency track: from launch to the first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<u64>,
    /// Latency track: a line between two processes that do nothing else, on this host during this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipe_floor_ns: Option<u64>,
    /// Throughput tracks: launches whose text was not the first launch's.
    #[serde(default)]
    pub differing_launches: usize,
    /// What it took, as the kernel accounts.
    pub usage: Report,
    /// Whether it kept to its cores.
    #[serde(default)]
    pub audit: Audit,
    /// CPU time of the bench itself during the round, its supervisors included.
    #[serde(default)]
    pub bench_ns: u64,
    /// Where it was to be cut off from the network: "isolated", or why that could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// SHA-256 of its answers, the name of their file.
    pub output: Option<String>,
    /// What the system said of itself.
    pub facts: Option<Facts>,
    /// Bytes of its model's files.
    pub model_bytes: Option<u64>,
}

impl Record {
    /// Whether it is of the same cell as `round`.
    pub fn is_of(&self, round: &Round<'_>) -> bool {
        self.system == round.system.name && self.test_set == round.test_set.name && self.track == round.track
    }

    /// What can't be true of a round that counts: then somebody has changed it.
    pub fn fault(&self) -> Option<&'static str> {
        match self.track {
            _ if self.verdict == Verdict::Invalid => None,
            Track::Latency if self.latency_ns.len() != self.lines => Some("it has no time for each line"),
            Track::Throughput1 | Track::ThroughputAll if self.launch_ns.is_empty() => Some("it has no time"),
            _ => None,
        }
    }

    /// Source words of one launch's input, or of the set in lock-step.
    pub fn words_of_a_pass(&self) -> usize {
        self.timed_words.unwrap_or(self.words)
    }

    /// Fills in the model's size: the files that the system says it opened, else all that lies at its models.
    #[must_use]
    pub fn with_model_bytes(mut self, models: &[PathBuf]) -> Self {
        let opened = self.facts.iter().flat_map(|facts| &facts.files).map(|file| file.bytes);
        let said: u64 = opened.sum();
        self.model_bytes = match (said, models) {
            (0, []) => None,
            (0, models) => Some(bytes_of(models)),
            (said, _) => Some(said),
        };
        self
    }

    /// Source words a second: in the latency track over the sum of the lines' times, in the throughput tracks
    /// over the sum of the launches' (official).
    pub fn words_per_second(&self) -> Option<f64> {
        let (times, passes) = match self.track {
            Track::Latency => (&self.latency_ns, 1),
            _ => (&self.launch_ns, self.launch_ns.len()),
        };
        let total: u64 = times.iter().sum();
        (total > 0).then(|| (self.words_of_a_pass() * passes) as f64 / (total as f64 / 1e9))
    }
}

fn bytes_of(models: &[PathBuf]) -> u64 {
    let mut files = Vec::new();
    // A model that has gone meanwhile counts nothing; the launch has failed and says so.
    models.iter().for_each(|model| drop(collect_files(model, &mut files)));
    files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}
