//! Packing: from weights in the order of a file to the layout of the kernels. The rule by which candidates
//! become int8 on line is here as well; it equals the rule of quantisation off line.
//!
//! All checks that make integer products exact are here, once when a model is loaded: no int8 weight is -128,
//! and no column's sum of products can leave 32 bits. Loading is part of start-up, so each layout is read in
//! its own order.

use super::{Layout, Weights, tuner};
use crate::error::{sized, sized_rows};
use crate::lanes::LANES;
use crate::memory::SharedBytes;
use crate::precision::to_bf16;
use crate::{Error, Kernels, Precision, Result};

/// Greatest K with which no sum of int8 products leaves 32 bits.
const NEVER_WRAPS: usize = i32::MAX as usize / (127 * 127);

impl Kernels {
    /// Packs f32 weights [k, n] that lie in `layout`.
    pub fn pack_f32(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        sized_rows("weights", values.len(), k, n)?;
        Ok(self.pack(Precision::F32, values, (k, n), layout, f32::to_le_bytes))
    }

    /// Packs weights in half precision, by their bits; they stay so in memory.
    ///
    /// # Errors
    /// When K is odd, since a group has two weights, or a weight isn't finite.
    pub fn pack_f16(self, values: &[u16], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        const EXPONENT: u16 = 0x7C00;
        sized_rows("weights", values.len(), k, n)?;
        sized("inputs of weights in half precision", k, k.next_multiple_of(2))?;
        if let Some(at) = values.iter().position(|bits| bits & EXPONENT == EXPONENT) {
            return Err(Error::NotFinite { column: layout.column(at, (k, n)) });
        }
        Ok(self.pack(Precision::F16, values, (k, n), layout, u16::to_le_bytes))
    }

    /// Packs f32 weights rounded to bf16.
    pub fn pack_bf16(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        sized_rows("weights", values.len(), k, n)?;
        Ok(self.pack(Precision::Bf16, values, (k, n), layout, |x| to_bf16(x).to_le_bytes()))
    }

    /// Packs int8 weights in -127..=127.
    ///
    /// # Errors
    /// When a weight is -128, or a sum of products could leave 32 bits, which needs K above 133,000.
    pub fn pack_int8(self, values: &[i8], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        sized_rows("weights", values.len(), k, n)?;
        // A sum over all values is vectorised; a search that may end early isn't.
        if values.iter().fold(0, |found, &value| found | u8::from(value == i8::MIN)) != 0 {
            let at = values.iter().position(|&value| value == i8::MIN).unwrap_or_default();
            return Err(Error::OutOfRange { column: layout.column(at, (k, n)) });
        }
        if k > NEVER_WRAPS {
            fits_32_bits(&magnitudes(values, (k, n), layout), 127)?;
        }
        let mut packed = self.pack(Precision::Int8, values, (k, n), layout, i8::to_le_bytes);
        if self.flip(Precision::Int8) != 0 {
            packed.set_starts();
        }
        Ok(packed)
    }

    /// The int8 weights [k, n] that lie as panels already, where they lie: blocks of four values of sixteen
    /// columns, in the order of [`Weights`]. All instruction sets share that order.
    ///
    /// # Errors
    /// When K isn't a multiple of 4 or N of 16, the bytes have another length, a weight is -128, or a sum of
    /// products could leave 32 bits.
    pub fn share_int8(self, panels: &SharedBytes, k: usize, n: usize) -> Result<Weights> {
        sized("inputs of panels", k, k.next_multiple_of(4))?;
        sized("outputs of panels", n, n.next_multiple_of(LANES))?;
        sized_rows("panels", panels.bytes().len(), k, n)?;
        let mut packed = Weights::in_panels(self, panels, (k, n));
        is_exact(&packed, panels)?;
        if self.flip(Precision::Int8) != 0 {
            packed.set_starts();
        }
        if let Some(tuning) = self.tuning {
            tuner::tune(tuning, &mut packed);
        }
        Ok(packed)
    }

