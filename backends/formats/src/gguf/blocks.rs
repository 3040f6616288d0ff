//! The block formats of ggml, and their exact values as f32.
//!
//! Formulas: `ggml-quants.c` of ggml, functions `dequantize_row_*`. A block holds its values' quanta and one or
//! two scales in half precision; the K formats divide a block of 256 values further, with scales of 6 or 8 bits.

use crate::quantise::{bf16_to_f32, f16_to_f32};

/// Format of a tensor's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are ggml's
pub enum BlockFormat {
    F32,
    F16,
    Bf16,
    Q8_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q4K,
    Q5K,
    Q6K,
}

/// Each format with its code in files, its values and its bytes in a block.
const FORMATS: [(BlockFormat, u32, usize, usize); 11] = [
    (BlockFormat::F32, 0, 1, 4),
    (BlockFormat::F16, 1, 1, 2),
    (BlockFormat::Bf16, 30, 1, 2),
    (BlockFormat::Q4_0, 2, 32, 18),
    (BlockFormat::Q4_1, 3, 32, 20),
    (BlockFormat::Q5_0, 6, 32, 22),
    (BlockFormat::Q5_1, 7, 32, 24),
    (BlockFormat::Q8_0, 8, 32, 34),
    (BlockFormat::Q4K, 12, 256, 144),
    (BlockFormat::Q5K, 13, 256, 176),
    (BlockFormat::Q6K, 14, 256, 210),
];

impl BlockFormat {
    pub(super) fn of_code(code: u32) -> Option<Self> {
        FORMATS.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    /// Name in ggml.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::Q8_0 => "Q8_0",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q4K => "Q4_K",
            Self::Q5K => "Q5_K",
            Self::Q6K => "Q6_K",
        }
    }

    fn row(self) -> (usize, usize) {
        let row = FORMATS.iter().find(|row| row.0 == self).expect("every format has its row");
        (row.2, row.3)
    }

    /// Values of a block.
    pub fn values(self) -> usize {
        self.row().0
    }

    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        self.row().1
    }

    /// Writes the values of whole blocks into `to`.
    ///
    /// # Panics
    /// When `to` has another number of blocks than `bytes`.
    pub fn read(self, bytes: &[u8], to: &mut [f32]) {
        let (values, size) = self.row();
        assert_eq!(bytes.len() / size * values, to.len(), "a value for each quantum");
        for (block, to) in bytes.chunks_exact(size).zip(to.chunks_exact_mut(values)) {
            match self {
                Self::F32 => to[0] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]),
                Self::F16 => to[0] = half(block, 0),
                Self::Bf16 => to[0] = bf16_to_f32(block),
                Self::Q8_0 => q8_0(block, to),
                Self::Q4_0 => q4(block, half(block, 0), -8.0 * half(block, 0), to),
                Self::Q4_1 => q4(block, half(block, 0), half(block, 2), to),
                Self::Q5_0 => q5(block, half(block, 0), -16.0 * half(block, 0), to),
                Self::Q5_1 => q5(block, half(block, 0), half(block, 2), to),
                Self::Q4K => q4_k(block, to),
                Self::Q5K => q5_k(block, to),
                Self::Q6K => q6_k(block, to),
            }
        }
    }
}

/// The half-precision number at `at`.
pub(super) fn half(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[at], block[at + 1]]))
}

fn q8_0(block: &[u8], to: &mut [f32]) {
    let scale = half(block, 0);
    for (to, quantum) in to.iter_mut().zip(&block[2..]) {
        *to = scale * f32::from(*quantum as i8);
    }
}

/// 32 values of 4 bits: the low halves of the last 16 bytes, then the high ones.
fn q4(block: &[u8], scale: f32, least: f32, to: &mut [f32]) {
    let (low, high) = to.split_at_mut(16);
    for ((low, high), pair) in low.iter_mut().zip(high).zip(&block[block.len() - 16..]) {
        *low = scale * f32::from(pair & 15) + least;
        *high = scale * f32::from(pair >> 4) + least;
    }
}

/// As `q4`, with the fifth bits in four bytes before the halves.
fn q5(block: &[u8], scale: f32, least: f32, to: &mut [f32]) {
    for (at, to) in to.iter_mut().enumerate() {
        *to = scale * f32::from(five_bits(block, at)) + least;
    }
}

/// The quantum of value `at` in a block of `q5`.
pub(super) fn five_bits(block: &[u8], at: usize) -> u8 {
    let (fifths, halves) = block[block.len() - 20..].split_at(4);
    (halves[at % 16] >> (at / 16 * 4) & 15) | (fifths[at / 8] >> (at % 8) & 1) << 4
}

/// Scale and minimum of 6 bits of the part `part` of eight (`get_scale_min_k4`).
pub(super) fn scale_and_minimum(scales: &[u8], part: usize) -> (f32, f32) {
    let (scale, minimum) = if part < 4 {
        (scales[part] & 63, scales[part + 4] & 63)
    } else {
        let both = scales[part + 4];
        (both & 15 | scales[part - 4] >> 6 << 4, both >> 4 | scales[part] >> 6 << 4)
    };
    (f32::from(scale), f32::from(minimum))
}

/// Block: scale and minimum in half precision, 12 bytes of parts' scales, 128 bytes of quanta.
fn q4_k(block: &[u8], to: &mut [f32]) {
    let (scale, minimum) = (half(block, 0), half(block, 2));
    for (part, to) in to.chunks_exact_mut(32).enumerate() {
        let (of_scale, of_minimum) = scale_and_minimum(&block[4..16], part);
        let quanta = &block[16 + part / 2 * 32..];
        for (to, pair) in to.iter_mut().zip(quanta) {
            let quantum = pair >> (4 * (part % 2)) & 15;
            *to = scale * of_scale * f32::from(quantum) - minimum * of_minimum;
        }
    }
}

/// As `q4_k`, with 32 bytes of fifth bits before the quanta.
fn q5_k(block: &[u8], to: &mut [f32]) {
    let (scale, minimum) = (half(block, 0), half(block, 2));
    for (part, to) in to.chunks_exact_mut(32).enumerate() {
        let (of_scale, of_minimum) = scale_and_minimum(&block[4..16], part);
        let quanta = block[48 + part / 2 * 32..].iter().zip(&block[16..48]);
        for (to, (pair, fifth)) in to.iter_mut().zip(quanta) {
            let quantum = (pair >> (4 * (part % 2)) & 15) | (fifth >> part & 1) << 4;
            *to = scale * of_scale * f32::from(quantum) - minimum * of_minimum;
        }
    }
}

/// Block: 128 bytes of low halves, 64 of upper pairs of bits, 16 signed scales, a scale in half precision.
fn q6_k(block: &[u8], to: &mut [f32]) {
    let scale = half(block, 208);
    for (at, to) in to.iter_mut().enumerate() {
        let quantum = f32::from(six_bits(block, at)) - 32.0;
        *to = scale * f32::from(block[192 + at / 16] as i8) * quantum;
    }
}

/// The quantum of value `at` in a block of `q6_k`.
pub(super) fn six_bits(block: &[u8], at: usize) -> u8 {
    let (half_block, within) = (at / 128, at % 128);
    let (quarter, lane) = (within / 32, within % 32);
    let low = block[half_block * 64 + quarter % 2 * 32 + lane] >> (4 * (quarter / 2)) & 15;
    let high = block[128 + half_block * 32 + lane] >> (2 * quarter) & 3;
    low | high << 4
}
