//! Paired permutation over lines: could the difference between two texts be chance?
//!
//! If two systems are equally good, it is chance which of them wrote which answer to a line. The test
//! exchanges the answers to random lines, and counts how often the two new texts differ by as much as the
//! real ones (approximate randomisation: Riezler & Maxwell 2005). The bootstrap asks another question: what
//! would other lines have shown?

use crate::lines::{Line, Metric, sum};
use crate::random::Random;

/// Number of exchanges; the bootstrap's number of samples, so that both p values have the same grain.
const EXCHANGES: usize = 1000;
/// Seed of the exchanges; that of the bootstrap.
const SEED: u64 = 12345;
/// Difference that rounding alone can make between two orders of a sum, as a share of it.
const ROUNDING: f64 = 1e-9;

/// Two-sided p value of the difference between two texts: share of exchanges whose texts differ at least as
/// much, the texts as they are among them (Phipson & Smyth 2010). `None` for texts of unequal numbers of
/// lines or counts.
pub(crate) fn p_value(lines: &[Line], others: &[Line], metric: Metric) -> Option<f64> {
    let width = lines.first()?.len();
    if lines.len() != others.len() || lines.iter().chain(others).any(|line| line.len() != width) {
        return None;
    }
    // What an exchange adds to the sums of the first text, and takes from those of the second.
    let gains: Vec<Line> =
        lines.iter().zip(others).filter(|(a, b)| a != b).map(|(a, b)| minus(b, a)).collect();
    let [sums, other_sums] = [lines, others].map(|lines| sum(lines.iter(), width));
    let distance = |gain: &[f64]| (metric(&plus(&sums, gain)) - metric(&minus(&other_sums, gain))).abs();
    let found = distance(&vec![0.0; width]) * (1.0 - ROUNDING);
    let mut random = Random::new(SEED, "exchanges of lines");
    let as_far =
        (0..EXCHANGES).filter(|_| distance(&sum(drawn(&gains, &mut random), width)) >= found).count();
    Some((as_far + 1) as f64 / (EXCHANGES + 1) as f64)
}

/// Each of `gains` with an even chance. One draw has a bit for each of 64 lines.
fn drawn<'a>(gains: &'a [Line], random: &mut Random) -> impl Iterator<Item = &'a Line> {
    gains.chunks(64).flat_map(move |some| {
        let bits = random.draw();
        some.iter().enumerate().filter(move |(place, _)| bits >> place & 1 == 1).map(|(_, gain)| gain)
    })
}

fn plus(a: &[f64], b: &[f64]) -> Line {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Line {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p_of_means(one: &[f64], other: &[f64]) -> Option<f64> {
        let lines = |scores: &[f64]| scores.iter().map(|&score| vec![score, 1.0]).collect::<Vec<_>>();
        p_value(&lines(one), &lines(other), |sums| sums[0] / sums[1])
    }

    /// p value by all exchanges of a few lines, counted one by one.
    fn exact(one: &[f64], other: &[f64]) -> f64 {
        let mean = |lines: &[f64]| lines.iter().sum::<f64>() / lines.len() as f64;
        let found = (mean(one) - mean(other)).abs() - 1e-12;
        let all = 1_u32 << one.len();
        let as_far = |exchange: &u32| {
            let pick = |a: &[f64], b: &[f64]| -> Vec<f64> {
                (0..a.len()).map(|i| if exchange >> i & 1 == 1 { b[i] } else { a[i] }).collect()
            };
            (mean(&pick(one, other)) - mean(&pick(other, one))).abs() >= found
        };
        f64::from((0..all).filter(as_far).count() as u32) / f64::from(all)
    }

    #[test]
    fn the_share_of_random_exchanges_is_that_of_all_exchanges() {
        let mut random = Random::new(1, "scores");
        for shift in [0.0, 0.1, 0.2, 0.3, 0.5] {
            let one: Vec<f64> = (0..12).map(|_| random.below(100) as f64 / 100.0).collect();
            let other: Vec<f64> =
                one.iter().map(|score| score - shift + (random.below(60) as f64 - 30.0) / 100.0).collect();
            let expected = exact(&one, &other);
            let found = p_of_means(&one, &other).unwrap();
            // Four standard errors of a share of a thousand exchanges.
            let error = 4.0 * (expected * (1.0 - expected) / 1000.0).sqrt() + 2.0 / 1000.0;
            assert!((found - expected).abs() < error, "{found}, of all exchanges {expected}");
        }
    }

    #[test]
    fn counts_are_exchanged_as_their_scores_would_be() {
        // Precision with a constant denominator is a mean of scores.
        let mut random = Random::new(2, "counts");
        let mut text = || -> Vec<Line> { (0..40).map(|_| vec![random.below(11) as f64, 10.0]).collect() };
        let (one, other) = (text(), text());
        let scores = |lines: &[Line]| lines.iter().map(|line| line[0] / 10.0).collect::<Vec<_>>();
        let by_scores = p_of_means(&scores(&one), &scores(&other));
        assert_eq!(p_value(&one, &other, |sums| sums[0] / sums[1]), by_scores);
    }

    #[test]
    fn equal_texts_differ_by_chance_alone_and_a_sure_difference_by_none() {
        assert_eq!(p_of_means(&[0.5; 50], &[0.5; 50]), Some(1.0));
        assert_eq!(p_of_means(&[0.9; 50], &[0.1; 50]), Some(1.0 / 1001.0));
        assert_eq!(p_of_means(&[0.9; 50], &[0.1; 49]), None);
        // A single line that differs may be either text's: there are two exchanges, and both differ as much.
        let mut one = vec![0.5; 50];
        one[7] = 0.9;
        assert_eq!(p_of_means(&one, &[0.5; 50]), Some(1.0));
    }
}
