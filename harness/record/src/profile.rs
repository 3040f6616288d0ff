//! The protocol's three profiles: rounds, times and probes of a run.

use crate::rules::Probe;
use crate::rules::names::words;

words! {
    /// Thoroughness of a run, recorded with every figure.
    #[serde(rename_all = "lowercase")]
    pub enum Profile {
        /// A first look, in minutes.
        Quick,
        /// For decisions.
        Standard,
        /// For publication.
        Official,
    }
}

impl Profile {
    /// The one of three figures that is this profile's: quick, standard, official.
    const fn of<T: Copy>(self, each: [T; Self::ALL.len()]) -> T {
        each[self as usize]
    }

    /// Rounds of a cell. The number is odd, so that the median is one of them. Order statistics of 3, 5 and 9
    /// rounds cover the true median with 75, 93.8 and 96.1 %.
    pub const fn rounds(self) -> usize {
        self.of([3, 5, 9])
    }

    /// Most parts of a lock-step round, each with fresh processes. A first look must stay short.
    pub const fn parts(self) -> usize {
        self.of([1, 8, 8])
    }

    /// Least duration of a throughput round: the resolution of the clock and brief disturbances must not
    /// matter.
    pub const fn throughput_minimum_ns(self) -> u64 {
        self.of([1_000_000_000, 10_000_000_000, 60_000_000_000])
    }

    /// Lines after which a launch is long enough, whatever its duration: the size of the shared tasks.
    pub const fn throughput_enough_lines(self) -> usize {
        1_000_000
    }

    /// Lines that may miss the limit in each run of the server track's search. They decide how long the run is: of
    /// the 99th percentile, two are two hundred lines.
    pub const fn search_misses(self) -> usize {
        self.of([2, 5, 10])
    }

    /// Lines that may miss the limit in the run that confirms the rate.
    pub const fn confirm_misses(self) -> usize {
        self.of([5, 20, 50])
    }

    /// Probes before the measurement.
    pub const fn probes(self) -> &'static [Probe] {
        match self {
            Self::Quick => &[Probe::Conformance, Probe::Buffering, Probe::Sameness],
            Self::Standard | Self::Official => &Probe::ALL,
        }
    }

    /// Repeats of a round that the host disturbed. A first look must stay short.
    pub const fn noisy_repeats(self) -> usize {
        self.of([1, 2, 2])
    }

    /// Whether one system is entered twice, so that the run measures its own noise.
    pub const fn has_twin(self) -> bool {
        !matches!(self, Self::Quick)
    }

    /// Whether systems are cut off from the network, where the host allows that.
    pub const fn isolates(self) -> bool {
        matches!(self, Self::Official)
    }

    /// Whether foreign systems and plugins run in a sandbox, where the host allows that.
    pub const fn sandboxes(self) -> bool {
        matches!(self, Self::Official)
    }

    /// Lines that are answered before the latency is measured.
    pub const fn warm_up_lines(self) -> usize {
        self.of([3, 20, 20])
    }
}
