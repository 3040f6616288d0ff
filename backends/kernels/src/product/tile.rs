//! The loop nest of a product: panels of 64 columns, in them tiles of a few rows, in them K from first to last.
//!
//! A tile keeps its sums in registers for the whole of K, so nothing is spilled between blocks of K, and an f32 sum has one
//! order whatever the tile: that makes a row's result independent of the rows beside it. A panel (64·K bytes in int8) is
//! read from L2 or beyond once per tile of rows, at 64 bytes for each four to eight multiplications: below what L2 gives.
//! Rows are shared out evenly: eight are four and four, since six and two would leave the short tile waiting for loads. Of a
//! panel from afar only the first tile of rows would wait; so all of its tiles may fetch a share of the next panel each.
//! How many rows a tile may have, how many pass before the next panel, and how far ahead blocks are fetched is the [`Blocking`]'s.
//!
//! Past the tile everything works on the 16 sums of a vector: `finish` scales, adds the bias, activates, adds the
//! residual, and hands the vector to where results go. That function is long on purpose: what it takes apart and puts together stays in
//! registers only as long as it is one.
//!
//! [`Blocking`]: crate::Blocking

/// Writes the product of one precision for one instruction set. `wide` says how many vectors of a panel a tile takes, by its
/// number of rows: as many as keep all sums in registers, and at least eight sums in flight where there are few rows.
macro_rules! product {
    ($name:ident, [$(#[$feature:meta])*], $lanes:ident, $arithmetic:path, $maths:path, wide: $wide:expr,
     tiles: $(($rows:literal, $vectors:literal))+) => {
        pub(crate) mod $name {
            use crate::Blocking;
            use crate::lanes::{Block, LANES, $lanes as lanes};
            use crate::product::job::{Best, Job, Panel, Sink, Soon};
            use crate::product::Activation;
            use crate::product::tile::{each_row, even_tiles, group, part, sixteen};
            use $arithmetic as arithmetic;
            use $maths as maths;

            /// Vectors that a tile takes, by its rows less one.
            const WIDE: &[usize] = &$wide;

            $(#[$feature])*
            pub(crate) fn multiply(job: &mut Job<'_>) {
                let Blocking { tile_rows, pass_rows, prefetch } = job.blocking;
                let tall = WIDE.len().min(tile_rows.into()).max(1);
                let pass = if pass_rows == 0 { job.rows.max(1) } else { pass_rows.into() };
                for from in (0..job.rows).step_by(pass) {
                    let to = job.rows.min(from + pass);
                    for panel in job.panels() {
                        let mut row = from;
                        let tiles = (to - from).div_ceil(tall);
                        for (turn, rows) in even_tiles(to - from, tall).enumerate() {
                            let wide = WIDE[rows - 1];
                            for first in (0..panel.vectors).step_by(wide) {
                                let soon = panel.soon(first, wide, prefetch, (turn, tiles));
                                match (rows, wide.min(panel.vectors - first)) {
                                    $(($rows, $vectors) => tile::<$rows, $vectors>(job, row, &panel, first, soon),)+
                                    _ => unreachable!("every pair of rows and vectors within WIDE is listed"),
                                }
                            }
                            row += rows;
                        }
                    }
                }
            }

            /// With each group some of what will be needed `soon` is fetched, so that memory is asked without a pause: where it
            /// is what takes time, and where multiplying is.
            $(#[$feature])*
            #[inline(never)] // each with all registers to itself
            fn tile<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, row: usize, panel: &Panel<'_>, first: usize, soon: Option<Soon>,
            ) {
                let column = panel.column + LANES * first;
                let a = job.row_starts::<ROWS>(row);
                let starts: &[[i32; LANES]; VECTORS] = part(job.starts, column / LANES);
                let mut sums = [[arithmetic::start(&[0; LANES]); VECTORS]; ROWS];
                each_row!(ROWS, I, {
                    for v in 0..VECTORS {
                        sums[I][v] = arithmetic::start(&starts[v]);
                    }
                });
                for g in 0..job.groups {
                    if let Some(soon) = soon {
                        for next in 0..VECTORS {
                            lanes::prefetch(soon.group(g).wrapping_add(next));
                        }
                    }
                    // SAFETY: the panel has this group, and in it VECTORS blocks from the first.
                    let blocks: &[Block; VECTORS] = unsafe { panel.group(g, first) };
                    each_row!(ROWS, I, {
                        // SAFETY: `row_starts` answers for as many groups as the panel has.
                        let a = arithmetic::spread(unsafe { group(a[I], g) });
                        for v in 0..VECTORS {
                            sums[I][v] = arithmetic::step(sums[I][v], a, &blocks[v]);
                        }
                    });
                }
                finish(job, row, column, sums);
            }

            /// What follows the sums, in registers but for what a function does for all tiles.
            $(#[$feature])*
            #[inline]
            fn finish<const ROWS: usize, const VECTORS: usize>(
                job: &mut Job<'_>, row: usize, column: usize, sums: [[arithmetic::Sum; VECTORS]; ROWS],
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
                        let scaled = lanes::mul(arithmetic::to_f(sums[I][v]), lanes::load(&scales[v]));
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
                        let mut spilled = y; // a copy, so that the others' stay in registers
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
            #[inline(never)] // seldom: its code needn't stand in every tile
            fn challenge<const VECTORS: usize>(best: &mut Best, y: [lanes::F; VECTORS], column: usize) {
                for (v, y) in y.into_iter().enumerate() {
                    if lanes::any(lanes::gt(y, lanes::splat(best.value))) {
                        let mut values = [0.0; LANES];
                        lanes::store(&mut values, y);
                        best.challenge(&values, column + LANES * v);
                    }
                }
            }

            /// Of the last columns, where they end within a vector.
            $(#[$feature])*
            #[inline(never)] // one copy serves all tiles: it costs little beside a tile, and much code
            fn finish_end(job: &mut Job<'_>, row: usize, column: usize, sums: &[arithmetic::Sum]) {
                let [row_scale] = *job.row_scales(row);
                let row_scale = lanes::splat(row_scale);
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
                            challenge(&mut best[row], [y], column);
                        }
                    }
                }
            }
        }
    };
}
pub(crate) use product;

/// Writes a block for each row of a tile, with its number as a constant. A loop might be left a loop, and then what it
/// takes from a place that varies would have to lie in memory: all sums.
macro_rules! each_row {
    ($rows:ident, $row:ident, $block:block) => {
        each_row!(@ $rows, $row, $block, 0 1 2 3 4 5)
    };
    (@ $rows:ident, $row:ident, $block:block, $($number:literal)+) => {
        $({
            const $row: usize = $number;
            if $row < $rows $block
        })+
    };
}
pub(crate) use each_row;

/// Sixteen values from a place.
#[inline]
pub(crate) fn sixteen(values: &[f32], from: usize) -> &[f32; 16] {
    values[from..].first_chunk().expect("scales and bias fill whole vectors")
}

/// Some values in a row, as many as the type says.
#[inline]
pub(crate) fn part<T, const N: usize>(values: &[T], from: usize) -> &[T; N] {
    values[from..].first_chunk().expect("starts, scales and bias fill whole vectors")
}

/// Tiles of at most `most` rows, as even as can be.
pub(crate) fn even_tiles(rows: usize, most: usize) -> impl Iterator<Item = usize> {
    let tiles = rows.div_ceil(most);
    let (rows, more) = (rows / tiles, rows % tiles);
    (0..tiles).map(move |tile| rows + usize::from(tile < more))
}

/// The four bytes of group `g` of a row.
///
/// # Safety
/// The row must have more than `g` groups.
#[inline(always)]
pub(crate) unsafe fn group(row: *const u8, g: usize) -> i32 {
    // SAFETY: the caller says that the group is within the row; the read needs no alignment.
    unsafe { row.wrapping_add(4 * g).cast::<i32>().read_unaligned() }
}
