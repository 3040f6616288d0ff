//! Instruction sets: which there are, which this processor has, and how one is asked for.

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// An instruction set with kernels of its own, named as the processor names it, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// Plain code: the specification of all others.
    Scalar,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX2 with the dot products of AVX-VNNI.
    AvxVnni,
    /// AVX-512 without dot products.
    Avx512bw,
    /// AVX-512 with dot products.
    Avx512vnni,
}

impl Isa {
    /// All, the slowest first.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Avx2, Self::AvxVnni, Self::Avx512bw, Self::Avx512vnni];

    /// As settings and records write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avx_vnni",
            Self::Avx512bw => "avx512bw",
            Self::Avx512vnni => "avx512_vnni",
        }
    }

    /// Whether this processor, and the system on it, can run it.
    #[must_use]
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match self {
            Self::Scalar => true,
            Self::Avx2 => avx2,
            Self::AvxVnni => avx2 && is_x86_feature_detected!("avxvnni"),
            Self::Avx512bw => avx512,
            Self::Avx512vnni => avx512 && is_x86_feature_detected!("avx512vnni"),
        }
    }

    /// Whether this processor can run it.
    #[must_use]
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_available(self) -> bool {
        self == Self::Scalar
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name() == name)
            .ok_or_else(|| Error::UnknownIsa { name: name.escape_debug().to_string() })
    }
}
