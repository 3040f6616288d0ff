//! How weights lie before they are packed, and how a group of sixteen columns becomes a block.

use crate::lanes::{Block, LANES};

/// How the values of B lie before packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// [K, N]: a row for each input.
    Kn,
    /// [N, K]: a row for each output, as embeddings are, and Marian's quantised matrices.
    Nk,
}

impl Layout {
    /// The column of the value at a place.
    pub(crate) fn column(self, at: usize, (k, n): (usize, usize)) -> usize {
        match self {
            Self::Kn => at % n,
            Self::Nk => at / k,
        }
    }

    /// Lets each value of `values` [k, n] change what is kept of its column, in the order in which they lie.
    pub(crate) fn each<T: Copy, C>(
        self,
        values: &[T],
        (k, n): (usize, usize),
        kept: &mut [C],
        see: impl Fn(&mut C, T),
    ) {
        match self {
            Self::Kn => {
                for row in values.chunks(n.max(1)) {
                    kept.iter_mut().zip(row).for_each(|(kept, value)| see(kept, *value));
                }
            }
            Self::Nk => {
                for (column, kept) in values.chunks(k.max(1)).zip(kept) {
                    column.iter().for_each(|value| see(kept, *value));
                }
            }
        }
    }
}

/// One group of up to sixteen columns of weights that are to be packed.
pub(super) struct Sixteen<'a, T> {
    pub(super) values: &'a [T],
    pub(super) shape: (usize, usize),
    /// The first of the columns.
    pub(super) column: usize,
    /// The group's first value along K.
    pub(super) from: usize,
}

impl<T: Copy> Sixteen<'_, T> {
    /// Fills one group of them, `bytes` being those of a value; what is past the last row or column stays as it is.
    pub(super) fn pack<const BYTES: usize>(
        &self,
        layout: Layout,
        block: &mut Block,
        bytes: impl Fn(T) -> [u8; BYTES],
    ) {
        match layout {
            Layout::Kn => self.by_rows(block, bytes),
            Layout::Nk => self.by_columns(block, bytes),
        }
    }

    /// Of values [K, N].
    fn by_rows<const BYTES: usize>(&self, block: &mut Block, bytes: impl Fn(T) -> [u8; BYTES]) {
        let (k, n) = self.shape;
        let width = LANES.min(n - self.column);
        for (i, k) in (self.from..k.min(self.from + 4 / BYTES)).enumerate() {
            let row = &self.values[k * n + self.column..][..width];
            for (lane, value) in block.0.chunks_exact_mut(4).zip(row) {
                lane[i * BYTES..][..BYTES].copy_from_slice(&bytes(*value));
            }
        }
    }

    /// Of values [N, K].
    fn by_columns<const BYTES: usize>(&self, block: &mut Block, bytes: impl Fn(T) -> [u8; BYTES]) {
        let (k, _) = self.shape;
        let columns = self.values[self.column * k..].chunks_exact(k);
        for (lane, column) in block.0.chunks_exact_mut(4).zip(columns) {
            for (place, value) in lane.chunks_exact_mut(BYTES).zip(&column[self.from..]) {
                place.copy_from_slice(&bytes(*value));
            }
        }
    }
}
