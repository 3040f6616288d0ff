//! The output layer: from a row's hidden vector to its best word or its scores, within its sentence's candidates.
//!
//! The matrix is kept as [words, width], as tied embeddings are, so that a candidate is one contiguous row and a
//! shortlist costs nothing to set up.

use std::sync::Arc;

use dyno_formats::{Result, Weights};

use crate::math::{argmax, dot, log_softmax};
use crate::{Request, Step, Wanted};

/// Output weights and bias.
#[derive(Clone, Debug)]
pub struct Output {
    /// [words, width].
    weights: Arc<[f32]>,
    /// [words], or empty.
    bias: Vec<f32>,
    width: usize,
}

impl Output {
    /// Of weights [words, width] (such as tied embeddings) and a bias [words]; an empty one is none.
    ///
    /// # Panics
    /// When the lengths don't fit together.
    pub fn new(weights: Arc<[f32]>, bias: Vec<f32>, width: usize) -> Self {
        assert!(width > 0 && weights.len().is_multiple_of(width), "whole rows");
        assert!(bias.is_empty() || bias.len() == weights.len() / width, "a bias for each word");
        Self { weights, bias, width }
    }

    /// Reads the matrix that `prefix` names: `{prefix}_Wt` [words, width], or the old `{prefix}_W` [width, words].
    ///
    /// # Errors
    /// When neither is there, or its shape is another.
    pub fn untied(weights: &Weights, prefix: &str, words: usize, width: usize) -> Result<Arc<[f32]>> {
        let transposed = format!("{prefix}_Wt");
        if weights.find(&transposed).is_some() || weights.find(&format!("{prefix}_W")).is_none() {
            let tensor = weights.get(&transposed)?.expect(words, width)?;
            return Ok(tensor.to_f32()?.into());
        }
        let plain = weights.get(&format!("{prefix}_W"))?.expect(width, words)?.to_f32()?;
        Ok((0..words * width).map(|at| plain[at % width * words + at / width]).collect())
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.weights.len() / self.width
    }

    /// Appends to `step` what `request` wants of a row with this hidden vector, within `candidates`.
    pub fn row(
        &self,
        hidden: &[f32],
        candidates: Option<&[u32]>,
        request: &Request<'_>,
        logits: &mut Vec<f32>,
        step: &mut Step,
    ) {
        if request.wanted == Wanted::Best {
            logits.resize(candidates.map_or(self.words(), <[u32]>::len), 0.0);
            self.logits(hidden, candidates, logits);
            step.best.push(best(logits, candidates, request.suppressed));
            return;
        }
        let scores = step.scores.push(candidates.map_or(self.words(), <[u32]>::len));
        self.logits(hidden, candidates, scores);
        if request.wanted == Wanted::LogProbabilities {
            log_softmax(scores);
        }
    }

    fn logits(&self, hidden: &[f32], candidates: Option<&[u32]>, logits: &mut [f32]) {
        let of_word = |word: usize| {
            dot(hidden, &self.weights[word * self.width..][..self.width])
                + self.bias.get(word).copied().unwrap_or(0.0)
        };
        match candidates {
            None => logits.iter_mut().enumerate().for_each(|(word, logit)| *logit = of_word(word)),
            Some(words) => {
                logits.iter_mut().zip(words).for_each(|(logit, word)| *logit = of_word(*word as usize));
            }
        }
    }
}

/// The word with the greatest logit that isn't suppressed.
fn best(logits: &mut [f32], candidates: Option<&[u32]>, suppressed: &[u32]) -> u32 {
    for word in suppressed {
        let at = match candidates {
            None => Some(*word as usize),
            Some(candidates) => candidates.binary_search(word).ok(),
        };
        if let Some(logit) = at.and_then(|at| logits.get_mut(at)) {
            *logit = f32::NEG_INFINITY;
        }
    }
    let at = argmax(logits);
    candidates.map_or(at as u32, |candidates| candidates[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(wanted: Wanted, candidates: Option<&[u32]>) -> Step {
        let output = Output::new([1.0, 0.0, 0.0, 1.0, 2.0, 2.0].into(), vec![0.0, 0.5, 0.0], 2);
        let request = Request { wanted, suppressed: &[2], attention: false };
        let mut step = Step::default();
        output.row(&[1.0, 1.0], candidates, &request, &mut Vec::new(), &mut step);
        step
    }

    #[test]
    fn the_best_word_is_neither_suppressed_nor_outside_the_candidates() {
        assert_eq!(step(Wanted::Best, None).best, [1]);
        assert_eq!(step(Wanted::Best, Some(&[0, 2])).best, [0]);
    }

    #[test]
    fn scores_follow_the_candidates() {
        assert_eq!(step(Wanted::Logits, None).scores.row(0), [1.0, 1.5, 4.0]);
        assert_eq!(step(Wanted::Logits, Some(&[0, 2])).scores.row(0), [1.0, 4.0]);
        let logs = step(Wanted::LogProbabilities, Some(&[0, 1]));
        let total: f32 = logs.scores.row(0).iter().map(|log| log.exp()).sum();
        assert!((total - 1.0).abs() < 1e-6);
    }
}
