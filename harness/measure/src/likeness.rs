//! Likeness of two texts, by their common runs of characters. It knows no language.

use std::collections::HashMap;

use itertools::Itertools;

/// Length of the runs of characters that are compared.
pub const RUN: usize = 3;

/// Runs of characters of a text, each with its number.
pub struct Runs {
    times: HashMap<[char; RUN], usize>,
    /// Number of all runs.
    pub total: usize,
}

impl Runs {
    /// Runs of a text.
    pub fn of(text: &[u8]) -> Self {
        let characters: Vec<char> = String::from_utf8_lossy(text).chars().collect();
        let times = characters.array_windows().copied().counts();
        Self { times, total: characters.len().saturating_sub(RUN - 1) }
    }

    /// As [`Runs::of`], with each run once: a loop is the same however long it is.
    pub fn distinct(text: &[u8]) -> Self {
        let Self { mut times, .. } = Self::of(text);
        times.values_mut().for_each(|times| *times = 1);
        Self { total: times.len(), times }
    }

    /// Twice the common runs as a share of all runs (Dice's coefficient); 1 for two texts without runs.
    pub fn likeness(&self, other: &Self) -> f64 {
        let common =
            |(run, &times): (&[char; RUN], &usize)| times.min(other.times.get(run).copied().unwrap_or(0));
        let all = self.total + other.total;
        if all == 0 { 1.0 } else { 2.0 * self.times.iter().map(common).sum::<usize>() as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_is_the_share_of_common_runs() {
        let likeness =
            |one: &str, other: &str| Runs::of(one.as_bytes()).likeness(&Runs::of(other.as_bytes()));
        assert_eq!((likeness("abcd", "abcd"), likeness("abcd", "wxyz")), (1.0, 0.0));
        assert_eq!(likeness("abcd", "abce"), 0.5, "abc, of abc, bcd, abc and bce");
        assert_eq!(likeness("aaaa", "aaa"), 2.0 / 3.0, "a run counts as often as it occurs");
        assert_eq!((likeness("", "a"), likeness("", "abc")), (1.0, 0.0));
    }

    #[test]
    fn distinct_runs_of_a_loop_are_those_of_one_turn() {
        let likeness = |one: &[u8], other: &[u8]| Runs::distinct(one).likeness(&Runs::distinct(other));
        assert_eq!(likeness(b"go on, go on, go on, ", b"go on, go on, go on, go on, go on, "), 1.0);
        assert_eq!(likeness(b"abcd", b"abce"), 0.5);
    }
}
