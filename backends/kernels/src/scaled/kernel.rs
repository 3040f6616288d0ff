//! The loop nest of a product with scaled weights, and the quantisation of its activations.

use std::ops::Range;

use super::rows::{RowBlock, ScaledRows};
use super::weights::ScaledWeights;
use crate::tile::MatMut;

/// Some panels of a product, whose operands fit.
pub(crate) struct Job<'a> {
    pub(crate) weights: &'a ScaledWeights,
    pub(crate) rows: &'a ScaledRows,
    pub(crate) panels: Range<usize>,
    /// Result [rows, columns of the panels].
    pub(crate) out: MatMut<'a, f32>,
}

/// The functions of one instruction set.
#[derive(Debug)]
pub(crate) struct ScaledFunctions {
    pub(crate) multiply: unsafe fn(&mut Job<'_>),
    pub(crate) quantise: unsafe fn(&[f32], &mut [RowBlock]),
}

/// Vectors of quanta by which the first tile of a panel fetches ahead, past its own panel as well: 4 KiB. SmolLM2 in
/// Q4_1 reads 1.35 times as many words one by one with it, and 1.4 times as many of eight lines together (Emerald
/// Rapids; 2 and 8 KiB are alike).
pub(crate) const AHEAD: usize = 64;

/// Writes the functions for one instruction set, over its lanes and its steps. A tile has so many rows, or half of them
/// where a block has two scales. Each row of a tile has so many sums of a block: steps of one sum wait for each other,
/// and fill the processor's queues meanwhile. With two sums and eight rows AVX-512-VNNI is 1.4 to 1.55 times as fast as
/// with one sum, row by row, and four rows (Emerald Rapids).
macro_rules! scaled {
    ([$(#[$feature:meta])*], $lanes:path, $steps:path, rows: $tile:literal, sums: $sums:literal) => {
        pub(crate) mod scaled {
            use crate::lanes::{Block, LANES};
            use crate::scaled::kernel::{AHEAD, ScaledFunctions};
            use crate::scaled::{BLOCK, GROUPS, Job, RowBlock, ScaledForm, in_half};
            use $lanes as lanes;
            use $steps as steps;

            pub(crate) static FUNCTIONS: ScaledFunctions = ScaledFunctions { multiply, quantise };

            /// Quantises 32 values at a time, by the greatest magnitude among them.
            $(#[$feature])*
            fn quantise(x: &[f32], to: &mut [RowBlock]) {
                for (x, to) in x.chunks_exact(BLOCK).zip(to) {
                    let halves = [lanes::load(&x[..LANES]), lanes::load(&x[LANES..])];
                    let most = lanes::reduce_max(lanes::max(lanes::abs(halves[0]), lanes::abs(halves[1])));
                    let multiplier = lanes::splat(if most > 0.0 { 127.0 / most } else { 0.0 });
                    let bytes = to.values.as_flattened_mut().chunks_exact_mut(LANES);
                    for ((half, bytes), sum) in halves.into_iter().zip(bytes).zip(&mut to.sums) {
                        let whole = lanes::round(lanes::mul(half, multiplier));
                        lanes::store_bytes(bytes, lanes::to_i(whole), 0);
                        *sum = lanes::reduce_add(whole) as i32;
                    }
                    let scale = most / 127.0;
                    to.scale = in_half(scale);
                    to.total = in_half(scale * (to.sums[0] + to.sums[1]) as f32);
                }
            }

            $(#[$feature])*
            fn multiply(job: &mut Job<'_>) {
                match job.weights.form {
                    ScaledForm { four_bits: true, scales: 1, .. } => multiply_all::<true, 1>(job),
                    ScaledForm { four_bits: true, .. } => multiply_all::<true, 2>(job),
                    ScaledForm { four_bits: false, scales: 1, .. } => multiply_all::<false, 1>(job),
                    ScaledForm { four_bits: false, .. } => multiply_all::<false, 2>(job),
                }
            }

            /// Panel by panel, whose weights stay in the near cache while all rows use them.
            $(#[$feature])*
            fn multiply_all<const FOUR_BITS: bool, const SCALES: usize>(job: &mut Job<'_>) {
                let rows = job.rows.len();
                for panel in job.panels.clone() {
                    let mut row = 0;
                    while SCALES == 1 && rows - row >= $tile {
                        multiply_tile::<{ $tile }, FOUR_BITS, SCALES>(job, panel, row);
                        row += $tile;
                    }
                    while rows - row >= $tile / 2 {
                        multiply_tile::<{ $tile / 2 }, FOUR_BITS, SCALES>(job, panel, row);
                        row += $tile / 2;
                    }
                    for row in row..rows {
                        multiply_tile::<1, FOUR_BITS, SCALES>(job, panel, row);
                    }
                }
            }

            /// The sums of some rows for a panel.
            $(#[$feature])*
            #[allow(clippy::modulo_one)] // where a row has one sum
            fn multiply_tile<const ROWS: usize, const FOUR_BITS: bool, const SCALES: usize>(
                job: &mut Job<'_>, panel: usize, first: usize,
            ) {
                let form = job.weights.form;
                let (quanta, scales, minima) = job.weights.panel(panel);
                let blocks = job.weights.blocks;
                // Slices of one length, so that the loop needs no checks.
                let mut rows: [&[RowBlock]; ROWS] = [&[]; ROWS];
                for row in 0..ROWS {
                    rows[row] = &job.rows.row(first + row)[..blocks];
                }
                let vectors = if FOUR_BITS { GROUPS / 2 } else { GROUPS };
                let less = if FOUR_BITS { 0 } else { steps::LESS } - i32::from(form.zero);
                let mut sums = [lanes::splat(0.0); ROWS];
                for block in 0..blocks {
                    if first == 0 {
                        let ahead = quanta.as_ptr().wrapping_add(block * vectors + AHEAD);
                        (0..vectors).for_each(|at| lanes::prefetch(ahead.wrapping_add(at)));
                    }
                    let quanta = unpack::<FOUR_BITS>(&quanta[block * vectors..][..vectors]);
                    let scales = &scales[block * SCALES..][..SCALES];
                    let minimum = minima.get(block).map(|minimum| steps::halves(minimum));
                    for part in 0..SCALES {
                        let mut dots = [[steps::start(0); $sums]; ROWS];
                        for row in 0..ROWS {
                            let x = &rows[row][block];
                            let of_part = if SCALES == 1 { x.sums[0] + x.sums[1] } else { x.sums[part] };
                            dots[row][0] = steps::start(less * of_part);
                        }
                        for group in part * GROUPS / SCALES..(part + 1) * GROUPS / SCALES {
                            for row in 0..ROWS {
                                let four = i32::from_le_bytes(rows[row][block].values[group]);
                                let dot = &mut dots[row][group % $sums];
                                *dot = if FOUR_BITS {
                                    steps::step_4(*dot, quanta[group], four)
                                } else {
                                    steps::step_8(*dot, quanta[group], four)
                                };
                            }
                        }
                        let scale = steps::halves(&scales[part]);
                        for row in 0..ROWS {
                            let mut dot = dots[row][0];
                            for other in &dots[row][1..] {
                                dot = steps::add(dot, *other);
                            }
                            let scale = lanes::mul(scale, lanes::splat(rows[row][block].scale));
                            sums[row] = lanes::fma(lanes::to_f(dot), scale, sums[row]);
                        }
                    }
                    if let Some(minimum) = minimum {
                        for row in 0..ROWS {
                            sums[row] = lanes::fma(minimum, lanes::splat(rows[row][block].total), sums[row]);
                        }
                    }
                }
                let column = (panel - job.panels.start) * LANES;
                let filled = LANES.min(job.out.shape().1 - column);
                for row in 0..ROWS {
                    lanes::store(job.out.part(first + row, column, filled), sums[row]);
                }
            }

            /// The quanta of a block, group by group.
            $(#[$feature])*
            #[inline]
            fn unpack<const FOUR_BITS: bool>(vectors: &[Block]) -> [steps::Quanta; GROUPS] {
                let mut groups = [steps::whole(&vectors[0]); GROUPS];
                if FOUR_BITS {
                    for at in 0..GROUPS / 2 {
                        groups[at] = steps::low(&vectors[at]);
                        groups[GROUPS / 2 + at] = steps::high(&vectors[at]);
                    }
                } else {
                    for at in 0..GROUPS {
                        groups[at] = steps::whole(&vectors[at]);
                    }
                }
                groups
            }
        }
    };
}
pub(crate) use scaled;
