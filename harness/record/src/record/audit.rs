//! Findings of the audit: whether a system kept to its cores, as a record holds them.

use serde::{Deserialize, Serialize};

/// Findings about a process tree while it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// First thread that might run on another core.
    pub escaped: Option<String>,
    /// Worst stretch of time with more CPU time than the cores can give, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdrawn: Option<String>,
    /// Number of looks at all threads.
    pub looks: usize,
    /// Most threads at once.
    pub most_threads: usize,
    /// Most processes at once.
    pub most_processes: usize,
}

impl Audit {
    /// Adds the findings about another process of the same round.
    pub fn merge(&mut self, other: &Self) {
        self.escaped = self.escaped.take().or_else(|| other.escaped.clone());
        self.overdrawn = self.overdrawn.take().or_else(|| other.overdrawn.clone());
        self.looks += other.looks;
        self.most_threads = self.most_threads.max(other.most_threads);
        self.most_processes = self.most_processes.max(other.most_processes);
    }
}
