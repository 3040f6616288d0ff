//! Spearman's correlation on sentence pairs: the quality of an encoder, as BLEU is that of a translator.
//!
//! The cosine of a pair's two vectors says how alike the encoder finds the sentences; the gold score says how
//! alike people find them. The correlation of the two over all pairs is the score (STS-B, Cer et al. 2017).
//! Its interval is the bootstrap over pairs, with the same draws for all outputs, so that differences are
//! paired.

use dyno_measure::TestSet;
use dyno_measure::vectors::{cosine, vector};
use dyno_stats::bootstrap::Sampled;
use dyno_stats::spearman;

/// Spearman's correlation of an output on a set of pairs, with its resamples. `None` for a set without gold
/// scores, and for an output with another number of lines or with a line that is no vector.
pub(super) fn correlation(set: &TestSet, answers: &[String]) -> Option<Sampled> {
    if set.gold.is_empty() || answers.len() != set.source.len() {
        return None;
    }
    let cosines = answers.chunks_exact(2).map(|pair| {
        let [one, other] = [vector(pair[0].as_bytes())?, vector(pair[1].as_bytes())?];
        (one.len() == other.len()).then(|| cosine(&one, &other))
    });
    let cosines = cosines.collect::<Option<Vec<f64>>>()?;
    Some(Sampled::of(cosines.len(), |drawn| {
        let (found, gold): (Vec<f64>, Vec<f64>) = drawn.map(|pair| (cosines[pair], set.gold[pair])).unzip();
        spearman(&found, &gold)
    }))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    fn answer(x: f32, y: f32) -> String {
        BASE64_STANDARD.encode([x.to_le_bytes(), y.to_le_bytes()].concat())
    }

    /// Pairs whose second vector turns away from the first by an angle.
    fn answers(angles: &[f32]) -> Vec<String> {
        angles.iter().flat_map(|angle| [answer(2.0, 0.0), answer(angle.cos(), angle.sin())]).collect()
    }

    #[test]
    fn the_order_of_cosines_is_compared_with_that_of_the_gold_scores() {
        let pairs: Vec<_> = [5.0, 4.0, 3.0, 1.0].map(|score| ("a".to_owned(), "b".to_owned(), score)).into();
        let set = TestSet::from_pairs("set", &pairs);
        let score = |angles: &[f32]| correlation(&set, &answers(angles)).map(|sampled| sampled.score);
        assert_eq!(score(&[0.0, 0.1, 0.5, 1.5]), Some(1.0));
        assert_eq!(score(&[1.5, 0.5, 0.1, 0.0]), Some(-1.0));
        assert_eq!(score(&[0.0, 0.1]), None, "too few lines");
        let mut broken = answers(&[0.0, 0.1, 0.5, 1.5]);
        broken[3] = "no vector".into();
        assert!(correlation(&set, &broken).is_none());
        assert!(correlation(&TestSet::from_lines("set", ["a", "b"]), &answers(&[0.0])).is_none());
    }
}
