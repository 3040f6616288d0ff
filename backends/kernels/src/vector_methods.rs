//! Vector maths as methods of [`Kernels`], which check the shapes.

use crate::error::{sized, sized_rows};
use crate::lanes::{Block, LANES};
use crate::look_up::{LookUp, SIGMOID, TANH};
use crate::tile::{Best, Mat};
use crate::vector::{KeyValues, TOGETHER};
use crate::{Activation, Kernels, Precision, Result};

/// Calls a function of the table. All calls are safe for the same reason.
macro_rules! call {
    ($self:ident.$function:ident($($arg:expr),*)) => {
        // SAFETY: the table belongs to an instruction set that was found on this processor.
        unsafe { ($self.table.vector.$function)($($arg),*) }
    };
}

impl Kernels {
    /// Applies an activation in place. The error is 2e-7 of the result or of 1, whichever is greater; for
    /// swish and gelu 4e-7 of x. [`Activation::SwishNear`] and [`Activation::GeluNear`] are less exact.
    pub fn activate(self, kind: Activation, x: &mut [f32]) {
        call!(self.activate(kind, x))
    }

    /// eˣ in place, within 2 units in the last place.
    pub fn exp(self, x: &mut [f32]) {
        call!(self.exp(x))
    }

    /// The logistic function from a table, in place, within 1e-5. NaN becomes 1.
    pub fn sigmoid_table(self, x: &mut [f32]) {
        self.look_up(x, &SIGMOID)
    }

    /// The hyperbolic tangent from a table, in place, within 1e-5. NaN becomes 1.
    pub fn tanh_table(self, x: &mut [f32]) {
        self.look_up(x, &TANH)
    }

    fn look_up(self, x: &mut [f32], table: &LookUp) {
        call!(self.look_up(x, &table.values, &table.slopes, table.middle))
    }

    /// The greatest magnitude; 0 for an empty slice.
    #[must_use]
    pub fn abs_max(self, x: &[f32]) -> f32 {
        call!(self.abs_max(x))
    }

    /// The greatest values in descending order, as many as `best` has room for; equal values keep their
    /// order. NaN and -∞ are never among them: [`Best::NONE`] fills the places that are left. Beam search
    /// reads a row of scores by it.
    pub fn greatest(self, x: &[f32], best: &mut [Best]) {
        best.fill(Best::NONE);
        call!(self.greatest(x, best))
    }

    /// Writes the softmax of `x` as int16 in units of 1/32,767, whose sum is that of a softmax within 8 units. The
    /// content of `x` is unspecified afterwards.
    pub(crate) fn shares_int16(self, x: &mut [f32], out: &mut [u8]) {
        call!(self.shares_int16(x, out))
    }

    pub(crate) fn pack_rows(self, rows: Mat<'_>, shape: (usize, usize), to: &mut [Block]) {
        call!(self.pack_rows(rows.parts(), shape, to))
    }

    pub(crate) fn pack_columns(self, rows: Mat<'_>, shape: (usize, usize), to: &mut [Block]) {
        call!(self.pack_columns(rows.parts(), shape, to))
    }

    pub(crate) fn pack_pairs(self, rows: Mat<'_>, shape: (usize, usize), multiplier: f32, to: &mut [Block]) {
        call!(self.pack_pairs(rows.parts(), shape, multiplier, to))
    }

    /// Softmax, in place. At least one value must be above -∞.
    pub fn softmax(self, x: &mut [f32]) {
        call!(self.softmax(x))
    }

    /// Logarithms of the softmax, in place, within 1e-6 of the result or of 1. At least one value must be
    /// above -∞.
    pub fn log_softmax(self, x: &mut [f32]) {
        call!(self.log_softmax(x))
    }

    /// x += y, element by element.
    pub fn add(self, x: &mut [f32], y: &[f32]) -> Result<()> {
        sized("summand", y.len(), x.len())?;
        call!(self.add(x, y));
        Ok(())
    }

    /// Layer norm of each row of `x` [rows, D], in place: (x - mean)/√(variance + ε)·scale + bias, with the
    /// population variance. `scale` and `bias` are `[D]`.
    pub fn layer_norm(self, x: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) -> Result<()> {
        let width = scale.len();
        sized("layer norm bias", bias.len(), width)?;
        sized_rows("rows of a layer norm", x.len(), x.len() / width.max(1), width)?;
        if width > 0 {
            call!(self.layer_norm(x, scale, bias, epsilon));
        }
        Ok(())
    }

