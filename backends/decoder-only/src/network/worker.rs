//! A worker: its threads, its buffers, and the keys and values of the lines on which it works.

use dyno_formats::spec::DecoderOnlySpec;
use dyno_kernels::{Kernels, KeyValues, ScaledRows};
use dyno_nn::math::{Norm, Threads, add};
use dyno_nn::watch::Component;

use super::attention::Kept;
use super::linear::{Linear, multiply};
use super::rotation::Turns;
use super::row::Row;
use crate::Result;

/// Buffers, which only grow, threads, and what lines leave behind.
pub struct Worker {
    pub(super) threads: Threads,
    pub(super) kernels: Kernels,
    /// Rows [rows, width].
    pub(super) x: Vec<f32>,
    pub(super) quantised: ScaledRows,
    pub(super) buffers: Buffers,
    /// Turns of the layers that see all positions, and of those with windows.
    pub(super) turns: [Turns; 2],
    /// Keys and values by layer.
    pub(super) kept: Vec<Kept>,
}

/// Values within a layer, [rows, …].
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) normed: Vec<f32>,
    pub(super) queries: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    /// Results of attention, by head of keys.
    pub(super) context: Vec<f32>,
    /// The same by row.
    pub(super) joined: Vec<f32>,
    pub(super) gate: Vec<f32>,
    pub(super) up: Vec<f32>,
    pub(super) sum: Vec<f32>,
}

impl Worker {
    pub(super) fn new(spec: &DecoderOnlySpec, kernels: Kernels, threads: usize) -> Result<Self> {
        Ok(Self {
            threads: Threads::new(threads)?,
            kernels,
            x: Vec::new(),
            quantised: ScaledRows::default(),
            buffers: Buffers::default(),
            turns: Default::default(),
            kept: vec![vec![vec![KeyValues::new(spec.head)]; spec.key_heads]; spec.layers],
        })
    }

    /// Lets slot `slot` begin with all positions of slot 0, and no others. A slot that a row names must have
    /// begun.
    pub fn begin(&mut self, slot: usize) {
        for slots in self.kept.iter_mut().flatten() {
            let positions = slots[0].len();
            if slots.len() <= slot {
                slots.resize(slot + 1, slots[0].clone());
            }
            slots[slot].truncate(positions);
        }
    }

    /// Makes room for rows, and computes their turns.
    pub(super) fn place(&mut self, spec: &DecoderOnlySpec, rows: &[Row]) {
        self.x.resize(rows.len() * spec.width, 0.0);
        self.turns[0].set(&spec.rotation, rows);
        if let Some(windows) = &spec.windows {
            self.turns[1].set(&windows.rotation, rows);
        }
    }

    /// Keeps the `wanted` rows alone, in their order.
    pub(super) fn last_rows(&mut self, wanted: &[usize], width: usize) {
        for (to, from) in wanted.iter().enumerate() {
            self.x.copy_within(from * width..(from + 1) * width, to * width);
        }
        self.x.truncate(wanted.len() * width);
    }

    /// Adds what a sublayer gave to the rows, normalised where a norm follows.
    pub(super) fn add_sum(&mut self, norm: Option<&Norm>) {
        let Self { threads, x, buffers, .. } = self;
        if let Some(norm) = norm {
            norm.apply(&mut buffers.sum, threads);
        }
        add(x, &buffers.sum);
    }

    /// Replaces `logits` by those of the rows [rows, width].
    pub(super) fn finish(&mut self, norm: &Norm, width: usize, output: &Linear, logits: &mut Vec<f32>) {
        let _output = Component::Output.span();
        let Self { threads, kernels, x, quantised, .. } = self;
        norm.apply(x, threads);
        multiply((threads, *kernels), quantised, (x, width), [(output, logits)]);
    }
}
