//! Precisions of a product's operands.

use std::fmt;

/// Number type of both operands of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floating point.
    F32,
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
    pub(crate) const ALL: [Self; 3] = [Self::F32, Self::Int16, Self::Int8];

    /// Name in settings and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
        }
    }

    /// Distance between quantised rows in bytes.
    pub(crate) fn stride(self, k: usize) -> usize {
        (k * self.bytes()).next_multiple_of(LINE) + LINE
    }

    /// Size of a value in bytes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::Int16 => 2,
            Self::Int8 => 1,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
