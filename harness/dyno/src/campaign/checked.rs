//! A checked campaign.

use std::path::PathBuf;

use dyno_measure::files::file_hash;
use dyno_measure::{
    Filler, Host, Limits, Placement, Plan, Probe, Profile, Protocol, SCHEMA, TestSet, Track, host,
};
use dyno_report::reproduction::{Contestant, Contestants, Unbuilt};
use dyno_results::{Identity, hashes_of};
use serde_json::json;

use super::entry::Entry;
use super::generated::Generated;
use crate::exit::Outcome;

/// A checked campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Name of the campaign, part of the run folder's.
    pub name: String,
    /// Thoroughness.
    pub profile: Profile,
    /// Seed of every random order.
    pub seed: u64,
    /// Number of cores that throughput-all may use; all that the host allows if absent.
    pub cores: Option<usize>,
    /// Limits of patience.
    pub limits: Limits,
    /// Systems that compete.
    pub systems: Vec<Entry>,
    /// Systems that would compete if their plugin had been built.
    pub unbuilt: Vec<Unbuilt>,
    /// Models that the campaign describes instead of naming.
    pub generated: Vec<Generated>,
    /// Test sets.
    pub test_sets: Vec<TestSet>,
    /// Tracks, in the order of tables.
    pub tracks: Vec<Track>,
    /// Lines that lengthen throughput launches.
    pub filler: Option<Filler>,
    /// Name of the system that is entered twice; the first system if absent.
    pub twin: Option<String>,
    /// Probes before the clock, instead of the profile's.
    pub own_probes: Option<Vec<Probe>>,
}

impl Campaign {
    /// Probes before the clock.
    pub fn probes(&self) -> &[Probe] {
        self.own_probes.as_deref().unwrap_or(self.profile.probes())
    }

    /// Enters one system a second time, where the profile wants that: after the filters, so that it is one of
    /// those that are measured.
    pub fn enter_twin(&mut self) {
        if !self.profile.has_twin() || self.systems.iter().any(|system| system.twin_of.is_some()) {
            return;
        }
        let named = self.twin.as_ref().and_then(|twin| self.systems.iter().find(|s| s.name == *twin));
        let twin = named.or(self.systems.first()).map(Entry::twin);
        self.systems.extend(twin);
    }

    /// Parameters of the measurement.
    pub fn protocol(&self) -> Protocol {
        Protocol {
            profile: self.profile,
            seed: self.seed,
            limits: self.limits,
            probes: self.probes().to_vec(),
            filler: self.filler.clone(),
        }
    }

    /// The plan of a measurement. Systems are commands there; `tuned` gives each entry its tuning.
    pub fn plan(&self, tuned: impl Fn(&Entry) -> Option<PathBuf>) -> Outcome<Plan> {
        let system = |entry: &Entry| match tuned(entry) {
            Some(tuning) => entry.clone().with_setting("tuning", &tuning).system(),
            None => entry.system(),
        };
        Ok(Plan {
            systems: self.systems.iter().map(system).collect::<std::io::Result<_>>()?,
            test_sets: self.test_sets.clone(),
            tracks: self.tracks.clone(),
        })
    }

    /// Number of rounds of the plan.
    pub fn rounds(&self) -> usize {
        self.systems.len() * self.test_sets.len() * self.tracks.len() * self.profile.rounds()
    }

    /// Cores of the systems and of the bench on `host`.
    pub fn placement(&self, host: &Host) -> Placement {
        Placement::new(&host.cores, self.cores, host::siblings)
    }

    /// Identity of a run of this campaign on `host`.
    pub fn identity(&self, host: &Host) -> Outcome<Identity> {
        let protocol = json!({
            "schema": SCHEMA, "profile": self.profile, "seed": self.seed, "cores": self.cores,
            "limits": self.limits, "tracks": self.tracks, "probes": self.probes(),
            "filler": self.filler.as_ref().map(|filler| &filler.sha256),
        });
        let models = self.systems.iter().flat_map(|entry| entry.models.clone());
        let files = models.chain(self.systems.iter().flat_map(Entry::own_files));
        let mut programs = vec![(PathBuf::from("dyno"), file_hash(&std::env::current_exe()?)?)];
        programs.extend(hashes_of(files)?);
        programs.sort();
        Ok(Identity::new(&self.name, protocol, json!(self.systems), programs, &self.test_sets, host)?)
    }

    /// What a paper's table needs to know of the systems.
    pub fn contestants(&self) -> Contestants {
        let drawn_bytes = |entry: &Entry| {
            let mut drawn = self.generated.iter().filter(|model| entry.models.contains(&model.path));
            drawn.next().map(Generated::bytes)
        };
        let contestant = |entry: &Entry| Contestant {
            name: entry.name.clone(),
            backend: entry.backend().map(Into::into),
            drawn_bytes: drawn_bytes(entry),
        };
        Contestants {
            systems: self.systems.iter().map(contestant).collect(),
            unbuilt: self.unbuilt.clone(),
            drawn: !self.generated.is_empty(),
        }
    }
}