    /// Packs int16 weights for activations in -`bound`..=`bound`.
    ///
    /// # Errors
    /// When a sum of products could leave 32 bits, where it would wrap.
    pub fn pack_int16(
        self,
        values: &[i16],
        k: usize,
        n: usize,
        layout: Layout,
        bound: u16,
    ) -> Result<Weights> {
        sized_rows("weights", values.len(), k, n)?;
        fits_32_bits(&magnitudes(values, (k, n), layout), bound)?;
        Ok(self.pack(Precision::Int16, values, (k, n), layout, i16::to_le_bytes))
    }

    /// Packs values of `BYTES` bytes each, and takes the blockings from the tuning.
    fn pack<T: Copy, const BYTES: usize>(
        self,
        precision: Precision,
        values: &[T],
        shape: (usize, usize),
        layout: Layout,
        bytes: impl Fn(T) -> [u8; BYTES] + Copy,
    ) -> Weights {
        let mut packed = Weights::pack(self, precision, values, shape, layout, bytes);
        if let Some(tuning) = self.tuning {
            tuner::tune(tuning, &mut packed);
        }
        packed
    }

    /// The greatest bound of activations, at most 32,767, with which [`pack_int16`](Self::pack_int16) accepts
    /// these weights.
    pub fn int16_bound(values: &[i16], k: usize, n: usize, layout: Layout) -> Result<u16> {
        sized_rows("weights", values.len(), k, n)?;
        let most = magnitudes(values, (k, n), layout).into_iter().max().unwrap_or(0);
        Ok((i32::MAX as u64 / most.max(1)).min(i16::MAX as u64) as u16)
    }
}

/// The sum of magnitudes of each column.
fn magnitudes<T: Copy + Into<i32>>(values: &[T], shape: (usize, usize), layout: Layout) -> Vec<u64> {
    let mut columns = vec![0; shape.1];
    layout.each(values, shape, &mut columns, |column: &mut u64, value| {
        *column += u64::from(value.into().unsigned_abs());
    });
    columns
}

/// Checks that no weight of the panels is -128, and that no sum of products leaves 32 bits.
fn is_exact(packed: &Weights, panels: &SharedBytes) -> Result<()> {
    let sixteens = 0..packed.n() / LANES;
    let magnitudes = || sixteens.clone().flat_map(|sixteen| magnitudes_of_sixteen(packed, sixteen));
    // A sum over all values is vectorised; a search that may end early isn't.
    if panels.bytes().iter().fold(0, |found, byte| found | u8::from(*byte == i8::MIN as u8)) != 0 {
        let column = magnitudes().position(|(_, greatest)| greatest > 127).unwrap_or_default();
        return Err(Error::OutOfRange { column });
    }
    if packed.k() > NEVER_WRAPS {
        fits_32_bits(&magnitudes().map(|(sum, _)| sum).collect::<Vec<_>>(), 127)?;
    }
    Ok(())
}

/// The sum of magnitudes and the greatest magnitude of each of sixteen columns.
fn magnitudes_of_sixteen(packed: &Weights, sixteen: usize) -> [(u64, u8); LANES] {
    let mut columns = [(0, 0); LANES];
    for block in packed.sixteen(sixteen) {
        for ((sum, greatest), bytes) in columns.iter_mut().zip(block.0.as_chunks::<4>().0) {
            let magnitudes = bytes.map(|byte| (byte as i8).unsigned_abs());
            *sum += magnitudes.iter().map(|magnitude| u64::from(*magnitude)).sum::<u64>();
            *greatest = magnitudes.into_iter().fold(*greatest, u8::max);
        }
    }
    columns
}

/// Checks that no column's sum of products leaves 32 bits with activations up to `bound`. A partial sum may
/// wrap and come back.
fn fits_32_bits(magnitudes: &[u64], bound: u16) -> Result<()> {
    for (column, magnitude) in magnitudes.iter().enumerate() {
        let reach = magnitude * u64::from(bound);
        if reach > i32::MAX as u64 {
            return Err(Error::Wraps { column, bound, reach });
        }
    }
    Ok(())
}
