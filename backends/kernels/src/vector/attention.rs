//! Attention: with several heads over [`KeyValues`](super::KeyValues), and the additive attention of
//! recurrent models. A sum over the width of a head, or over positions, has one order: from first to last.

/// Writes the functions for one instruction set; `functions!` and `slices!` must stand beside it.
macro_rules! attention {
    ([$(#[$feature:meta])*]) => {
        use crate::vector::KeyValues;

        /// Attends with queries [rows, `stride`]; the result is `out` [rows, D]. `weights` has room for [4,
        /// heads, span]; its beginning is left with the weights of the last query.
        ///
        /// Four queries share the loads of keys and values. The last four may include queries of the four before
        /// them: a query's result is the same again, and fewer than four queries would take as long.
        $(#[$feature])*
        pub(crate) fn attend(
            (queries, stride): (&[f32], usize), memory: &KeyValues, heads: usize, weights: &mut [f32], out: &mut [f32],
        ) {
            let (width, len) = (memory.width, heads * memory.span());
            let rows = out.len() / width;
            if rows < TOGETHER {
                for (row, out) in out.chunks_exact_mut(width).enumerate() {
                    attend_rows::<1>((&queries[row * stride..], stride), memory, heads, weights, out);
                }
                return;
            }
            for four in (0..rows).step_by(TOGETHER) {
                let first = four.min(rows - TOGETHER);
                let out = &mut out[first * width..][..TOGETHER * width];
                attend_rows::<TOGETHER>((&queries[first * stride..], stride), memory, heads, weights, out);
            }
            weights.copy_within((TOGETHER - 1) * len..TOGETHER * len, 0);
        }

        /// Attends with several queries at once.
        $(#[$feature])*
        fn attend_rows<const ROWS: usize>(
            (queries, stride): (&[f32], usize), memory: &KeyValues, heads: usize, weights: &mut [f32], out: &mut [f32],
        ) {
            let (width, span) = (memory.width / heads, memory.span());
            let weights = &mut weights[..ROWS * heads * span];
            let mut query: [&[f32]; ROWS] = [&[]; ROWS]; // [ROWS][D]
            for row in 0..ROWS {
                query[row] = &queries[row * stride..][..memory.width];
            }
            weigh_all::<ROWS>(&query, memory, heads, weights);
            weights.chunks_exact_mut(span).for_each(|weights| normalise(weights, memory.hidden..memory.positions));
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

        /// Sums of a query's tile: a chain of dependent steps each, so that few chains would wait.
        const ONE: usize = if lanes::SUMS < 8 { lanes::SUMS } else { 8 };
        /// Sums of each query's part of a tile with four queries.
        const EACH: usize = lanes::SUMS / TOGETHER;
        /// As above, of which two are vectors of one head.
        const PAIR: usize = if EACH < 2 { 1 } else { 2 };

        /// query·key/√width of all heads and positions.
        $(#[$feature])*
        #[inline]
        fn weigh_all<const ROWS: usize>(query: &[&[f32]; ROWS], memory: &KeyValues, heads: usize, weights: &mut [f32]) {
            let blocks = memory.span() / LANES;
            let pairs = blocks / PAIR * PAIR;
            for block in (0..pairs).step_by(PAIR) {
                match ROWS {
                    1 => weigh_heads::<ROWS, TOGETHER, PAIR>(query, memory, block, heads, weights),
                    _ => weigh_heads::<ROWS, 1, PAIR>(query, memory, block, heads, weights),
                }
            }
            for block in pairs..blocks {
                match ROWS {
                    1 => weigh_heads::<ROWS, TOGETHER, 1>(query, memory, block, heads, weights),
                    _ => weigh_heads::<ROWS, PAIR, 1>(query, memory, block, heads, weights),
                }
            }
        }

        /// The tiles of all heads with `BLOCKS` blocks of sixteen positions.
        $(#[$feature])*
        #[inline]
        fn weigh_heads<const ROWS: usize, const HEADS: usize, const BLOCKS: usize>(
            query: &[&[f32]; ROWS], memory: &KeyValues, block: usize, heads: usize, weights: &mut [f32],
        ) {
            let together = heads / HEADS * HEADS;
            for head in (0..together).step_by(HEADS) {
                weigh::<ROWS, HEADS, BLOCKS>(query, memory, block, (head, heads), weights);
            }
            for head in together..heads {
                weigh::<ROWS, 1, BLOCKS>(query, memory, block, (head, heads), weights);
            }
        }

        /// query·key/√width for `HEADS` heads from `head` on, and `BLOCKS` blocks of positions from `block` on.
        $(#[$feature])*
        #[inline]
        fn weigh<const ROWS: usize, const HEADS: usize, const BLOCKS: usize>(
            query: &[&[f32]; ROWS], memory: &KeyValues, block: usize, (head, heads): (usize, usize), weights: &mut [f32],
        ) {
            let (width, span) = (memory.width / heads, memory.span());
            let first = head * width;
            // Slices of one length, so that the loop needs no checks.
            let mut x: [[&[f32]; HEADS]; ROWS] = [[&[]; HEADS]; ROWS];
            let mut keys: [[&[[f32; LANES]]; HEADS]; BLOCKS] = [[&[]; HEADS]; BLOCKS];
            for h in 0..HEADS {
                for row in 0..ROWS {
                    x[row][h] = &query[row][first + h * width..][..width];
                }
                for b in 0..BLOCKS {
                    keys[b][h] = &memory.keys[(block + b) * memory.width + first + h * width..][..width];
                }
            }
            let mut sums = [[[lanes::splat(0.0); BLOCKS]; HEADS]; ROWS];
            for at in 0..width {
                for h in 0..HEADS {
                    for row in 0..ROWS {
                        let x = lanes::splat(x[row][h][at]);
                        for b in 0..BLOCKS {
                            sums[row][h][b] = lanes::fma(x, lanes::load(&keys[b][h][at]), sums[row][h][b]);
                        }
                    }
                }
            }
            let scale = lanes::splat(1.0 / (width as f32).sqrt());
            for row in 0..ROWS {
                for h in 0..HEADS {
                    let to = &mut weights[(row * heads + head + h) * span + block * LANES..][..BLOCKS * LANES];
                    for b in 0..BLOCKS {
                        lanes::store(&mut to[b * LANES..][..LANES], lanes::mul(sums[row][h][b], scale));
                    }
                }
            }
        }

        /// Softmax over some positions: as [`softmax`], on whole vectors. Values outside of them become 0.
        $(#[$feature])*
        #[inline]
        fn normalise(weights: &mut [f32], positions: std::ops::Range<usize>) {
            let before = |end: usize, block: usize| first(end.saturating_sub(block * LANES));
            let mask = |block| lanes::from_bits(before(positions.end, block) & !before(positions.start, block));
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

        /// Σ weight·value, for heads that fill whole vectors. The vectors of a head share its weights.
        $(#[$feature])*
        #[inline]
        fn sum_rows<const ROWS: usize>(weights: &[f32], memory: &KeyValues, heads: usize, out: &mut [f32]) {
            let vectors = memory.width / heads / LANES;
            match (ROWS, vectors % 4) {
                (1, 0) => sum_heads::<ROWS, { ONE / 4 }, 4>(weights, memory, heads, out),
                (1, 2) => sum_heads::<ROWS, { ONE / 2 }, 2>(weights, memory, heads, out),
                (1, _) => sum_heads::<ROWS, ONE, 1>(weights, memory, heads, out),
                (_, 0) => sum_heads::<ROWS, 1, EACH>(weights, memory, heads, out),
                (_, 2) => sum_heads::<ROWS, { EACH / PAIR }, PAIR>(weights, memory, heads, out),
                _ => sum_heads::<ROWS, EACH, 1>(weights, memory, heads, out),
            }
        }

        /// The tiles of all heads, `HEADS` at a time, with `VECTORS` vectors of each.
        $(#[$feature])*
        #[inline]
        fn sum_heads<const ROWS: usize, const HEADS: usize, const VECTORS: usize>(
            weights: &[f32], memory: &KeyValues, heads: usize, out: &mut [f32],
        ) {
            let (width, together) = (memory.width / heads, heads / HEADS * HEADS);
            for from in (0..width).step_by(VECTORS * LANES) {
                for head in (0..together).step_by(HEADS) {
                    sum_some::<ROWS, HEADS, VECTORS>(weights, memory, (head, heads), from, out);
                }
                for head in together..heads {
                    sum_some::<ROWS, 1, VECTORS>(weights, memory, (head, heads), from, out);
                }
            }
        }

        /// Σ weight·value for `HEADS` heads from `head` on, in the vectors from place `from` of each head on.
        $(#[$feature])*
        #[inline]
        fn sum_some<const ROWS: usize, const HEADS: usize, const VECTORS: usize>(
            weights: &[f32], memory: &KeyValues, (head, heads): (usize, usize), from: usize, out: &mut [f32],
        ) {
            let (width, span, positions) = (memory.width / heads, memory.span(), memory.positions);
            let mut of: [[&[f32]; HEADS]; ROWS] = [[&[]; HEADS]; ROWS]; // [ROWS][HEADS][positions]
            for row in 0..ROWS {
                for h in 0..HEADS {
                    of[row][h] = &weights[(row * heads + head + h) * span..][..positions];
                }
            }
            let mut sums = [[[lanes::splat(0.0); VECTORS]; HEADS]; ROWS];
            for at in 0..positions {
                let values = &memory.values[at * memory.width + head * width + from..];
                for h in 0..HEADS {
                    let values = &values[h * width..][..VECTORS * LANES];
                    for row in 0..ROWS {
                        let weight = lanes::splat(of[row][h][at]);
                        for v in 0..VECTORS {
                            let value = lanes::load(&values[v * LANES..][..LANES]);
                            sums[row][h][v] = lanes::fma(weight, value, sums[row][h][v]);
                        }
                    }
                }
            }
            for row in 0..ROWS {
                for h in 0..HEADS {
                    let to = row * memory.width + (head + h) * width + from;
                    for v in 0..VECTORS {
                        lanes::store(&mut out[to + v * LANES..][..LANES], sums[row][h][v]);
                    }
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

        /// The same for whole vectors from a column on. As many sums as vectors are in flight, so that none waits.
        $(#[$feature])*
        #[inline]
        fn weigh_up_vectors(weights: &[f32], rows: &[f32], from: usize, out: &mut [[f32; LANES]; ONE]) {
            let mut sums = [lanes::splat(0.0); ONE];
            for (weight, row) in weights.iter().zip(rows.chunks_exact(rows.len() / weights.len())) {
                let (weight, row) = (lanes::splat(*weight), &row[from..][..ONE * LANES]);
                for v in 0..ONE {
                    sums[v] = lanes::fma(weight, lanes::load(&row[v * LANES..][..LANES]), sums[v]);
                }
            }
            for v in 0..ONE {
                lanes::store(&mut out[v], sums[v]);
            }
        }

        $(#[$feature])*
        pub(crate) fn weighted_sum(weights: &[f32], rows: &[f32], out: &mut [f32]) {
            let whole = out.len() / (ONE * LANES) * (ONE * LANES);
            let (vectors, rest) = out.split_at_mut(whole);
            for (at, out) in vectors.as_chunks_mut().0.as_chunks_mut().0.iter_mut().enumerate() {
                weigh_up_vectors(weights, rows, at * ONE * LANES, out);
            }
            for (block, out) in rest.chunks_mut(LANES).enumerate() {
                let from = whole + block * LANES;
                weigh_up(weights, rows, from..from + out.len(), out);
            }
        }

        $(#[$feature])*
        pub(crate) fn energies<const NEAR: bool>(rows: &[f32], state: &[f32], direction: &[f32], out: &mut [f32]) {
            for (energy, row) in out.iter_mut().zip(rows.chunks_exact(state.len())) {
                let mut sum = lanes::splat(0.0);
                for ((x, s), u) in row.chunks(LANES).zip(state.chunks(LANES)).zip(direction.chunks(LANES)) {
                    let x = lanes::add(lanes::load(x), lanes::load(s));
                    let bent = if NEAR { tanh_near(x) } else { tanh(x) };
                    sum = lanes::fma(lanes::load(u), bent, sum);
                }
                *energy = lanes::reduce_add(sum);
            }
        }
    };
}
pub(crate) use attention;
