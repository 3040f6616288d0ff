//! Cores that a claim needs and the measured host lacks.

use std::fmt;

use serde::Serialize;

/// Cores that a row needs, and the host lacks.
#[derive(Clone, Debug, Serialize)]
pub struct Lacking {
    /// Number that the row needs.
    pub wanted: usize,
    /// Number that the host has.
    pub there: usize,
}

impl Lacking {
    /// What several rows lack, in words; `None` without a row.
    pub fn of_all(all: &[&Self]) -> Option<String> {
        let wanted = || all.iter().map(|lacking| lacking.wanted);
        let (least, most, there) = (wanted().min()?, wanted().max()?, all.first()?.there);
        let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        Some(format!("hardware: {wanted} cores are needed; this host has {there}"))
    }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::of_all(&[self]).unwrap_or_default())
    }
}
