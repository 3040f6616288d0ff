//! The time that is left, as the progress line shows it.

use std::time::Duration;

use crate::campaign::Campaign;
use crate::plan::Round;
use crate::rounds;

/// How long the rest will take, from what rounds of the same track have taken so far.
pub(super) struct Pace {
    /// Estimated seconds of the rounds to come, and what they were estimated at first.
    left: f64,
    estimated_done: f64,
    taken: f64,
    campaign_seconds: Box<dyn Fn(&Round<'_>) -> f64>,
}

impl Pace {
    /// Of the rounds that are left.
    pub(super) fn new(campaign: &Campaign, todo: &[&Round<'_>]) -> Self {
        let campaign = campaign.clone();
        let estimate =
            Box::new(move |round: &Round<'_>| rounds::least_seconds(&campaign, round.test_set, round.track));
        let left = todo.iter().map(|round| estimate(round)).sum();
        Self { left, estimated_done: 0.0, taken: 0.0, campaign_seconds: estimate }
    }

    /// A round has been measured.
    pub(super) fn measured(&mut self, round: &Round<'_>, taken: Duration) {
        let estimate = (self.campaign_seconds)(round);
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
