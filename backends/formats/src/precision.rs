//! Precisions of weights.

use std::fmt;
use std::str::FromStr;

use crate::DType;

/// Number type of the weights of products, ordered from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Integers in [−127, 127] with scales.
    Int8,
    /// Fixed point, 1/1024.
    Int16,
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
}

impl Precision {
    /// All precisions, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Int8, Self::Int16, Self::F16, Self::F32];

    /// Name in file names and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }

    /// The precision of a stored number type; `None` where weights never have that type.
    pub fn of_stored(dtype: DType) -> Option<Self> {
        match dtype {
            DType::I8 => Some(Self::Int8),
            DType::I16 => Some(Self::Int16),
            DType::F16 | DType::BF16 => Some(Self::F16),
            DType::F32 => Some(Self::F32),
            _ => None,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|precision| precision.name() == name);
        found.ok_or_else(|| format!("`{name}` is no precision; there are f32, f16, int16 and int8"))
    }
}
