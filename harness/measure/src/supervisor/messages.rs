//! What bench and supervisor tell each other.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What to start, and where.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// The folder to start in; the bench's own if absent.
    pub folder: Option<PathBuf>,
    /// The cores that it may use.
    pub cores: Vec<usize>,
    /// All that it sees of the environment.
    pub environment: Vec<(String, String)>,
    /// Whether it gets a network namespace of its own.
    pub isolated: bool,
}

/// First message: it runs, or could not be started.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Launched {
    /// Monotonic time just before the start.
    pub at_ns: u64,
    /// Why it could not be started.
    pub error: Option<String>,
    /// Where a network of its own was wanted: "isolated", or why it shares the host's.
    pub network: Option<String>,
}

/// Last message: how it ended and what it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Monotonic time of its end.
    pub ended_ns: u64,
    /// Exit code, where it exited by itself.
    pub code: Option<i32>,
    /// Signal, where one ended it.
    pub signal: Option<i32>,
    /// Whether the bench asked for its end.
    pub killed: bool,
    /// CPU time in user mode, of all its processes.
    pub user_ns: u64,
    /// CPU time in the kernel, of all its processes.
    pub system_ns: u64,
    /// Peak memory, by `memory_method`.
    pub peak_bytes: u64,
    /// Peak resident memory of its largest process, by the kernel's accounting.
    #[serde(default)]
    pub largest_process_bytes: u64,
    /// Largest sum over its processes seen at once, shared pages counted in parts; where it had several.
    #[serde(default)]
    pub tree_pss_bytes: Option<u64>,
    /// The kernel's peak of all its processes together, where it had a control group of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_peak_bytes: Option<u64>,
    /// What `peak_bytes` is.
    #[serde(default)]
    pub memory_method: MemoryMethod,
    /// The supervisor's own: the least that `peak_bytes` can be.
    pub floor_bytes: u64,
    /// Switches that it asked for by waiting.
    pub voluntary_switches: u64,
    /// Switches forced upon it.
    pub involuntary_switches: u64,
    /// Where one of its processes might have run while it was looked at, or the first at its end, if that was elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escaped: Option<String>,
    /// Processes that still lived after it had ended.
    pub left_processes: usize,
    /// How much it wrote to standard error.
    pub stderr_bytes: u64,
    /// The last of it.
    pub stderr_tail: String,
    /// Whether it was ended because it wrote too much of it.
    #[serde(default)]
    pub flooded: bool,
    /// CPU time of the supervisor itself.
    #[serde(default)]
    pub supervisor_ns: u64,
}

/// How the peak of memory was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryMethod {
    /// The kernel's accounting at the end of its largest process: exact.
    #[default]
    Wait4,
    /// Samples of the proportional set size, summed over its processes.
    Pss,
    /// The kernel's peak of its control group: of all its processes, with the files that they were first to read.
    Cgroup,
}
