//! From the vectors of tokens to the vector of a line.

use std::ops::Range;

use dyno_formats::Weights;
use dyno_nn::math::{Activation, Epilogue, Linear, Operands};

use super::names::Names;
use super::params::Params;
use crate::Result;
use crate::modules::{After, Pooling, Steps};

/// Name of BERT's pooler.
const POOLER: &str = "pooler.dense";

/// Least length by which a vector is divided, as in PyTorch's `normalize`.
const LEAST_LENGTH: f32 = 1e-12;

/// Pooling and the steps after it.
#[derive(Debug)]
pub(crate) struct Pool {
    width: usize,
    ways: Vec<Pooling>,
    /// Tokens at the beginning of a line that aren't pooled.
    skipped: usize,
    pooler: Option<Linear>,
    after: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Dense(Box<Linear>, Activation),
    Normalise,
}

impl Pool {
    pub(super) fn new(
        params: Params<'_>,
        names: &Names,
        width: usize,
        Steps { ways, skipped, after }: Steps<'_>,
    ) -> Result<Self> {
        let pooler = ways.contains(&Pooling::Pooler);
        let pooler = pooler.then(|| params.linear(&names.of(POOLER), width, width)).transpose()?;
        let mut dimension = width * ways.len();
        let step = |after: &After| {
            Ok(match after {
                After::Normalise => Step::Normalise,
                After::Dense(folder, activation) => {
                    let weights = Weights::open(folder.join("model.safetensors"))?;
                    let tensor = weights.get("linear.weight")?;
                    let (outputs, _) = tensor.matrix()?;
                    if outputs == 0 {
                        return Err(tensor.fault("has no outputs; take a dense layer with some").into());
                    }
                    let params = Params { weights: &weights, ..params };
                    let dense = params.linear("linear", dimension, outputs)?;
                    dimension = outputs;
                    Step::Dense(Box::new(dense), *activation)
                }
            })
        };
        let after = after.iter().map(step).collect::<Result<Vec<_>>>()?;
        Ok(Self { width, ways: ways.to_vec(), skipped, pooler, after })
    }

    /// Whether a line's vectors are those of its tokens.
    pub(super) fn keeps_tokens(&self) -> bool {
        self.ways.contains(&Pooling::Tokens)
    }

    /// Replaces `vectors` by a vector for each line, all of one length. Without tokens to pool it is the mean of
    /// nothing: zeros, as in sentence-transformers.
    pub(super) fn apply(
        &self,
        operands: &mut Operands,
        tokens: &[f32],
        lines: &[Range<usize>],
        vectors: &mut Vec<f32>,
    ) {
        vectors.clear();
        for line in lines {
            self.pool(&tokens[line.start * self.width..line.end * self.width], vectors);
        }
        if let Some(pooler) = &self.pooler {
            dense(operands, pooler, Activation::Tanh, vectors);
            for line in (0..lines.len()).filter(|line| lines[*line].is_empty()) {
                vectors[line * self.width..][..self.width].fill(0.0);
            }
        }
        for step in &self.after {
            match step {
                Step::Dense(linear, activation) => dense(operands, linear, *activation, vectors),
                Step::Normalise => {
                    let length = vectors.len() / lines.len().max(1);
                    vectors.chunks_exact_mut(length.max(1)).for_each(normalise);
                }
            }
        }
    }

    /// Adds the vectors of a line with these tokens to `vectors`, side by side.
    fn pool(&self, tokens: &[f32], vectors: &mut Vec<f32>) {
        for way in &self.ways {
            let skipped = if *way == Pooling::Pooler { 0 } else { self.skipped };
            let pooled = tokens.get(skipped * self.width..).unwrap_or_default();
            pool(*way, pooled, self.width, vectors);
        }
    }
}

/// Divides a vector by its length.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(LEAST_LENGTH);
    vector.iter_mut().for_each(|x| *x /= length);
}

/// Replaces the rows of `x` by activation(x·Wᵀ + b).
fn dense(operands: &mut Operands, linear: &Linear, activation: Activation, x: &mut Vec<f32>) {
    let mut out = Vec::new();
    linear.apply_then(x, operands, Epilogue { activation, residual: None }, &mut out);
    *x = out;
}

/// Adds one vector of `width` to `vector`.
fn pool(way: Pooling, tokens: &[f32], width: usize, vector: &mut Vec<f32>) {
    let from = vector.len();
    let Some(first) = tokens.get(..width) else {
        vector.resize(from + width, 0.0);
        return;
    };
    vector.extend_from_slice(first);
    let to = &mut vector[from..];
    let rows = tokens.chunks_exact(width).skip(1);
    let count = (tokens.len() / width) as f32;
    match way {
        Pooling::Max => {
            rows.for_each(|row| to.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(*x)))
        }
        Pooling::Mean => divided_sum(to, rows, count),
        Pooling::MeanSqrt => divided_sum(to, rows, count.sqrt()),
        Pooling::Cls | Pooling::Pooler | Pooling::Tokens => (), // the first vector, or none of this function
    }
}

/// Adds `rows` to `to`, and divides the sum.
fn divided_sum<'a>(to: &mut [f32], rows: impl Iterator<Item = &'a [f32]>, divisor: f32) {
    rows.for_each(|row| to.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
    to.iter_mut().for_each(|sum| *sum /= divisor);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_makes_one_vector_of_all_tokens() {
        let tokens = [1.0, -4.0, 3.0, 0.0, 2.0, 1.0, 2.0, 7.0];
        for (way, expected) in [
            (Pooling::Cls, [1.0, -4.0]),
            (Pooling::Max, [3.0, 7.0]),
            (Pooling::Mean, [2.0, 1.0]),
            (Pooling::MeanSqrt, [4.0, 2.0]),
        ] {
            let mut vector = vec![9.0];
            pool(way, &tokens, 2, &mut vector);
            assert_eq!(vector, [9.0, expected[0], expected[1]], "{way:?}");
        }
        for way in [Pooling::Cls, Pooling::Max, Pooling::Mean, Pooling::MeanSqrt, Pooling::Pooler] {
            let mut none = Vec::new();
            pool(way, &[], 2, &mut none);
            assert_eq!(none, [0.0, 0.0], "{way:?}");
        }
    }
}
