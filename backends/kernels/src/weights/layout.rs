//! Layouts of weights before packing, and the conversion of a group of sixteen columns into a block.

use crate::lanes::{Block, LANES};

/// Layout of the values of B before packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// [K, N]: a row for each input.
    Kn,
    /// [N, K]: a row for each output, as in embeddings and in Marian's quantised matrices.
    Nk,
}

impl Layout {
    /// The column of the value at a position.
    pub(crate) fn column(self, at: usize, (k, n): (usize, usize)) -> usize {
        match self {
            Self::Kn => at % n,
            Self::Nk => at / k,
        }
    }

    /// Updates an accumulator for each column with each value of `values` [k, n], in the order of memory.
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

/// One group of up to sixteen columns of weights, to be packed.
pub(super) struct Sixteen<'a, T> {
    pub(super) values: &'a [T],
    pub(super) shape: (usize, usize),
    /// First column.
    pub(super) column: usize,
    /// Position of the group's first value along K.
    pub(super) from: usize,
}

impl<T: Copy> Sixteen<'_, T> {
    /// Writes the group into a block, where `bytes` converts a value. Lanes past the last row or column stay
    /// as they are.
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

    /// Packs from values [K, N].
    fn by_rows<const BYTES: usize>(&self, block: &mut Block, bytes: impl Fn(T) -> [u8; BYTES]) {
        let (k, n) = self.shape;
        let width = LANES.min(n - self.column);
        if BYTES == 1 && width == LANES && self.from + 4 <= k {
            return self.by_whole_rows(block, bytes);
        }
        for (i, k) in (self.from..k.min(self.from + 4 / BYTES)).enumerate() {
            let row = &self.values[k * n + self.column..][..width];
            for (lane, value) in block.0.chunks_exact_mut(4).zip(row) {
                lane[i * BYTES..][..BYTES].copy_from_slice(&bytes(*value));
            }
        }
    }

    /// Packs from bytes [K, N] a group that lacks no row and no column.
    fn by_whole_rows<const BYTES: usize>(&self, block: &mut Block, bytes: impl Fn(T) -> [u8; BYTES]) {
        let row = |i: usize| {
            let start = (self.from + i) * self.shape.1 + self.column;
            let values = self.values[start..].first_chunk::<LANES>().expect("a whole row of the group");
            values.map(|value| bytes(value)[0])
        };
        *block = four_rows([row(0), row(1), row(2), row(3)]);
    }

    /// Packs from values [N, K].
    fn by_columns<const BYTES: usize>(&self, block: &mut Block, bytes: impl Fn(T) -> [u8; BYTES]) {
        let (k, _) = self.shape;
        let columns = self.values[self.column * k..].chunks_exact(k);
        if BYTES == 1 && self.from + 4 <= k {
            for (lane, column) in block.0.as_chunks_mut::<4>().0.iter_mut().zip(columns) {
                let four = column[self.from..].first_chunk::<4>().expect("a whole group");
                *lane = four.map(|value| bytes(value)[0]);
            }
            return;
        }
        for (lane, column) in block.0.chunks_exact_mut(4).zip(columns) {
            for (place, value) in lane.chunks_exact_mut(BYTES).zip(&column[self.from..]) {
                place.copy_from_slice(&bytes(*value));
            }
        }
    }
}

/// The block of sixteen columns of four bytes, from four rows.
#[cfg(target_arch = "x86_64")]
fn four_rows(rows: [[u8; LANES]; 4]) -> Block {
    // SAFETY: SSE2 belongs to each x86-64 processor.
    unsafe { four_rows_sse2(rows) }
}

/// [`four_rows`] in instructions that the compiler doesn't find in a loop over lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn four_rows_sse2(rows: [[u8; LANES]; 4]) -> Block {
    use std::arch::x86_64::{
        __m128i, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
    };
    // SAFETY: four rows and four vectors are 64 bytes, and every pattern of bits is valid for both.
    let [a, b, c, d] = unsafe { std::mem::transmute::<[[u8; LANES]; 4], [__m128i; 4]>(rows) };
    let (ab, cd) = (_mm_unpacklo_epi8(a, b), _mm_unpacklo_epi8(c, d));
    let (ab_high, cd_high) = (_mm_unpackhi_epi8(a, b), _mm_unpackhi_epi8(c, d));
    let lanes = [
        _mm_unpacklo_epi16(ab, cd),
        _mm_unpackhi_epi16(ab, cd),
        _mm_unpacklo_epi16(ab_high, cd_high),
        _mm_unpackhi_epi16(ab_high, cd_high),
    ];
    // SAFETY: four vectors are 64 bytes, and every pattern of bits is valid for bytes.
    Block(unsafe { std::mem::transmute::<[__m128i; 4], [u8; 64]>(lanes) })
}

/// The block of sixteen columns of four bytes, from four rows.
#[cfg(not(target_arch = "x86_64"))]
fn four_rows([a, b, c, d]: [[u8; LANES]; 4]) -> Block {
    let mut block = Block::ZERO;
    for (at, lane) in block.0.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *lane = [a[at], b[at], c[at], d[at]];
    }
    block
}
