//! The probes: what a system is asked.

use serde::{Deserialize, Serialize};

use super::names::name_of;

/// A question to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

    /// Question that the probe asks about a system.
    pub const fn question(self) -> &'static str {
        match self {
            Self::Buffering => "Does it answer each line before it sees the next?",
            Self::Conformance => "Does it answer odd lines, one for one and in order?",
            Self::Audit => "Does it keep to its cores, and leave nothing behind?",
            Self::Sameness => "Is its text the same in every track?",
            Self::Determinism => "Is its text the same in every launch?",
            Self::Length => "Are its answers about as long as they should be?",
            Self::Cache => "Does it remember lines that it has answered?",
            Self::Coalescing => "Does it translate equal lines once?",
            Self::Recognition => "Does it know the test set?",
        }
    }

    /// Name in tables and on the command line.
    pub fn name(self) -> &'static str {
        name_of(&self)
    }
}
