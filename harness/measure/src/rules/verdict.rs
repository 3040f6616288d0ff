//! Verdicts on rounds, cells and probes.

use serde::{Deserialize, Serialize};

use super::names::name_of;

/// Whether a round, a cell or a system may be quoted. A later variant is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The system kept the rules.
    Valid,
    /// The host disturbed the measurement.
    Noisy,
    /// The system broke a rule.
    Invalid,
}

impl Verdict {
    /// Word in tables.
    pub fn name(self) -> &'static str {
        name_of(&self)
    }
}
