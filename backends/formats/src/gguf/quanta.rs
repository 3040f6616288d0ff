//! Rows of blocks: as quanta with scales, the one form in which products read all formats, and as f32.
//!
//! Formulas: `ggml-quants.c` of ggml, functions `dequantize_row_*`. A block holds its values' quanta and one or
//! two scales in half precision; the K formats divide a block of 256 values further, with scales of 6 or 8 bits.
//!
//! A value is `scale·(quantum - zero) + minimum`. Scales of the K formats are products of a scale in half
//! precision and a whole number. For values as f32 they are exact. For products they are rounded to half
//! precision, by 1/4,096 at most, which is far less than their quanta round.

use super::blocks::BlockFormat;
use crate::quantise::{bf16_to_f32, f16_from_f32, f16_to_f32};

/// Form of a format's quanta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantaForm {
    /// Whether quanta have up to 4 bits, instead of up to 8.
    pub four_bits: bool,
    /// Number that a quantum has too much.
    pub zero: u8,
    /// Scales of 32 values.
    pub scales: usize,
    /// Whether 32 values have a minimum.
    pub minima: bool,
}

/// Quanta and scales of a row.
#[derive(Debug)]
pub struct Quanta<'a, S = u16> {
    /// Quanta without a sign.
    pub quanta: &'a mut Vec<u8>,
    /// Scales, in half precision for products.
    pub scales: &'a mut Vec<S>,
    /// Minima, where the form has some.
    pub minima: &'a mut Vec<S>,
}

/// A scale or a minimum: in half precision, or exact.
trait Scale {
    /// That of a block, which has it in half precision.
    fn of_half(bits: u16) -> Self;
    /// That of a part of a block.
    fn of_part(exact: f32) -> Self;
}

impl Scale for u16 {
    fn of_half(bits: u16) -> Self {
        bits
    }

    fn of_part(exact: f32) -> Self {
        f16_from_f32(exact)
    }
}

impl Scale for f32 {
    fn of_half(bits: u16) -> Self {
        f16_to_f32(bits)
    }

    fn of_part(exact: f32) -> Self {
        exact
    }
}

impl BlockFormat {
    /// Form of the format's quanta; `None` where values aren't quantised.
    pub fn quanta(self) -> Option<QuantaForm> {
        let form = |four_bits, zero, scales, minima| Some(QuantaForm { four_bits, zero, scales, minima });
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => None,
            Self::Q8_0 => form(false, 128, 1, false),
            Self::Q4_0 => form(true, 8, 1, false),
            Self::Q4_1 | Self::Q4K => form(true, 0, 1, true),
            Self::Q5_0 => form(false, 16, 1, false),
            Self::Q5_1 | Self::Q5K => form(false, 0, 1, true),
            Self::Q6K => form(false, 32, 2, false),
        }
    }

    /// Writes the values of whole blocks into `to`.
    ///
    /// # Panics
    /// When `to` has another number of blocks than `bytes`.
    pub fn read(self, bytes: &[u8], to: &mut [f32]) {
        assert_eq!(bytes.len() / self.bytes() * self.values(), to.len(), "a value for each quantum");
        let value: fn(&[u8]) -> f32 = match self {
            Self::F32 => |bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Self::F16 => |bytes| half(bytes, 0),
            Self::Bf16 => bf16_to_f32,
            _ => return self.read_quantised(bytes, to),
        };
        bytes.chunks_exact(self.bytes()).zip(to).for_each(|(bytes, to)| *to = value(bytes));
    }

    fn read_quantised(self, bytes: &[u8], to: &mut [f32]) {
        let Some(form) = self.quanta() else { return };
        let (mut quanta, mut scales, mut minima) = (Vec::new(), Vec::<f32>::new(), Vec::new());
        self.divide(bytes, Quanta { quanta: &mut quanta, scales: &mut scales, minima: &mut minima });
        for (at, (to, quantum)) in to.iter_mut().zip(quanta).enumerate() {
            *to = scales[at * form.scales / 32] * (f32::from(quantum) - f32::from(form.zero));
            if let Some(minimum) = minima.get(at / 32) {
                *to += minimum;
            }
        }
    }

    /// Replaces `to` by the quanta of whole blocks; by nothing where values aren't quantised.
    pub fn read_quanta(self, bytes: &[u8], to: Quanta<'_>) {
        to.quanta.clear();
        to.scales.clear();
        to.minima.clear();
        self.divide(bytes, to);
    }

    /// Adds the quanta of whole blocks to `to`.
    fn divide<S: Scale>(self, bytes: &[u8], mut to: Quanta<'_, S>) {
        let add = match self {
            Self::F32 | Self::F16 | Self::Bf16 => return,
            Self::Q8_0 => q8_0,
            Self::Q4_0 => q4_0,
            Self::Q4_1 => q4_1,
            Self::Q5_0 => q5_0,
            Self::Q5_1 => q5_1,
            Self::Q4K => q4_k,
            Self::Q5K => q5_k,
            Self::Q6K => q6_k,
        };
        bytes.chunks_exact(self.bytes()).for_each(|block| add(block, &mut to));
    }
}

