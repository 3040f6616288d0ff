//! Transpositions: sixteen rows become vectors side by side, for the keys of attention and the columns of
//! weights.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! transpositions {
    ([$(#[$feature:meta])*]) => {
        use crate::lanes::Block;
        use crate::tile::job::PANEL;

        /// Arranges keys [`positions`, `width`], whose rows begin `stride` values apart, in the order of [`KeyValues`].
        $(#[$feature])*
        pub(crate) fn arrange(
            (keys, stride): (&[f32], usize), (positions, width): (usize, usize), to: &mut [[f32; LANES]],
        ) {
            let blocks = keys.chunks(LANES * stride).zip(to.chunks_exact_mut(width));
            for (first, (keys, to)) in (0..positions).step_by(LANES).zip(blocks) {
                let keys = keys.chunks(stride).take(positions - first);
                for (at, to) in to.chunks_mut(LANES).enumerate() {
                    let mut lines = [lanes::splat(0.0); LANES];
                    for (line, key) in lines.iter_mut().zip(keys.clone()) {
                        *line = lanes::load(&key[at * LANES..][..to.len()]);
                    }
                    for (to, line) in to.iter_mut().zip(lanes::transpose(lines)) {
                        lanes::store(to, line);
                    }
                }
            }
        }

        /// Interleaves sixteen columns of weights into every `step`-th of `blocks`: block g holds group g of
        /// all columns. The columns `next` are prefetched. A missing column is zero.
        $(#[$feature])*
        pub(crate) fn interleave(
            rows: &[&[Block]; LANES], next: &[&[Block]; LANES], groups: usize, blocks: &mut [Block], step: usize,
        ) {
            let mut blocks = blocks.iter_mut().step_by(step).take(groups);
            for at in 0..groups.div_ceil(LANES) {
                let mut lines = [lanes::splat(0.0); LANES];
                for ((line, row), next) in lines.iter_mut().zip(rows).zip(next) {
                    if let Some(block) = row.get(at) {
                        *line = lanes::load_block(block);
                    }
                    lanes::prefetch(next.as_ptr().wrapping_add(at));
                }
                // The lines come first in the zip: at their end, no block has been taken yet.
                for (line, block) in lanes::transpose(lines).into_iter().zip(&mut blocks) {
                    lanes::store_block(block, line);
                }
            }
        }

        /// Packs rows [`count`, `width`] as the columns of an f32 weight, in the order of panels.
        $(#[$feature])*
        pub(crate) fn pack_rows(
            (rows, stride): (&[f32], usize), (count, width): (usize, usize), to: &mut [Block],
        ) {
            for first in (0..count).step_by(LANES) {
                let panel = first / PANEL * PANEL;
                let vectors = PANEL.min(count - panel).div_ceil(LANES);
                let to = &mut to[panel / LANES * width + (first - panel) / LANES..];
                for from in (0..width).step_by(LANES) {
                    let n = LANES.min(width - from);
                    let mut lines = [lanes::splat(0.0); LANES];
                    for (lane, line) in lines.iter_mut().enumerate().take(count - first) {
                        *line = lanes::load(&rows[(first + lane) * stride + from..][..n]);
                    }
                    let to = to.iter_mut().step_by(vectors).skip(from);
                    for (line, to) in lanes::transpose(lines).into_iter().take(n).zip(to) {
                        lanes::store_block(to, line);
                    }
                }
            }
        }

        /// Packs rows [`count`, `width`] as the rows of an f32 weight, in the order of panels.
        $(#[$feature])*
        pub(crate) fn pack_columns(
            (rows, stride): (&[f32], usize), (count, width): (usize, usize), to: &mut [Block],
        ) {
            let mut to = to.iter_mut();
            for panel in (0..width).step_by(PANEL) {
                for row in 0..count {
                    let values = &rows[row * stride + panel..][..PANEL.min(width - panel)];
                    for (values, to) in values.chunks(LANES).zip(&mut to) {
                        lanes::store_block(to, lanes::load(values));
                    }
                }
            }
        }

        /// Packs rows [`count`, `width`] as the rows of an int16 weight, two to a group, in the order of panels.
        /// A missing row is zero.
        $(#[$feature])*
        pub(crate) fn pack_pairs(
            (rows, stride): (&[f32], usize), (count, width): (usize, usize), multiplier: f32, to: &mut [Block],
        ) {
            let multiplier = lanes::splat(multiplier);
            let mut to = to.iter_mut();
            for panel in (0..width).step_by(PANEL) {
                for row in (0..count).step_by(2) {
                    for from in (panel..width.min(panel + PANEL)).step_by(LANES) {
                        let columns = from..width.min(from + LANES);
                        let mut two = [[[0; 2]; LANES]; 2];
                        for (row, words) in (row..count).zip(&mut two) {
                            let x = lanes::load(&rows[row * stride..][columns.clone()]);
                            lanes::store_words(words, to_word(lanes::mul(x, multiplier)));
                        }
                        let [first, second] = two;
                        let block = to.next().expect("a block for each group and vector");
                        for (lane, both) in block.0.as_chunks_mut::<2>().0.chunks_exact_mut(2).enumerate() {
                            (both[0], both[1]) = (first[lane], second[lane]);
                        }
                    }
                }
            }
        }
    };
}
pub(crate) use transpositions;
