//! Sentences in an encoder, and the buffers of its worker.
//!
//! # Rows or columns
//! Of many rows, each thread takes some through all that stands between two attentions. Few values then cross
//! from core to core: rows before attention, and its results. Reading what another core wrote is slow where
//! the two share no cache, as may happen to two cores of a virtual machine. Each core reads all weights,
//! though. With few rows that would take all the time, so that threads then share the columns of each product
//! instead.

use std::ops::Range;

use dyno_kernels::{Input, Precision, Rows, RowsPart};

use super::attention::Attention;
use super::feed_forward::ROWS;
use super::process::Scratch;
use super::within::{self, Projected};
use crate::math::{threads, together};

/// Rows for each thread from which threads share rows instead of columns of products. From 24 rows on, both
/// take about as long on cores that share a cache. On others, rows win.
const ROWS_OF_A_THREAD: usize = 24;

/// The words of sentences, and a worker's buffers. They only grow.
#[derive(Debug, Default)]
pub struct Encoded {
    /// Words of each sentence.
    lines: Vec<Range<usize>>,
    /// Vectors of all words, [words, D].
    rows: Vec<f32>,
    width: usize,
    /// The vectors before all operations, where the last operations read them.
    embedded: Vec<f32>,
    /// Normalised vectors, where norms stand before attention.
    prepared: Vec<f32>,
    /// Vectors as attention reads them, where it reads quantised rows.
    quantised: Option<Rows>,
    /// Queries, keys and values, where their products read rows in different forms.
    projected: [Vec<f32>; 3],
    /// Results of attention.
    context: Vec<f32>,
    /// One for each thread.
    hands: Vec<Hand>,
}

/// Buffers of a thread. The alignment keeps two threads from writing into one cache line, or into two that
/// the processor fetches as a pair.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Hand {
    pub(super) scratch: Scratch,
    /// Values within a feed-forward sublayer.
    pub(super) between: [Vec<f32>; 2],
    /// Output of attention's sublayer.
    pub(super) sum: Vec<f32>,
    within: within::Buffers,
}

/// Some rows between two attentions.
pub(super) struct Block<'a> {
    /// Number of the first row.
    pub(super) first: usize,
    pub(super) rows: &'a mut [f32],
    pub(super) embedded: &'a mut [f32],
    pub(super) prepared: &'a mut [f32],
    pub(super) quantised: Option<RowsPart<'a>>,
    pub(super) context: &'a mut [f32],
}

impl Encoded {
    /// Replaces the sentences by some with so many words each.
    pub fn begin(&mut self, words: impl Iterator<Item = usize>) {
        self.lines.clear();
        let mut first = 0;
        self.lines.extend(words.map(|count| {
            first += count;
            first - count..first
        }));
    }

    /// Words of each sentence.
    pub fn lines(&self) -> &[Range<usize>] {
        &self.lines
    }

    /// Vectors of all words, [words, D].
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    pub(super) fn make_room(&mut self, width: usize, keeps_embedded: bool) {
        let values = width * self.lines.last().map_or(0, |line| line.end);
        self.width = width;
        self.rows.resize(values, 0.0);
        self.context.resize(values, 0.0);
        self.embedded.resize(if keeps_embedded { values } else { 0 }, 0.0);
        self.hands.resize_with(threads::count().max(self.hands.len()), Hand::default);
    }

    /// Does `each` on all rows, in blocks that end with the input of the attention `next`. Each thread takes
    /// some blocks alone, or the whole team takes all of them.
    pub(super) fn each_block(
        &mut self,
        next: Option<&Attention>,
        each: impl Fn(&mut Hand, &mut Block<'_>) + Sync,
    ) {
        let (rows, threads) = (self.rows.len() / self.width.max(1), threads::count());
        let few = rows < ROWS_OF_A_THREAD * threads;
        let parts = if few { 1 } else { threads };
        let blocks = parts * rows.div_ceil(parts).div_ceil(ROWS);
        let (hands, mut blocks) = self.blocks(next, rows.div_ceil(blocks.max(1)).max(1));
        if few {
            blocks.iter_mut().for_each(|block| each(&mut hands[0], block));
        } else {
            threads::each_with(usize::MAX, hands, &mut blocks, each);
        }
    }

    /// Blocks of so many rows.
    fn blocks(&mut self, next: Option<&Attention>, some: usize) -> (&mut [Hand], Vec<Block<'_>>) {
        let (width, rows) = (self.width, self.rows.len() / self.width.max(1));
        let normalises = next.is_some_and(|next| !next.before.is_empty());
        self.prepared.resize(if normalises { rows * width } else { 0 }, 0.0);
        let Self { rows: all, embedded, prepared, quantised, context, hands, .. } = self;
        let mut quantised = next.and_then(|next| {
            let precision = next.form()?.precision();
            if precision == Precision::F32 {
                return None;
            }
            let buffer = quantised.get_or_insert_with(|| next.kernels.rows(precision, 0, 0));
            buffer.reshape(precision, rows, width);
            Some(buffer.whole(rows).expect("room for all rows").chunks(some))
        });
        let mut chunks = [embedded, prepared].map(|all| all.chunks_mut((some * width).max(1)));
        let both = all.chunks_mut((some * width).max(1)).zip(context.chunks_mut((some * width).max(1)));
        let block = |(at, (rows, context))| {
            let [embedded, prepared] = chunks.each_mut().map(|all| all.next().unwrap_or_default());
            let quantised = quantised.as_mut().and_then(Iterator::next);
            Block { first: at * some, rows, embedded, prepared, quantised, context }
        };
        let blocks = both.enumerate().map(block).collect();
        (hands, blocks)
    }

    /// Replaces the results of attention by those of `attention`, whose input the last blocks hold.
    pub(super) fn attend(&mut self, attention: &Attention) {
        let Self { lines, rows, width, prepared, quantised, projected, context, hands, .. } = self;
        if rows.is_empty() {
            return;
        }
        let read: &[f32] = if attention.before.is_empty() { rows } else { prepared };
        let input = match (attention.form(), quantised) {
            (None, _) => {
                let operands = &mut hands[0].scratch.operands;
                let [queries, keys, values] = projected.each_mut();
                let [query, key, value] = attention.projections();
                together(read, operands, [(query, queries), (key, keys), (value, values)]);
                Projected::Whole(projected.each_ref().map(|all| &all[..]))
            }
            (Some(form), Some(quantised)) if form.precision() != Precision::F32 => {
                Projected::Not(quantised.view())
            }
            _ => Projected::Not(Input::f32(read, read.len() / *width, *width).expect("whole rows")),
        };
        let mut shares = attention.shares(context, threads::count());
        threads::each_with(attention.bytes(lines), hands, &mut shares, |hand, share| {
            attention.attend_within(&mut hand.within, input, lines, share);
        });
    }
}
