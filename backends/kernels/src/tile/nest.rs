//! The loop nest of a product: panels of 64 columns, in a panel tiles of a few rows, in a tile K from first
//! to last.
//!
//! A tile keeps its sums in registers for the whole of K, so that no sum is spilled between blocks of K. An
//! f32 sum has one order in any tile, which makes a row's result independent of other rows. A tile of rows
//! reads the panel (64·K bytes in int8) once from L2 or beyond, at 64 bytes for each four to eight
//! multiplications; L2 gives more. Rows are divided evenly: eight rows are four and four, because tiles of
//! six and two would leave the short tile waiting for loads. The first tile of rows would wait for a panel
//! from afar, so each tile may prefetch a share of the next panel. The [`Blocking`] sets the rows of a tile,
//! the rows of a pass, and the distance of prefetching.
//!
//! A macro, such as those of `walk`, goes through K. After it, `finish` works on vectors of sixteen sums: it scales,
//! adds the bias, activates, adds the residual, and writes the result. The function is long because its values stay in
//! registers only within one function.
//!
//! [`Blocking`]: crate::Blocking

/// Writes the product of one precision for one instruction set, over the module with its vector maths, beside which its
/// `lanes` stand, and the module with its steps. `walk` is the macro that goes through K. `wide` gives the vectors of a
/// panel that a tile takes, by its number of rows. All sums stay in registers. Few rows have at least eight registers
/// of sums in flight, but one row of 512 bits four, and of several rows each has four.
macro_rules! product {
    ($name:ident, [$(#[$feature:meta])*], $maths:path, $steps:path, walk: $walk:path,
     wide: $wide:expr, tiles: $(($rows:literal, $vectors:literal))+) => {
        pub(crate) mod $name {
            use crate::Blocking;
            use crate::lanes::{Block, LANES};
            use crate::tile::job::{Best, Job, Panel, Sink, PrefetchPlan};
            use crate::tile::Activation;
            use crate::tile::nest::{even_tiles, part, sixteen};
            use crate::tile::walk::each_row;
            use maths::lanes;
            use $maths as maths;
            use $steps as steps;
            use $walk as walk;

            /// The form in which rows are read.
            type Rows = walk!(rows);

            /// Vectors of a tile, by its number of rows less one.
            const WIDE: &[usize] = &$wide;

            $(#[$feature])*
            pub(crate) fn multiply(job: &mut Job<'_>) {
                let Blocking { tile_rows, pass_rows, prefetch } = job.blocking;
                let tall = WIDE.len().min(tile_rows.into()).max(1);
                let mut read = Rows::new(job);
                let pass = if pass_rows == 0 { job.rows.max(1) } else { pass_rows.into() }.min(read.most_rows(tall));
                for from in (0..job.rows).step_by(pass) {
                    let to = job.rows.min(from + pass);
                    read.prepare(job, from..to);
                    for panel in job.panels() {
                        let mut row = from;
                        let tiles = (to - from).div_ceil(tall);
                        for (turn, rows) in even_tiles(to - from, tall).enumerate() {
                            let wide = WIDE[rows - 1];
                            read.meet(job, &panel, row..row + rows, to);
                            for first in (0..panel.vectors).step_by(wide) {
                                let soon = panel.soon(first, wide, prefetch, (turn, tiles));
                                match (rows, wide.min(panel.vectors - first)) {
                                    $(($rows, $vectors) => tile::<$rows, $vectors>(job, &read, row, &panel, first, soon),)+
                                    _ => unreachable!("every pair of rows and vectors within WIDE is listed"),
                                }
                            }
                            row += rows;
                        }
                    }
                }
            }

            /// Computes a tile. With each group it prefetches some of the blocks in `soon`, so that memory
            /// works without pauses.
            $(#[$feature])*
            #[inline(never)] // each has all registers to itself
            fn tile<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, read: &Rows, row: usize, panel: &Panel<'_>, first: usize, soon: Option<PrefetchPlan>,
            ) {
                let column = panel.column + LANES * first;
                let a = read.rows::<ROWS>(job, row);
                let starts: &[[i32; LANES]; VECTORS] = part(job.starts, column / LANES);
                let mut sums = [[steps::start(&[0; LANES]); VECTORS]; ROWS];
                each_row!(ROWS, I, {
                    for v in 0..VECTORS {
                        sums[I][v] = steps::start(&starts[v]);
                    }
                });
                walk!(ROWS, VECTORS, job, a, panel, first, soon, sums);
                finish(job, row, column, sums);
            }

            /// Finishes the sums of a tile: everything but the calls of functions that all tiles share stays
            /// in registers.
            $(#[$feature])*
            #[inline]
            fn finish<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, row: usize, column: usize, sums: [[steps::Sum; VECTORS]; ROWS],
            ) {
                if column + LANES * VECTORS > job.columns.end {
                    let spilled = sums;
                    for (i, sums) in spilled.iter().enumerate() {
                        finish_end(job, row + i, column, sums);
                    }
                    return;
                }
                let (width, local) = (LANES * VECTORS, column - job.columns.start);
                let scales: &[[f32; LANES]; VECTORS] = part(job.scales.as_chunks().0, column / LANES);
                let bias: &[[f32; LANES]; VECTORS] = part(job.bias.as_chunks().0, column / LANES);
                let row_scales = job.row_scales::<ROWS>(row);
                let mut y = [[lanes::splat(0.0); VECTORS]; ROWS];
                each_row!(ROWS, I, {
                    let row_scale = lanes::splat(row_scales[I]);
                    for v in 0..VECTORS {
                        let scaled = lanes::mul(steps::to_f(sums[I][v]), lanes::load(&scales[v]));
                        y[I][v] = lanes::fma(scaled, row_scale, lanes::load(&bias[v]));
                    }
                });
                match job.activation {
                    Activation::None => {}
                    Activation::Relu => {
                        each_row!(ROWS, I, {
                            for v in 0..VECTORS {
                                y[I][v] = lanes::max(lanes::splat(0.0), y[I][v]);
                            }
                        });
                    }
                    kind => {
                        let mut spilled = y; // a copy, so that other values stay in registers
                        maths::activate_each(kind, spilled.as_flattened_mut());
                        y = spilled;
                    }
                }
                if let Some(residual) = &job.residual {
                    each_row!(ROWS, I, {
                        let residual = residual.row(row + I)[local..][..width].as_chunks::<LANES>().0;
                        for v in 0..VECTORS {
                            y[I][v] = lanes::add(y[I][v], lanes::load(&residual[v]));
                        }
                    });
                }
                match &mut job.sink {
                    Sink::F32(out) => {
                        let out = out.parts::<ROWS>(row, local, width);
                        each_row!(ROWS, I, {
                            for v in 0..VECTORS {
                                let out = out[I].wrapping_add(LANES * v).cast::<[f32; LANES]>();
                                // SAFETY: `parts` answers for the whole width of each row.
                                lanes::store(unsafe { &mut *out }, y[I][v]);
                            }
                        });
                    }
                    Sink::Best { best, mask } => {
                        let none = lanes::splat(f32::NEG_INFINITY);
                        if let Some(mask) = mask {
                            each_row!(ROWS, I, {
                                for v in 0..VECTORS {
                                    let allowed = lanes::from_bits(mask.sixteen(row + I, column + LANES * v));
                                    y[I][v] = lanes::select(allowed, y[I][v], none);
                                }
                            });
                        }
                        let best: &mut [Best; ROWS] = best[row..].first_chunk_mut().expect("one for each row");
                        each_row!(ROWS, I, {
                            let mut most = none;
                            for v in 0..VECTORS {
                                most = lanes::max(y[I][v], most);
                            }
                            if lanes::any(lanes::gt(most, lanes::splat(best[I].value))) {
                                challenge(&mut best[I], y[I], column);
                            }
                        });
                    }
                    Sink::Int8 { out, multiplier, flip } => {
                        let spilled = y;
                        for (i, y) in spilled.iter().enumerate() {
                            maths::to_bytes(y, *multiplier, *flip, out.part(row + i, local, width));
                        }
                    }
                }
            }

            $(#[$feature])*
            #[inline(never)] // rare: its code needn't be copied into every tile
            fn challenge<const VECTORS: usize>(best: &mut Best, y: [lanes::F; VECTORS], column: usize) {
                for (v, y) in y.into_iter().enumerate() {
                    if lanes::any(lanes::gt(y, lanes::splat(best.value))) {
                        let mut values = [0.0; LANES];
                        lanes::store(&mut values, y);
                        best.challenge(&values, column + LANES * v);
                    }
                }
            }

            /// Finishes the last columns, which end within a vector.
            $(#[$feature])*
            // one copy serves all tiles: the call is cheap beside a tile, and copies would be much code
            #[inline(never)]
            fn finish_end(job: &mut Job<'_>, row: usize, column: usize, sums: &[steps::Sum]) {
                let [row_scale] = *job.row_scales(row);
                let row_scale = lanes::splat(row_scale);
                for (v, sums) in sums.iter().enumerate() {
                    let column = column + LANES * v;
                    let n = LANES.min(job.columns.end - column);
                    let scaled = lanes::mul(steps::to_f(*sums), lanes::load(sixteen(job.scales, column)));
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
                            challenge(&mut best[row], [y], column);
                        }
                    }
                }
            }
        }
    };
}
pub(crate) use product;

/// Sixteen values from a position on.
#[inline]
pub(crate) fn sixteen(values: &[f32], from: usize) -> &[f32; 16] {
    values[from..].first_chunk().expect("scales and bias fill whole vectors")
}

/// As many values as the type says, from a position on.
#[inline]
pub(crate) fn part<T, const N: usize>(values: &[T], from: usize) -> &[T; N] {
    values[from..].first_chunk().expect("starts, scales and bias fill whole vectors")
}

/// Numbers of rows of tiles with at most `most` rows, as even as possible.
pub(crate) fn even_tiles(rows: usize, most: usize) -> impl Iterator<Item = usize> {
    let tiles = rows.div_ceil(most);
    let (rows, more) = (rows / tiles, rows % tiles);
    (0..tiles).map(move |tile| rows + usize::from(tile < more))
}
