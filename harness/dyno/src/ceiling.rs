//! The most that a system may cost by the time limits of its campaign.
//!
//! A launch that exceeds a limit makes its cell INVALID, and then no further round of the cell is run. So the
//! most expensive system is one that stays just within all limits.

use std::fmt;
use std::time::Duration;

use dyno_measure::rounds::{cost, server};
use dyno_measure::verify::{hanging_seconds, most_seconds};
use dyno_measure::{Protocol, TestSet};
use dyno_record::{Exchange, Interleave, Probe, Track};
use serde::Serialize;

use crate::campaign::Campaign;
use crate::progress::clock;

/// Most seconds that a system of a campaign may take.
#[derive(Debug, Serialize)]
pub struct Ceiling {
    /// Seconds of a system that needs all of its time limits.
    pub slow: f64,
    /// Seconds of a system that never answers.
    pub hanging: f64,
    /// Usual seconds of the track `server` for a system whose lines take the latency limit; none without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served: Option<f64>,
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = |seconds| clock(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        let [slow, hanging] = [self.slow, self.hanging].map(clock);
        write!(f, "by the time limits a system costs at most {slow}, and one that hangs {hanging}")?;
        match self.served.map(clock) {
            Some(served) => write!(f, "; the track server usually takes {served} at most"),
            None => Ok(()),
        }
    }
}

impl Ceiling {
    /// The ceiling of each system of `campaign`.
    pub fn of(campaign: &Campaign) -> Self {
        let cells = campaign.test_sets.iter().flat_map(|set| campaign.tracks.iter().map(move |&t| (set, t)));
        let rounds = |(set, track)| -> f64 {
            (0..campaign.protocol.profile.rounds()).map(|number| round(campaign, set, track, number)).sum()
        };
        let slow = probes(campaign) + cells.map(rounds).sum::<f64>();
        Self { slow, hanging: hanging(campaign), served: served(campaign) }
    }
}

fn runs(campaign: &Campaign, set: &TestSet) -> server::Runs {
    server::Runs::of(&campaign.protocol, set.source.len())
}

/// Usual seconds of all rounds of the track `server`, for the slowest system that has a rate.
fn served(campaign: &Campaign) -> Option<f64> {
    let each = campaign.test_sets.iter().map(|set| runs(campaign, set).slowest_usual_seconds());
    let rounds = campaign.protocol.profile.rounds() as f64;
    campaign.tracks.iter().any(|track| track.is_served()).then(|| rounds * each.sum::<f64>())
}

fn probes(campaign: &Campaign) -> f64 {
    let sets = |probe: Probe| if probe == Probe::Recognition { campaign.test_sets.len() + 1 } else { 1 };
    let most = |probe: Probe| {
        let each = campaign.tracks.iter().map(|&track| most_seconds(probe, track, &campaign.protocol.limits));
        each.sum::<f64>() * sets(probe) as f64
    };
    campaign.protocol.probes.iter().map(|&probe| most(probe)).sum()
}

/// Most seconds of round `number`, with all its attempts.
fn round(campaign: &Campaign, set: &TestSet, track: Track, number: usize) -> f64 {
    let Protocol { profile, limits, .. } = &campaign.protocol;
    let once = match track.exchange() {
        Exchange::Lines | Exchange::Pages => {
            let longest = set.units(track).iter().map(ExactSizeIterator::len).max().unwrap_or(1);
            let longest = longest as f64 * limits.line_seconds;
            let lines: f64 = set.source.iter().map(|line| limits.seconds_for(line.len())).sum();
            let in_turns = vec![longest * 1e9; systems_in_turns(campaign, track)];
            let unscored = cost::unscored_units(set, track, *profile, &in_turns) as f64;
            // The last line or page may begin just before the limit of the round.
            (lines + unscored * longest).min(limits.launch_seconds + longest)
        }
        Exchange::File => {
            let minimum = profile.throughput_minimum_ns() as f64 / 1e9;
            minimum + cost::launches(set, track, *profile, number) as f64 * limits.launch_seconds
        }
        Exchange::Arrivals => runs(campaign, set).most_seconds(limits),
    };
    once * (1 + campaign.protocol.noisy_repeats()) as f64
}

/// Number of systems that take turns in a track; none if rounds follow one another.
fn systems_in_turns(campaign: &Campaign, track: Track) -> usize {
    let in_turns = campaign.protocol.interleave == Interleave::Slices;
    campaign.systems.iter().filter(|entry| in_turns && entry.takes_part(track)).count()
}

/// Seconds until a system that never answers is INVALID: one launch in each track, or in each cell if no probe
/// finds it out.
fn hanging(campaign: &Campaign) -> f64 {
    let launches =
        campaign.tracks.iter().map(|&track| hanging_seconds(track, &campaign.protocol.limits)).sum::<f64>();
    launches * if campaign.protocol.probes.is_empty() { campaign.test_sets.len() as f64 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ceiling of a campaign over 20 short lines with these tracks.
    fn ceiling(tracks: &str) -> Ceiling {
        let folder = tempfile::tempdir().unwrap();
        let system = "[[system]]\nname = \"it\"\ncommand = [\"cat\"]\n";
        let head =
            "line-seconds = 3\nlaunch-seconds = 10\ntest-sets = [{ name = \"a\", source = \"a.en\" }]\n";
        std::fs::write(folder.path().join("a.en"), "a b c\n".repeat(20)).unwrap();
        let path = folder.path().join("campaign.toml");
        std::fs::write(&path, format!("{head}{tracks}{system}")).unwrap();
        Ceiling::of(&Campaign::load(&path).unwrap())
    }

    #[test]
    fn a_hanging_system_costs_a_launch_in_each_track() {
        let ceiling = ceiling("");
        assert!(ceiling.hanging <= 45.0, "{}", ceiling.hanging);
        // Two throughput tracks: three rounds of six launches, the first of eight, each once more where the host is
        // busy.
        let rounds = 2.0 * 2.0 * (3.0 * (1.0 + 60.0) + 20.0);
        assert!(ceiling.slow > rounds && ceiling.slow < 3.0 * rounds, "{}", ceiling.slow);
        assert!(ceiling.served.is_none());
    }

    #[test]
    fn the_track_server_has_a_ceiling_and_usually_takes_a_fraction_of_it() {
        let of = |ms| ceiling(&format!("probes = []\ntracks = [{{ name = \"server\", limit-ms = {ms} }}]\n"));
        let ceiling = of(250);
        // 14 short runs of 200 lines and 4.2 long ones of 500, at 2 lines a second, in three rounds.
        assert_eq!(ceiling.served, Some(3.0 * (14.0 * 100.0 + 4.2 * 250.0)));
        let hours = ceiling.slow / 3600.0;
        assert!(hours > 6.0 && hours < 60.0, "{hours} h");
        assert!(
            ceiling.to_string().ends_with("; the track server usually takes 2:02:30 at most"),
            "{ceiling}"
        );
        assert!(of(10).slow < ceiling.slow / 15.0, "the time limits of waiting stay: {}", of(10).slow);
    }
}
