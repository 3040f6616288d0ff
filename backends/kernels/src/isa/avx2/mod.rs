//! AVX2 with FMA: vectors are two 256-bit registers. Int8 products have a way of their own, which reads rows as
//! magnitudes and signs.

pub(crate) mod by_magnitudes;
pub(crate) mod lanes;
pub(crate) mod magnitudes;
pub(crate) mod steps;

use crate::isa::table::{IsaFunctions, vector_maths};

/// Writes products with tiles of six rows by two 256-bit registers: twelve sums, two blocks and a group fit into
/// sixteen registers.
macro_rules! products_256 {
    ($features:literal, $($name:ident: $steps:path, $walk:ident;)+) => {$(
        crate::tile::nest::product!($name, [#[target_feature(enable = $features)]], crate::isa::avx2, $steps,
            walk: crate::tile::walk::$walk, wide: [4, 2, 2, 1, 1, 1],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (3, 2) (4, 1) (5, 1) (6, 1));
    )+};
}
pub(crate) use products_256;

vector_maths!([#[target_feature(enable = "avx2,fma")]]);
// Two groups of weights and of a row take registers, so that a tile has three rows at most.
crate::tile::nest::product!(int8, [#[target_feature(enable = "avx2,fma")]], crate::isa::avx2,
    crate::isa::avx2::by_magnitudes, walk: crate::isa::avx2::by_magnitudes::by_magnitudes, wide: [4, 2, 1],
    tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1));
products_256! { "avx2,fma",
    int16: crate::isa::avx2::steps::int16, by_groups;
    bf16: crate::isa::avx2::steps::bf16, by_groups;
    f16: crate::isa::avx2::steps::f32, by_twos;
    f32: crate::isa::avx2::steps::f32, by_groups;
}
crate::scaled::scaled!([#[target_feature(enable = "avx2,fma")]], crate::isa::avx2::lanes,
    crate::isa::avx2::steps::scaled, rows: 4, sums: 1);

pub(crate) static TABLE: IsaFunctions = IsaFunctions {
    flip: 0,
    int8: int8::multiply,
    int16: int16::multiply,
    bf16: bf16::multiply,
    f16: f16::multiply,
    f32: f32::multiply,
    scaled: &scaled::FUNCTIONS,
    vector: &VECTOR,
};
