//! What is done before and after sublayers, by Marian's codes: d dropout (nothing here), n layer normalisation,
//! r root-mean-square normalisation, a add the sublayer's input, h highway around the sublayer.

use dyno_formats::Result;

use crate::math::{Linear, add, layer_norm, rms_norm, sigmoid};
use crate::params::Params;

/// Of the Transformer's norms (`src/models/transformer.h`).
const EPSILON: f32 = 1e-6;

enum Operation {
    LayerNorm {
        scale: Vec<f32>,
        bias: Vec<f32>,
    },
    RmsNorm {
        scale: Vec<f32>,
    },
    Add,
    /// Its linear part decides between the sublayer's output and its input.
    Highway(Linear),
}

/// A chain of operations, in order.
pub struct Process {
    operations: Vec<Operation>,
    width: usize,
}

impl Process {
    /// The operations of `codes` on rows of `width`, whose parameters begin with `prefix` and (norms) end with
    /// `suffix`. Codes were checked by [`Options`](super::Options).
    ///
    /// # Errors
    /// When a parameter is missing, or has another shape.
    pub fn new(params: Params<'_>, codes: &str, prefix: &str, suffix: &str, width: usize) -> Result<Self> {
        let mut operations = Vec::new();
        for code in codes.chars() {
            let norm = |part: &str| params.vector(&format!("{prefix}_{part}{suffix}"), width);
            operations.push(match code {
                'n' => Operation::LayerNorm { scale: norm("ln_scale")?, bias: norm("ln_bias")? },
                'r' => Operation::RmsNorm { scale: norm("rms_scale")? },
                'a' => Operation::Add,
                'h' => Operation::Highway(params.dense(prefix, "h", width, width)?),
                _ => continue,
            });
        }
        Ok(Self { operations, width })
    }

    /// Before a sublayer: names end in `_pre`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn before(params: Params<'_>, codes: &str, prefix: &str, width: usize) -> Result<Self> {
        Self::new(params, codes, prefix, "_pre", width)
    }

    /// After a sublayer.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn after(params: Params<'_>, codes: &str, prefix: &str, width: usize) -> Result<Self> {
        Self::new(params, codes, prefix, "", width)
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Applies the chain to `rows`, the output of a sublayer whose input was `input`; both [n, width].
    pub fn apply(&self, rows: &mut [f32], input: &[f32]) {
        for operation in &self.operations {
            let each = rows.chunks_exact_mut(self.width);
            match operation {
                Operation::LayerNorm { scale, bias } => {
                    each.for_each(|row| layer_norm(row, scale, bias, EPSILON));
                }
                Operation::RmsNorm { scale } => each.for_each(|row| rms_norm(row, scale, EPSILON)),
                Operation::Add => add(rows, input),
                Operation::Highway(linear) => highway(linear, rows, input),
            }
        }
    }
}

/// `rows` ← t·rows + (1 − t)·input, t = σ(input·Wh + bh).
fn highway(linear: &Linear, rows: &mut [f32], input: &[f32]) {
    let mut gate = Vec::new();
    linear.apply(input, &mut gate);
    for ((row, input), gate) in rows.iter_mut().zip(input).zip(&gate) {
        let t = sigmoid(*gate);
        *row = t * *row + (1.0 - t) * input;
    }
}
