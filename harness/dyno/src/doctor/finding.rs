//! Findings about a host: each with what was seen and what to do about it.

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// Figures will be noisier, or less can be measured.
    Warning,
    /// Figures would be wrong.
    Bad,
}

/// What was looked at, what was seen, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// How bad it is.
    pub health: Health,
    /// What was seen.
    pub found: String,
    /// What to do about it; empty where all is well.
    pub remedy: String,
}

impl Finding {
    /// All is well.
    pub fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Good, found: found.into(), remedy: String::new() }
    }

    /// Figures will be noisier, or less can be measured.
    pub fn warning(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, health: Health::Warning, found: found.into(), remedy: remedy.into() }
    }

    /// Figures would be wrong.
    pub fn bad(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { health: Health::Bad, ..Self::warning(what, found, remedy) }
    }
}
