//! Remaining time of a run.
//!
//! A cell takes as long as its last round did. Before its first round the forecast counts. The forecast may be
//! wrong by a constant factor, so what was measured so far corrects it: probes by probes, rounds by rounds.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use dyno_measure::{Round, System};
use dyno_record::{Probe, Track};

use crate::forecast::Forecast;

/// The forecast counts as if it had been right for so long.
const TRUSTED_SECONDS: f64 = 10.0;

type CellKey = (String, String, Track);

/// Remaining time: of the rounds, and of the systems whose probes are to be asked.
pub(super) struct Pace<'a> {
    forecast: Forecast<'a>,
    rounds: Vec<Round<'a>>,
    systems: HashSet<String>,
    /// Seconds of the last round of each cell.
    cells: HashMap<CellKey, f64>,
    probed: Done,
    measured: Done,
}

#[derive(Default)]
struct Done {
    forecast_seconds: f64,
    seconds: f64,
}

impl Done {
    fn add(&mut self, forecast_seconds: f64, seconds: f64) {
        self.forecast_seconds += forecast_seconds;
        self.seconds += seconds;
    }

    /// Ratio of measured to forecast time. The first seconds say little: they are those of one system.
    fn factor(&self) -> f64 {
        (self.seconds + TRUSTED_SECONDS) / (self.forecast_seconds + TRUSTED_SECONDS)
    }
}

impl<'a> Pace<'a> {
    /// Pace before the first of the rounds `todo`, with the `systems` whose probes are to be asked.
    pub(super) fn new(forecast: Forecast<'a>, todo: &[Vec<Round<'a>>], systems: HashSet<String>) -> Self {
        let rounds = todo.iter().flatten().copied().collect();
        let (cells, probed, measured) = (HashMap::new(), Done::default(), Done::default());
        Self { forecast, rounds, systems, cells, probed, measured }
    }

    /// Counts the rounds of a group as measured.
    pub(super) fn measured(&mut self, group: &[Round<'_>], taken: Duration) {
        let each = taken.as_secs_f64() / group.len().max(1) as f64;
        for round in group {
            self.measured.add(self.forecast.seconds(round), each);
            self.took(round, each);
        }
    }

    /// Counts a round as done in so many seconds, as all later ones of its cell will be: none for a refused one.
    pub(super) fn took(&mut self, round: &Round<'_>, seconds: f64) {
        self.rounds.retain(|left| left.number != round.number || cell_of(left) != cell_of(round));
        self.cells.insert(cell_of(round), seconds);
    }

    /// Counts a probe of `system` as asked.
    pub(super) fn probed(&mut self, probe: Probe, system: &str, seconds: f64) {
        self.probed.add(self.forecast.probe_seconds(probe, system), seconds);
    }

    /// Counts all probes of `system` as asked.
    pub(super) fn examined(&mut self, system: &System) {
        self.systems.remove(system.original());
    }

    pub(super) fn of_group(&self, group: &[Round<'_>]) -> Duration {
        group.iter().map(|round| self.of(round)).sum()
    }

    fn of(&self, round: &Round<'_>) -> Duration {
        let known = self.cells.get(&cell_of(round)).copied();
        let seconds = known.unwrap_or_else(|| self.forecast.seconds(round) * self.measured.factor());
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    pub(super) fn left(&self) -> Duration {
        let rounds: Duration = self.rounds.iter().map(|round| self.of(round)).sum();
        let probes: f64 = self.systems.iter().map(|system| self.forecast.probes_seconds(system)).sum();
        rounds + Duration::try_from_secs_f64(probes * self.probed.factor()).unwrap_or_default()
    }
}

fn cell_of(round: &Round<'_>) -> CellKey {
    (round.system.name.clone(), round.test_set.name.clone(), round.track)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::campaign::Campaign;

    #[test]
    fn slow_probes_tell_of_probes_and_slow_rounds_of_rounds() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/starter.toml");
        let campaign = Campaign::load(Path::new(file)).unwrap();
        let plan = campaign.plan(|_| None).unwrap();
        let rounds = plan.rounds(&campaign.protocol);
        let forecast = || Forecast::of(&campaign, &[0]).unwrap();
        let pace = |systems: &[&str]| {
            let systems = systems.iter().map(|name| (*name).to_owned()).collect();
            Pace::new(forecast(), std::slice::from_ref(&rounds), systems)
        };
        let (rest, probes) = (pace(&[]).left(), forecast().probes_seconds("teacher"));
        let mut slow = pace(&["teacher"]);
        let probe = forecast().probe_seconds(Probe::Conformance, "nano");
        slow.probed(Probe::Conformance, "nano", probe + TRUSTED_SECONDS);
        let factor = (probe + 2.0 * TRUSTED_SECONDS) / (probe + TRUSTED_SECONDS);
        let left = rest + Duration::from_secs_f64(probes * factor);
        assert!(slow.left().abs_diff(left) < Duration::from_millis(1), "{:?} {left:?}", slow.left());
        let first = forecast().seconds(&rounds[0]);
        slow.measured(&rounds[..1], Duration::from_secs_f64(2.0 * first + TRUSTED_SECONDS));
        assert!(slow.left() > left + rest / 2, "the other rounds take twice as long: {:?}", slow.left());
    }
}
