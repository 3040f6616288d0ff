//! The encoder: stacks of recurrent layers over the words of a batch.
//!
//! Sentences lie one after the other, without padding. Each layer takes the products of all its inputs at once, and
//! then walks through the sentences together, longest first, so that those that have ended are the last rows.

use dyno_formats::Result;
use dyno_nn::{Sentence, WordTable};

use crate::cell::{Cell, Place, Scratch, State};
use crate::names::Names;
use crate::options::{EncoderKind, Options};

/// The encoder's layers.
pub(crate) struct Encoder {
    /// The two stacks over the embeddings; their tops together are what is attended to.
    both: [Vec<Layer>; 2],
    /// Layers over these, in reading order.
    upper: Vec<Layer>,
    skip: bool,
    width: usize,
}

/// One layer in one direction.
struct Layer {
    /// The first has input, the others are transitions.
    cells: Vec<Cell>,
    backward: bool,
}

/// Where the sentences of a batch lie.
#[derive(Default)]
pub(crate) struct Spans {
    /// Where each begins, counted in words; one more than there are sentences.
    pub(crate) starts: Vec<usize>,
    /// Sentences, longest first.
    order: Vec<usize>,
}

impl Spans {
    fn set(&mut self, batch: &[Sentence<'_>]) {
        self.starts.clear();
        self.starts.push(0);
        for sentence in batch {
            self.starts.push(self.starts[self.starts.len() - 1] + sentence.ids.len());
        }
        self.order.clear();
        self.order.extend(0..batch.len());
        self.order.sort_by_key(|sentence| std::cmp::Reverse(batch[*sentence].ids.len()));
    }

    fn len(&self, sentence: usize) -> usize {
        self.starts[sentence + 1] - self.starts[sentence]
    }

    /// The words at step `step` of all sentences that have one, in the order of the walk.
    fn words(&self, step: usize, backward: bool) -> impl Iterator<Item = usize> {
        let live = self.order.iter().take_while(move |sentence| self.len(**sentence) > step);
        live.map(move |sentence| {
            let from_start = if backward { self.len(*sentence) - 1 - step } else { step };
            self.starts[*sentence] + from_start
        })
    }
}

/// Buffers, and the result.
pub(crate) struct Encoded {
    /// What is attended to, [words, C].
    pub(crate) rows: Vec<f32>,
    pub(crate) spans: Spans,
    input: Vec<f32>,
    tops: [Vec<f32>; 2],
    fed: Vec<f32>,
    step: Vec<f32>,
    state: State,
    pub(crate) scratch: Scratch,
}

impl Encoded {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            rows: Vec::new(),
            spans: Spans::default(),
            input: Vec::new(),
            tops: Default::default(),
            fed: Vec::new(),
            step: Vec::new(),
            state: State::new(width),
            scratch: Scratch::default(),
        }
    }
}

impl Encoder {
    pub(crate) fn new(names: Names<'_>, options: &Options) -> Result<Self> {
        let split = match options.encoder {
            EncoderKind::BiUnidirectional => 1,
            EncoderKind::Bidirectional | EncoderKind::Alternating => options.encoder_depth,
        };
        let stack = |prefix: &str, backward: bool| {
            let layers = (1..=split).map(|number| {
                let turned = options.encoder == EncoderKind::Alternating && number % 2 == 0;
                let inputs = if number == 1 { options.embedding } else { options.state };
                layer(names, options, (prefix, number), inputs, backward != turned)
            });
            layers.collect::<Result<Vec<_>>>()
        };
        let upper = (split + 1..=options.encoder_depth).map(|number| {
            let inputs = if number == split + 1 { 2 * options.state } else { options.state };
            layer(names, options, ("encoder", number), inputs, false)
        });
        Ok(Self {
            both: [stack("encoder_bi", false)?, stack("encoder_bi_r", true)?],
            upper: upper.collect::<Result<_>>()?,
            skip: options.skip,
            width: options.state,
        })
    }

    /// Encodes a batch of sentences over `words`.
    pub(crate) fn encode(&self, batch: &[Sentence<'_>], words: &WordTable, encoded: &mut Encoded) {
        encoded.spans.set(batch);
        for (at, stack) in self.both.iter().enumerate() {
            encoded.rows.clear();
            let ids = batch.iter().flat_map(|sentence| sentence.ids);
            ids.for_each(|id| words.push(*id, &mut encoded.rows));
            self.run(stack, encoded);
            std::mem::swap(&mut encoded.rows, &mut encoded.tops[at]);
        }
        let [forward, backward] = &encoded.tops;
        encoded.rows.clear();
        for (forward, backward) in forward.chunks_exact(self.width).zip(backward.chunks_exact(self.width)) {
            encoded.rows.extend_from_slice(forward);
            encoded.rows.extend_from_slice(backward);
        }
        self.run(&self.upper, encoded);
    }

    /// Replaces `encoded.rows` by what `stack` makes of them.
    fn run(&self, stack: &[Layer], encoded: &mut Encoded) {
        for (at, layer) in stack.iter().enumerate() {
            std::mem::swap(&mut encoded.rows, &mut encoded.input);
            layer.run(self.width, encoded);
            if self.skip && at > 0 {
                dyno_nn::math::add(&mut encoded.rows, &encoded.input);
            }
        }
    }
}

impl Layer {
    /// From `encoded.input` [words, inputs] to `encoded.rows` [words, S].
    fn run(&self, width: usize, encoded: &mut Encoded) {
        let Encoded { rows, spans, input, fed, step, state, scratch, .. } = encoded;
        let (first, transitions) = self.cells.split_first().expect("a layer has one cell or more");
        first.feed(input, fed, scratch);
        let fed_width = first.fed_width();
        rows.clear();
        rows.resize(fed.len() / fed_width * width, 0.0);
        state.reset(spans.order.len());
        let longest = spans.order.first().map_or(0, |sentence| spans.len(*sentence));
        let all: Vec<usize> = (0..spans.order.len()).collect();
        for at in 0..longest {
            step.clear();
            for word in spans.words(at, self.backward) {
                step.extend_from_slice(&fed[word * fed_width..][..fed_width]);
            }
            state.reorder(&all[..step.len() / fed_width]);
            first.step(step, state, scratch);
            transitions.iter().for_each(|cell| cell.step(&[], state, scratch));
            for (row, word) in spans.words(at, self.backward).enumerate() {
                rows[word * width..][..width].copy_from_slice(state.output.row(row));
            }
        }
    }
}

/// Layer `number` of the stack named `prefix`; only the first cell of the bidirectional stacks has no number.
fn layer(
    names: Names<'_>,
    options: &Options,
    (prefix, number): (&str, usize),
    inputs: usize,
    backward: bool,
) -> Result<Layer> {
    let cell = |cell: usize| {
        let prefix = match (number, cell) {
            (1, 1) => prefix.to_owned(),
            (1, _) => format!("{prefix}_cell{cell}"),
            _ => format!("{prefix}_l{number}_cell{cell}"),
        };
        let place =
            Place { prefix: &prefix, inputs: if cell == 1 { inputs } else { 0 }, last: false, encoder: true };
        Cell::new(names, options.encoder_cell, options.normalised, place, options.state)
    };
    Ok(Layer { cells: (1..=options.encoder_cells).map(cell).collect::<Result<_>>()?, backward })
}
