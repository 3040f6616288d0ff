//! Attention of a sentence's positions to each other.
//!
//! A step of a decoder has one query, and reads keys and values once. An encoder has as many queries as keys.
//! So attention in long sentences multiplies matrices, head by head: the keys of a head are packed like
//! weights, and so are its values. Both products then run at the speed of all products, also in integers.
//! Queries take turns in blocks, so that their scores stay in the second-level cache. In a short sentence
//! packing takes longer than it saves, and all heads attend at once, as a decoder's do. In f32 both ways give
//! the same bits.

use super::operand::Operand;
use crate::error::sized;
use crate::lanes::LANES;
use crate::precision::{MOST_BYTE, MOST_WORD, to_limit};
use crate::tile::job::{Job, Sink};
use crate::tile::{Activation, Blocking, Mat, MatMut};
use crate::weights::bytes;
use crate::{Kernels, KeyValues, Precision, Result};

/// Queries of a block: eight tiles of six rows, whose scores over 512 positions take 96 KiB.
const QUERIES: usize = 48;

/// Positions from which products in integers gain: their operands are quantised first. On Zen 4, 128
/// positions of 32 columns take a quarter less time than in f32, and 384 of 64 half; on Zen 5, 64 positions
/// take as long.
const LONG: usize = 128;

/// Positions up to which a sentence is short. On Zen 5, 8 positions of 8 to 12 heads take half the time of
/// products, 24 three quarters, 32 nineteen twentieths. 48 take a tenth longer, 256 twice as long.
const SHORT: usize = 32;

/// Precisions of a head's two products.
#[derive(Clone, Copy, Debug)]
struct Precisions {
    /// Of queries and keys.
    scores: Precision,
    /// Of weights and values.
    sums: Precision,
}

impl Precisions {
    const F32: Self = Self { scores: Precision::F32, sums: Precision::F32 };

    /// Weights as bytes would lose what a query gives to many positions, if one position has far more: each
    /// of 383 equal weights is a 600th of that one. As words they keep it, and the values keep their small
    /// ones. Two planes of bytes would take as long as words, and leave the values at seven bits.
    const INTEGERS: Self = Self { scores: Precision::Int8, sums: Precision::Int16 };
}

/// Operands of a head's products have no far memory to wait for.
const NEAR: Blocking = Blocking { tile_rows: 6, pass_rows: 0, prefetch: 0 };

/// Buffers of one thread for attention within sentences. They only grow.
#[derive(Debug)]
pub struct SelfAttention {
    kernels: Kernels,
    of_long: Precisions,
    precisions: Precisions, // of the sentence at work
    keys: Operand,          // [width, positions]
    values: Operand,        // [positions, width]
    scores: Vec<f32>,       // [QUERIES, positions rounded up to 16]
    rows: Vec<u8>,          // of integers: the left-hand operand of a product, [QUERIES, stride]
    zeros: Vec<f32>,
    short: Short,
}

/// Buffers for short sentences.
#[derive(Debug)]
struct Short {
    memory: KeyValues,
    weights: Vec<f32>,
    out: Vec<f32>, // [positions, width], where the rows of the result have gaps
}

impl Kernels {
    /// Buffers for attention within sentences. With int8, products of long sentences are in integers, all
    /// others in f32.
    #[must_use]
    pub fn self_attention(self, precision: Precision) -> SelfAttention {
        let of_long = if precision == Precision::Int8 { Precisions::INTEGERS } else { Precisions::F32 };
        SelfAttention {
            kernels: self,
            of_long,
            precisions: of_long,
            keys: Operand::default(),
            values: Operand::default(),
            scores: Vec::new(),
            rows: Vec::new(),
            zeros: Vec::new(),
            short: Short { memory: KeyValues::new(0), weights: Vec::new(), out: Vec::new() },
        }
    }
}

