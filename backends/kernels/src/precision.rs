//! What the values of a product are.

use std::fmt;

/// What the values of both operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// 16-bit integers, summed in 32 bits.
    Int16,
    /// 8-bit integers in -127..=127, summed in 32 bits.
    Int8,
}

/// The stride of quantised rows is a multiple of this, plus one: rows a power of two apart would share few cache sets.
const LINE: usize = 64;

impl Precision {
    /// All, the widest first.
    pub(crate) const ALL: [Self; 3] = [Self::F32, Self::Int16, Self::Int8];

    /// As settings and records write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
        }
    }

    /// Bytes from row to row of quantised activations.
    pub(crate) fn stride(self, k: usize) -> usize {
        (k * self.bytes()).next_multiple_of(LINE) + LINE
    }

    /// A value's size.
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
