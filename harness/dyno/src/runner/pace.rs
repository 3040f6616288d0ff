//! Remaining time of a run, for the progress line.
//!
//! The forecast may be wrong by a constant factor, so that the rounds measured so far correct it.

use std::time::Duration;

use crate::forecast::Forecast;
use dyno_measure::Round;

/// Remaining time: the forecast times the ratio of measured to forecast time so far.
pub(super) struct Pace<'a> {
    /// Estimated seconds of the remaining rounds.
    left: f64,
    /// Estimated seconds of the rounds that are done.
    estimated_done: f64,
    /// Measured seconds of the rounds that are done.
    taken: f64,
    forecast: Forecast<'a>,
}

impl<'a> Pace<'a> {
    /// Pace before the first of the rounds `todo`.
    pub(super) fn new(forecast: Forecast<'a>, todo: &[&Round<'_>]) -> Self {
        let left = todo.iter().map(|round| forecast.seconds(round)).sum();
        Self { left, estimated_done: 0.0, taken: 0.0, forecast }
    }

    /// Adds a measured round.
    pub(super) fn measured(&mut self, round: &Round<'_>, taken: Duration) {
        let estimate = self.forecast.seconds(round);
        self.left -= estimate;
        self.estimated_done += estimate;
        self.taken += taken.as_secs_f64();
    }

    /// Remaining time; `None` before the first round is measured.
    pub(super) fn left(&self) -> Option<Duration> {
        let factor = (self.estimated_done > 0.0).then(|| self.taken / self.estimated_done)?;
        Some(Duration::from_secs_f64((self.left * factor).max(0.0)))
    }
}
