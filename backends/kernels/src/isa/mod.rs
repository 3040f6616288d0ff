//! The code of each instruction set: a path for each [`Isa`], which has what the set does in its own way.
//!
//! | path | takes from another | has of its own |
//! | --- | --- | --- |
//! | `scalar` | | everything, in plain code: the specification |
//! | `avx2` | | everything, with a way of its own through int8 products |
//! | `avx_vnni` | `avx2` | integer steps |
//! | `avx512bw` | | everything |
//! | `avx512_vnni` | `avx512bw` | integer steps |
//! | `avx512_bf16` | `avx512_vnni` | the step of bf16 |
//! | `amx_int8` | `avx512_bf16` | int8 sums, by the matrix unit |
//! | `neon` | `scalar`: half precision, scaled weights | everything else, with a way of its own through f32 products |
//! | `dotprod` | `neon` | the step of int8 |
//! | `i8mm` | `neon`, `dotprod` | a way of its own through int8 products |
//!
//! A path may have `lanes`, the operations on vectors; `steps`, by which products of each precision add to their sums;
//! and ways through K, `by_…`. Over these it instantiates the macro bodies of `tile`, `scaled` and `vector`, in the
//! forms of `operations`. Its `TABLE` of functions is what the rest of the crate calls. All paths give the same bits.

#[cfg(target_arch = "x86_64")]
mod amx_int8;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_bf16;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "x86_64")]
mod avx512bw;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod dotprod;
#[cfg(target_arch = "aarch64")]
mod i8mm;
#[cfg(target_arch = "aarch64")]
mod neon;
mod operations;
pub(crate) mod scalar;
pub(crate) mod table;

use crate::Isa;
use table::IsaFunctions;

/// The functions of an instruction set that this processor has.
pub(crate) fn functions(isa: Isa) -> &'static IsaFunctions {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni => &avx_vnni::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512bw => &avx512bw::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni => &avx512_vnni::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16 => &avx512_bf16::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::AmxInt8 => &amx_int8::TABLE,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => &neon::TABLE,
        #[cfg(target_arch = "aarch64")]
        Isa::Dotprod => &dotprod::TABLE,
        #[cfg(target_arch = "aarch64")]
        Isa::I8mm => &i8mm::TABLE,
        _ => &scalar::TABLE,
    }
}

/// Whether the operating system lets this process use an instruction set of the processor.
pub(crate) fn is_granted(isa: Isa) -> bool {
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::AmxInt8 {
        return amx_int8::matrix_unit::is_granted();
    }
    let _ = isa;
    true
}
