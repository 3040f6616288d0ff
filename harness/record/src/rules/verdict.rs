//! Verdicts on rounds, cells and probes.

use super::names::words;

words! {
    /// Whether a round, a cell or a system may be quoted. A later variant is worse.
    #[serde(rename_all = "UPPERCASE")]
    pub enum Verdict {
        /// The system kept the rules.
        Valid,
        /// The host disturbed the measurement.
        Noisy,
        /// The system broke a rule.
        Invalid,
    }
}
