//! Identity of a run: subject and conditions of the measurement, and the key that tells two runs apart.
//!
//! The types are `run.json` itself, field by field: the key is a hash of their JSON, so a field that is new is left out
//! where it says nothing. They are read once, when a run is opened. A file that can't be read is an error, since
//! a run without known conditions can be neither complete nor compared.

mod batch;
mod launch;
mod protocol;
mod system;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{self, KeyFault};
use crate::{Host, hash_of};
pub use batch::BatchSize;
pub use launch::{AdapterLaunch, Launch, SubmissionLaunch};
pub use protocol::RunProtocol;
pub use system::{RunSystem, SandboxChoice, Search};

/// Version of the fields of a run's files; a reader refuses a newer version.
pub const SCHEMA: u32 = 2;

/// Identity of a run. Two runs with the same key can be parts of one run that was interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Key: first letters of a hash over all other fields.
    pub key: String,
    /// Name of the campaign.
    pub campaign: String,
    /// Parameters of the measurement.
    pub protocol: RunProtocol,
    /// Systems, as the campaign describes them.
    pub systems: Vec<RunSystem>,
    /// Paths and SHA-256 of programs: files of each model, files that foreign commands name, and dyno itself,
    /// which runs built-in systems.
    pub programs: Vec<(PathBuf, String)>,
    /// Name, hash and number of lines of each test set.
    pub test_sets: Vec<(String, String, usize)>,
    /// Machine of the run.
    pub host: Host,
}

/// Reason why the text of an identity can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A newer dyno wrote it, perhaps with conditions that this dyno would overlook.
    #[error("schema {0}, not {SCHEMA}")]
    Newer(u32),
    /// A key is missing, unknown, or has a value that it can't have.
    #[error(transparent)]
    Key(#[from] KeyFault),
}

impl Identity {
    /// Reads the text of `run.json`.
    pub fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let any: Value = serde_json::from_slice(text).unwrap_or_default();
        let schema = any["protocol"]["schema"].as_u64().and_then(|schema| u32::try_from(schema).ok());
        if let Some(newer) = schema.filter(|schema| *schema > SCHEMA) {
            return Err(Unreadable::Newer(newer));
        }
        Ok(json::read(text)?)
    }

    /// The same identity with the key of its present parts. Fails if a path is no UTF-8.
    pub fn with_key(mut self) -> serde_json::Result<Self> {
        self.key.clear();
        // 32 bits suffice: few runs of one campaign lie in one folder.
        self.key = hash_of(&serde_json::to_vec(&self)?)[..8].into();
        Ok(self)
    }

    /// The campaign's description of the system of that name.
    pub fn system(&self, name: &str) -> Option<&RunSystem> {
        self.systems.iter().find(|system| system.name == name)
    }

    /// Whether both the system and the test set belong to this run.
    pub fn names(&self, system: &str, test_set: &str) -> bool {
        self.system(system).is_some() && self.test_sets.iter().any(|(name, ..)| name == test_set)
    }
}

#[cfg(test)]
mod tests;
