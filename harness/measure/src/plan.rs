//! The plan: cells and rounds from systems, test sets and tracks; the order of the rounds, and their cores.

use dyno_record::{Interleave, Record, Track};
use dyno_stats::Random;

use crate::{Protocol, System, TestSet};

/// Systems, test sets and tracks that are measured against each other.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Systems, in the order of tables.
    pub systems: Vec<System>,
    /// Test sets, in the order of tables.
    pub test_sets: Vec<TestSet>,
    /// Tracks, in the order of tables.
    pub tracks: Vec<Track>,
}

/// One system on one test set under one track.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    /// System that is measured.
    pub system: &'a System,
    /// Test set that the system translates.
    pub test_set: &'a TestSet,
    /// Protocol of the measurement.
    pub track: Track,
}

/// One pass over a cell.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    /// System that is measured.
    pub system: &'a System,
    /// Test set that the system translates.
    pub test_set: &'a TestSet,
    /// Protocol of the measurement.
    pub track: Track,
    /// Number of the round, from 0.
    pub number: usize,
}

impl<'a> Cell<'a> {
    /// Round `number` of the cell.
    pub fn round(self, number: usize) -> Round<'a> {
        let Self { system, test_set, track } = self;
        Round { system, test_set, track, number }
    }
}

impl Round<'_> {
    /// Whether `record` is of this round's cell.
    pub fn has(&self, record: &Record) -> bool {
        let own = (&self.system.name, &self.test_set.name, self.track);
        own == (&record.system, &record.test_set, record.track)
    }
}

impl Plan {
    /// All cells in the order of tables: by test set, track, system.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let tracks = |test_set| self.tracks.iter().map(move |&track| (test_set, track));
        let pairs = self.test_sets.iter().flat_map(tracks);
        pairs
            .flat_map(|(test_set, track)| {
                let own = self.systems.iter().filter(move |system| system.takes_part(track));
                own.map(move |system| Cell { system, test_set, track })
            })
            .collect()
    }

    /// All rounds, in groups that are measured side by side: every group once in random order, then every
    /// group again in another order. A drift of the host thereby meets all systems alike.
    pub fn groups(&self, protocol: &Protocol) -> Vec<Vec<Round<'_>>> {
        let cells = self.cells();
        let side_by_side = protocol.interleave == Interleave::Slices;
        let in_one_table =
            |a: &Cell<'_>, b: &Cell<'_>| (&a.test_set.name, a.track) == (&b.test_set.name, b.track);
        let groups: Vec<_> = cells.chunk_by(|a, b| side_by_side && in_one_table(a, b)).collect();
        let mut rounds = Vec::new();
        for number in 0..protocol.profile.rounds() {
            let purpose = format!("cells of round {number}");
            let order = Random::new(protocol.seed, &purpose).permutation(groups.len());
            let group = |i: usize| groups[i].iter().map(|cell| cell.round(number)).collect();
            rounds.extend(order.into_iter().map(group));
        }
        rounds
    }

    /// All rounds, in the order of the groups.
    pub fn rounds(&self, protocol: &Protocol) -> Vec<Round<'_>> {
        self.groups(protocol).into_iter().flatten().collect()
    }
}

/// Cores of the systems and of the bench: systems take the highest, the bench takes the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Cores of the tracks of several cores, ascending.
    pub all: Vec<usize>,
    /// Cores of the bench itself. Only the thread that exchanges lines in lock-step runs elsewhere.
    pub bench: Vec<usize>,
}

impl Placement {
    /// Places systems on `cores` (ascending), of which a track of several may use the highest `most`. `siblings`
    /// gives the hardware threads of a physical core: one of them is used, the others stay idle.
    pub fn new(cores: &[usize], most: Option<usize>, siblings: impl Fn(usize) -> Vec<usize>) -> Self {
        let is_first = |core: &&usize| {
            let threads = siblings(**core);
            cores.iter().find(|other| threads.contains(other)).is_none_or(|first| first == *core)
        };
        let physical: Vec<usize> = cores.iter().filter(is_first).copied().collect();
        let used = most.unwrap_or(physical.len()).clamp(1, physical.len());
        Self { all: physical[physical.len() - used..].to_vec(), bench: vec![physical[0]] }
    }

    /// Warning before tracks of several cores if a campaign allows more than the host has. It is no error: the
    /// campaign may come from a larger host, and each record names its cores.
    pub fn shortfall(&self, wanted: Option<usize>, tracks: &[Track]) -> Option<String> {
        let (wanted, there) = (wanted?, self.all.len());
        let several: Vec<&str> =
            tracks.iter().filter(|track| track.has_several_cores()).map(|track| track.name()).collect();
        let matters = wanted > there && !several.is_empty();
        matters.then(|| {
            let (tracks, verb) = (several.join(" and "), if several.len() == 1 { "is" } else { "are" });
            format!("warning: the campaign allows {wanted} cores, but this host has {there}: {tracks} {verb} measured on {there}")
        })
    }

    /// Cores of `system` under `track`.
    pub fn cores_of(&self, system: &System, track: Track) -> &[usize] {
        let cores = self.system(track);
        &cores[cores.len() - system.cores.map_or(cores.len(), |most| most.clamp(1, cores.len()))..]
    }

    /// Cores of systems under `track`, the most that it allows.
    pub fn system(&self, track: Track) -> &[usize] {
        let most = track.most_cores().unwrap_or(usize::MAX).min(self.all.len());
        &self.all[self.all.len() - most..]
    }

    /// Core of systems under the tracks of one core.
    pub fn one_core(&self) -> usize {
        self.all[self.all.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_take_the_highest_cores_and_the_bench_the_lowest() {
        let placement = Placement::new(&[0, 1, 2, 5], Some(2), |core| vec![core]);
        assert_eq!(placement.system(Track::Latency), [5]);
        assert_eq!(placement.system(Track::Throughput1), [5]);
        assert_eq!(placement.system(Track::ThroughputAll), [2, 5]);
        assert_eq!(placement.bench, [0]);
    }

    #[test]
    fn a_sibling_of_a_used_core_stays_idle() {
        // Four physical cores of two threads, numbered as Linux does on most machines. The last core is
        // incomplete.
        let siblings = |core: usize| vec![core % 4, core % 4 + 4];
        let placement = Placement::new(&[0, 1, 2, 4, 5, 6, 7], None, siblings);
        assert_eq!(placement.system(Track::ThroughputAll), [0, 1, 2, 7]);
        assert_eq!(placement.system(Track::Latency), [7]);
        assert_eq!(placement.bench, [0]);
    }

    #[test]
    fn a_campaign_with_more_cores_than_the_host_gets_a_warning() {
        let told = |wanted, tracks: &[Track]| {
            Placement::new(&[0, 1], wanted, |core| vec![core]).shortfall(wanted, tracks)
        };
        assert!(told(Some(99), &Track::ALL).unwrap().contains("allows 99 cores, but this host has 2"));
        assert_eq!(told(Some(2), &Track::ALL), None);
        assert_eq!(told(None, &Track::ALL), None);
        assert_eq!(told(Some(99), &[Track::Latency]), None, "one core is enough for it");
    }

    #[test]
    fn one_core_is_shared() {
        let placement = Placement::new(&[3], Some(8), |core| vec![core]);
        assert_eq!(placement.system(Track::ThroughputAll), [3]);
        assert_eq!(placement.bench, [3]);
    }
}
