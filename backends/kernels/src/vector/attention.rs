//! Attention: of several heads over a [`Memory`], and the additive kind of recurrent models.
//!
//! Keys lie sixteen positions side by side, so that a query's scores come out of a vector whole and nothing is added across
//! lanes; values lie as they came, since their sum runs over positions. A sum over a head's width, or over positions, has
//! one order: from first to last.

use crate::Result;
use crate::error::sized;
use crate::lanes::LANES;

/// Keys and values of one sentence, or of one hypothesis so far. It only grows; clearing it keeps its room.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) width: usize,
    pub(crate) positions: usize,
    pub(crate) keys: Vec<[f32; LANES]>, // [positions / 16 rounded up, width], of sixteen positions each
    pub(crate) values: Vec<f32>,        // [positions, width]
}

impl Memory {
    /// Of keys and values [width], all heads side by side.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, positions: 0, keys: Vec::new(), values: Vec::new() }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.positions = 0;
        self.keys.clear();
        self.values.clear();
    }

    /// Becomes a copy of another, in the room that it has.
    pub fn copy_from(&mut self, other: &Self) {
        (self.width, self.positions) = (other.width, other.positions);
        self.keys.clone_from(&other.keys);
        self.values.clone_from(&other.values);
    }

    /// Adds a position.
    pub fn push(&mut self, key: &[f32], value: &[f32]) -> Result<()> {
        sized("key", key.len(), self.width)?;
        sized("value", value.len(), self.width)?;
        let (block, lane) = (self.positions / LANES * self.width, self.positions % LANES);
        if lane == 0 {
            self.keys.resize(block + self.width, [0.0; LANES]);
        }
        for (lanes, key) in self.keys[block..].iter_mut().zip(key) {
            lanes[lane] = *key;
        }
        self.values.extend_from_slice(value);
        self.positions += 1;
        Ok(())
    }

    /// Positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions
    }

    /// Whether there is nothing to attend to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions == 0
    }

    /// Positions, rounded up: how far apart the heads' weights lie.
    #[must_use]
    pub fn span(&self) -> usize {
        self.positions.next_multiple_of(LANES)
    }
}

/// Writes the functions for one instruction set; `functions!` and `slices!` must stand beside it.
macro_rules! attention {
    ([$(#[$feature:meta])*]) => {
        use crate::vector::Memory;
        use crate::vector::TOGETHER;

        $(#[$feature])*
        pub(crate) fn attend(query: &[f32], memory: &Memory, weights: &mut [f32], out: &mut [f32]) {
            let span = memory.span();
            let width = out.len() * span / weights.len(); // of a head
            let fours = weights.len() / span / TOGETHER * TOGETHER;
            let (by_four, by_one) = weights.split_at_mut(fours * span);
            for (four, weights) in by_four.chunks_exact_mut(TOGETHER * span).enumerate() {
                weigh::<TOGETHER>(query, memory, (four * TOGETHER * width, width), weights);
            }
            for (head, weights) in by_one.chunks_exact_mut(span).enumerate() {
                weigh::<1>(query, memory, ((fours + head) * width, width), weights);
            }
            weights.chunks_exact_mut(span).for_each(|weights| softmax(&mut weights[..memory.positions]));
            if width % LANES == 0 {
                sum_blocks(weights, memory, width, out);
                return;
            }
            for (head, weights) in weights.chunks_exact(span).enumerate() {
                let first = head * width;
                for from in (first..first + width).step_by(LANES) {
                    let to = (from + LANES).min(first + width);
                    weigh_up(&weights[..memory.positions], &memory.values, from..to, &mut out[from..to]);
                }
            }
        }

        /// query·key/√width of each position, for some heads, the first of which begins at `first`. Each is a chain of dependent
        /// sums, so several are taken side by side.
        $(#[$feature])*
        #[inline]
        fn weigh<const HEADS: usize>(
            query: &[f32], memory: &Memory, (first, width): (usize, usize), weights: &mut [f32],
        ) {
            let scale = lanes::splat(1.0 / (width as f32).sqrt());
            let query: [&[f32]; HEADS] = std::array::from_fn(|head| &query[first + head * width..][..width]);
            for (block, keys) in memory.keys.chunks_exact(memory.width).enumerate() {
                let keys: [&[[f32; LANES]]; HEADS] = std::array::from_fn(|head| &keys[first + head * width..][..width]);
                let mut sums = [lanes::splat(0.0); HEADS];
                for at in 0..width {
                    for head in 0..HEADS {
                        sums[head] = lanes::fma(lanes::splat(query[head][at]), lanes::load(&keys[head][at]), sums[head]);
                    }
                }
                for head in 0..HEADS {
                    lanes::store(&mut weights[head * memory.span() + block * LANES..][..LANES], lanes::mul(sums[head], scale));
                }
            }
        }

        /// Σ weight·value of heads that fill whole vectors: several vectors side by side, as above.
        $(#[$feature])*
        #[inline]
        fn sum_blocks(weights: &[f32], memory: &Memory, width: usize, out: &mut [f32]) {
            let mut blocks = out.chunks_exact_mut(TOGETHER * LANES);
            for (four, out) in (&mut blocks).enumerate() {
                sum_some::<TOGETHER>(weights, memory, (four * TOGETHER * LANES, width), out);
            }
            let done = memory.width / (TOGETHER * LANES) * TOGETHER;
            for (one, out) in blocks.into_remainder().chunks_exact_mut(LANES).enumerate() {
                sum_some::<1>(weights, memory, ((done + one) * LANES, width), out);
            }
        }

        $(#[$feature])*
        #[inline]
        fn sum_some<const BLOCKS: usize>(
            weights: &[f32], memory: &Memory, (first, width): (usize, usize), out: &mut [f32],
        ) {
            let of_head = |block: usize| &weights[(first + block * LANES) / width * memory.span()..][..memory.positions];
            let weights: [&[f32]; BLOCKS] = std::array::from_fn(of_head);
            let mut sums = [lanes::splat(0.0); BLOCKS];
            for (at, values) in memory.values.chunks_exact(memory.width).take(memory.positions).enumerate() {
                let values = &values[first..][..BLOCKS * LANES];
                for block in 0..BLOCKS {
                    let value = lanes::load(&values[block * LANES..][..LANES]);
                    sums[block] = lanes::fma(lanes::splat(weights[block][at]), value, sums[block]);
                }
            }
            for block in 0..BLOCKS {
                lanes::store(&mut out[block * LANES..][..LANES], sums[block]);
            }
        }

        /// Σ weight·row over all rows, of up to sixteen columns; rows are as long as there are weights for.
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