impl Short {
    fn attend(
        &mut self,
        kernels: Kernels,
        [queries, keys, values]: [Mat<'_>; 3],
        heads: usize,
        mut out: MatMut<'_, f32>,
    ) -> Result<()> {
        let (positions, width) = out.shape();
        self.memory.width = width; // all else is replaced
        kernels.remember_rows(&mut self.memory, keys, values, positions)?;
        if let Some(out) = out.contiguous() {
            return kernels.attend(queries, &self.memory, heads, &mut self.weights, out);
        }
        self.out.resize(positions * width, 0.0);
        kernels.attend(queries, &self.memory, heads, &mut self.weights, &mut self.out)?;
        for (at, row) in self.out.chunks_exact(width.max(1)).enumerate() {
            out.row_mut(at).copy_from_slice(row);
        }
        Ok(())
    }
}

impl SelfAttention {
    /// Attention of `heads` side by side: of each, softmax(queries·keysᵀ/√width)·values. All operands are
    /// [positions, heads · width].
    ///
    /// In integers, queries and keys are int8 with a scale for each. Values are int16 with one scale, and so
    /// are a query's weights, in units of 1/32,767 of their sum.
    ///
    /// # Errors
    /// When an operand has another shape than the result, or the heads don't divide it.
    pub fn attend(&mut self, operands: [Mat<'_>; 3], heads: usize, mut out: MatMut<'_, f32>) -> Result<()> {
        let (positions, width) = out.shape();
        operands.iter().try_for_each(|operand| operand.fits(positions, width))?;
        let head = width / heads.max(1);
        sized("heads' part of a query", heads * head, width)?;
        if positions <= SHORT {
            return self.short.attend(self.kernels, operands, heads, out);
        }
        for from in (0..width).step_by(head.max(1)) {
            let [queries, keys, values] = operands.map(|all| all.part(0..positions, from..from + head));
            let out = out.view().split_columns(from).1.split_columns(head).0;
            self.attend_head(queries?, keys?, values?, out);
        }
        Ok(())
    }

    /// Attention of one head in a long sentence.
    fn attend_head(&mut self, queries: Mat<'_>, keys: Mat<'_>, values: Mat<'_>, mut out: MatMut<'_, f32>) {
        let (positions, width) = out.shape();
        self.precisions = if positions < LONG { Precisions::F32 } else { self.of_long };
        self.keys.keys(self.kernels, self.precisions.scores, keys, (positions, width));
        self.values.values(self.kernels, self.precisions.sums, values, (positions, width));
        let span = positions.next_multiple_of(LANES);
        self.scores.resize(QUERIES.min(positions) * span, 0.0);
        self.zeros.resize(span.max(width.next_multiple_of(LANES)), 0.0);
        let (queries, stride) = queries.parts();
        for from in (0..positions).step_by(QUERIES) {
            let (block, others) = out.split_rows(QUERIES.min(positions - from));
            out = others;
            self.attend_block((&queries[from * stride..], stride), block);
        }
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
        self.product(self.precisions.scores, &self.keys, (queries, stride), &scales, to);
        let scores_of = scores.chunks_exact_mut(span.max(1)).map(|row| &mut row[..positions]).take(rows);
        self.weigh(scores_of, &mut scales);
        self.product(self.precisions.sums, &self.values, (&scores, span), &scales, out);
        self.scores = scores;
    }

    /// Quantises queries so that a row's greatest magnitude becomes 127, and multiplies the row's scale by
    /// what undoes it. In f32 nothing is to be done.
    fn quantise(
        &mut self,
        (from, stride): (&[f32], usize),
        (count, width): (usize, usize),
        scales: &mut [f32],
    ) {
        if self.precisions.scores == Precision::F32 {
            return;
        }
        let to_stride = Precision::Int8.stride(width);
        self.rows.resize(self.rows.len().max(count * to_stride), 0);
        for (row, scale) in scales.iter_mut().enumerate().take(count) {
            let x = &from[row * stride..][..width];
            let (multiplier, undoes) = to_limit(self.kernels.abs_max(x), MOST_BYTE);
            *scale *= undoes;
            self.kernels.row_to_int8(x, multiplier, &mut self.rows[row * to_stride..][..width]);
        }
    }

    /// Turns rows of scores into weights whose sum is 1: in f32 in place, in integers as the left-hand
    /// operand, with scales of the rows. In f32 all is done in the order of a decoder's attention, so that
    /// the length of a sentence changes no bit.
    fn weigh<'a>(&mut self, scores: impl Iterator<Item = &'a mut [f32]>, scales: &mut [f32]) {
        let to_stride = Precision::Int16.stride(self.keys.columns);
        for (at, (row, scale)) in scores.zip(scales).enumerate() {
            *scale = if self.precisions.sums == Precision::F32 {
                self.kernels.softmax(row);
                1.0
            } else {
                self.rows.resize(self.rows.len().max((at + 1) * to_stride), 0);
                self.kernels.shares_int16(row, &mut self.rows[at * to_stride..][..2 * row.len()]);
                1.0 / MOST_WORD
            };
        }
    }

    /// Replaces `out` by rows [rows, k] times a packed operand [k, n], times a scale for each row. In
    /// integers the rows are those that were quantised last.
    fn product(
        &self,
        precision: Precision,
        operand: &Operand,
        (rows, stride): (&[f32], usize),
        row_scales: &[f32],
        out: MatMut<'_, f32>,
    ) {
        let (a, stride) = match precision {
            Precision::F32 => (bytes(rows), 4 * stride),
            _ => (&*self.rows, precision.stride(4 * operand.groups / precision.bytes())),
        };
        let mut job = Job {
            a,
            stride,
            row_bytes: 4 * operand.groups,
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
        unsafe { (self.kernels.multiply(precision))(&mut job) };
    }
}
