//! Corpus scores as functions of sums over lines: the formulas of sacrebleu, on sacrebleu's counts.
//!
//! The bootstrap resamples lines a thousand times. With these functions a resample costs a sum instead of a
//! new count of n-grams.

/// Corpus BLEU (Papineni et al. 2002), with sacrebleu's default smoothing "exp": the k-th order without a
/// match counts 1/2ᵏ of a match (Chen & Cherry 2014, method 3).
///
/// `sums`: length of the answer, length of the reference, matched n-grams 1 to 4, n-grams 1 to 4.
pub(super) fn bleu(sums: &[f64]) -> f64 {
    bleu_of_orders(sums, 4)
}

/// BLEU of one sentence: without the orders for which the answer is too short, as sacrebleu's `effective_order`.
pub(super) fn sentence_bleu(sums: &[f64]) -> f64 {
    bleu_of_orders(sums, sums[6..10].iter().take_while(|&&total| total > 0.0).count())
}

fn bleu_of_orders(sums: &[f64], orders: usize) -> f64 {
    let (length, reference) = (sums[0], sums[1]);
    let (matches, totals) = (&sums[2..2 + orders], &sums[6..6 + orders]);
    let mut smooth = 1.0;
    let mut log_precision = 0.0;
    if matches.iter().all(|&n| n == 0.0) || totals.contains(&0.0) {
        return 0.0;
    }
    for (&matched, &total) in matches.iter().zip(totals) {
        let matched = if matched == 0.0 {
            smooth *= 2.0;
            1.0 / smooth
        } else {
            matched
        };
        log_precision += (matched / total).ln() / orders as f64;
    }
    let brevity = if length < reference { 1.0 - reference / length } else { 0.0 };
    100.0 * (log_precision + brevity).exp()
}

/// Corpus chrF2 (Popović 2015; β = 2 weighs recall double): the F-score of precision and recall of character
/// n-grams, and for chrF++ (Popović 2017) of word n-grams. Both are averaged over the orders that occur on
/// both sides, as in sacrebleu.
///
/// `sums`: for each order n-grams of the answer, of the reference, matched.
pub(super) fn chrf(sums: &[f64]) -> f64 {
    let orders: Vec<&[f64]> = sums.chunks_exact(3).filter(|order| order[0] > 0.0 && order[1] > 0.0).collect();
    let average =
        |side: usize| orders.iter().map(|order| order[2] / order[side]).sum::<f64>() / orders.len() as f64;
    let (precision, recall) = (average(0), average(1));
    let both = 5.0 * precision * recall / (4.0 * precision + recall);
    if both.is_finite() { 100.0 * both } else { 0.0 }
}

/// Translation edit rate (Snover et al. 2006): edits for each hundred words of the mean reference, as in
/// sacrebleu.
///
/// `sums`: edits, and length of the references, both times the number of references.
pub(super) fn ter(sums: &[f64]) -> f64 {
    match (sums[0], sums[1]) {
        (0.0, 0.0) => 0.0,
        (_, 0.0) => 100.0,
        (edits, words) => 100.0 * edits / words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bleu_is_what_sacrebleu_computes_from_the_same_counts() {
        // Counts and scores of sacrebleu 2.6.0 for three one-line corpora. The answers are equal to the
        // reference, cut short, and with two words too many, which leaves two orders without a match.
        for (sums, expected) in [
            ([8, 8, 8, 7, 6, 5, 8, 7, 6, 5], 100.0),
            ([6, 8, 6, 5, 4, 3, 6, 5, 4, 3], 71.653_131_057_378_96),
            ([8, 8, 6, 3, 0, 0, 8, 7, 6, 5], 19.130_147_081_392_227),
        ] {
            let found = bleu(&sums.map(f64::from));
            assert!((found - expected).abs() < 1e-9, "{found} for {sums:?}");
        }
        // sacrebleu 2.6.0: BLEU(effective_order=True).sentence_score.
        for (sums, expected) in [
            ([2, 3, 2, 1, 0, 0, 2, 1, 0, 0], 60.653_065_971_263_366),
            ([3, 3, 3, 2, 1, 0, 3, 2, 1, 0], 100.0),
            ([5, 5, 2, 0, 0, 0, 5, 4, 3, 2], 12.703_318_703_865_365),
            ([1, 1, 0, 0, 0, 0, 1, 0, 0, 0], 0.0),
        ] {
            let found = sentence_bleu(&sums.map(f64::from));
            assert!((found - expected).abs() < 1e-9, "{found} for {sums:?}");
        }
        for sums in [[4, 4, 0, 0, 0, 0, 4, 3, 2, 1], [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]] {
            assert_eq!(bleu(&sums.map(f64::from)), 0.0);
        }
    }

    #[test]
    fn chrf_is_what_sacrebleu_computes_from_the_same_counts() {
        // sacrebleu 2.6.0: CHRF()._extract_corpus_statistics and corpus_score. The pairs are "the cat sat"
        // and "the cat sits there", "ab" and "abc" (orders 3 to 6 are missing on one side), "x" and "y".
        for (sums, expected) in [
            (vec![9, 15, 8, 8, 14, 6, 7, 13, 5, 6, 12, 4, 5, 11, 3, 4, 10, 2], 39.664_362_403_589_42),
            (vec![2, 3, 2, 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 63.636_363_636_363_626),
            (vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.0),
            (vec![0; 18], 0.0),
        ] {
            let found = chrf(&sums.iter().copied().map(f64::from).collect::<Vec<_>>());
            assert!((found - expected).abs() < 1e-9, "{found} for {sums:?}");
        }
    }

    #[test]
    fn ter_is_what_sacrebleu_computes_from_the_same_counts() {
        for (sums, expected) in [([0, 0], 0.0), ([3, 0], 100.0), ([1, 3], 100.0 / 3.0), ([9, 6], 150.0)] {
            let found = ter(&sums.map(f64::from));
            assert!((found - expected).abs() < 1e-9, "{found} for {sums:?}");
        }
    }
}
