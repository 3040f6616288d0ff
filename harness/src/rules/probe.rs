//! The probes: what a system is asked.

use serde::{Deserialize, Serialize};

/// A question to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// Does it answer each line before it sees the next?
    Buffering,
    /// Does it answer odd lines, one for one and in order?
    Conformance,
    /// Does it keep to its cores, and leave nothing behind?
    Audit,
    /// Is its text the same in every track?
    Sameness,
    /// Is its text the same in every launch?
    Determinism,
    /// Are its answers about as long as they should be?
    Length,
    /// Does it remember lines that it has answered?
    Cache,
    /// Does it translate equal lines once?
    Coalescing,
    /// Does it know the test set?
    Recognition,
}

impl Probe {
    /// All of them, in the order in which they are asked: what makes others pointless comes first.
    pub const ALL: [Self; 9] = [
        Self::Buffering,
        Self::Conformance,
        Self::Audit,
        Self::Sameness,
        Self::Determinism,
        Self::Length,
        Self::Cache,
        Self::Coalescing,
        Self::Recognition,
    ];

    /// The name in tables and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buffering => "buffering",
            Self::Conformance => "conformance",
            Self::Audit => "audit",
            Self::Sameness => "sameness",
            Self::Determinism => "determinism",
            Self::Length => "length",
            Self::Cache => "cache",
            Self::Coalescing => "coalescing",
            Self::Recognition => "recognition",
        }
    }
}
