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

impl Precision {
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
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
        })
    }
}
