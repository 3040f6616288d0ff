//! The tracks: under which protocol a system is measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A protocol under which a system is measured.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
pub enum Track {
    /// One line, flush, wait for the reply, next; one core.
    #[serde(rename = "latency")]
    #[value(name = "latency")]
    Latency,
    /// The whole file at once, one core.
    #[serde(rename = "throughput-1")]
    #[value(name = "throughput-1")]
    Throughput1,
    /// The whole file at once, all cores that the campaign allows.
    #[serde(rename = "throughput-all")]
    #[value(name = "throughput-all")]
    ThroughputAll,
}

impl Track {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Latency, Self::Throughput1, Self::ThroughputAll];

    /// The name in campaigns, records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Throughput1 => "throughput-1",
            Self::ThroughputAll => "throughput-all",
        }
    }
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
