//! What a table's figures are taken from beside a run: a campaign's systems, speeds of products, shortlists' coverage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Systems of a campaign, as far as they are known without a run.
#[derive(Clone, Debug, Default)]
pub struct Contestants {
    /// Systems that can run.
    pub systems: Vec<Contestant>,
    /// Systems that are left out because their plugin isn't built, each with the command that builds it.
    pub unbuilt: Vec<(String, String)>,
    /// Systems that are left out because their models aren't on this host.
    pub absent: Vec<String>,
    /// Whether a model has drawn weights.
    pub drawn: bool,
}

/// A system of a campaign.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Name of the system.
    pub name: String,
    /// Built-in backend of the system, if any.
    pub backend: Option<String>,
    /// Bytes of the model in f32, if its weights are drawn.
    pub drawn_bytes: Option<u64>,
    /// Whether the system reads its weights in f32.
    pub reads_f32: bool,
}

/// Speeds of the matrix products of a table, as a file beside the runs keeps them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptProducts {
    /// Processor that was measured.
    pub cpu: String,
    /// Time of the measurement, in milliseconds since 1970.
    pub measured_unix_ms: u64,
    /// Speeds with their conditions.
    pub products: Products,
}

/// Speeds of the matrix products of a table, with the conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Products {
    /// Host and subject of the measurement, in words.
    pub conditions: Vec<String>,
    /// 10⁹ multiply-accumulates a second of each turn, by the name of the point.
    pub speeds: BTreeMap<String, Vec<f64>>,
}

/// References' words that a shortlist offers for their sources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// Number of words of all references.
    pub words: usize,
    /// Number of those that are among their sentence's candidates.
    pub offered: usize,
    /// Mean number of candidates of a sentence.
    pub candidates: f64,
}

impl Coverage {
    /// Offered words in percent.
    pub fn percent(&self) -> f64 {
        self.offered as f64 / self.words.max(1) as f64 * 100.0
    }
}
