//! AMX for int8: the matrix unit computes the sums of int8 products where it is faster than vectors. A walk hands
//! them to the tiles, which finish them as any others. Everything else is that of AVX-512-BF16.

pub(crate) mod matrix_unit;

use crate::isa::table::IsaFunctions;
use crate::isa::{avx512_bf16, avx512_vnni};
use crate::tile::job::Job;

/// Reads the sums that the matrix unit has computed, and walks through the groups that it left.
macro_rules! by_squares {
    (rows) => {
        crate::isa::amx_int8::matrix_unit::Squares
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        each_row!($rows, I, {
            for v in 0..$vectors {
                // SAFETY: the panel has VECTORS vectors from the first.
                $sums[I][v] = steps::start(unsafe { $a[I].sums($first + v) });
            }
        });
        let a = $a.map(|row| row.groups);
        let whole = crate::isa::amx_int8::matrix_unit::whole_groups($job);
        crate::tile::walk::by_groups!($rows, $vectors, whole..$job.groups, a, $panel, $first, $soon, $sums)
    };
}
pub(crate) use by_squares;

crate::tile::nest::product!(int8, [#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]],
    crate::isa::avx512bw, crate::isa::avx512_vnni::steps::int8, walk: crate::isa::amx_int8::by_squares,
    wide: [4, 4, 4, 4],
    tiles: (1, 1) (1, 2) (1, 3) (1, 4) (2, 1) (2, 2) (2, 3) (2, 4) (3, 1) (3, 2) (3, 3) (3, 4)
        (4, 1) (4, 2) (4, 3) (4, 4));

/// The matrix unit where it is faster, or else the vectors.
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn multiply(job: &mut Job<'_>) {
    if matrix_unit::is_faster(job) { int8::multiply(job) } else { avx512_vnni::int8::multiply(job) }
}

pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: multiply, ..avx512_bf16::TABLE };
