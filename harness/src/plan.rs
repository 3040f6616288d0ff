//! From a campaign to rounds: which cells, in which order, on which cores.

use crate::campaign::{Campaign, System, TestSet, fits};

use crate::exit::{Outcome, bad_input};
use crate::random::Random;
use crate::rules::Track;

/// What of a campaign to run; empty lists mean all.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Filters {
    /// Only systems of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN")]
    pub systems: Vec<String>,
    /// Only test sets of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "test-set", short = 't', value_name = "PATTERN")]
    pub test_sets: Vec<String>,
    /// Only this track; may be repeated
    #[arg(long = "track", value_name = "TRACK")]
    pub tracks: Vec<Track>,
}

impl Filters {
    /// Strikes from `campaign` what was not asked for. A pattern that fits nothing is a typing error.
    pub fn apply(&self, campaign: &mut Campaign) -> Outcome<()> {
        keep_fitting(&mut campaign.systems, &self.systems, "system", |system| &system.name)?;
        keep_fitting(&mut campaign.test_sets, &self.test_sets, "test set", |set| &set.name)?;
        campaign.tracks.retain(|track| self.tracks.is_empty() || self.tracks.contains(track));
        Ok(())
    }
}

fn keep_fitting<T>(items: &mut Vec<T>, patterns: &[String], what: &str, name: fn(&T) -> &str) -> Outcome<()> {
    for pattern in patterns {
        if !items.iter().any(|item| fits(pattern, name(item))) {
            let names: Vec<_> = items.iter().map(name).collect();
            let near = dyno_api::closest(pattern, names.iter().copied());
            let hint = near.map(|near| format!(" (did you mean {near:?}?)")).unwrap_or_default();
            let there_are = names.join(", ");
            return Err(bad_input(format!(
                "no {what} fits {pattern:?}{hint}; the campaign has: {there_are}"
            )));
        }
    }
    items.retain(|item| patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, name(item))));
    Ok(())
}

/// One system on one test set under one track.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    /// Who.
    pub system: &'a System,
    /// On what.
    pub test_set: &'a TestSet,
    /// Under which protocol.
    pub track: Track,
}

/// One pass over a cell.
#[derive(Clone, Copy)]
pub struct Round<'a> {
    /// Who.
    pub system: &'a System,
    /// On what.
    pub test_set: &'a TestSet,
    /// Under which protocol.
    pub track: Track,
    /// From 0.
    pub number: usize,
}

/// The cells in the order of tables: by test set, track, system.
pub fn cells(campaign: &Campaign) -> Vec<Cell<'_>> {
    let tracks = |test_set| campaign.tracks.iter().map(move |&track| (test_set, track));
    let pairs = campaign.test_sets.iter().flat_map(tracks);
    pairs
        .flat_map(|(test_set, track)| {
            campaign.systems.iter().map(move |system| Cell { system, test_set, track })
        })
        .collect()
}

/// All rounds, interleaved: every cell once in random order, then every cell again in another, so that what
/// drifts on the host meets all systems alike.
pub fn rounds(campaign: &Campaign) -> Vec<Round<'_>> {
    let cells = cells(campaign);
    let mut rounds = Vec::new();
    for number in 0..campaign.profile.rounds() {
        let order = Random::new(campaign.seed, &format!("cells of round {number}")).permutation(cells.len());
        for i in order {
            let Cell { system, test_set, track } = cells[i];
            rounds.push(Round { system, test_set, track, number });
        }
    }
    rounds
}

/// Who runs on which cores: systems take the highest, the bench the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The cores of throughput-all, ascending.
    all: Vec<usize>,
    bench: Vec<usize>,
}

impl Placement {
    /// Places systems on `cores` (ascending), of which throughput-all may use the highest `most`. Of the hardware
    /// threads of a physical core, as `siblings` tells them, one is used and the others stay idle.
    pub fn new(cores: &[usize], most: Option<usize>, siblings: impl Fn(usize) -> Vec<usize>) -> Self {
        let is_first = |core: &&usize| {
            let threads = siblings(**core);
            cores.iter().find(|other| threads.contains(other)).is_none_or(|first| first == *core)
        };
        let physical: Vec<usize> = cores.iter().filter(is_first).copied().collect();
        let used = most.unwrap_or(physical.len()).clamp(1, physical.len());
        Self { all: physical[physical.len() - used..].to_vec(), bench: vec![physical[0]] }
    }

    /// What to say before throughput-all where a campaign allows more cores than the host has. It is no fault: the campaign
    /// may come from a larger host, and each record names the cores that it was measured on.
    pub fn shortfall(&self, wanted: Option<usize>, tracks: &[Track]) -> Option<String> {
        let (wanted, there) = (wanted?, self.all.len());
        let matters = wanted > there && tracks.contains(&Track::ThroughputAll);
        matters.then(|| {
            format!("warning: the campaign allows {wanted} cores, but this host has {there}: throughput-all is measured on {there}")
        })
    }

    /// The cores of a system under `track`.
    pub fn system(&self, track: Track) -> &[usize] {
        match track {
            Track::ThroughputAll => &self.all,
            Track::Latency | Track::Throughput1 => &self.all[self.all.len() - 1..],
        }
    }

    /// Where the bench itself stays, but for the thread that exchanges lines in the latency track.
    pub fn bench(&self) -> &[usize] {
        &self.bench
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
        assert_eq!(placement.bench(), [0]);
    }

    #[test]
    fn a_sibling_of_a_used_core_stays_idle() {
        // Four physical cores of two threads, numbered as Linux does on most machines; the last is cut in half.
        let siblings = |core: usize| vec![core % 4, core % 4 + 4];
        let placement = Placement::new(&[0, 1, 2, 4, 5, 6, 7], None, siblings);
        assert_eq!(placement.system(Track::ThroughputAll), [0, 1, 2, 7]);
        assert_eq!(placement.system(Track::Latency), [7]);
        assert_eq!(placement.bench(), [0]);
    }

    #[test]
    fn what_a_campaign_wants_beyond_the_host_is_told() {
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
        assert_eq!(placement.bench(), [3]);
    }
}
