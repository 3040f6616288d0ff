//! The checked campaign, and what the bench derives from it: the plan, the protocol and the run's identity.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use dyno_measure::{Placement, Plan, Protocol, TestSet, host};
use dyno_record::identity::RunProtocol;
use dyno_record::{Exchange, Host, Identity, Profile, SCHEMA, Shard, Track};
use dyno_results::hashes_of;
use dyno_results::scores::Metrics;

use super::entry::Entry;
use super::generated::Generated;
use super::search::described;
use crate::exit::Outcome;

#[derive(Clone, Debug)]
pub struct Campaign {
    /// Name of the campaign; the name of the run's folder begins with it.
    pub name: String,
    pub protocol: Protocol,
    /// Whether the campaign names its probes, instead of the profile's.
    pub names_probes: bool,
    /// Number of cores of the tracks of several cores; all cores that the host allows if absent.
    pub cores: Option<usize>,
    pub systems: Vec<Entry>,
    /// Systems left out because their plugins aren't built.
    pub unbuilt: Vec<Unbuilt>,
    /// Systems left out because their models aren't on this host; only the papers' campaigns leave any out.
    pub absent: Vec<Entry>,
    /// Models that dyno draws at random.
    pub generated: Vec<Generated>,
    /// Quality metrics, the frontier's first.
    pub metrics: Metrics,
    pub test_sets: Vec<TestSet>,
    /// Tracks, in the order of the tables.
    pub tracks: Vec<Track>,
    /// Part of the campaign that this run measures; all of it if absent.
    pub shard: Option<Shard>,
    /// Program that meters the energy, instead of the processor's own counters.
    pub meter: Option<MeterCommand>,
    /// Name of the system that gets a twin; the first system if absent.
    pub twin: Option<String>,
}

/// A system whose plugin isn't built, and the command that builds it.
pub type Unbuilt = (Entry, String);

/// A program that meters energy: see [`dyno_measure::energy`].
#[derive(Clone, Debug)]
pub struct MeterCommand {
    pub command: Vec<String>,
    /// Folder in which it starts: the campaign's.
    pub folder: PathBuf,
}

impl Campaign {
    /// Sets the profile, and its probes where the campaign names none.
    pub fn set_profile(&mut self, profile: Profile) {
        self.protocol.profile = profile;
        if !self.names_probes {
            self.protocol.probes = profile.probes().to_vec();
        }
    }

    /// Adds a twin of one system, if the profile has twins. Call it after the filters, so that the original
    /// is measured too.
    pub fn enter_twin(&mut self) {
        if !self.protocol.profile.has_twin() || self.systems.iter().any(|system| system.twin_of.is_some()) {
            return;
        }
        let named = self.twin.as_ref().and_then(|twin| self.systems.iter().find(|s| s.name == *twin));
        let twin = named.or(self.systems.first()).map(Entry::twin);
        self.systems.extend(twin);
    }

    /// Leaves out systems without a track, such as those of a sweep that another track was filtered for.
    pub fn leave_out_idle_systems(&mut self) {
        let Self { systems, tracks, .. } = self;
        systems.retain(|system| tracks.iter().any(|&track| system.takes_part(track)));
    }

    /// Plan of the measurement, in which systems are commands. `tuned` gives the tuning file of an entry.
    pub fn plan(&self, tuned: impl Fn(&Entry) -> Option<PathBuf>) -> Outcome<Plan> {
        let profile = self.protocol.profile;
        let system = |entry: &Entry| match tuned(entry) {
            Some(tuning) => entry.clone().with_setting("tuning", &tuning).system(profile),
            None => entry.system(profile),
        };
        Ok(Plan {
            systems: self.systems.iter().map(system).collect::<Outcome<_>>()?,
            test_sets: self.test_sets.clone(),
            tracks: self.tracks.clone(),
        })
    }

