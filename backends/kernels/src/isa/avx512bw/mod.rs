//! AVX-512 with BW, DQ and VL: vectors are one 512-bit register. The sets that extend it take its vector maths and its
//! products in f32 and half precision.

pub(crate) mod lanes;
pub(crate) mod steps;

use crate::isa::table::{IsaFunctions, vector_maths};

/// Writes products with tiles of six rows by four 512-bit registers: 24 sums, four blocks and a group fit into 32
/// registers.
macro_rules! products_512 {
    ($features:literal, $($name:ident: $steps:path, $walk:ident;)+) => {$(
        crate::tile::nest::product!($name, [#[target_feature(enable = $features)]], crate::isa::avx512bw, $steps,
            walk: crate::tile::walk::$walk, wide: [4, 4, 4, 4, 4, 4],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (2, 3) (2, 4) (3, 1) (3, 2) (3, 3) (3, 4)
                (4, 1) (4, 2) (4, 3) (4, 4) (5, 1) (5, 2) (5, 3) (5, 4) (6, 1) (6, 2) (6, 3) (6, 4));
    )+};
}
pub(crate) use products_512;

vector_maths!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]]);
products_512! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl",
    int8: crate::isa::avx512bw::steps::int8, by_groups;
    int16: crate::isa::avx512bw::steps::int16, by_groups;
    bf16: crate::isa::avx512bw::steps::bf16, by_groups;
    f16: crate::isa::avx512bw::steps::f32, by_twos;
    f32: crate::isa::avx512bw::steps::f32, by_groups;
}
crate::scaled::scaled!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]],
    crate::isa::avx512bw::lanes, crate::isa::avx512bw::steps::scaled, rows: 8, sums: 1);

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
