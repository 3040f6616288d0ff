//! What a run is of, and the key that tells one run from another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Record, SCHEMA};
use crate::campaign::{Campaign, System, TestSet, hex};
use crate::exit::{OrBadInput, Outcome};
use crate::host::Host;

/// What a run is of: two runs with the same key may be one run, interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// First letters of a hash over all the rest.
    pub key: String,
    /// The campaign's name.
    pub campaign: String,
    /// The campaign's parameters, as they were understood.
    pub protocol: serde_json::Value,
    /// The systems.
    pub systems: serde_json::Value,
    /// SHA-256 of each model's files, of the files that a foreign command names, and of dyno itself, which
    /// built-in systems run on.
    pub programs: Vec<(PathBuf, String)>,
    /// Name, hash and number of lines of each test set.
    pub test_sets: Vec<(String, String, usize)>,
    /// Where.
    pub host: Host,
}

impl Identity {
    /// The identity of a run of `campaign` on `host`.
    pub fn of(campaign: &Campaign, host: &Host) -> Outcome<Self> {
        let mut identity = Self {
            key: String::new(),
            campaign: campaign.name.clone(),
            protocol: serde_json::json!({
                "schema": SCHEMA, "profile": campaign.profile, "seed": campaign.seed,
                "cores": campaign.cores, "limits": campaign.limits, "tracks": campaign.tracks,
                "probes": campaign.probes(),
                "filler": campaign.filler.as_ref().map(|filler| &filler.sha256),
            }),
            systems: serde_json::to_value(&campaign.systems).or_bad_input()?,
            programs: programs(campaign)?,
            test_sets: campaign.test_sets.iter().map(named_hash).collect(),
            host: host.clone(),
        };
        let text = serde_json::to_vec(&identity).context("the run's identity as JSON")?;
        // 32 bits tell apart the few runs of one campaign that ever lie in one folder.
        identity.key = hex(&Sha256::digest(&text))[..8].into();
        Ok(identity)
    }
}

impl Identity {
    /// Whether `record` is of a system and a test set of this run.
    pub(super) fn names(&self, record: &Record) -> bool {
        let mut systems = self.systems.as_array().into_iter().flatten();
        systems.any(|system| system["name"] == *record.system)
            && self.test_sets.iter().any(|(name, ..)| *name == record.test_set)
    }
}

fn named_hash(set: &TestSet) -> (String, String, usize) {
    (set.name.clone(), set.sha256.clone(), set.source.len())
}

fn programs(campaign: &Campaign) -> Outcome<Vec<(PathBuf, String)>> {
    let dyno = std::env::current_exe()?;
    let mut hashes = vec![(PathBuf::from("dyno"), file_hash(&dyno)?)];
    let models = campaign.systems.iter().flat_map(|system| system.models.clone());
    for model in models.chain(campaign.systems.iter().flat_map(System::own_files)) {
        let mut files = Vec::new();
        collect_files(&model, &mut files).with_context(|| format!("reading {}", model.display()))?;
        for file in files {
            let hash = file_hash(&file).with_context(|| format!("reading {}", file.display()))?;
            hashes.push((file, hash));
        }
    }
    hashes.sort();
    hashes.dedup();
    Ok(hashes)
}

/// All files below `path`, or `path` itself.
pub fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.into());
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect_files(entry, files))
}

/// SHA-256 of a file.
pub fn file_hash(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut fs::File::open(path)?, &mut HashWriter(&mut hash))?;
    Ok(hex(&hash.finalize()))
}

/// Lets `io::copy` feed a hash, so that a model of many GiB is never in memory at once.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
