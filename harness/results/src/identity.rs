//! Identity of a run: subject and conditions of the measurement, and the key that tells two runs apart.

use std::path::{Path, PathBuf};

use dyno_measure::files::{collect_files, file_hash, hash_of};
use dyno_measure::{Host, Record, TestSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

/// Identity of a run. Two runs with the same key can be parts of one run that was interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Key: first letters of a hash over all other fields.
    pub key: String,
    /// Name of the campaign.
    pub campaign: String,
    /// Parameters of the measurement.
    pub protocol: Value,
    /// Systems, as the campaign describes them.
    pub systems: Value,
    /// Paths and SHA-256 of programs: files of each model, files that foreign commands name, and dyno itself,
    /// which runs built-in systems.
    pub programs: Vec<(PathBuf, String)>,
    /// Name, hash and number of lines of each test set.
    pub test_sets: Vec<(String, String, usize)>,
    /// Machine of the run.
    pub host: Host,
}

impl Identity {
    /// The identity of these parts, with the key computed from all of them.
    pub fn new(
        campaign: &str,
        protocol: Value,
        systems: Value,
        programs: Vec<(PathBuf, String)>,
        test_sets: &[TestSet],
        host: &Host,
    ) -> Result<Self> {
        let named_hash = |set: &TestSet| (set.name.clone(), set.sha256.clone(), set.source.len());
        let identity = Self {
            key: String::new(),
            campaign: campaign.into(),
            protocol,
            systems,
            programs,
            test_sets: test_sets.iter().map(named_hash).collect(),
            host: host.clone(),
        };
        identity.with_key()
    }

    /// The same identity with the key of its present parts.
    pub(crate) fn with_key(mut self) -> Result<Self> {
        self.key.clear();
        let text = serde_json::to_vec(&self).map_err(Error::encoding("the run's identity"))?;
        // 32 bits suffice: few runs of one campaign lie in one folder.
        self.key = hash_of(&text)[..8].into();
        Ok(self)
    }

    /// The campaign's description of the system of that name.
    pub(crate) fn described(&self, name: &str) -> Option<&Value> {
        self.systems.as_array().into_iter().flatten().find(|system| system["name"] == name)
    }

    /// Whether system and test set of `record` belong to this run.
    pub(crate) fn names(&self, record: &Record) -> bool {
        self.described(&record.system).is_some()
            && self.test_sets.iter().any(|(name, ..)| *name == record.test_set)
    }
}

/// SHA-256 of every file at or below `paths`, each file once.
pub fn hashes_of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<(PathBuf, String)>> {
    let mut hashes = Vec::new();
    for path in paths {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Unreadable { path, source }
        };
        let mut files = Vec::new();
        collect_files(&path, &mut files).map_err(unreadable(&path))?;
        for file in files {
            let hash = file_hash(&file).map_err(unreadable(&file))?;
            hashes.push((file, hash));
        }
    }
    hashes.sort();
    hashes.dedup();
    Ok(hashes)
}