    pub fn rounds(&self) -> usize {
        let own = (0..self.groups()).filter(|&group| self.shard.is_none_or(|shard| shard.holds(group)));
        let track = |group: usize| self.tracks[group % self.tracks.len()];
        let systems = |group| self.systems.iter().filter(|system| system.takes_part(track(group))).count();
        own.map(systems).sum::<usize>() * self.protocol.profile.rounds()
    }

    /// Number of groups of cells that are compared: each test set under each track.
    pub fn groups(&self) -> usize {
        self.test_sets.len() * self.tracks.len()
    }

    /// Whether the cells of `test_set` under `track` lie in the campaign's shard.
    pub fn measures(&self, test_set: &str, track: Track) -> bool {
        let set = self.test_sets.iter().position(|set| set.name == test_set);
        let place = self.tracks.iter().position(|known| *known == track);
        let (Some(set), Some(place)) = (set, place) else { return false };
        self.shard.is_none_or(|shard| shard.holds(set * self.tracks.len() + place))
    }

    /// Restricts the campaign to a shard. More shards than groups are refused: some would measure nothing.
    pub fn take_shard(&mut self, shard: Option<Shard>) -> Outcome<()> {
        let groups = self.groups();
        if let Some(shard) = shard.filter(|shard| shard.of() > groups) {
            refuse!(
                "--shard {shard}: the campaign has {groups} groups of cells (test sets × tracks), so at most {groups} shards"
            );
        }
        self.shard = shard;
        Ok(())
    }

    /// Cores of the systems and of the bench on `host`.
    pub fn placement(&self, host: &Host) -> Placement {
        Placement::new(&host.cores, self.cores, host::siblings)
    }

    pub fn identity(&self, host: &Host) -> Outcome<Identity> {
        let models = self.systems.iter().flat_map(|entry| entry.models.clone());
        let files = models.chain(self.systems.iter().flat_map(Entry::own_files));
        let dyno = hashes_of([std::env::current_exe()?])?;
        let mut programs: Vec<_> = dyno.into_iter().map(|(_, hash)| (PathBuf::from("dyno"), hash)).collect();
        programs.extend(hashes_of(files)?);
        programs.sort();
        let named_hash = |set: &TestSet| (set.name.clone(), set.sha256.clone(), set.source.len());
        let identity = Identity {
            key: String::new(),
            campaign: self.name.clone(),
            protocol: self.run_protocol(),
            systems: self.systems.iter().map(described).collect(),
            programs,
            test_sets: self.test_sets.iter().map(named_hash).collect(),
            host: host.clone(),
        };
        Ok(identity.with_key().context("can't encode the run's identity")?)
    }

    /// Parameters of the measurement that the run's identity holds.
    fn run_protocol(&self) -> RunProtocol {
        let Protocol {
            profile,
            seed,
            limits,
            load,
            clients,
            arrivals,
            probes,
            filler,
            interleave,
            cold_start,
        } = self.protocol.clone();
        let serves = self.tracks.iter().any(|track| track.is_served());
        RunProtocol {
            schema: SCHEMA,
            profile,
            seed,
            cores: self.cores,
            limits,
            tracks: self.tracks.clone(),
            probes,
            interleave: Some(interleave),
            cold_start,
            filler: filler.map(|filler| filler.sha256),
            meter: self.meter.as_ref().map(|meter| meter.command.clone()),
            load: serves.then_some(load),
            clients: if serves { clients } else { Vec::new() },
            pages: self.pages_by_set(),
            arrivals: arrivals.filter(|_| serves).map(|recording| recording.sha256),
            shard: self.shard,
        }
    }

    /// Hash of each set's pages, if these are measured.
    fn pages_by_set(&self) -> BTreeMap<String, String> {
        let is_measured = self.tracks.iter().any(|track| track.exchange() == Exchange::Pages);
        let sets = self.test_sets.iter().filter(|_| is_measured);
        sets.map(|set| (set.name.clone(), set.pages_sha256())).collect()
    }
}
