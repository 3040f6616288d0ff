//! The tracks: protocols under which a system is measured.

use super::names::words;

words! {
    /// Protocol under which a system is measured.
    #[derive(Default)]
    #[serde(rename_all = "kebab-case")]
    pub enum Track {
        /// One line, flush, wait for the reply, next; one core.
        #[default]
        Latency,
        /// As `Latency`, with all cores that the campaign allows.
        LatencyAll,
        /// The whole file at once, one core.
        #[serde(rename = "throughput-1")]
        Throughput1,
        /// The whole file at once, all cores that the campaign allows.
        ThroughputAll,
        /// Lines arrive at random instants, whether or not earlier ones are answered; all cores that the campaign
        /// allows.
        Server,
    }
}

impl Track {
    /// Tracks of a campaign that names none. `Server` takes many times as long, and `LatencyAll` tells nothing new
    /// of systems that work on a line with one core, as most translators do.
    pub const USUAL: [Self; 3] = [Self::Latency, Self::Throughput1, Self::ThroughputAll];

    /// Whether lines are exchanged one by one, each answered before the next is asked.
    pub const fn is_lockstep(self) -> bool {
        match self {
            Self::Latency | Self::LatencyAll => true,
            Self::Throughput1 | Self::ThroughputAll | Self::Server => false,
        }
    }

    /// Whether each answer is flushed as soon as it is there. Other tracks pass whole files.
    pub const fn answers_lines(self) -> bool {
        match self {
            Self::Latency | Self::LatencyAll | Self::Server => true,
            Self::Throughput1 | Self::ThroughputAll => false,
        }
    }

    /// Whether a system may use all cores that the campaign allows.
    pub const fn uses_all_cores(self) -> bool {
        matches!(self, Self::LatencyAll | Self::ThroughputAll | Self::Server)
    }
}
