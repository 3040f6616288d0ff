//! The loop nest of a product: panels of 64 columns, in them tiles of a few rows, in them K from first to last.
//!
//! A tile keeps its sums in registers for the whole of K, so nothing is spilled between blocks of K, and an f32 sum has one
//! order whatever the tile: that makes a row's result independent of the rows beside it. A panel (64·K bytes in int8) is
//! read from L2 or beyond once per tile of rows, at 64 bytes for each four to six multiplications: below what L2 gives.
//! Rows are shared out evenly: eight are four and four, since six and two would leave the short tile waiting for loads.
//! Past the tile everything works on the 16 sums of a vector: `finish` scales, adds the bias, activates, adds the
//! residual, and hands the vector to where results go.

/// Writes the product of one precision for one instruction set. `wide` says how many vectors of a panel a tile takes, by its
/// number of rows: as many as keep all sums in registers, and at least eight sums in flight where there are few rows.
macro_rules! product {
    ($name:ident, [$(#[$feature:meta])*], $lanes:ident, $arithmetic:path, $maths:path, wide: $wide:expr,
     tiles: $(($rows:literal, $vectors:literal))+) => {
        pub(crate) mod $name {
            use crate::lanes::{LANES, $lanes as lanes};
            use crate::product::job::{Best, Job, Panel, Sink};
            use crate::product::tile::{even_tiles, group, sixteen};
            use $arithmetic as arithmetic;
            use $maths as maths;

            /// Vectors that a tile takes, by its rows less one.
            const WIDE: &[usize] = &$wide;

            $(#[$feature])*
            pub(crate) fn multiply(job: &mut Job<'_>) {
                for panel in job.panels() {
                    let mut row = 0;
                    for rows in even_tiles(job.rows, WIDE.len()) {
                        for first in (0..panel.vectors).step_by(WIDE[rows - 1]) {
                            let vectors = WIDE[rows - 1].min(panel.vectors - first);
                            match (rows, vectors) {
                                $(($rows, $vectors) => tile::<$rows, $vectors>(job, row, &panel, first),)+
                                _ => unreachable!("every pair of rows and vectors within WIDE is listed"),
                            }
                        }
                        row += rows;
                    }
                }
            }

            $(#[$feature])*
            fn tile<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, row: usize, panel: &Panel<'_>, first: usize,
            ) {
                let column = panel.column + LANES * first;
                let a: [&[u8]; ROWS] = std::array::from_fn(|i| job.row(row + i)); // [ROWS][4·groups]
                let starts = &job.starts[column / LANES..][..VECTORS]; // [VECTORS]
                let starts: [_; VECTORS] = std::array::from_fn(|v| arithmetic::start(&starts[v]));
                let mut sums = [starts; ROWS];
                for (g, blocks) in panel.blocks.get(first..).unwrap_or_default().chunks(panel.vectors).enumerate() {
                    let Some(blocks) = blocks.first_chunk::<VECTORS>() else { unreachable!("a group has all vectors") };
                    for i in 0..ROWS {
                        // SAFETY: `row` gives as many groups as the panel has.
                        let a = arithmetic::spread(unsafe { group(a[i], g) });
                        for v in 0..VECTORS {
                            sums[i][v] = arithmetic::step(sums[i][v], a, &blocks[v]);
                        }
                    }
                }
                finish(job, row, column, sums);
            }

            /// What follows the sums, in registers where it is simple: whole vectors, no activation or relu, no requantising.
            $(#[$feature])*
            #[inline]
            fn finish<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, row: usize, column: usize, sums: [[arithmetic::Sum; VECTORS]; ROWS],
            ) {
                let Some(floor) = job.floor().filter(|_| column + LANES * VECTORS <= job.columns.end) else {
                    for (i, sums) in sums.iter().enumerate() {
                        finish_any(job, row + i, column, sums);
                    }
                    return;
                };
                let floor = lanes::splat(floor);
                let scales: [&[f32; LANES]; VECTORS] = std::array::from_fn(|v| sixteen(job.scales, column + LANES * v));
                let bias: [&[f32; LANES]; VECTORS] = std::array::from_fn(|v| sixteen(job.bias, column + LANES * v));
                for (i, sums) in sums.into_iter().enumerate() {
                    let row_scale = lanes::splat(job.row_scale(row + i));
                    let mut y = [lanes::splat(0.0); VECTORS];
                    for v in 0..VECTORS {
                        let scaled = lanes::mul(arithmetic::to_f(sums[v]), lanes::load(scales[v]));
                        y[v] = lanes::max(floor, lanes::fma(scaled, row_scale, lanes::load(bias[v])));
                    }
                    let local = column - job.columns.start;
                    if let Some(residual) = &job.residual {
                        let residual = residual.row(row + i)[local..][..LANES * VECTORS].as_chunks::<LANES>().0;
                        for v in 0..VECTORS {
                            y[v] = lanes::add(y[v], lanes::load(&residual[v]));
                        }
                    }
                    match &mut job.sink {
                        Sink::F32(out) => {
                            let out = out.part(row + i, local, LANES * VECTORS).as_chunks_mut::<LANES>().0;
                            for v in 0..VECTORS {
                                lanes::store(&mut out[v], y[v]);
                            }
                        }
                        Sink::Best { best, mask } => {
                            let mut most = lanes::splat(f32::NEG_INFINITY);
                            for v in 0..VECTORS {
                                if let Some(mask) = mask {
                                    let allowed = lanes::from_bits(mask.sixteen(row + i, column + LANES * v));
                                    y[v] = lanes::select(allowed, y[v], lanes::splat(f32::NEG_INFINITY));
                                }
                                most = lanes::max(y[v], most);
                            }
                            if lanes::any(lanes::gt(most, lanes::splat(best[row + i].value))) {
                                for v in 0..VECTORS {
                                    challenge(&mut best[row + i], y[v], column + LANES * v);
                                }
                            }
                        }
                        Sink::Int8 { .. } => unreachable!("a requantised result has no floor"),
                    }
                }
            }

            $(#[$feature])*
            #[inline(never)] // seldom: its code needn't stand in every tile
            fn challenge(best: &mut Best, y: lanes::F, column: usize) {
                let mut values = [0.0; LANES];
                lanes::store(&mut values, y);
                best.challenge(&values, column);
            }

            /// The general form.
            $(#[$feature])*
            #[inline(never)] // one copy serves all tiles: it costs little beside a tile, and much code
            fn finish_any(job: &mut Job<'_>, row: usize, column: usize, sums: &[arithmetic::Sum]) {
                let row_scale = lanes::splat(job.row_scale(row));
                for (v, sums) in sums.iter().enumerate() {
                    let column = column + LANES * v;
                    let n = LANES.min(job.columns.end - column);
                    let scaled = lanes::mul(arithmetic::to_f(*sums), lanes::load(sixteen(job.scales, column)));
                    let y = lanes::fma(scaled, row_scale, lanes::load(sixteen(job.bias, column)));
                    let mut y = maths::activate(job.activation, y);
                    let local = column - job.columns.start;
                    if let Some(residual) = &job.residual {
                        y = lanes::add(y, lanes::load(&residual.row(row)[local..][..n]));
                    }
                    match &mut job.sink {
                        Sink::F32(out) => lanes::store(out.part(row, local, n), y),
                        Sink::Int8 { out, multiplier, flip } => {
                            let bytes = maths::to_byte(lanes::mul(y, lanes::splat(*multiplier)));
                            lanes::store_bytes(out.part(row, local, n), bytes, *flip);
                        }
                        Sink::Best { best, mask } => {
                            let bits = mask.map_or(u16::MAX, |mask| mask.sixteen(row, column)) & (u16::MAX >> (LANES - n));
                            let y = lanes::select(lanes::from_bits(bits), y, lanes::splat(f32::NEG_INFINITY));
                            challenge(&mut best[row], y, column);
                        }
                    }
                }
            }
        }
    };
}
pub(crate) use product;

/// Sixteen values from a place.
#[inline]
pub(crate) fn sixteen(values: &[f32], from: usize) -> &[f32; 16] {
    values[from..].first_chunk().expect("scales and bias fill whole vectors")
}

/// Tiles of at most `most` rows, as even as can be.
pub(crate) fn even_tiles(rows: usize, most: usize) -> impl Iterator<Item = usize> {
    let tiles = rows.div_ceil(most);
    (0..tiles).map(move |tile| (tile + 1) * rows / tiles - tile * rows / tiles)
}

/// The four bytes of group `g` of a row.
///
/// # Safety
/// The row must have more than `g` groups.
#[inline(always)]
pub(crate) unsafe fn group(row: &[u8], g: usize) -> i32 {
    debug_assert!(4 * g + 4 <= row.len(), "group {g} is past the row's {} bytes", row.len());
    // SAFETY: the caller says that the group is within the row.
    let at = unsafe { row.as_ptr().add(4 * g) };
    // SAFETY: as above; the read needs no alignment.
    unsafe { at.cast::<i32>().read_unaligned() }
}
