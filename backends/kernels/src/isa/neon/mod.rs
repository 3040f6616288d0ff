//! NEON, which every 64-bit Arm processor under Linux has: vectors are four 128-bit registers. Products in half
//! precision and with scaled weights are plain code.

pub(crate) mod by_fours;
pub(crate) mod lanes;
pub(crate) mod steps;

use crate::isa::scalar;
use crate::isa::table::{IsaFunctions, vector_maths};

/// Writes a product with tiles as large as those of 256 bits: 32 registers of 128 bits hold as much as sixteen of
/// 256.
macro_rules! product_128 {
    ($name:ident, $features:literal, $steps:path, $walk:path) => {
        crate::tile::nest::product!($name, [#[target_feature(enable = $features)]], crate::isa::neon, $steps,
            walk: $walk, wide: [4, 2, 1, 1, 1, 1],
            tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (4, 1) (5, 1) (6, 1));
    };
}
pub(crate) use product_128;

vector_maths!([#[target_feature(enable = "neon")]]);
// Products of bytes take registers before they are added, so that a tile has four rows at most.
crate::tile::nest::product!(int8, [#[target_feature(enable = "neon")]], crate::isa::neon, crate::isa::neon::steps::int8,
    walk: crate::tile::walk::by_groups, wide: [4, 2, 1, 1],
    tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (3, 1) (4, 1));
product_128!(int16, "neon", crate::isa::neon::steps::int16, crate::tile::walk::by_groups);
product_128!(f32, "neon", crate::isa::neon::steps::f32, crate::isa::neon::by_fours::by_fours);

pub(crate) static TABLE: IsaFunctions = IsaFunctions {
    int8: int8::multiply,
    int16: int16::multiply,
    f32: f32::multiply,
    vector: &VECTOR,
    ..scalar::TABLE // the compiler's code for sixteen lanes
};