    /// RMS norm, in place: x/√(mean x² + ε)·scale.
    pub fn rms_norm(self, x: &mut [f32], scale: &[f32], epsilon: f32) -> Result<()> {
        sized("RMS norm scale", scale.len(), x.len())?;
        call!(self.rms_norm(x, scale, epsilon));
        Ok(())
    }

    /// Replaces a GRU's state `[S]` by the next one. `xw`, `su` and `bias` are `[3S]`, with the gates r, z, h.
    /// The candidate is tanh(xw + su·r + b), or tanh(xw + (su + b)·r) with `bias_inside`.
    pub fn gru(
        self,
        xw: &[f32],
        su: &[f32],
        bias: &[f32],
        bias_inside: bool,
        state: &mut [f32],
    ) -> Result<()> {
        for part in [xw, su, bias] {
            sized("GRU gates", part.len(), 3 * state.len())?;
        }
        call!(self.gru(xw, su, bias, bias_inside, state));
        Ok(())
    }

    /// Replaces an LSTM's cell `[S]` by the next one, and computes its output `[S]`. `xw`, `su` and `bias` are
    /// `[4S]`, with the gates f, i, c, o.
    pub fn lstm(self, xw: &[f32], su: &[f32], bias: &[f32], cell: &mut [f32], out: &mut [f32]) -> Result<()> {
        for part in [xw, su, bias] {
            sized("LSTM gates", part.len(), 4 * cell.len())?;
        }
        sized("LSTM output", out.len(), cell.len())?;
        call!(self.lstm(xw, su, bias, cell, out));
        Ok(())
    }

    /// Replaces an SSRU's cell by c ← f·c + (1 - f)·x with f = σ(`forget`), and computes its output relu(c).
    /// All are `[D]`.
    pub fn ssru(self, x: &[f32], forget: &[f32], cell: &mut [f32], out: &mut [f32]) -> Result<()> {
        for part in [x.len(), forget.len(), out.len()] {
            sized("SSRU operand", part, cell.len())?;
        }
        call!(self.ssru(x, forget, cell, out));
        Ok(())
    }

    /// Adds a value to a running average: mean ← (mean·before + x)/(before + 1), where `before` is the number
    /// of earlier values. All are `[D]`.
    pub fn average(self, x: &[f32], before: usize, mean: &mut [f32]) -> Result<()> {
        sized("value of a running average", x.len(), mean.len())?;
        call!(self.average(x, before as f32, mean));
        Ok(())
    }

    /// y ← σ(x_gate)·x + σ(y_gate)·y: the gate of average attention. All are `[D]`.
    pub fn mix(self, x: &[f32], x_gate: &[f32], y: &mut [f32], y_gate: &[f32]) -> Result<()> {
        for part in [x, x_gate, y_gate] {
            sized("operand of a gate", part.len(), y.len())?;
        }
        call!(self.mix(x, x_gate, y, y_gate));
        Ok(())
    }

    /// y ← σ(gate)·y + (1 - σ(gate))·x: a highway around the computation of y. All are `[D]`.
    pub fn highway(self, x: &[f32], gate: &[f32], y: &mut [f32]) -> Result<()> {
        for part in [x, gate] {
            sized("operand of a highway", part.len(), y.len())?;
        }
        call!(self.highway(x, gate, y));
        Ok(())
    }

