//! Findings about a host, each with its remedy.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// No fault.
    Good,
    /// Figures will be noisier, or less can be measured.
    Warning,
    /// Figures would be wrong.
    Bad,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub health: Health,
    pub found: String,
    /// Remedy; empty if there is no fault.
    pub remedy: String,
}

impl Finding {
    pub fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Good, found: found.into(), remedy: String::new() }
    }

    pub fn warning(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, health: Health::Warning, found: found.into(), remedy: remedy.into() }
    }

    pub fn bad(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { health: Health::Bad, ..Self::warning(what, found, remedy) }
    }
}
