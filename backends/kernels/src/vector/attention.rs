//! Attention: with several heads over [`KeyValues`](super::KeyValues), and the additive attention of
//! recurrent models. A sum over the width of a head, or over positions, has one order: from first to last.

/// Writes the functions for one instruction set; `functions!` and `slices!` must stand beside it.
macro_rules! attention {
    ([$(#[$feature:meta])*]) => {
        use crate::vector::KeyValues;

        /// Attends with queries [rows, `stride`]; the result is `out` [rows, D]. `weights` has room for [4,
        /// heads, span]; its beginning is left with the weights of the last query.
        $(#[$feature])*
        pub(crate) fn attend(
            (queries, stride): (&[f32], usize), memory: &KeyValues, heads: usize, weights: &mut [f32], out: &mut [f32],
        ) {
            let (width, len) = (memory.width, heads * memory.span());
            let rows = out.len() / width;
            let fours = rows / TOGETHER * TOGETHER;
            let (by_four, by_one) = out.split_at_mut(fours * width);
            for (four, out) in by_four.chunks_exact_mut(TOGETHER * width).enumerate() {
                let queries = &queries[four * TOGETHER * stride..];
                attend_rows::<TOGETHER, 2>((queries, stride), memory, heads, weights, out);
            }
            for (row, out) in by_one.chunks_exact_mut(width).enumerate() {
                attend_rows::<1, TOGETHER>((&queries[(fours + row) * stride..], stride), memory, heads, weights, out);
            }
            if rows > 0 && rows == fours {
                weights.copy_within((TOGETHER - 1) * len..TOGETHER * len, 0);
            }
        }

        /// Attends with several queries at once, which share the loads of keys and values. Each sum is a
        /// chain of dependent steps, so that `HEADS` heads are computed side by side.
        $(#[$feature])*
        fn attend_rows<const ROWS: usize, const HEADS: usize>(
            (queries, stride): (&[f32], usize), memory: &KeyValues, heads: usize, weights: &mut [f32], out: &mut [f32],
        ) {
            let (width, span) = (memory.width / heads, memory.span());
            let weights = &mut weights[..ROWS * heads * span];
            let mut query: [&[f32]; ROWS] = [&[]; ROWS]; // [ROWS][D]
            for row in 0..ROWS {
                query[row] = &queries[row * stride..][..memory.width];
            }
            let together = heads / HEADS * HEADS;
            for head in (0..together).step_by(HEADS) {
                weigh::<ROWS, HEADS>(&query, memory, (head, heads), weights);
            }
            for head in together..heads {
                weigh::<ROWS, 1>(&query, memory, (head, heads), weights);
            }
            weights.chunks_exact_mut(span).for_each(|weights| normalise(weights, memory.positions));
            if width % LANES == 0 {
                sum_rows::<ROWS>(weights, memory, heads, out);
                return;
            }
            for (weights, out) in weights.chunks_exact(heads * span).zip(out.chunks_exact_mut(memory.width)) {
                for (head, weights) in weights.chunks_exact(span).enumerate() {
                    let first = head * width;
                    for from in (first..first + width).step_by(LANES) {
                        let to = (from + LANES).min(first + width);
                        weigh_up(&weights[..memory.positions], &memory.values, from..to, &mut out[from..to]);
                    }
                }
            }
        }

        /// query·key/√width of each position, for `HEADS` heads from `head` on.
        $(#[$feature])*
        #[inline]
        fn weigh<const ROWS: usize, const HEADS: usize>(
            query: &[&[f32]; ROWS], memory: &KeyValues, (head, heads): (usize, usize), weights: &mut [f32],
        ) {
            let (width, span) = (memory.width / heads, memory.span());
            let (first, scale) = (head * width, lanes::splat(1.0 / (width as f32).sqrt()));
            for (block, keys) in memory.keys.chunks_exact(memory.width).enumerate() {
                let keys = &keys[first..][..HEADS * width];
                let mut sums = [[lanes::splat(0.0); HEADS]; ROWS];
                for at in 0..width {
                    for h in 0..HEADS {
                        let key = lanes::load(&keys[h * width + at]);
                        for row in 0..ROWS {
                            let x = lanes::splat(query[row][first + h * width + at]);
                            sums[row][h] = lanes::fma(x, key, sums[row][h]);
                        }
                    }
                }
                for row in 0..ROWS {
                    for h in 0..HEADS {
                        let to = (row * heads + head + h) * span + block * LANES;
                        lanes::store(&mut weights[to..][..LANES], lanes::mul(sums[row][h], scale));
                    }
                }
            }
        }

        /// Softmax over so many positions: as [`softmax`], on whole vectors. Values past the positions become
        /// 0.
        $(#[$feature])*
        #[inline]
        fn normalise(weights: &mut [f32], positions: usize) {
            let mask = |block: usize| filled(positions.saturating_sub(block * LANES));
            let mut most = lanes::splat(f32::NEG_INFINITY);
            for (block, x) in weights.as_chunks::<LANES>().0.iter().enumerate() {
                most = lanes::select(mask(block), lanes::max(lanes::load(x), most), most);
            }
            let most = lanes::splat(lanes::reduce_max(most));
            let mut sum = lanes::splat(0.0);
            for (block, x) in weights.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let e = exp(lanes::sub(lanes::load(x), most));
                let e = lanes::select(mask(block), e, lanes::splat(0.0));
                lanes::store(x, e);
                sum = lanes::add(sum, e);
            }
            let scale = lanes::splat(1.0 / lanes::reduce_add(sum));
            for x in weights.as_chunks_mut::<LANES>().0 {
                let y = lanes::mul(lanes::load(x), scale);
                lanes::store(x, y);
            }
        }

        /// Σ weight·value, for heads that fill whole vectors.
        $(#[$feature])*
        #[inline]
        fn sum_rows<const ROWS: usize>(weights: &[f32], memory: &KeyValues, heads: usize, out: &mut [f32]) {
            const BLOCKS: usize = 2;
            let twos = memory.width / (BLOCKS * LANES) * BLOCKS * LANES;
            for first in (0..twos).step_by(BLOCKS * LANES) {
                sum_some::<ROWS, BLOCKS>(weights, memory, (first, heads), out);
            }
            for first in (twos..memory.width).step_by(LANES) {
                sum_some::<ROWS, 1>(weights, memory, (first, heads), out);
            }
        }

        $(#[$feature])*
        #[inline]
        fn sum_some<const ROWS: usize, const BLOCKS: usize>(
            weights: &[f32], memory: &KeyValues, (first, heads): (usize, usize), out: &mut [f32],
        ) {
            let (width, span) = (memory.width / heads, memory.span());
            let mut of: [[&[f32]; BLOCKS]; ROWS] = [[&[]; BLOCKS]; ROWS]; // [ROWS][BLOCKS][positions]
            for row in 0..ROWS {
                for block in 0..BLOCKS {
                    let head = (first + block * LANES) / width;
                    of[row][block] = &weights[(row * heads + head) * span..][..memory.positions];
                }
            }
            let mut sums = [[lanes::splat(0.0); BLOCKS]; ROWS];
            for (at, values) in memory.values.chunks_exact(memory.width).take(memory.positions).enumerate() {
                let values = &values[first..][..BLOCKS * LANES];
                for block in 0..BLOCKS {
                    let value = lanes::load(&values[block * LANES..][..LANES]);
                    for row in 0..ROWS {
                        sums[row][block] = lanes::fma(lanes::splat(of[row][block][at]), value, sums[row][block]);
                    }
                }
            }
            for row in 0..ROWS {
                for block in 0..BLOCKS {
                    let to = row * memory.width + first + block * LANES;
                    lanes::store(&mut out[to..][..LANES], sums[row][block]);
                }
            }
        }

        /// Σ weight·row over all rows, for up to sixteen columns. The width of a row follows from the number
        /// of weights.
        $(#[$feature])*
        #[inline]
        fn weigh_up(weights: &[f32], rows: &[f32], columns: std::ops::Range<usize>, out: &mut [f32]) {
            let mut sum = lanes::splat(0.0);
            for (weight, row) in weights.iter().zip(rows.chunks_exact(rows.len() / weights.len())) {
                sum = lanes::fma(lanes::splat(*weight), lanes::load(&row[columns.clone()]), sum);
            }
            lanes::store(out, sum);
        }

        $(#[$feature])*
        pub(crate) fn weighted_sum(weights: &[f32], rows: &[f32], out: &mut [f32]) {
            for (block, out) in out.chunks_mut(LANES).enumerate() {
                weigh_up(weights, rows, block * LANES..block * LANES + out.len(), out);
            }
        }

        $(#[$feature])*
        pub(crate) fn energies(rows: &[f32], state: &[f32], direction: &[f32], out: &mut [f32]) {
            for (energy, row) in out.iter_mut().zip(rows.chunks_exact(state.len())) {
                let mut sum = lanes::splat(0.0);
                for ((x, s), u) in row.chunks(LANES).zip(state.chunks(LANES)).zip(direction.chunks(LANES)) {
                    let bent = tanh(lanes::add(lanes::load(x), lanes::load(s)));
                    sum = lanes::fma(lanes::load(u), bent, sum);
                }
                *energy = lanes::reduce_add(sum);
            }
        }
    };
}
pub(crate) use attention;
