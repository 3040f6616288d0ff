//! Time that is left, as the progress line shows it.

use std::time::Duration;

use crate::forecast::Forecast;
use dyno_measure::Round;

/// How long the rest will take: as much longer than foreseen as what was measured so far.
pub(super) struct Pace<'a> {
    /// Estimated seconds of the rounds to come, and what they were estimated at first.
    left: f64,
    estimated_done: f64,
    taken: f64,
    forecast: Forecast<'a>,
}

impl<'a> Pace<'a> {
    /// Of the rounds that are left.
    pub(super) fn new(forecast: Forecast<'a>, todo: &[&Round<'_>]) -> Self {
        let left = todo.iter().map(|round| forecast.seconds(round)).sum();
        Self { left, estimated_done: 0.0, taken: 0.0, forecast }
    }

    /// A round has been measured.
    pub(super) fn measured(&mut self, round: &Round<'_>, taken: Duration) {
        let estimate = self.forecast.seconds(round);
        self.left -= estimate;
        self.estimated_done += estimate;
        self.taken += taken.as_secs_f64();
    }

    /// `None` before the first round has shown how far off the estimates are.
    pub(super) fn left(&self) -> Option<Duration> {
        let factor = (self.estimated_done > 0.0).then(|| self.taken / self.estimated_done)?;
        Some(Duration::from_secs_f64((self.left * factor).max(0.0)))
    }
}
