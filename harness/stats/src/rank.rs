//! Rank tests: whether one sample tends to be smaller than another, for every distribution. Holm's correction
//! for many tests.

use statrs::function::erf::erfc;
use statrs::function::factorial::ln_binomial;

/// Number of pairs of values above which the normal approximation replaces the exact distribution. There the
/// approximation is as good, and the sums of the exact distribution would lose digits.
const MOST_EXACT_PAIRS: usize = 2500;

/// One-sided p value that `a` tends to be smaller than `b` (Mann & Whitney 1947). Exact without ties for
/// samples of up to about fifty values, else normal with corrections for ties and continuity. 1 if a sample
/// is empty.
pub fn mann_whitney_less(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let (u, ties) = u_statistic(a, b);
    if ties == 0.0 && a.len() * b.len() <= MOST_EXACT_PAIRS {
        exact_at_most(u.round() as usize, a.len(), b.len())
    } else {
        normal_at_most(u, ties, a.len(), b.len())
    }
}

/// Two-sided p value of the Mann–Whitney test.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    (2.0 * mann_whitney_less(a, b).min(mann_whitney_less(b, a))).min(1.0)
}

/// One-sided p value that `differences` tend below zero (Wilcoxon 1945). The value is exact: the share of all
/// assignments of signs whose positive ranks have at most the observed sum. Ties share their ranks, zeros are
/// left out. If each pair was measured in random order, the test is valid under any drift that both sides
/// share (Fisher 1935). 1 for no differences.
pub fn signed_rank_less(differences: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    sizes.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Twice the mean rank of each group of ties, so that all ranks are whole numbers.
    let (mut doubled, mut above) = (Vec::new(), 0);
    for group in sizes.chunk_by(|a, b| a.abs() == b.abs()) {
        let rank = 2 * doubled.len() + group.len() + 1;
        above += rank * group.iter().filter(|d| **d > 0.0).count();
        doubled.extend(vec![rank; group.len()]);
    }
    // ways[s]: share of assignments of signs whose positive ranks have the sum s.
    let mut ways = vec![0.0; doubled.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    for rank in doubled {
        for sum in (0..ways.len()).rev() {
            ways[sum] = (ways[sum] + if sum >= rank { ways[sum - rank] } else { 0.0 }) / 2.0;
        }
    }
    ways[..=above].iter().sum::<f64>().min(1.0)
}

/// Two-sided p value of the signed-rank test.
pub fn signed_rank(differences: &[f64]) -> f64 {
    let turned: Vec<f64> = differences.iter().map(|d| -d).collect();
    (2.0 * signed_rank_less(differences).min(signed_rank_less(&turned))).min(1.0)
}

/// One-sided p value of the sign test (Arbuthnot 1710): the probability of at most `few` heads in `few +
/// many` tosses of a fair coin.
pub fn sign_test(few: usize, many: usize) -> f64 {
    crate::order::binomial_below(few + many, 0.5, few + 1)
}

/// One-sided p value that hits are more frequent in `own` than in `others` (Fisher 1922). Both are numbers of
/// hits and of all.
pub fn fisher_greater(own: [usize; 2], others: [usize; 2]) -> f64 {
    let (hits, all) = (own[0] + others[0], own[1] + others[1]);
    // Logarithm of the ways to draw the own ones with so many hits, as a share of all ways.
    let ln_choose = |n: usize, k: usize| ln_binomial(n as u64, k as u64);
    let ways = |k: usize| ln_choose(hits, k) + ln_choose(all - hits, own[1] - k) - ln_choose(all, own[1]);
    (own[0]..=hits.min(own[1])).map(|k| ways(k).exp()).sum::<f64>().min(1.0)
}

/// Number of pairs in which the value of `a` is above that of `b`, where ties count half. Σ(t³ − t) over
/// groups of t tied values.
fn u_statistic(a: &[f64], b: &[f64]) -> (f64, f64) {
    let above = |x: &f64, y: &f64| if x > y { 1.0 } else { f64::from(u8::from(x == y)) / 2.0 };
    let u = a.iter().flat_map(|x| b.iter().map(move |y| above(x, y))).sum();
    let all = crate::order::sorted(&[a, b].concat());
    let groups = all.chunk_by(|x, y| x == y).map(|group| group.len() as f64);
    (u, groups.map(|t| t.powi(3) - t).sum())
}

/// P(U ≤ u) if both samples have one distribution: the share of placements of a's ranks whose sum is no
/// larger. `ways[k][s]` counts the ways to choose k of the ranks so far with sum s.
fn exact_at_most(u: usize, n: usize, m: usize) -> f64 {
    let least = n * (n + 1) / 2;
    let most = least + n * m;
    let mut ways = vec![vec![0.0; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for rank in 1..=n + m {
        for k in (1..=n.min(rank)).rev() {
            for sum in (rank..=most).rev() {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    let total: f64 = ways[n].iter().sum();
    ways[n][..=least + u].iter().sum::<f64>() / total
}

fn normal_at_most(u: f64, ties: f64, n: usize, m: usize) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0; // all values are equal
    }
    let z = (u + 0.5 - n * m / 2.0) / variance.sqrt();
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// Holm's correction (Holm 1979): adjusted p values. With them, the probability of a single false alarm among
/// all tests stays at the level of one test.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut largest: f64 = 0.0;
    for (i, &test) in order.iter().enumerate() {
        largest = largest.max(((p.len() - i) as f64 * p[test]).min(1.0));
        adjusted[test] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-10 + 1e-9 * b, "{a} is not {b}");
    }

    #[test]
    fn fishers_test_counts_the_ladys_cups() {
        // The lady's eight cups (Fisher 1935): 16 + 1 of 70 ways.
        let tea = fisher_greater([3, 4], [1, 4]);
        assert!((tea - 17.0 / 70.0).abs() < 1e-12, "{tea}");
        assert!((fisher_greater([4, 4], [0, 4]) - 1.0 / 70.0).abs() < 1e-12);
        assert!((fisher_greater([0, 4], [4, 4]) - 1.0).abs() < 1e-12);
        assert!((fisher_greater([5, 5], [0, 0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn signs_are_coins() {
        close(sign_test(0, 10), 1.0 / 1024.0);
        close(sign_test(3, 12), 576.0 / 32768.0); // (1 + 15 + 105 + 455) / 2^15
        close(sign_test(0, 0), 1.0);
        assert!(sign_test(120, 120) > 0.5);
    }

    #[test]
    fn exact_p_values_are_scipys() {
        // scipy 1.17.1: mannwhitneyu(a, b, alternative='less' and 'two-sided', method='exact').
        let small = ([1.1, 2.2, 3.3], [2.5, 4.0, 5.0, 6.0]);
        close(mann_whitney_less(&small.0, &small.1), 0.05714285714285714);
        close(mann_whitney(&small.0, &small.1), 0.11428571428571428);
        let a: Vec<f64> = (0..15).map(|i| f64::from(i) * 1.37).collect();
        let b: Vec<f64> = (0..15).map(|i| 4.0 + f64::from(i) * 1.31).collect();
        close(mann_whitney_less(&a, &b), 0.08034273626860461);
        close(mann_whitney_less(&b, &a), 0.9257600044147173);
        let apart: Vec<f64> = a.iter().map(|x| x + 100.0).collect();
        close(mann_whitney_less(&a, &apart), 1.0 / 155_117_520.0);
    }

    #[test]
    fn tied_and_large_samples_follow_scipys_normal_approximation() {
        // The same with method='asymptotic', use_continuity=True.
        close(mann_whitney_less(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0, 4.0, 5.0]), 0.039272925475595334);
        close(mann_whitney(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0, 4.0, 5.0]), 0.07854585095119067);
        let a: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101)).collect();
        let b: Vec<f64> = (0..90).map(|i| f64::from(i * 53 % 97) + 10.25).collect();
        close(mann_whitney_less(&a, &b), 0.027627942254954248);
    }

    #[test]
    fn signed_ranks_are_scipys() {
        // scipy 1.17.1: wilcoxon(d, alternative='less' and 'two-sided', method='exact').
        let d = [-1.1, -2.3, 0.4, -0.7, 1.9, -3.1, -0.2, -1.6, 0.9];
        close(signed_rank_less(&d), 0.150390625);
        close(signed_rank(&d), 0.30078125);
        close(signed_rank_less(&[-1.0, -2.0, -3.0, -4.0, -5.0]), 1.0 / 32.0);
        // Four signs on the ranks 1.5, 1.5, 3, 4 with 1.5 above: sums of 0 once and of 1.5 twice, of sixteen.
        close(signed_rank_less(&[-1.0, 1.0, -2.0, -3.0, 0.0]), 3.0 / 16.0);
    }

    #[test]
    fn equal_or_empty_samples_tell_nothing() {
        assert_eq!((signed_rank_less(&[]), signed_rank(&[0.0; 9])), (1.0, 1.0));
        assert_eq!(mann_whitney_less(&[2.0; 5], &[2.0; 5]), 1.0);
        assert_eq!(mann_whitney_less(&[], &[1.0]), 1.0);
    }

    #[test]
    fn holm_corrects_as_in_his_example() {
        // statsmodels.stats.multitest.multipletests([.01, .04, .03, .005], method='holm').
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (p, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            close(*p, expected);
        }
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
