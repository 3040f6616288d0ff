//! The Pareto frontier under uncertainty: which systems are on the frontier, off it, or too close to call.

use serde::{Deserialize, Serialize};

/// Comparison of one system with another in one respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Surely better.
    Better,
    /// Surely worse.
    Worse,
    /// Surely the same, as two systems with the same text.
    Equal,
    /// Too close to call: the intervals overlap.
    Unclear,
}

/// Position of a system relative to the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// On the frontier: no other system may beat this one.
    Frontier,
    /// Perhaps on the frontier: another system may beat this one, but the intervals overlap.
    Probably,
    /// Off the frontier: another system is surely better in one respect and surely at least as good in the
    /// other.
    Off,
}

/// Standing of each of `n` systems, from comparisons of quality and of cost between all pairs. System A beats
/// system B only if A is surely better in one respect, and surely better or equal in the other.
pub fn standings(
    n: usize,
    quality: impl Fn(usize, usize) -> Order,
    cost: impl Fn(usize, usize) -> Order,
) -> Vec<Standing> {
    let against = |i: usize, other: usize| against(quality(other, i), cost(other, i));
    let standing = |i: usize| (0..n).filter(|&other| other != i).map(|other| against(i, other)).max();
    (0..n).map(|i| standing(i).unwrap_or(Standing::Frontier)).collect()
}

/// Standing that one other system leaves to a system, by the order of the other's `quality` and `cost`.
pub const fn against(quality: Order, cost: Order) -> Standing {
    match (quality, cost) {
        // The other system is surely worse in one respect, or equal in both: it can't beat this system.
        (Order::Worse, _) | (_, Order::Worse) | (Order::Equal, Order::Equal) => Standing::Frontier,
        (Order::Better, Order::Better | Order::Equal) | (Order::Equal, Order::Better) => Standing::Off,
        (Order::Unclear, _) | (_, Order::Unclear) => Standing::Probably,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Range = (f64, f64);

    fn order(a: Range, b: Range) -> Order {
        match (a, b) {
            (a, b) if a == b && a.0 == a.1 => Order::Equal,
            (a, b) if a.0 > b.1 => Order::Better,
            (a, b) if a.1 < b.0 => Order::Worse,
            _ => Order::Unclear,
        }
    }

    fn of(points: &[(Range, Range)]) -> Vec<Standing> {
        standings(
            points.len(),
            |a, b| order(points[a].0, points[b].0),
            |a, b| order(points[a].1, points[b].1),
        )
    }

    #[test]
    fn sharp_points_are_on_or_off() {
        let sharp = |quality: f64, speed: f64| ((quality, quality), (speed, speed));
        let points = [sharp(30.0, 10.0), sharp(20.0, 20.0), sharp(19.0, 15.0), sharp(20.0, 12.0)];
        use Standing::{Frontier, Off};
        assert_eq!(of(&points), [Frontier, Frontier, Off, Off]);
        assert_eq!(of(&points[..1]), [Frontier]);
    }

    #[test]
    fn systems_with_the_same_text_and_cost_are_both_on_the_frontier() {
        let same = ((20.0, 20.0), (5.0, 5.0));
        assert_eq!(of(&[same, same]), [Standing::Frontier; 2]);
    }

    #[test]
    fn overlapping_intervals_give_a_probable_standing() {
        // The second system is faster; the quality of the two is too close to call.
        let points = [((29.0, 31.0), (10.0, 11.0)), ((28.5, 30.5), (20.0, 21.0))];
        assert_eq!(of(&points), [Standing::Probably, Standing::Frontier]);
    }

    #[test]
    fn one_sure_winner_outweighs_doubts_about_another() {
        let points =
            [((20.0, 21.0), (10.0, 11.0)), ((20.5, 21.5), (12.0, 13.0)), ((25.0, 26.0), (20.0, 21.0))];
        assert_eq!(of(&points), [Standing::Off, Standing::Off, Standing::Frontier]);
    }
}
