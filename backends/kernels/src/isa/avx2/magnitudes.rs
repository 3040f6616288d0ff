//! Rows of int8 activations as magnitudes and signs, the form that AVX2 multiplies.
//!
//! A product writes its rows in this form once, and reads them for each sixteen columns. Two adjacent groups are *calm*
//! if their products can be added in 16 bits, whatever the weights: a lane adds four products |a|·b with b in
//! -128..=127, which fit if the four magnitudes sum up to 255 at most (255·128 = 32,640). Most groups are calm: the
//! greatest magnitude of a row is 127, and few others come near.

use crate::isa::avx2::lanes;
use crate::lanes::Block;
use crate::tile::job::{Job, Panel};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Blocks of a pass at most: half of a second-level cache of 512 KiB.
const MOST: usize = (256 << 10) / size_of::<Block>();
/// Groups of a block.
const GROUPS: usize = size_of::<Block>() / 4;
/// Groups that one block of calm pairs tells of, a bit for each two.
const TOLD: usize = 2 * 8 * size_of::<Block>();

thread_local! {
    /// The memory of this thread's last product, for the next one.
    static KEPT: Cell<(Vec<Block>, Vec<i32>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Some rows of a job: for each row its groups, then its calm pairs.
pub(crate) struct Magnitudes {
    blocks: Vec<Block>,
    negative_magnitudes: Vec<i32>,
    /// Number of the first row.
    first: usize,
    /// Blocks of a row's groups.
    wide: usize,
    /// Blocks of a row.
    stride: usize,
}

/// One row.
pub(crate) struct Row<'a> {
    /// Four magnitudes of each group, then four bytes with all bits set where the value is negative.
    pub(crate) groups: *const u8,
    calm: &'a [Block],
    /// The sum of the magnitudes of negative values.
    pub(crate) negative_magnitudes: i32,
}

impl Magnitudes {
    pub(crate) fn new(job: &Job<'_>) -> Self {
        let (blocks, negative_magnitudes) = KEPT.take();
        let wide = 2 * job.groups.div_ceil(GROUPS);
        Self { blocks, negative_magnitudes, first: 0, wide, stride: wide + job.groups.div_ceil(TOLD) }
    }

    /// The most rows at once, whole tiles of `tall` rows.
    pub(crate) fn most_rows(&self, tall: usize) -> usize {
        (MOST / self.stride.max(1) / tall).max(1) * tall
    }

    /// Replaces the rows.
    #[target_feature(enable = "avx2,fma")]
    pub(crate) fn prepare(&mut self, job: &Job<'_>, rows: Range<usize>) {
        self.first = rows.start;
        self.negative_magnitudes.clear();
        self.negative_magnitudes.resize(rows.len(), 0);
        self.blocks.resize(self.blocks.len().max(rows.len() * self.stride), Block::ZERO);
        let parts = self.blocks.chunks_exact_mut(self.stride.max(1));
        for ((row, to), negative_magnitudes) in rows.zip(parts).zip(&mut self.negative_magnitudes) {
            let (groups, calm) = to.split_at_mut(self.wide);
            let from = &job.a[row * job.stride..][..4 * job.groups];
            *negative_magnitudes = split(from, groups, calm);
        }
    }

    #[inline]
    pub(crate) fn meet(&mut self, _: &Job<'_>, _: &Panel<'_>, _: Range<usize>, _to: usize) {}

    /// Some rows of the job, which are among those that were prepared.
    #[inline]
    pub(crate) fn rows<const ROWS: usize>(&self, _: &Job<'_>, row: usize) -> [Row<'_>; ROWS] {
        std::array::from_fn(|i| {
            let at = row + i - self.first;
            let (groups, calm) = self.blocks[at * self.stride..][..self.stride].split_at(self.wide);
            Row { groups: groups.as_ptr().cast(), calm, negative_magnitudes: self.negative_magnitudes[at] }
        })
    }
}

impl Drop for Magnitudes {
    fn drop(&mut self) {
        KEPT.set((std::mem::take(&mut self.blocks), std::mem::take(&mut self.negative_magnitudes)));
    }
}

/// Writes the groups and calm pairs of a row; gives the sum of the magnitudes of negative values.
#[target_feature(enable = "avx2,fma")]
fn split(from: &[u8], groups: &mut [Block], calm: &mut [Block]) -> i32 {
    let calm = calm.iter_mut().flat_map(|block| &mut block.0);
    let mut negative_magnitudes = _mm256_setzero_si256();
    for ((from, to), calm) in from.chunks(4 * GROUPS).zip(groups.as_chunks_mut::<2>().0).zip(calm) {
        let mut a = Block::ZERO;
        a.0[..from.len()].copy_from_slice(from);
        *calm = 0;
        for (half, (a, to)) in lanes::load_bytes(&a).into_iter().zip(to).enumerate() {
            let (magnitudes, signs) = (_mm256_abs_epi8(a), _mm256_cmpgt_epi8(_mm256_setzero_si256(), a));
            store_groups(magnitudes, signs, to);
            *calm |= calm_pairs(magnitudes) << (4 * half);
            let pairs = sums_of_pairs(_mm256_and_si256(magnitudes, signs));
            negative_magnitudes =
                _mm256_add_epi32(negative_magnitudes, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        }
    }
    sum(negative_magnitudes)
}

/// Stores the magnitudes and signs of eight groups, group by group.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn store_groups(magnitudes: __m256i, signs: __m256i, to: &mut Block) {
    let (low, high) = (_mm256_unpacklo_epi32(magnitudes, signs), _mm256_unpackhi_epi32(magnitudes, signs));
    let first = _mm256_permute2x128_si256::<0x20>(low, high);
    let last = _mm256_permute2x128_si256::<0x31>(low, high);
    lanes::store_block(to, [first, last].map(|half| _mm256_castsi256_ps(half)));
}

/// The sums of adjacent bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sums_of_pairs(bytes: __m256i) -> __m256i {
    _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1))
}

