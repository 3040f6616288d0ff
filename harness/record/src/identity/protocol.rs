//! The protocol of a run: what was asked of every system.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::{Probe, Track};
use crate::{Interleave, LatencyLimit, Limits, Profile, Shard};

/// Parameters of a measurement. A key that this dyno doesn't know is an error: two runs that differ in it would seem
/// to be of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunProtocol {
    /// [`SCHEMA`](crate::SCHEMA) of the writer.
    pub schema: u32,
    /// Thoroughness.
    pub profile: Profile,
    /// Seed of every random order.
    pub seed: u64,
    /// Number of cores of the tracks of several cores; all cores that the host allows if absent.
    pub cores: Option<usize>,
    /// Time limits, and the number of repeats of disturbed rounds.
    pub limits: Limits,
    /// Tracks, in the order of the tables.
    pub tracks: Vec<Track>,
    /// Probes before the timed rounds.
    pub probes: Vec<Probe>,
    /// Arrangement of the systems that are compared; absent in runs from before there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleave: Option<Interleave>,
    /// Whether launches of lock-step read their models from the disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cold_start: bool,
    /// SHA-256 of the lines that lengthen throughput launches.
    pub filler: Option<String>,
    /// Program that meters the energy, instead of the processor's own counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Vec<String>>,
    /// Latency limit of the server track, if that is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LatencyLimit>,
    /// Numbers of clients of the server track's closed loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<usize>,
    /// SHA-256 of each test set's pages, as numbers of lines, if the track `pages` is measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pages: BTreeMap<String, String>,
    /// SHA-256 of the recorded arrivals that the server track replays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<String>,
    /// Part of the campaign that the run measures; all of it if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl RunProtocol {
    /// The protocol of the whole campaign. Its shard differs between the parts of one campaign.
    #[must_use]
    pub fn of_all_shards(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }

    /// The first parameter, by the alphabet, that differs in `other`, with both values.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let values = |protocol: &Self| serde_json::to_value(protocol).unwrap_or_default();
        let (ours, theirs) = (values(self), values(other));
        let names: BTreeSet<&String> =
            [&ours, &theirs].into_iter().filter_map(Value::as_object).flat_map(Map::keys).collect();
        let name = names.into_iter().find(|name| ours.get(name) != theirs.get(name))?;
        Some(format!("{name} is {}, not {}", theirs[name], ours[name]))
    }
}
