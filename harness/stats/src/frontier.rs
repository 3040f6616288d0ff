//! The Pareto frontier under uncertainty: who is beaten beyond doubt, who by nobody, and who can't be told.

use serde::{Deserialize, Serialize};

/// How one system compares with another in one respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Surely better.
    Better,
    /// Surely worse.
    Worse,
    /// Surely the same, as two systems that give the same text.
    Equal,
    /// The intervals don't tell.
    Unclear,
}

/// Where a system stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Nobody is better, beyond doubt.
    Frontier,
    /// Somebody may be better, but that can't be told apart.
    Probably,
    /// Somebody is surely better in one respect and no worse in the other.
    Off,
}

/// Where each of `n` systems stands, by how it compares with each other one in quality and in cost. A beats B
/// only if both respects say so: one surely better, the other surely better or the same.
pub fn standings(
    n: usize,
    quality: impl Fn(usize, usize) -> Order,
    cost: impl Fn(usize, usize) -> Order,
) -> Vec<Standing> {
    let against = |i: usize, other: usize| match (quality(other, i), cost(other, i)) {
        // Surely worse in one respect, or no better in either: it can't beat this one.
        (Order::Worse, _) | (_, Order::Worse) | (Order::Equal, Order::Equal) => Standing::Frontier,
        (Order::Better, Order::Better | Order::Equal) | (Order::Equal, Order::Better) => Standing::Off,
        (Order::Unclear, _) | (_, Order::Unclear) => Standing::Probably,
    };
    let standing = |i: usize| (0..n).filter(|&other| other != i).map(|other| against(i, other)).max();
    (0..n).map(|i| standing(i).unwrap_or(Standing::Frontier)).collect()
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
    fn the_same_text_at_the_same_cost_is_beaten_by_nobody() {
        let same = ((20.0, 20.0), (5.0, 5.0));
        assert_eq!(of(&[same, same]), [Standing::Frontier; 2]);
    }

    #[test]
    fn what_intervals_cannot_tell_is_probable() {
        // The second is faster; whether it is as good can't be told.
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
