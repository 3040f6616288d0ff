//! Attention of a sentence's positions to each other, head by head, as two products.
//!
//! A step of a decoder has one query, and reads keys and values once. An encoder has as many queries as
//! keys, so that its attention multiplies matrices: the keys of a head are packed like weights, and so are
//! its values. Both products then run at the speed of all products, also in int8. Queries take turns in blocks,
//! so that their scores stay in the second-level cache.

use super::blocking::Blocking;
use super::job::{Activation, Job, Sink};
use super::matrix::{Mat, MatMut};
use super::operand::Operand;
use super::rows::bytes;
use crate::lanes::LANES;
use crate::pack::to_127;
use crate::{Kernels, Precision, Result};

/// Queries of a block: eight tiles of six rows, whose scores over 512 positions take 96 KiB.
const QUERIES: usize = 48;

/// Positions from which products in int8 gain: their operands are quantised first. On Zen 5, 384 positions take a
/// seventh less time in all of BERT-base, and 64 as long as in f32, whose weights are more exact.
const LONG: usize = 128;

/// Operands of a head's products have no far memory to wait for.
const NEAR: Blocking = Blocking { tile_rows: 6, pass_rows: 0, prefetch: 0 };

/// Buffers of one thread for attention within sentences. They only grow.
#[derive(Debug)]
pub struct SelfAttention {
    kernels: Kernels,
    of_long: Precision,   // precision of a long sentence's products
    precision: Precision, // of the sentence at work
    keys: Operand,        // [width, positions]
    values: Operand,      // [positions, width]
    scores: Vec<f32>,     // [QUERIES, positions rounded up to 16]
    rows: Vec<u8>,        // of int8: the left-hand operand of a product, [QUERIES, stride]
    zeros: Vec<f32>,
}

impl Kernels {
    /// Buffers for attention within sentences. With int8, products of long sentences are in int8, all others in f32.
    #[must_use]
    pub fn self_attention(self, precision: Precision) -> SelfAttention {
        let of_long = if precision == Precision::Int8 { precision } else { Precision::F32 };
        let (keys, values) = (Operand::default(), Operand::default());
        let (scores, rows, zeros) = (Vec::new(), Vec::new(), Vec::new());
        SelfAttention { kernels: self, of_long, precision: of_long, keys, values, scores, rows, zeros }
    }
}

impl SelfAttention {
    /// Attention of one head: softmax(queries·keysᵀ/√width)·values. All operands are [positions, width].
    ///
    /// In int8 each query and each key has a scale, the values have one, and a query's weights are parts of its
    /// greatest weight in steps of 1/127.
    ///
    /// # Errors
    /// When an operand has another shape than the result.
    pub fn attend(
        &mut self,
        queries: Mat<'_>,
        keys: Mat<'_>,
        values: Mat<'_>,
        mut out: MatMut<'_, f32>,
    ) -> Result<()> {
        let (positions, width) = out.shape();
        for operand in [&queries, &keys, &values] {
            operand.fits(positions, width)?;
        }
        self.precision = if positions < LONG { Precision::F32 } else { self.of_long };
        self.keys.keys(self.kernels, self.precision, keys, (positions, width));
        self.values.values(self.kernels, self.precision, values, (positions, width));
        let span = positions.next_multiple_of(LANES);
        self.scores.resize(QUERIES.min(positions) * span, 0.0);
        self.zeros.resize(span.max(width.next_multiple_of(LANES)), 0.0);
        let (queries, stride) = queries.parts();
        for from in (0..positions).step_by(QUERIES) {
            let (block, others) = out.split_rows(QUERIES.min(positions - from));
            out = others;
            self.attend_block((&queries[from * stride..], stride), block);
        }
        Ok(())
    }

    /// Attends with a block of queries; keys and values are packed.
    fn attend_block(&mut self, (queries, stride): (&[f32], usize), out: MatMut<'_, f32>) {
        let (rows, width) = out.shape();
        let positions = self.keys.columns;
        let span = positions.next_multiple_of(LANES);
        let mut scores = std::mem::take(&mut self.scores);
        let mut scales = [1.0 / (width as f32).sqrt(); QUERIES];
        let to = MatMut::strided(&mut scores[..rows * span], rows, positions, span).expect("room for scores");
        self.quantise((queries, stride), (rows, width), &mut scales);
        self.product(&self.keys, (queries, stride), &scales, to);
        let scores_of = scores.chunks_exact_mut(span.max(1)).map(|row| &mut row[..positions]).take(rows);
        self.weigh(scores_of, &mut scales);
        self.product(&self.values, (&scores, span), &scales, out);
        self.scores = scores;
    }

    /// Quantises queries so that a row's greatest magnitude becomes 127, and multiplies the row's scale by what
    /// undoes it. In f32 nothing is to be done.
    fn quantise(
        &mut self,
        (from, stride): (&[f32], usize),
        (count, width): (usize, usize),
        scales: &mut [f32],
    ) {
        if self.precision == Precision::F32 {
            return;
        }
        let to_stride = self.precision.stride(width);
        self.rows.resize(self.rows.len().max(count * to_stride), 0);
        for (row, scale) in scales.iter_mut().enumerate().take(count) {
            let x = &from[row * stride..][..width];
            let (multiplier, undoes) = to_127(self.kernels.abs_max(x));
            *scale *= undoes;
            self.kernels.row_to_int8(x, multiplier, &mut self.rows[row * to_stride..][..width]);
        }
    }

    /// Turns rows of scores into weights, whose scales make a row's sum 1: in f32 in place, in int8 as the
    /// left-hand operand.
    fn weigh<'a>(&mut self, scores: impl Iterator<Item = &'a mut [f32]>, scales: &mut [f32]) {
        let to_stride = self.precision.stride(self.keys.columns);
        for (at, (row, scale)) in scores.zip(scales).enumerate() {
            let sum = if self.precision == Precision::F32 {
                self.kernels.exponentials(row)
            } else {
                self.rows.resize(self.rows.len().max((at + 1) * to_stride), 0);
                self.kernels.exponentials_int8(row, &mut self.rows[at * to_stride..][..row.len()])
            };
            *scale = 1.0 / sum;
        }
    }

    /// Replaces `out` by rows [rows, k] times a packed operand [k, n], times a scale for each row. In int8 the
    /// rows are those that were quantised last.
    fn product(
        &self,
        operand: &Operand,
        (rows, stride): (&[f32], usize),
        row_scales: &[f32],
        out: MatMut<'_, f32>,
    ) {
        let (a, stride) = match self.precision {
            Precision::F32 => (bytes(rows), 4 * stride),
            _ => (&*self.rows, self.precision.stride(4 * operand.groups)),
        };
        let mut job = Job {
            a,
            stride,
            rows: out.shape().0,
            row_scales: Some(row_scales),
            blocks: &operand.blocks,
            groups: operand.groups,
            columns: 0..operand.columns,
            starts: &operand.starts,
            scales: &operand.scales,
            bias: &self.zeros,
            activation: Activation::None,
            residual: None,
            sink: Sink::F32(out),
            blocking: NEAR,
        };
        // SAFETY: the function belongs to an instruction set that was found on this processor.
        unsafe { (self.kernels.multiply(self.precision))(&mut job) };
    }
}
