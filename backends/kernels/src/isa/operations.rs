//! The forms in which the code of an instruction set is written, so that its target features are said once.
//!
//! The step of a product spreads a group of activations over the lanes, multiplies the group with a block of weights,
//! and adds the results to sixteen sums. A *group* is four bytes along K: four int8, two int16, or one f32 value. A
//! block holds the same group of sixteen columns. So all precisions share one layout and one tile, and differ only in
//! `step`.
//!
//! Integer sums are exact on all instruction sets. A bf16 value is the upper half of an f32 value, so that a product of
//! two is exact in f32. A step adds that of the upper values of a group, then that of the lower ones, and rounds after
//! each, which is the order of AVX-512-BF16 (Intel's manual, volume 2C, VDPBF16PS).

/// Writes operations. Each is a few intrinsics, and safe to call from code with the same target features.
macro_rules! operations {
    ($features:literal, $($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? $body:block)*) => {
        $($(#[$doc])* #[inline] #[target_feature(enable = $features)]
        pub(crate) fn $name($($arg: $ty),*) $(-> $out)? $body)*
    };
}
pub(crate) use operations;

/// Writes a module for each precision: the types of a sum and of a spread group, and the functions.
macro_rules! steps {
    ($features:literal, $lanes:path; $($name:ident: $sum:ty, $group:ty,
     spread($bits:ident) $spread:block, step($acc:ident, $a:ident, $b:ident) $step:block, start($from:ident) $start:block,
     to_f($done:ident) $to_f:block $(, also { $($more:item)* })?;)+) => {$(
        #[allow(unused_imports)] // not every precision uses all
        pub(crate) mod $name {
            use crate::lanes::Block;
            #[cfg(target_arch = "aarch64")]
            use std::arch::aarch64::*;
            #[cfg(target_arch = "x86_64")]
            use std::arch::x86_64::*;
            use $lanes as lanes;
            pub(crate) type Sum = $sum;

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn spread($bits: i32) -> $group $spread

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn step($acc: Sum, $a: $group, $b: &Block) -> Sum $step

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn start($from: &[i32; 16]) -> Sum $start

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn to_f($done: Sum) -> lanes::F $to_f

            $($($more)*)?
        }
    )+};
}
pub(crate) use steps;
