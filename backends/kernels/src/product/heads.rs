//! Attention of a sentence's positions to each other, head by head, as two products.
//!
//! A step of a decoder has one query, and reads keys and values once. An encoder has as many queries as
//! keys, so that its attention multiplies matrices: the keys of a head are packed like weights, and so are
//! its values. Both products then run at the speed of all products. Queries take turns in blocks, so that
//! their scores stay in the second-level cache.

use super::blocking::Blocking;
use super::job::{Activation, Job, Sink};
use super::matrix::{Mat, MatMut};
use super::rows::bytes;
use crate::lanes::{Block, LANES};
use crate::{Kernels, Precision, Result};

/// Queries of a block: eight tiles of six rows, whose scores over 512 positions take 96 KiB.
const QUERIES: usize = 48;

/// Operands of a head's products have no far memory to wait for.
const NEAR: Blocking = Blocking { tile_rows: 6, pass_rows: 0, prefetch: 0 };

/// Buffers of one thread for attention within sentences. They only grow.
#[derive(Debug)]
pub struct SelfAttention {
    kernels: Kernels,
    keys: Vec<Block>,          // packed as a weight [width, positions]
    values: Vec<Block>,        // packed as a weight [positions, width]
    scores: Vec<f32>,          // [QUERIES, positions rounded up to 16]
    starts: Vec<[i32; LANES]>, // zeros
    ones: Vec<f32>,
    zeros: Vec<f32>,
}

impl Kernels {
    /// Buffers for attention within sentences.
    #[must_use]
    pub fn self_attention(self) -> SelfAttention {
        let (keys, values, scores) = (Vec::new(), Vec::new(), Vec::new());
        let (starts, ones, zeros) = (Vec::new(), Vec::new(), Vec::new());
        SelfAttention { kernels: self, keys, values, scores, starts, ones, zeros }
    }
}

impl SelfAttention {
    /// Attention of one head: softmax(queries·keysᵀ/√width)·values. All operands are [positions, width].
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
        self.reshape(positions, width);
        self.kernels.pack_rows(keys, (positions, width), &mut self.keys);
        self.kernels.pack_columns(values, (positions, width), &mut self.values);
        let (queries, stride) = queries.parts();
        for from in (0..positions).step_by(QUERIES) {
            let (block, others) = out.split_rows(QUERIES.min(positions - from));
            out = others;
            self.attend_block((&queries[from * stride..], stride), block);
        }
        Ok(())
    }

    /// Makes room for the packed operands, and for scales and bias that change nothing.
    fn reshape(&mut self, positions: usize, width: usize) {
        let (span, vectors) = (positions.next_multiple_of(LANES), width.div_ceil(LANES));
        let columns = span.max(vectors * LANES);
        self.keys.resize(span / LANES * width, Block::ZERO);
        self.values.resize(vectors * positions, Block::ZERO);
        self.scores.resize(QUERIES.min(positions) * span, 0.0);
        self.starts.resize(columns / LANES, [0; LANES]);
        self.ones.resize(columns, 1.0);
        self.zeros.resize(columns, 0.0);
    }

    /// Attends with a block of queries; keys and values are packed.
    fn attend_block(&mut self, (queries, stride): (&[f32], usize), out: MatMut<'_, f32>) {
        let (rows, width) = out.shape();
        let positions = self.values.len() / width.div_ceil(LANES).max(1);
        let span = positions.next_multiple_of(LANES);
        let mut scores = std::mem::take(&mut self.scores);
        let mut scales = [1.0 / (width as f32).sqrt(); QUERIES];
        let to = MatMut::strided(&mut scores[..rows * span], rows, positions, span).expect("room for scores");
        self.product((queries, stride), &self.keys, (width, positions), &scales, to);
        for (row, scale) in scores.chunks_exact_mut(span.max(1)).take(rows).zip(&mut scales) {
            *scale = 1.0 / self.kernels.exponentials(&mut row[..positions]);
        }
        self.product((&scores, span), &self.values, (positions, width), &scales, out);
        self.scores = scores;
    }

    /// Replaces `out` by rows [rows, k] times a packed operand [k, n], times a scale for each row.
    fn product(
        &self,
        (rows, stride): (&[f32], usize),
        blocks: &[Block],
        (k, n): (usize, usize),
        row_scales: &[f32],
        out: MatMut<'_, f32>,
    ) {
        let mut job = Job {
            a: bytes(rows),
            stride: 4 * stride,
            rows: out.shape().0,
            row_scales: Some(row_scales),
            blocks,
            groups: k,
            columns: 0..n,
            starts: &self.starts,
            scales: &self.ones,
            bias: &self.zeros,
            activation: Activation::None,
            residual: None,
            sink: Sink::F32(out),
            blocking: NEAR,
        };
        // SAFETY: the function belongs to an instruction set that was found on this processor.
        unsafe { (self.kernels.multiply(Precision::F32))(&mut job) };
    }
}
