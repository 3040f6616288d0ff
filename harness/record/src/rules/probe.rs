//! The probes: questions to a system before the measurement.

use super::names::words;

words! {
    /// A question to a system.
    #[serde(rename_all = "kebab-case")]
    pub enum Probe {
        /// Does the system answer each line before it sees the next?
        Buffering,
        /// Does the system answer odd lines, one for one and in order?
        Conformance,
        /// Does the system keep to its cores, and leave nothing behind?
        Audit,
        /// Is the text the same in every track?
        Sameness,
        /// Is the text the same in every launch?
        Determinism,
        /// Are the answers about as long as expected?
        Length,
        /// Does the system remember lines that it has answered?
        Cache,
        /// Does the system translate equal lines once?
        Coalescing,
        /// Does the system know the test set?
        Recognition,
    }
}
