//! A worker: its threads, and the values of the lines on which they work.
//!
//! # Rows or columns
//! Of many rows, each thread takes some through all that stands between two attentions. Few values then cross
//! from core to core: rows before attention, and its results. Reading what another core wrote is slow where
//! the two share no cache, as may happen to two cores of a virtual machine. Each core reads all weights,
//! though. With few rows that would take all the time, so that threads then share the columns of each product
//! instead.

use std::ops::Range;

use dyno_kernels::{Input, Kernels, Precision, Rows};
use dyno_nn::math::threads::{self, Threads};

use super::attention;
use super::embedding::Place;
use super::layer::{Buffers, Layer, Part};
use crate::{Error, Result};

/// Rows for each thread from which threads share rows instead of columns of products. From 24 rows on, both
/// take about as long on cores that share a cache. On others, rows win.
const ROWS_OF_A_THREAD: usize = 24;

/// Buffers of a thread. The alignment keeps two threads from writing into one cache line, or into two that
/// the processor fetches as a pair.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Hand {
    pub(super) buffers: Buffers,
    attention: attention::Buffers,
}

/// A worker's buffers and threads.
#[derive(Debug)]
pub(crate) struct Worker {
    threads: Threads,
    /// One for each thread.
    pub(super) hands: Vec<Hand>,
    /// All tokens.
    pub(super) places: Vec<Place>,
    /// Their vectors.
    pub(super) tokens: Vec<f32>,
    /// Tokens of each line.
    pub(super) lines: Vec<Range<usize>>,
    /// Normalised vectors, where norms stand before sublayers.
    normed: Vec<f32>,
    /// Vectors as attention reads them, where it reads quantised rows.
    quantised: Option<Rows>,
    /// Results of attention.
    context: Vec<f32>,
    /// A vector for each line.
    pub(super) vectors: Vec<f32>,
}

impl Worker {
    pub(super) fn new(kernels: Kernels, precision: Precision, threads: usize) -> Result<Self> {
        let hand =
            |_| Hand { buffers: Buffers::default(), attention: attention::Buffers::new(kernels, precision) };
        let quantises = precision != Precision::F32;
        Ok(Self {
            threads: Threads::new(threads).map_err(|source| Error::Threads { source })?,
            hands: (0..threads).map(hand).collect(),
            places: Vec::new(),
            tokens: Vec::new(),
            lines: Vec::new(),
            normed: Vec::new(),
            quantised: quantises.then(|| kernels.rows(precision, 0, 0)),
            context: Vec::new(),
            vectors: Vec::new(),
        })
    }

    /// Does `work`, whose products the worker's threads share.
    pub(super) fn share<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut threads = std::mem::take(&mut self.threads);
        let done = threads.share(|| work(self));
        self.threads = threads;
        done
    }

    /// Does `each` on all rows: on some of them by each thread alone, or on all of them by the whole team.
    pub(super) fn each_part(
        &mut self,
        width: usize,
        norms_first: bool,
        each: impl Fn(&mut Buffers, &mut Part<'_>) + Sync,
    ) {
        let rows = self.places.len();
        self.tokens.resize(rows * width, 0.0);
        self.context.resize(rows * width, 0.0);
        self.normed.resize(if norms_first { rows * width } else { 0 }, 0.0);
        let few = rows < ROWS_OF_A_THREAD * self.hands.len();
        let chunk = rows.div_ceil(if few { 1 } else { self.hands.len() }).max(1);
        let Self { hands, places, tokens, normed, quantised, context, .. } = self;
        let mut quantised = quantised.as_mut().map(|buffer| {
            buffer.reshape(Precision::Int8, rows, width);
            buffer.whole(rows).expect("room for all rows").chunks(chunk)
        });
        let mut places = places.chunks(chunk);
        let mut chunks = [tokens, context, normed].map(|all| all.chunks_mut(chunk * width));
        let part = || {
            let [x, context, normed] = chunks.each_mut().map(Iterator::next);
            let quantised = quantised.as_mut().and_then(Iterator::next);
            Some(Part {
                places: places.next()?,
                x: x?,
                context: context?,
                normed: normed.unwrap_or_default(),
                quantised,
            })
        };
        match &mut std::iter::from_fn(part).collect::<Vec<_>>()[..] {
            [all] => each(&mut hands[0].buffers, all),
            some => threads::each_with(usize::MAX, hands, some, |hand, part| each(&mut hand.buffers, part)),
        }
    }

    /// Replaces the results of attention by those of a layer.
    pub(super) fn attend(&mut self, layer: &Layer) {
        let Self { hands, tokens, lines, normed, quantised, context, .. } = self;
        let read = if layer.norms_first() { normed } else { tokens };
        let input = match quantised {
            Some(quantised) => quantised.view(),
            None => Input::f32(read, read.len() / layer.width(), layer.width()).expect("whole rows"),
        };
        let mut shares = layer.attention.shares(context);
        threads::each_with(layer.attention.bytes(lines), hands, &mut shares, |hand, share| {
            layer.attention.attend(&mut hand.attention, input, lines, share);
        });
    }
}