    /// Attention of queries [rows, D] over a sentence, in `heads` equal slices of D; the result is `out`
    /// [rows, D]. `weights` is scratch; it is left with the weights of the last row, [heads,
    /// `memory.span()`].
    pub fn attend(
        self,
        queries: Mat<'_>,
        memory: &KeyValues,
        heads: usize,
        weights: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<()> {
        let width = memory.width;
        sized("heads' part of a query", memory.width / heads.max(1) * heads, memory.width)?;
        let rows = out.len() / width.max(1);
        sized("result of attention", out.len(), rows * width)?;
        queries.fits(rows, width)?;
        let len = heads * memory.span();
        if memory.is_empty() || width == 0 {
            weights.clear();
            out.fill(0.0);
            return Ok(());
        }
        weights.resize(len * TOGETHER.min(rows).max(1), 0.0);
        call!(self.attend(queries.parts(), memory, heads, weights, out));
        weights.truncate(len);
        Ok(())
    }

    /// Replaces the content of `memory` by these keys and values [positions, D].
    pub fn remember(self, memory: &mut KeyValues, keys: &[f32], values: &[f32]) -> Result<()> {
        let (width, positions) = (memory.width, keys.len() / memory.width.max(1));
        sized("values", values.len(), keys.len())?;
        self.remember_rows(
            memory,
            Mat::new(keys, positions, width)?,
            Mat::new(values, positions, width)?,
            positions,
        )
    }

    /// As [`remember`](Self::remember), for the first rows of matrices.
    pub(crate) fn remember_rows(
        self,
        memory: &mut KeyValues,
        keys: Mat<'_>,
        values: Mat<'_>,
        positions: usize,
    ) -> Result<()> {
        let width = memory.width;
        keys.fits(positions, width)?;
        values.fits(positions, width)?;
        (memory.positions, memory.hidden) = (positions, 0);
        memory.values.clear();
        match values.contiguous(positions) {
            Some(all) => memory.values.extend_from_slice(all),
            None => (0..positions).for_each(|at| memory.values.extend_from_slice(values.row(at))),
        }
        memory.keys.resize(memory.span() / LANES * width, [0.0; LANES]);
        if width > 0 {
            call!(self.arrange(keys.parts(), (positions, width), &mut memory.keys));
        }
        Ok(())
    }

    pub(crate) fn interleave(
        self,
        rows: &[&[Block]; LANES],
        next: &[&[Block]; LANES],
        groups: usize,
        blocks: &mut [Block],
        step: usize,
    ) {
        call!(self.interleave(rows, next, groups, blocks, step))
    }

    /// Energies of additive attention over T rows [T, C]: direction·tanh(row + state), with `direction` and
    /// `state` `[C]`. With `near` tanh is within 1e-3, in a third of its time: for rows and states that come from
    /// quantised products, which change them more.
    pub fn energies(
        self,
        rows: &[f32],
        state: &[f32],
        direction: &[f32],
        near: bool,
        out: &mut [f32],
    ) -> Result<()> {
        sized("rows of additive attention", rows.len(), out.len() * state.len())?;
        sized("direction of additive attention", direction.len(), state.len())?;
        if state.is_empty() {
            out.fill(0.0);
            return Ok(());
        }
        if near {
            call!(self.energies_near(rows, state, direction, out));
        } else {
            call!(self.energies(rows, state, direction, out));
        }
        Ok(())
    }

    /// Σ weight·row over T rows [T, C]; the result is `out` `[C]`.
    pub fn weighted_sum(self, weights: &[f32], rows: &[f32], out: &mut [f32]) -> Result<()> {
        sized("rows of a weighted sum", rows.len(), weights.len() * out.len())?;
        if rows.is_empty() {
            out.fill(0.0);
            return Ok(());
        }
        call!(self.weighted_sum(weights, rows, out));
        Ok(())
    }

    pub(crate) fn add_row(self, row: &[u8], precision: Precision, scale: f32, out: &mut [f32]) {
        call!(self.add_row(row, precision, scale, out))
    }

    pub(crate) fn row_to_int8(self, x: &[f32], multiplier: f32, out: &mut [u8]) {
        call!(self.quantise_int8(x, multiplier, self.table.flip, out))
    }

    /// As [`Self::row_to_int8`], for weights, whose bytes have no private form.
    pub(crate) fn row_to_weights(self, x: &[f32], multiplier: f32, out: &mut [u8]) {
        call!(self.quantise_int8(x, multiplier, 0, out))
    }

    pub(crate) fn row_to_int16(self, x: &[f32], multiplier: f32, out: &mut [u8]) {
        call!(self.quantise_int16(x, multiplier, out))
    }

    /// Rounds a row to bf16, in whole groups.
    pub(crate) fn row_to_bf16(self, x: &[f32], out: &mut [u8]) {
        call!(self.round_bf16(x, out))
    }
}
