//! Instruction sets: their names, which of them this processor has, and how a setting asks for one.
//!
//! One type serves records, settings and kernels, so that an instruction set has one spelling everywhere: on
//! x86-64 the spelling of the CPU flags in `/proc/cpuinfo`, on Arm the names that compilers use.

use std::fmt;
use std::str::FromStr;

use crate::closest;

/// An instruction set for which the kernels have code of their own. The order is by speed on each
/// architecture, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// Plain code, which runs on every processor and specifies the results of all others.
    Scalar,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX2 with the dot products of AVX-VNNI.
    AvxVnni,
    /// AVX-512 (F, BW, DQ, VL) without dot products.
    Avx512bw,
    /// AVX-512 with the dot products of AVX-512-VNNI.
    Avx512Vnni,
    /// AVX-512-VNNI with the dot products of bfloat16, AVX-512-BF16.
    Avx512Bf16,
    /// AVX-512-BF16 beside the matrix unit for bytes, AMX-INT8.
    AmxInt8,
    /// NEON, which every 64-bit Arm processor under Linux has.
    Neon,
    /// NEON with the dot products of bytes (`asimddp` among the CPU flags).
    Dotprod,
    /// NEON with dot products and the products of matrices of bytes.
    I8mm,
}

impl Isa {
    /// All instruction sets: those of x86-64, then those of Arm, each the slowest first.
    pub const ALL: [Self; 10] = [
        Self::Scalar,
        Self::Avx2,
        Self::AvxVnni,
        Self::Avx512bw,
        Self::Avx512Vnni,
        Self::Avx512Bf16,
        Self::AmxInt8,
        Self::Neon,
        Self::Dotprod,
        Self::I8mm,
    ];

    /// The name in settings and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avx_vnni",
            Self::Avx512bw => "avx512bw",
            Self::Avx512Vnni => "avx512_vnni",
            Self::Avx512Bf16 => "avx512_bf16",
            Self::AmxInt8 => "amx_int8",
            Self::Neon => "neon",
            Self::Dotprod => "dotprod",
            Self::I8mm => "i8mm",
        }
    }

    /// Whether this processor has the instruction set and the operating system enables it.
    #[must_use]
    #[cfg(target_arch = "x86_64")]
    pub fn is_present(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let vnni = avx512 && is_x86_feature_detected!("avx512vnni");
        let bf16 = vnni && is_x86_feature_detected!("avx512bf16");
        match self {
            Self::Scalar => true,
            Self::Avx2 => avx2,
            Self::AvxVnni => avx2 && is_x86_feature_detected!("avxvnni"),
            Self::Avx512bw => avx512,
            Self::Avx512Vnni => vnni,
            Self::Avx512Bf16 => bf16,
            Self::AmxInt8 => bf16 && has_amx_int8(),
            Self::Neon | Self::Dotprod | Self::I8mm => false,
        }
    }

    /// Whether this processor has the instruction set and the operating system enables it.
    #[must_use]
    #[cfg(target_arch = "aarch64")]
    pub fn is_present(self) -> bool {
        use std::arch::is_aarch64_feature_detected;
        let neon = is_aarch64_feature_detected!("neon");
        let dotprod = neon && is_aarch64_feature_detected!("dotprod");
        match self {
            Self::Scalar => true,
            Self::Neon => neon,
            Self::Dotprod => dotprod,
            Self::I8mm => dotprod && is_aarch64_feature_detected!("i8mm"),
            Self::Avx2
            | Self::AvxVnni
            | Self::Avx512bw
            | Self::Avx512Vnni
            | Self::Avx512Bf16
            | Self::AmxInt8 => false,
        }
    }

    /// Whether this processor has the instruction set: outside of x86-64 and 64-bit Arm only the plain code
    /// runs.
    #[must_use]
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn is_present(self) -> bool {
        self == Self::Scalar
    }

    /// The instruction sets of this processor, the slowest first. [`Isa::Scalar`] is always among them.
    pub fn present() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_present())
    }

    /// The fastest instruction set of this processor.
    #[must_use]
    pub fn best() -> Self {
        Self::present().next_back().unwrap_or(Self::Scalar)
    }
}

/// Whether the processor has AMX-INT8 and the operating system saves its registers; the library's macro can't tell
/// yet. The bits are those of CPUID in Intel's manual, volume 2A. Leaf 0DH gives the size of what the system saves,
/// which covers the tiles (component 18) where they are enabled. The leaves exist on each processor with AVX-512.
#[cfg(target_arch = "x86_64")]
fn has_amx_int8() -> bool {
    use std::arch::x86_64::__cpuid_count as cpuid;
    const TILES: u32 = 1 << 24;
    const INT8: u32 = 1 << 25;
    let is_saved = || {
        let (saved, tiles) = (cpuid(0x0d, 0).ebx, cpuid(0x0d, 18));
        tiles.eax > 0 && saved >= tiles.ebx + tiles.eax
    };
    cpuid(7, 0).edx & (TILES | INT8) == TILES | INT8 && is_saved()
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no instruction set has; the message lists the known names and the nearest of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("instruction set '{name}' is unknown{}; known are {}", near(name), known())]
pub struct UnknownIsa {
    /// The name as given, with control characters escaped.
    pub name: String,
}

fn near(name: &str) -> String {
    let near = closest(name, Isa::ALL.into_iter().map(Isa::name));
    near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

fn known() -> String {
    Isa::ALL.map(Isa::name).join(", ")
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        let known = Self::ALL.into_iter().find(|isa| isa.name() == name);
        known.ok_or_else(|| UnknownIsa { name: name.escape_debug().to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
        }
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest_and_all_known_names() {
        let told = "avx512vnni".parse::<Isa>().unwrap_err().to_string();
        assert_eq!(
            told,
            "instruction set 'avx512vnni' is unknown (did you mean `avx512_vnni`?); \
             known are scalar, avx2, avx_vnni, avx512bw, avx512_vnni, avx512_bf16, amx_int8, neon, dotprod, i8mm"
        );
        let told = "mmx\n".parse::<Isa>().unwrap_err().to_string();
        assert!(told.starts_with("instruction set 'mmx\\n' is unknown; known are scalar"), "{told}");
    }

    #[test]
    fn the_best_is_the_last_that_is_present() {
        let present: Vec<Isa> = Isa::present().collect();
        assert!(present.is_sorted() && present[0] == Isa::Scalar, "{present:?}");
        assert_eq!(present.last(), Some(&Isa::best()));
    }
}
