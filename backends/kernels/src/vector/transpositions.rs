//! Transpositions: sixteen rows become vectors side by side, for the keys of attention and the columns of
//! weights.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! transpositions {
    ([$(#[$feature:meta])*]) => {
        use crate::lanes::Block;

        /// Arranges keys [positions, `width`] in the order of [`KeyValues`].
        $(#[$feature])*
        pub(crate) fn arrange(keys: &[f32], width: usize, to: &mut [[f32; LANES]]) {
            for (keys, to) in keys.chunks(LANES * width).zip(to.chunks_exact_mut(width)) {
                for (at, to) in to.chunks_mut(LANES).enumerate() {
                    let mut lines = [lanes::splat(0.0); LANES];
                    for (line, key) in lines.iter_mut().zip(keys.chunks_exact(width)) {
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
    };
}
pub(crate) use transpositions;
