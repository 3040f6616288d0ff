//! The code of all algorithms for each instruction set, and the tables of functions by which the rest of the
//! crate calls it.
//!
//! A module here instantiates the macro bodies over one module of `lanes` and one of `arithmetic`. The two AVX-512 sets share
//! vector maths and f32 products, and so do the two 256-bit sets: they differ in integer products only. AVX-VNNI is the 256-bit
//! body with a step of its own, AVX-512-BF16 has a step of its own for bf16, and AMX a way of its own to int8 sums. The three
//! Arm sets differ in int8 products only.

use crate::Precision;
use crate::lanes::{Block, LANES};
use crate::scaled::{kernel::ScaledFunctions, scaled};
use crate::tile::job::Job;
use crate::tile::nest::product;
use crate::tile::{Activation, Best};
use crate::vector::{KeyValues, attention, cells, functions, slices, transpositions};

/// The functions of one instruction set. They may be called only where that set is present.
#[derive(Debug)]
pub(crate) struct IsaFunctions {
    /// Number that is XORed with each byte of int8 activations: 0x80 flips the sign bit, which adds 128.
    pub(crate) flip: u8,
    pub(crate) int8: unsafe fn(&mut Job<'_>),
    pub(crate) int16: unsafe fn(&mut Job<'_>),
    pub(crate) bf16: unsafe fn(&mut Job<'_>),
    pub(crate) f16: unsafe fn(&mut Job<'_>),
    pub(crate) f32: unsafe fn(&mut Job<'_>),
    pub(crate) scaled: &'static ScaledFunctions,
    pub(crate) vector: &'static VectorFunctions,
}

/// The functions of vector maths for one kind of lanes.
#[derive(Debug)]
#[allow(clippy::type_complexity)] // each type is the signature of one function and is clearest in its place
pub(crate) struct VectorFunctions {
    pub(crate) activate: unsafe fn(Activation, &mut [f32]),
    pub(crate) exp: unsafe fn(&mut [f32]),
    pub(crate) look_up: unsafe fn(&mut [f32], &[f32], &[f32], f32),
    pub(crate) abs_max: unsafe fn(&[f32]) -> f32,
    pub(crate) shares_int16: unsafe fn(&mut [f32], &mut [u8]),
    pub(crate) softmax: unsafe fn(&mut [f32]),
    pub(crate) layer_norm: unsafe fn(&mut [f32], &[f32], &[f32], f32),
    pub(crate) rms_norm: unsafe fn(&mut [f32], &[f32], f32),
    pub(crate) gru: unsafe fn(&[f32], &[f32], &[f32], bool, &mut [f32]),
    pub(crate) lstm: unsafe fn(&[f32], &[f32], &[f32], &mut [f32], &mut [f32]),
    pub(crate) ssru: unsafe fn(&[f32], &[f32], &mut [f32], &mut [f32]),
    pub(crate) greatest: unsafe fn(&[f32], &mut [Best]),
    pub(crate) log_softmax: unsafe fn(&mut [f32]),
    pub(crate) add: unsafe fn(&mut [f32], &[f32]),
    pub(crate) average: unsafe fn(&[f32], f32, &mut [f32]),
    pub(crate) mix: unsafe fn(&[f32], &[f32], &mut [f32], &[f32]),
    pub(crate) highway: unsafe fn(&[f32], &[f32], &mut [f32]),
    pub(crate) attend: unsafe fn((&[f32], usize), &KeyValues, usize, &mut [f32], &mut [f32]),
    pub(crate) arrange: unsafe fn((&[f32], usize), (usize, usize), &mut [[f32; LANES]]),
    pub(crate) pack_rows: unsafe fn((&[f32], usize), (usize, usize), &mut [Block]),
    pub(crate) pack_columns: unsafe fn((&[f32], usize), (usize, usize), &mut [Block]),
    pub(crate) pack_pairs: unsafe fn((&[f32], usize), (usize, usize), f32, &mut [Block]),
    pub(crate) interleave: unsafe fn(&[&[Block]; LANES], &[&[Block]; LANES], usize, &mut [Block], usize),
    pub(crate) energies: unsafe fn(&[f32], &[f32], &[f32], &mut [f32]),
    pub(crate) weighted_sum: unsafe fn(&[f32], &[f32], &mut [f32]),
    pub(crate) add_row: unsafe fn(&[u8], Precision, f32, &mut [f32]),
    pub(crate) quantise_int8: unsafe fn(&[f32], f32, u8, &mut [u8]),
    pub(crate) quantise_int16: unsafe fn(&[f32], f32, &mut [u8]),
    pub(crate) round_bf16: unsafe fn(&[f32], &mut [u8]),
}

/// Writes the vector maths of a module and the table of its functions.
macro_rules! vector_maths {
    ([$(#[$feature:meta])*], $lanes:ident) => {
        functions!([$(#[$feature])*], $lanes);
        slices!([$(#[$feature])*]);
        cells!([$(#[$feature])*]);
        attention!([$(#[$feature])*]);
        transpositions!([$(#[$feature])*]);

        pub(crate) static VECTOR: crate::isa_code::VectorFunctions = crate::isa_code::VectorFunctions {
            activate: activate_all,
            exp: exp_all,
            look_up: look_up_all,
            abs_max,
            shares_int16,
            softmax,
            layer_norm,
            rms_norm,
            gru,
            lstm,
            ssru,
            greatest,
            log_softmax,
            add,
            average,
            mix,
            highway,
            attend,
            arrange,
            pack_rows,
            pack_columns,
            pack_pairs,
            interleave,
            energies,
            weighted_sum,
            add_row,
            quantise_int8,
            quantise_int16,
            round_bf16,
        };
    };
}

pub(crate) mod scalar {
    use super::*;
    vector_maths!([], scalar);
    product!(int8, [], scalar, crate::tile::arithmetic::scalar::int8, super, walk: by_groups,
        wide: [1], tiles: (1, 1));
    product!(int16, [], scalar, crate::tile::arithmetic::scalar::int16, super, walk: by_groups,
        wide: [1], tiles: (1, 1));
    product!(bf16, [], scalar, crate::tile::arithmetic::scalar::bf16, super, walk: by_groups,
        wide: [1], tiles: (1, 1));
    product!(f16, [], scalar, crate::tile::arithmetic::scalar::f32, super, walk: by_twos,
        wide: [1], tiles: (1, 1));
    product!(f32, [], scalar, crate::tile::arithmetic::scalar::f32, super, walk: by_groups,
        wide: [1], tiles: (1, 1));
    scaled!([], scalar, scalar, rows: 2, sums: 1);

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
}

/// Tiles of six rows by two 256-bit registers: twelve sums, two blocks and a group fit into sixteen
/// registers.
#[cfg(target_arch = "x86_64")]
macro_rules! product_256 {
    ($name:ident, $features:literal, $arithmetic:path) => {
        product_256!($name, $features, $arithmetic, by_groups);
    };
    ($name:ident, $features:literal, $arithmetic:path, $walk:ident) => {
        product!($name, [#[target_feature(enable = $features)]], avx2, $arithmetic, crate::isa_code::avx2,
            walk: $walk, wide: [4, 2, 2, 1, 1, 1],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (3, 2) (4, 1) (5, 1) (6, 1));
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use super::*;
    vector_maths!([#[target_feature(enable = "avx2,fma")]], avx2);
    // Two groups of weights and of a row take registers, so that a tile has three rows at most.
    product!(int8, [#[target_feature(enable = "avx2,fma")]], avx2, crate::tile::arithmetic::avx2::int8, super,
        walk: by_magnitudes, wide: [4, 2, 1],
        tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1));
    product_256!(int16, "avx2,fma", crate::tile::arithmetic::avx2::int16);
    product_256!(bf16, "avx2,fma", crate::tile::arithmetic::avx2::bf16);
    product_256!(f16, "avx2,fma", crate::tile::arithmetic::avx2::f32, by_twos);
    product_256!(f32, "avx2,fma", crate::tile::arithmetic::avx2::f32);
    scaled!([#[target_feature(enable = "avx2,fma")]], avx2, avx2, rows: 4, sums: 1);

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
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx_vnni {
    use super::*;
    product_256!(int8, "avx2,fma,avxvnni", crate::tile::arithmetic::avx_vnni::int8);
    product_256!(int16, "avx2,fma,avxvnni", crate::tile::arithmetic::avx_vnni::int16);
    scaled!([#[target_feature(enable = "avx2,fma,avxvnni")]], avx2, avx_vnni, rows: 4, sums: 1);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions {
        flip: 0x80,
        int8: int8::multiply,
        int16: int16::multiply,
        bf16: avx2::bf16::multiply,
        f16: avx2::f16::multiply,
        f32: avx2::f32::multiply,
        scaled: &scaled::FUNCTIONS,
        vector: &avx2::VECTOR,
    };
}

/// Tiles of six rows by four 512-bit registers: 24 sums, four blocks and a group fit into 32 registers.
#[cfg(target_arch = "x86_64")]
macro_rules! products_512 {
    ($arithmetic:ident, $features:literal, $($name:ident)+) => {$(
        product_512!($name, $features, crate::tile::arithmetic::$arithmetic::$name, by_groups);
    )+};
}

#[cfg(target_arch = "x86_64")]
macro_rules! product_512 {
    ($name:ident, $features:literal, $arithmetic:path, $walk:ident) => {
        product!($name, [#[target_feature(enable = $features)]], avx512, $arithmetic,
            crate::isa_code::avx512bw, walk: $walk,
            wide: [4, 4, 4, 4, 4, 4],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (2, 3) (2, 4) (3, 1) (3, 2) (3, 3) (3, 4)
                (4, 1) (4, 2) (4, 3) (4, 4) (5, 1) (5, 2) (5, 3) (5, 4) (6, 1) (6, 2) (6, 3) (6, 4));
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512bw {
    use super::*;
    vector_maths!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]], avx512);
    products_512!(avx512bw, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", int8 int16 bf16 f32);
    product_512!(
        f16,
        "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl",
        crate::tile::arithmetic::avx512bw::f32,
        by_twos
    );
    scaled!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]], avx512, avx512bw, rows: 8, sums: 1);

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
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_vnni {
    use super::*;
    products_512!(avx512_vnni, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", int8 int16);
    scaled!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]], avx512, avx512_vnni, rows: 8, sums: 2);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions {
        flip: 0x80,
        int8: int8::multiply,
        int16: int16::multiply,
        bf16: avx512bw::bf16::multiply,
        f16: avx512bw::f16::multiply,
        f32: avx512bw::f32::multiply,
        scaled: &scaled::FUNCTIONS,
        vector: &avx512bw::VECTOR,
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_bf16 {
    use super::*;
    products_512!(avx512_bf16, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16", bf16);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions { bf16: bf16::multiply, ..avx512_vnni::TABLE };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod amx_int8 {
    use super::*;
    use crate::tile::matrix_unit;
    product!(int8, [#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]], avx512,
        crate::tile::arithmetic::avx512_vnni::int8, crate::isa_code::avx512bw, walk: by_squares,
        wide: [4, 4, 4, 4],
        tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (2, 3) (2, 4) (3, 1) (3, 2) (3, 3) (3, 4)
            (4, 1) (4, 2) (4, 3) (4, 4));

    /// The matrix unit where it is faster, or else the vectors.
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
    fn multiply(job: &mut Job<'_>) {
        if matrix_unit::is_faster(job) { int8::multiply(job) } else { avx512_vnni::int8::multiply(job) }
    }

    pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: multiply, ..avx512_bf16::TABLE };
}

/// Tiles as large as those of 256 bits: 32 registers of 128 bits hold as much as sixteen of 256.
#[cfg(target_arch = "aarch64")]
macro_rules! product_128 {
    ($name:ident, $features:literal, $arithmetic:path, $walk:ident) => {
        product!($name, [#[target_feature(enable = $features)]], neon, $arithmetic, crate::isa_code::neon,
            walk: $walk, wide: [4, 2, 1, 1, 1, 1],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (4, 1) (5, 1) (6, 1));
    };
}

#[cfg(target_arch = "aarch64")]
pub(crate) mod neon {
    use super::*;
    vector_maths!([#[target_feature(enable = "neon")]], neon);
    // Products of bytes take registers before they are added, so that a tile has four rows at most.
    product!(int8, [#[target_feature(enable = "neon")]], neon, crate::tile::arithmetic::arm::neon::int8, super,
        walk: by_groups, wide: [4, 2, 1, 1],
        tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (4, 1));
    product_128!(int16, "neon", crate::tile::arithmetic::arm::neon::int16, by_groups);
    product_128!(f32, "neon", crate::tile::arithmetic::arm::neon::f32, by_fours);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions {
        flip: 0,
        int8: int8::multiply,
        int16: int16::multiply,
        bf16: scalar::bf16::multiply, // the compiler's code for sixteen lanes
        f16: scalar::f16::multiply,   // as above
        f32: f32::multiply,
        scaled: &scalar::scaled::FUNCTIONS, // as above
        vector: &VECTOR,
    };
}

#[cfg(target_arch = "aarch64")]
pub(crate) mod dotprod {
    use super::*;
    product_128!(int8, "neon,dotprod", crate::tile::arithmetic::arm::dotprod::int8, by_fours);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: int8::multiply, ..neon::TABLE };
}

#[cfg(target_arch = "aarch64")]
pub(crate) mod i8mm {
    use super::*;
    product_128!(int8, "neon,dotprod,i8mm", crate::tile::arithmetic::arm::i8mm::int8, by_pairs);

    pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: int8::multiply, ..neon::TABLE };
}
