//! The tracks: protocols under which a system is measured.

use super::names::words;

words! {
    /// Protocol under which a system is measured, with what it is in a few words, beside its name.
    #[serde(rename_all = "kebab-case")]
    pub enum Track {
        /// One core; each line is sent after the answer to the line before.
        Latency => "one core, lock-step",
        /// All cores that the campaign allows; each line is sent after the answer to the line before.
        LatencyAll => "all cores, lock-step",
        /// One core; the lines of a page are sent at once, after the answers to the page before.
        Pages => "one core, a page of lines at once; p50 to p99 to its last line",
        /// One core; the whole file is sent at once.
        #[serde(rename = "throughput-1")]
        Throughput1 => "one core, whole file",
        /// All cores that the campaign allows; the whole file is sent at once.
        ThroughputAll => "all cores, whole file",
        /// All cores that the campaign allows; lines arrive at random instants.
        Server => "all cores, lines at random instants",
    }
}

impl Track {
    /// Tracks of a campaign that names none. `Server` takes many times as long, and `LatencyAll` tells nothing new
    /// of systems that work on a line with one core, as most translators do.
    pub const USUAL: [Self; 3] = [Self::Latency, Self::Throughput1, Self::ThroughputAll];

    /// What a latency belongs to, in the singular: what is sent at once.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Pages => "page",
            _ => "line",
        }
    }

    /// Whether nothing is asked before the last answer is there: line by line, or page by page.
    pub const fn is_lockstep(self) -> bool {
        match self {
            Self::Latency | Self::LatencyAll | Self::Pages => true,
            Self::Throughput1 | Self::ThroughputAll | Self::Server => false,
        }
    }

    /// Whether a system has one line at a time: while it works, no line arrives, and the bench waits.
    pub const fn has_one_line(self) -> bool {
        matches!(self, Self::Latency | Self::LatencyAll)
    }

    /// Whether each answer is flushed as soon as it is there. Other tracks pass whole files.
    pub const fn answers_lines(self) -> bool {
        match self {
            Self::Latency | Self::LatencyAll | Self::Pages | Self::Server => true,
            Self::Throughput1 | Self::ThroughputAll => false,
        }
    }

    /// Whether a system may use all cores that the campaign allows.
    pub const fn uses_all_cores(self) -> bool {
        matches!(self, Self::LatencyAll | Self::ThroughputAll | Self::Server)
    }
}
