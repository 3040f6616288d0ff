//! Rows of quantised blocks as quanta with scales, the one form in which products read all formats.
//!
//! A value is `scale·(quantum - zero) + minimum`. Scales of the K formats are products of a scale in half
//! precision and a whole number; here they are rounded to half precision, by 1/4,096 at most, which is far
//! less than their quanta round.

use super::blocks::{BlockFormat, five_bits, half, scale_and_minimum, six_bits};
use crate::quantise::f16_from_f32;

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
pub struct Quanta<'a> {
    /// Quanta without a sign.
    pub quanta: &'a mut Vec<u8>,
    /// Scales in half precision.
    pub scales: &'a mut Vec<u16>,
    /// Minima in half precision, where the form has some.
    pub minima: &'a mut Vec<u16>,
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

    /// Replaces `to` by the quanta of whole blocks; by nothing where values aren't quantised.
    pub fn read_quanta(self, bytes: &[u8], to: Quanta<'_>) {
        to.quanta.clear();
        to.scales.clear();
        to.minima.clear();
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
        let Quanta { quanta, scales, minima } = to;
        for block in bytes.chunks_exact(self.bytes()) {
            add(block, &mut Quanta { quanta, scales, minima });
        }
    }
}

fn bits(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

fn q8_0(block: &[u8], to: &mut Quanta<'_>) {
    to.scales.push(bits(block, 0));
    to.quanta.extend(block[2..].iter().map(|quantum| quantum ^ 0x80));
}

/// Low halves of bytes, then high ones.
fn fours(bytes: &[u8], to: &mut Quanta<'_>) {
    to.quanta.extend(bytes.iter().map(|pair| pair & 15));
    to.quanta.extend(bytes.iter().map(|pair| pair >> 4));
}

fn q4_0(block: &[u8], to: &mut Quanta<'_>) {
    to.scales.push(bits(block, 0));
    fours(&block[2..], to);
}

fn q4_1(block: &[u8], to: &mut Quanta<'_>) {
    to.scales.push(bits(block, 0));
    to.minima.push(bits(block, 2));
    fours(&block[4..], to);
}

fn q5_0(block: &[u8], to: &mut Quanta<'_>) {
    to.scales.push(bits(block, 0));
    to.quanta.extend((0..32).map(|at| five_bits(block, at)));
}

fn q5_1(block: &[u8], to: &mut Quanta<'_>) {
    to.minima.push(bits(block, 2));
    q5_0(block, to);
}

/// Scales and minima of a block's eight parts.
fn parts(block: &[u8], to: &mut Quanta<'_>) {
    for part in 0..8 {
        let (scale, minimum) = scale_and_minimum(&block[4..16], part);
        to.scales.push(f16_from_f32(half(block, 0) * scale));
        to.minima.push(f16_from_f32(-half(block, 2) * minimum));
    }
}

fn q4_k(block: &[u8], to: &mut Quanta<'_>) {
    parts(block, to);
    block[16..].chunks_exact(32).for_each(|pairs| fours(pairs, to));
}

fn q5_k(block: &[u8], to: &mut Quanta<'_>) {
    parts(block, to);
    block[48..].chunks_exact(32).for_each(|pairs| fours(pairs, to));
    let from = to.quanta.len() - 256;
    for (at, quantum) in to.quanta[from..].iter_mut().enumerate() {
        *quantum |= (block[16 + at % 32] >> (at / 32) & 1) << 4;
    }
}

fn q6_k(block: &[u8], to: &mut Quanta<'_>) {
    let scaled = |scale: &u8| f16_from_f32(half(block, 208) * f32::from(*scale as i8));
    to.scales.extend(block[192..208].iter().map(scaled));
    to.quanta.extend((0..256).map(|at| six_bits(block, at)));
}
