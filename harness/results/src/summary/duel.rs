//! Duels: comparisons of two cells of a table in one figure, by pairs of rounds.

use dyno_stats::{Estimate, Order, median_interval};

use crate::turns::Compared;

/// Comparison of two cells in one figure, by pairs of rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// Ratio of the first cell's figure to the second's.
    pub ratio: Estimate,
    /// Order of the figures: `Better` if the first is surely greater.
    pub order: Order,
}

impl Duel {
    /// Comparison of `ours` with `theirs`. Rounds of one number were measured side by side, or near each other, so a
    /// load on both cancels out.
    pub(super) fn between(ours: &[Compared<'_>], theirs: &[Compared<'_>], floor: f64) -> Option<Self> {
        let partner =
            |round: &Compared<'_>| theirs.iter().find(|other| other.record.round == round.record.round);
        let ratios = ours.iter().filter_map(|round| round.ratio_to(partner(round)?));
        Self::of(&ratios.collect::<Vec<_>>(), floor)
    }

    /// Comparison of figures whose rounds weren't paired: by their intervals.
    pub fn apart(ours: &Estimate, theirs: &Estimate) -> Self {
        Self { ratio: ours.over(theirs), order: ours.order(theirs) }
    }

    /// Comparison by the ratios of pairs of rounds. The order is sure only if the interval of ratios excludes 1 and
    /// the ratio exceeds the noise `floor`, a share.
    fn of(ratios: &[f64], floor: f64) -> Option<Self> {
        let ratio = median_interval(ratios)?;
        let order = match () {
            () if ratio.low > 1.0 && ratio.value > 1.0 + floor => Order::Better,
            () if ratio.high < 1.0 && ratio.value < 1.0 / (1.0 + floor) => Order::Worse,
            () => Order::Unclear,
        };
        Some(Self { ratio, order })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slows_both_hides_no_difference_and_noise_makes_none() {
        // The host's speed drifts by half, far more than the two cells differ: their own intervals overlap.
        let (fast, slow) = ([10.0, 15.0, 11.0, 14.0, 10.5], [9.0, 13.5, 9.8, 12.8, 9.4]);
        let against = |a: [f64; 5], b: [f64; 5], floor| {
            let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
            Duel::of(&ratios, floor).unwrap()
        };
        let won = against(fast, slow, 0.02);
        assert_eq!(won.order, Order::Better);
        assert!(won.ratio.low > 1.08 && won.ratio.high < 1.13, "{won:?}");
        assert_eq!(against(slow, fast, 0.02).order, Order::Worse);
        assert_eq!(against(fast, slow, 0.2).order, Order::Unclear, "below the floor it is a tie");
        assert_eq!(against(fast, [9.0, 16.0, 9.8, 12.8, 9.4], 0.0).order, Order::Unclear);
        assert!(Duel::of(&[], 0.0).is_none());
    }
}
