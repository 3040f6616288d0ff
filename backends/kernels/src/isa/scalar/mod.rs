//! Plain code: the specification of all other sets, and the code of a processor without a better one. No
//! instruction is named here; the compiler makes the best of loops over sixteen lanes.

pub(crate) mod lanes;
pub(crate) mod steps;

use crate::isa::table::{IsaFunctions, vector_maths};

vector_maths!([]);
crate::scaled::scaled!([], crate::isa::scalar::lanes, crate::isa::scalar::steps::scaled, rows: 2, sums: 1);

/// Products with tiles of one sum.
macro_rules! products {
    ($($name:ident: $steps:path, $walk:ident;)+) => {$(
        crate::tile::nest::product!($name, [], crate::isa::scalar, $steps, walk: crate::tile::walk::$walk,
            wide: [1], tiles: (1, 1));
    )+};
}

products! {
    int8: crate::isa::scalar::steps::int8, by_groups;
    int16: crate::isa::scalar::steps::int16, by_groups;
    bf16: crate::isa::scalar::steps::bf16, by_groups;
    f16: crate::isa::scalar::steps::f32, by_twos;
    f32: crate::isa::scalar::steps::f32, by_groups;
}

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