/// A bit for each two of eight groups: whether they are calm.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn calm_pairs(magnitudes: __m256i) -> u8 {
    let sums = sums_of_pairs(magnitudes);
    let of_both = _mm256_add_epi16(sums, _mm256_shuffle_epi32::<0b10_11_00_01>(sums));
    let over = _mm256_cmpgt_epi16(of_both, _mm256_set1_epi16(255));
    let calm = _mm256_cmpeq_epi64(over, _mm256_setzero_si256());
    _mm256_movemask_pd(_mm256_castsi256_pd(calm)) as u8
}

#[target_feature(enable = "avx2,fma")]
fn sum(lanes: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}

/// Pairs of groups as bits of a word, the first as the lowest.
#[derive(Clone, Copy)]
pub(crate) struct Pairs(u64);

impl Pairs {
    /// Pairs in a word.
    pub(crate) const MOST: usize = u64::BITS as usize;

    /// Of up to [`MOST`](Self::MOST) pairs from number `MOST`·`word` on, of which a row has `pairs` in all: those
    /// that are calm in all rows, and the others.
    #[inline]
    pub(crate) fn of(rows: &[Row<'_>], word: usize, pairs: usize) -> [Self; 2] {
        let here = pairs.saturating_sub(Self::MOST * word).min(Self::MOST) as u32;
        let all = u64::MAX.checked_shr(u64::BITS - here).unwrap_or(0);
        let calm = rows.iter().fold(all, |calm, row| {
            let words = row.calm[word / 8].0.as_chunks::<8>().0;
            calm & u64::from_le_bytes(words[word % 8])
        });
        [Self(calm), Self(all & !calm)]
    }
}

impl Iterator for Pairs {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lowest = self.0.trailing_zeros() as usize;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            lowest
        })
    }
}
