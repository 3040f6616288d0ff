//! Messages between bench and supervisor.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::sandbox::LAYERS;

/// System to start, and the conditions of its start.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Folder to start in; the bench's own if absent.
    pub folder: Option<PathBuf>,
    /// Cores that the system may use.
    pub cores: Vec<usize>,
    /// Whole environment of the system.
    pub environment: Vec<(String, String)>,
    /// Whether the system gets a network namespace of its own.
    pub isolated: bool,
    /// Files and folders that the system declares as its model or names in its command, without links.
    pub named: Vec<PathBuf>,
    /// Bytes of memory that all processes together may hold, if there is a cap.
    pub memory_cap_bytes: Option<u64>,
    /// Arguments of bubblewrap before the system's command, if the system has a sandbox.
    pub sandbox: Option<Vec<String>>,
}

impl Spec {
    pub(crate) fn layers(&self) -> usize {
        if self.sandbox.is_some() { LAYERS } else { 0 }
    }
}

/// First message: the system runs, or could not be started.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Launched {
    /// Monotonic time just before the start.
    pub at_ns: u64,
    /// Why the system could not be started.
    pub error: Option<String>,
    /// State of the network if isolation was wanted: "isolated", or why the system shares the host's.
    pub network: Option<String>,
}

/// Last message: the system's end and its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Monotonic time of the end.
    pub ended_ns: u64,
    /// Exit code, if the system exited by itself.
    pub code: Option<i32>,
    /// Signal, if one ended the system.
    pub signal: Option<i32>,
    /// Whether the bench asked for the end.
    pub killed: bool,
    /// CPU time in user mode, of all processes.
    pub user_ns: u64,
    /// CPU time in the kernel, of all processes.
    pub system_ns: u64,
    /// CPU time of processes that no parent waited for, as far as it was seen. `user_ns` and `system_ns` lack
    /// it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unwaited_ns: u64,
    /// Whether a process ignored the ends of its children, so that further such time may be unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignores_children: bool,
    /// Peak memory, by `memory_method`.
    pub peak_bytes: u64,
    /// Peak resident memory of the largest process, by the kernel's accounting and by the looks.
    #[serde(default)]
    pub largest_process_bytes: u64,
    /// Largest sum over all processes at one look, with shared pages counted in parts, and with what they hold
    /// beside their own memory; only for several processes, or where there is something beside.
    #[serde(default)]
    pub tree_pss_bytes: Option<u64>,
    /// Peak of all processes together, by the kernel, less the files in its cache; only with a control group of
    /// the system's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_peak_bytes: Option<u64>,
    /// Method behind `peak_bytes`.
    #[serde(default)]
    pub memory_method: MemoryMethod,
    /// Cap of the memory, if the system held more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exceeded_cap_bytes: Option<u64>,
    /// Attempts to reach a network from which the system is cut off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub network_attempts: u64,
    /// Peak memory of the supervisor: the least that `peak_bytes` can be.
    pub floor_bytes: u64,
    /// Most shared memory that the system held without mapping it; `peak_bytes` lacks it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_memory_bytes: u64,
    /// Peak of one process at a look, if the kernel's account of it at its end is far below: the process has lowered
    /// its peak.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lowered_peak_bytes: u64,
    /// Whether a process forbade looks at its files, so that hidden memory and files may be unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forbids_looks: bool,
    /// Large files that the system read; a record judges but doesn't keep them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_files: Vec<SeenFile>,
    /// Context switches that the system asked for by waiting.
    pub voluntary_switches: u64,
    /// Context switches that the kernel forced on the system.
    pub involuntary_switches: u64,
    /// Cores outside of the allowed ones on which a thread might run: seen while the system ran, or of the
    /// first process at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escaped: Option<String>,
    /// Number of processes that were still alive after the system's end.
    pub left_processes: usize,
    /// Bytes on standard error.
    pub stderr_bytes: u64,
    /// Last part of standard error.
    pub stderr_tail: String,
    /// Whether the system was ended because it wrote too much to standard error.
    #[serde(default)]
    pub flooded: bool,
    /// CPU time of the supervisor itself.
    #[serde(default)]
    pub supervisor_ns: u64,
    /// What the bench knows of a system that failed in its sandbox.
    #[serde(skip)]
    pub confined: Option<Confined>,
}

/// A system that failed in a sandbox, in which it saw its own files alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confined {
    /// File or folder of the host that it named at its end, and that isn't visible in the sandbox.
    pub unseen: Option<PathBuf>,
}

/// A large file that a system had open or mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Path of the file, as the system saw it. Names of files needn't be UTF-8, which a [`PathBuf`] must be here.
    pub path: OsString,
    /// Length in bytes.
    pub bytes: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Report {
    /// CPU time of all processes in nanoseconds, as far as it was seen.
    pub fn cpu_ns(&self) -> f64 {
        [self.user_ns, self.system_ns, self.unwaited_ns].iter().map(|&ns| ns as f64).sum()
    }

    /// Reads a signal out of the exit code, as which a sandbox passes it on (shells do so as well).
    pub(super) fn unwrap_signal(&mut self) {
        if let Some(code @ 129..=192) = self.code {
            (self.code, self.signal) = (None, Some(code - 128));
        }
    }
}

/// Method that found the peak of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryMethod {
    /// The kernel's accounting at the end of the largest process: exact.
    #[default]
    Wait4,
    /// Looks: the proportional set size, summed over all processes, and what they hold beside.
    Pss,
    /// The kernel's account of the system's control group: all processes, and what they hold in the kernel.
    Cgroup,
}
