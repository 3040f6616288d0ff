//! The kernels of one instruction set, as a value: whoever holds one knows that this processor can run them.

use crate::error::sized;
use crate::isa_code::{self, Table};
use crate::product::job::Job;
use crate::vector::{LookUp, SIGMOID, TANH};
use crate::{Activation, Error, Isa, Layout, Precision, Result, Rows, Weights};
use std::sync::OnceLock;

/// The kernels of an instruction set that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    isa: Isa,
    table: &'static Table,
}

/// Shows a function of the table as a method. All of them have the same reason to be safe.
macro_rules! call {
    ($self:ident.$function:ident($($arg:expr),*)) => {
        // SAFETY: the table belongs to an instruction set that was found on this processor.
        unsafe { ($self.table.vector.$function)($($arg),*) }
    };
}

impl Kernels {
    /// The best that this processor has. Looks once per process.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernels> = OnceLock::new();
        *BEST.get_or_init(|| Self::up_to(Isa::Avx512vnni))
    }

    /// The best that is not above a cap.
    #[must_use]
    pub fn up_to(cap: Isa) -> Self {
        let best = Isa::ALL.into_iter().rfind(|isa| *isa <= cap && isa.is_available());
        Self::assume(best.unwrap_or(Isa::Scalar))
    }

    /// Exactly these; an error if this processor lacks them.
    pub fn forced(isa: Isa) -> Result<Self> {
        if !isa.is_available() {
            return Err(Error::MissingIsa { isa, best: Self::best().isa });
        }
        Ok(Self::assume(isa))
    }

    /// Of an instruction set that was found.
    fn assume(isa: Isa) -> Self {
        let table = match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &isa_code::avx2::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::AvxVnni => &isa_code::avxvnni::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512bw => &isa_code::avx512bw::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512vnni => &isa_code::avx512vnni::TABLE,
            _ => &isa_code::scalar::TABLE,
        };
        Self { isa, table }
    }

    /// Whose they are.
    #[must_use]
    pub fn isa(self) -> Isa {
        self.isa
    }

    pub(crate) fn multiply(self, precision: Precision) -> unsafe fn(&mut Job<'_>) {
        match precision {
            Precision::Int8 => self.table.int8,
            Precision::Int16 => self.table.int16,
            Precision::F32 => self.table.f32,
        }
    }

    pub(crate) fn flip(self, precision: Precision) -> u8 {
        if precision == Precision::Int8 { self.table.flip } else { 0 }
    }

    /// Packs f32 weights, of the shape [k, n] in one of two layouts.
    pub fn pack_f32(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        sized("weights", values.len(), k * n)?;
        Ok(Weights::pack(self, Precision::F32, values, (k, n), layout, f32::to_le_bytes))
    }

    /// Packs int8 weights in -127..=127. It is an error if a sum could leave 32 bits (never for K below 133,000).
    pub fn pack_int8(self, values: &[i8], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        sized("weights", values.len(), k * n)?;
        if values.contains(&i8::MIN) {
            let odd = layout.column_sums(values, (k, n), |value| usize::from(value == i8::MIN));
            return Err(Error::OutOfRange { column: odd.iter().position(|count| *count > 0).unwrap_or(0) });
        }
        if k > i32::MAX as usize / (127 * 127) {
            fits_32_bits(&layout.column_sums(values, (k, n), |value| u64::from(value.unsigned_abs())), 127)?;
        }
        let mut packed = Weights::pack(self, Precision::Int8, values, (k, n), layout, i8::to_le_bytes);
        if self.table.flip != 0 {
            for (n, sum) in layout.column_sums(values, (k, n), i32::from).into_iter().enumerate() {
                packed.set_start(n, -128 * sum);
            }
        }
        Ok(packed)
    }

    /// Packs int16 weights for activations that stay within -`bound`..=`bound`. It is an error if a sum of products could then
    /// leave 32 bits, where it would wrap.
    pub fn pack_int16(
        self,
        values: &[i16],
        k: usize,
        n: usize,
        layout: Layout,
        bound: u16,
    ) -> Result<Weights> {
        sized("weights", values.len(), k * n)?;
        fits_32_bits(&layout.column_sums(values, (k, n), |value| u64::from(value.unsigned_abs())), bound)?;
        Ok(Weights::pack(self, Precision::Int16, values, (k, n), layout, i16::to_le_bytes))
    }

    /// A buffer for up to `capacity` quantised rows of `k` values, in the form that these kernels multiply.
    #[must_use]
    pub fn rows(self, precision: Precision, capacity: usize, k: usize) -> Rows {
        Rows::new(self, precision, capacity, k)
    }

    /// An activation, in place. Error: 2e-7 of the result or of 1, whichever is greater (swish: 4e-7 of x).
    pub fn activate(self, kind: Activation, x: &mut [f32]) {
        call!(self.activate(kind, x))
    }

    /// eˣ, in place, within 2 units in the last place.
    pub fn exp(self, x: &mut [f32]) {
        call!(self.exp(x))
    }

    /// The logistic function from a table, in place, within 1e-5. Not a number becomes 1.
    pub fn sigmoid_table(self, x: &mut [f32]) {
        self.look_up(x, &SIGMOID)
    }

    /// The hyperbolic tangent from a table, in place, within 1e-5. Not a number becomes 1.
    pub fn tanh_table(self, x: &mut [f32]) {
        self.look_up(x, &TANH)
    }

    fn look_up(self, x: &mut [f32], table: &LookUp) {
        call!(self.look_up(x, &table.values, &table.slopes, table.middle))
    }

    /// The greatest magnitude; 0 of nothing.
    #[must_use]
    pub fn abs_max(self, x: &[f32]) -> f32 {
        call!(self.abs_max(x))
    }

    /// Softmax, in place. At least one value must be above -∞.
    pub fn softmax(self, x: &mut [f32]) {
        call!(self.softmax(x))
    }

    /// Layer norm, in place: (x - mean)/√(variance + ε)·scale + bias, with the population variance.
    pub fn layer_norm(self, x: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) -> Result<()> {
        sized("layer norm scale", scale.len(), x.len())?;
        sized("layer norm bias", bias.len(), x.len())?;
        call!(self.layer_norm(x, scale, bias, epsilon));
        Ok(())
    }

    /// RMS norm, in place: x/√(mean x² + ε)·scale.
    pub fn rms_norm(self, x: &mut [f32], scale: &[f32], epsilon: f32) -> Result<()> {
        sized("RMS norm scale", scale.len(), x.len())?;
        call!(self.rms_norm(x, scale, epsilon));
        Ok(())
    }

    /// A GRU's new state, in place of the old one [S]; `xw`, `su`, `bias` are [3S], the gates r, z, h. The candidate is
    /// tanh(xw + su·r + b), or tanh(xw + (su + b)·r) with `bias_inside`.
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

    /// An LSTM's new cell, in place of the old one [S], and output [S]; `xw`, `su`, `bias` are [4S], the gates f, i, c, o.
    pub fn lstm(self, xw: &[f32], su: &[f32], bias: &[f32], cell: &mut [f32], out: &mut [f32]) -> Result<()> {
        for part in [xw, su, bias] {
            sized("LSTM gates", part.len(), 4 * cell.len())?;
        }
        sized("LSTM output", out.len(), cell.len())?;
        call!(self.lstm(xw, su, bias, cell, out));
        Ok(())
    }

    /// An SSRU's new cell c ← f·c + (1 - f)·x with f = σ(`forget`), and its output relu(c). All are [D].
    pub fn ssru(self, x: &[f32], forget: &[f32], cell: &mut [f32], out: &mut [f32]) -> Result<()> {
        for part in [x.len(), forget.len(), out.len()] {
            sized("SSRU operand", part, cell.len())?;
        }
        call!(self.ssru(x, forget, cell, out));
        Ok(())
    }

    /// Attention of one query [D] over T keys and values [T, D], in `heads` equal slices of D. `weights` is scratch [T], and
    /// holds the last head's afterwards.
    pub fn attend(
        self,
        query: &[f32],
        keys: &[f32],
        values: &[f32],
        heads: usize,
        weights: &mut [f32],
        out: &mut [f32],
    ) -> Result<()> {
        sized("query", query.len(), out.len())?;
        sized("keys", keys.len(), weights.len() * out.len())?;
        sized("values", values.len(), weights.len() * out.len())?;
        sized("heads' part of the query", out.len() / heads * heads, out.len())?;
        let width = out.len() / heads;
        for head in 0..heads {
            call!(self.attend(query, keys, values, head * width..(head + 1) * width, weights, out));
        }
        Ok(())
    }

    pub(crate) fn quantise_int8(self, x: &[f32], multiplier: f32, out: &mut [u8]) {
        call!(self.quantise_int8(x, multiplier, self.table.flip, out))
    }

    pub(crate) fn quantise_int16(self, x: &[f32], multiplier: f32, out: &mut [u8]) {
        call!(self.quantise_int16(x, multiplier, out))
    }
}

/// Checks that no column's sum of products leaves 32 bits, by the sums of its magnitudes, with activations up to `bound`. On
/// the way to a sum that fits it may wrap and come back.
fn fits_32_bits(magnitudes: &[u64], bound: u16) -> Result<()> {
    for (column, magnitude) in magnitudes.iter().enumerate() {
        let reach = magnitude * u64::from(bound);
        if reach > i32::MAX as u64 {
            return Err(Error::Wraps { column, bound, reach });
        }
    }
    Ok(())
}
