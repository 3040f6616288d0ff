//! Precisions of a product's operands.

use std::fmt;

/// Number type of both operands of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// Half precision for weights, which are multiplied with f32 rows as f32.
    F16,
    /// bfloat16, the upper half of f32, summed in f32.
    Bf16,
    /// 16-bit integers, summed in 32 bits.
    Int16,
    /// 8-bit integers in -127..=127, summed in 32 bits.
    Int8,
}

/// Unit of the stride of quantised rows. The stride is a multiple of the unit plus one unit: rows at
/// distances of a power of two would share few cache sets.
const LINE: usize = 64;

impl Precision {
    /// All precisions, the widest first.
    pub(crate) const ALL: [Self; 5] = [Self::F32, Self::F16, Self::Bf16, Self::Int16, Self::Int8];

    /// Name in settings and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
        }
    }

    /// Distance between quantised rows in bytes.
    pub(crate) fn stride(self, k: usize) -> usize {
        (k * self.bytes()).next_multiple_of(LINE) + LINE
    }

    /// Precision of the rows that weights of this precision multiply.
    pub(crate) fn of_rows(self) -> Self {
        if self == Self::F16 { Self::F32 } else { self }
    }

    /// Size of a value in bytes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 | Self::Int16 => 2,
            Self::Int8 => 1,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Greatest magnitude of an int8 value.
pub(crate) const MOST_BYTE: f32 = 127.0;
/// Greatest magnitude of an int16 value.
pub(crate) const MOST_WORD: f32 = 32767.0;

/// The multiplier that makes the greatest magnitude `limit`, and the scale that undoes it; 0 and 1 for zeros.
pub(crate) fn to_limit(most: f32, limit: f32) -> (f32, f32) {
    if (limit / most).is_finite() { (limit / most, most / limit) } else { (0.0, 1.0) }
}

/// The nearest bfloat16, halves to even, and 0 below the smallest normal number: as VCVTNEPS2BF16 rounds (Intel's
/// manual, volume 2C). A NaN stays one.
#[inline]
pub(crate) fn to_bf16(x: f32) -> u16 {
    const EXPONENT: u32 = 0x7F80_0000;
    let bits = x.to_bits();
    let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1));
    let rounded = if x.is_nan() { f32::NAN.to_bits() } else { nearest };
    (if bits & EXPONENT == 0 { 0 } else { rounded } >> 16) as u16
}

/// The value of a finite number in half precision: its bits as those of f32 have an exponent that is 112 too small.
#[inline]
#[must_use]
pub fn from_f16(bits: u16) -> f32 {
    const EXPONENT: f32 = f32::from_bits((112 + 127) << 23);
    let magnitude = f32::from_bits(u32::from(bits & 0x7FFF) << 13) * EXPONENT;
    f32::from_bits(magnitude.to_bits() | u32::from(bits & 0x8000) << 16)
}

/// The value of a bfloat16.
#[inline]
pub(crate) fn from_bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

pub(crate) fn to_i8(x: f32) -> i8 {
    nearest(x.clamp(-127.0, 127.0)) as i8
}

/// The nearest whole number, halves to even, for magnitudes below 2²². Adding 1.5·2²³ leaves no bits for a
/// fraction, so that the addition rounds. Baseline x86-64 has no instruction for it, and a library call for
/// each weight would take most of the loading time.
fn nearest(x: f32) -> i32 {
    const NO_FRACTION: f32 = 12_582_912.0;
    (x + NO_FRACTION).to_bits() as i32 - NO_FRACTION.to_bits() as i32
}