fn bits(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

/// The half-precision number at `at`.
fn half(block: &[u8], at: usize) -> f32 {
    f16_to_f32(bits(block, at))
}

fn q8_0<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    to.scales.push(S::of_half(bits(block, 0)));
    to.quanta.extend(block[2..].iter().map(|quantum| quantum ^ 0x80));
}

/// Low halves of bytes, then high ones.
fn fours<S>(bytes: &[u8], to: &mut Quanta<'_, S>) {
    to.quanta.extend(bytes.iter().map(|pair| pair & 15));
    to.quanta.extend(bytes.iter().map(|pair| pair >> 4));
}

fn q4_0<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    to.scales.push(S::of_half(bits(block, 0)));
    fours(&block[2..], to);
}

fn q4_1<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    to.scales.push(S::of_half(bits(block, 0)));
    to.minima.push(S::of_half(bits(block, 2)));
    fours(&block[4..], to);
}

/// As `q4_0`, with the fifth bits in four bytes before the halves.
fn q5_0<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    to.scales.push(S::of_half(bits(block, 0)));
    let (fifths, halves) = block[block.len() - 20..].split_at(4);
    let quantum = |at: usize| (halves[at % 16] >> (at / 16 * 4) & 15) | (fifths[at / 8] >> (at % 8) & 1) << 4;
    to.quanta.extend((0..32).map(quantum));
}

fn q5_1<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    to.minima.push(S::of_half(bits(block, 2)));
    q5_0(block, to);
}

/// Scales and minima of a block's eight parts: 6 bits each (`get_scale_min_k4`), times the block's own.
fn parts<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    let six = &block[4..16];
    for part in 0..8 {
        let (scale, minimum) = if part < 4 {
            (six[part] & 63, six[part + 4] & 63)
        } else {
            let both = six[part + 4];
            (both & 15 | six[part - 4] >> 6 << 4, both >> 4 | six[part] >> 6 << 4)
        };
        to.scales.push(S::of_part(half(block, 0) * f32::from(scale)));
        to.minima.push(S::of_part(-half(block, 2) * f32::from(minimum)));
    }
}

/// Block: scale and minimum in half precision, 12 bytes of parts' scales, 128 bytes of quanta.
fn q4_k<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    parts(block, to);
    block[16..].chunks_exact(32).for_each(|pairs| fours(pairs, to));
}

/// As `q4_k`, with 32 bytes of fifth bits before the quanta.
fn q5_k<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    parts(block, to);
    block[48..].chunks_exact(32).for_each(|pairs| fours(pairs, to));
    let from = to.quanta.len() - 256;
    for (at, quantum) in to.quanta[from..].iter_mut().enumerate() {
        *quantum |= (block[16 + at % 32] >> (at / 32) & 1) << 4;
    }
}

/// Block: 128 bytes of low halves, 64 of upper pairs of bits, 16 signed scales, a scale in half precision.
fn q6_k<S: Scale>(block: &[u8], to: &mut Quanta<'_, S>) {
    let scaled = |scale: &u8| S::of_part(half(block, 208) * f32::from(*scale as i8));
    to.scales.extend(block[192..208].iter().map(scaled));
    to.quanta.extend((0..256).map(|at| six_bits(block, at)));
}

/// The quantum of value `at` in a block of `q6_k`.
fn six_bits(block: &[u8], at: usize) -> u8 {
    let (half_block, within) = (at / 128, at % 128);
    let (quarter, lane) = (within / 32, within % 32);
    let low = block[half_block * 64 + quarter % 2 * 32 + lane] >> (4 * (quarter / 2)) & 15;
    let high = block[128 + half_block * 32 + lane] >> (2 * quarter) & 3;
    low | high << 4
}
