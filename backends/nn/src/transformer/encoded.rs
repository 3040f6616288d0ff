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
use super::within::{self, Projected};
use crate::Scratch;
use crate::math::{Operands, together};

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
    of_threads: Vec<ThreadBuffers>,
}

/// Buffers of a thread that works alone. The alignment keeps two threads from writing into one cache line, or into
/// two that the processor fetches as a pair.
#[derive(Debug, Default)]
#[repr(align(128))]
struct ThreadBuffers {
    scratch: Scratch,
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

    pub(super) fn make_room(&mut self, width: usize, keeps_embedded: bool, threads: usize) {
        let values = width * self.lines.last().map_or(0, |line| line.end);
        self.width = width;
        self.rows.resize(values, 0.0);
        self.context.resize(values, 0.0);
        self.embedded.resize(if keeps_embedded { values } else { 0 }, 0.0);
        self.of_threads.resize_with(threads.max(self.of_threads.len()), ThreadBuffers::default);
    }

    /// Does `each` on all rows, in blocks that end with the input of the attention `next`. Each thread takes
    /// some blocks alone, with its own buffers, or all threads share the products of each block.
    pub(super) fn each_block(
        &mut self,
        next: Option<&Attention>,
        scratch: &mut Scratch,
        each: impl Fn(&mut Scratch, &mut Block<'_>) + Sync,
    ) {
        let threads = &mut scratch.operands.threads;
        let (rows, count) = (self.rows.len() / self.width.max(1), threads.count());
        let parts = if rows < ROWS_OF_A_THREAD * count { 1 } else { count };
        let blocks = parts * rows.div_ceil(parts).div_ceil(ROWS);
        let (of_threads, mut blocks) = self.blocks(next, rows.div_ceil(blocks.max(1)).max(1));
        if parts == 1 {
            blocks.iter_mut().for_each(|block| each(scratch, block));
        } else {
            threads
                .each_with(usize::MAX, of_threads, &mut blocks, |own, block| each(&mut own.scratch, block));
        }
    }

    /// Blocks of so many rows.
    fn blocks(&mut self, next: Option<&Attention>, some: usize) -> (&mut [ThreadBuffers], Vec<Block<'_>>) {
        let (width, rows) = (self.width, self.rows.len() / self.width.max(1));
        let normalises = next.is_some_and(|next| !next.before.is_empty());
        self.prepared.resize(if normalises { rows * width } else { 0 }, 0.0);
        let Self { rows: all, embedded, prepared, quantised, context, of_threads, .. } = self;
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
        (of_threads, blocks)
    }

    /// Replaces the results of attention by those of `attention`, whose input the last blocks hold.
    pub(super) fn attend(&mut self, attention: &Attention, operands: &mut Operands) {
        let Self { lines, rows, width, prepared, quantised, projected, context, of_threads, .. } = self;
        if rows.is_empty() {
            return;
        }
        let read: &[f32] = if attention.before.is_empty() { rows } else { prepared };
        let input = match (attention.form(), quantised) {
            (None, _) => {
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
        let threads = &mut operands.threads;
        let mut shares = attention.shares(context, threads.count());
        threads.each_with(attention.bytes(lines), of_threads, &mut shares, |own, share| {
            attention.attend_within(&mut own.within, input, lines, share);
        });
    }
}
