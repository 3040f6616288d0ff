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

use super::embedding::Place;
use super::hand::Hand;
use super::layer::{Buffers, Layer, Part};
use super::team::{Team, Work};
use crate::Result;

/// A worker's buffers and threads.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(super) team: Team,
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
}

impl Worker {
    pub(super) fn new(kernels: Kernels, precision: Precision, threads: usize) -> Result<Self> {
        let hands = (0..threads).map(|_| Hand::new(kernels, precision));
        let quantises = precision != Precision::F32;
        Ok(Self {
            team: Team::new(threads)?,
            hands: hands.collect::<Result<_>>()?,
            places: Vec::new(),
            tokens: Vec::new(),
            lines: Vec::new(),
            normed: Vec::new(),
            quantised: quantises.then(|| kernels.rows(precision, 0, 0)),
            context: Vec::new(),
        })
    }

    /// Does `each` on all rows: on some of them by each thread alone, or on all of them by the whole team.
    pub(super) fn each_part(
        &mut self,
        width: usize,
        norms_first: bool,
        each: impl Fn(&mut Team, &mut Buffers, &mut Part<'_>) + Sync,
    ) {
        let rows = self.places.len();
        let work = Work::Rows(rows);
        self.tokens.resize(rows * width, 0.0);
        self.context.resize(rows * width, 0.0);
        self.normed.resize(if norms_first { rows * width } else { 0 }, 0.0);
        let chunk = rows.div_ceil(self.team.sharing(work)).max(1);
        let Self { team, hands, places, tokens, normed, quantised, context, .. } = self;
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
            [all] => each(team, &mut hands[0].buffers, all),
            some => team.each_with(work, hands, some, |hand, part| {
                each(&mut hand.alone, &mut hand.buffers, part);
            }),
        }
    }

    /// Replaces the results of attention by those of a layer.
    pub(super) fn attend(&mut self, layer: &Layer) {
        let Self { team, hands, tokens, lines, normed, quantised, context, .. } = self;
        let read = if layer.norms_first() { normed } else { tokens };
        let input = match quantised {
            Some(quantised) => quantised.view(),
            None => Input::f32(read, read.len() / layer.width(), layer.width()).expect("whole rows"),
        };
        let work = Work::Products(layer.attention.work(lines));
        let mut shares = layer.attention.shares(context);
        team.each_with(work, hands, &mut shares, |hand, share| {
            layer.attention.attend(&mut hand.attention, input, lines, share);
        });
    }
}
