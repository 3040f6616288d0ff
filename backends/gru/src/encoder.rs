//! The encoder: stacks of recurrent layers over the words of a batch.
//!
//! Each layer computes the products of all its inputs at once, and then walks through the sentences together.

use dyno_formats::Result;
use dyno_formats::spec::{EncoderKind, RecurrentSpec};
use dyno_nn::recurrent::{Spans, WalkBuffers};
use dyno_nn::watch::Component;
use dyno_nn::{Scratch, Sentence, WordTable};

use crate::cell::{Cell, Place};
use crate::names::Names;

/// Layers of the encoder.
pub(crate) struct Encoder {
    /// The two stacks over the embeddings; attention reads the outputs of both, side by side.
    both: [Vec<Layer>; 2],
    /// Layers above both stacks, in reading order.
    upper: Vec<Layer>,
    skip: bool,
    width: usize,
}

/// One layer in one direction.
struct Layer {
    /// Cells of the layer: the first has an input, the others are transitions.
    cells: Vec<Cell>,
    backward: bool,
}

/// The encoded batch, and buffers.
pub(crate) struct Encoded {
    /// Vectors that attention reads, [words, C].
    pub(crate) rows: Vec<f32>,
    pub(crate) spans: Spans,
    input: Vec<f32>,
    tops: [Vec<f32>; 2],
    fed: Vec<f32>,
    walk: WalkBuffers,
}

impl Encoded {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            rows: Vec::new(),
            spans: Spans::default(),
            input: Vec::new(),
            tops: Default::default(),
            fed: Vec::new(),
            walk: WalkBuffers::new(width),
        }
    }
}

impl Encoder {
    pub(crate) fn new(names: Names<'_>, spec: &RecurrentSpec) -> Result<Self> {
        let split = match spec.encoder {
            EncoderKind::BiUnidirectional => 1,
            EncoderKind::Bidirectional | EncoderKind::Alternating => spec.encoder_depth,
        };
        let stack = |prefix: &str, backward: bool| {
            let layers = (1..=split).map(|number| {
                let turned = spec.encoder == EncoderKind::Alternating && number % 2 == 0;
                let inputs = if number == 1 { spec.embedding } else { spec.state };
                layer(names, spec, (prefix, number), inputs, backward != turned)
            });
            layers.collect::<Result<Vec<_>>>()
        };
        let upper = (split + 1..=spec.encoder_depth).map(|number| {
            let inputs = if number == split + 1 { 2 * spec.state } else { spec.state };
            layer(names, spec, ("encoder", number), inputs, false)
        });
        Ok(Self {
            both: [stack("encoder_bi", false)?, stack("encoder_bi_r", true)?],
            upper: upper.collect::<Result<_>>()?,
            skip: spec.skip,
            width: spec.state,
        })
    }

    /// Encodes a batch of sentences over `words`.
    pub(crate) fn encode(
        &self,
        batch: &[Sentence<'_>],
        words: &WordTable,
        encoded: &mut Encoded,
        scratch: &mut Scratch,
    ) {
        let _encoder = Component::Encoder.span();
        encoded.spans.set(batch);
        for (at, stack) in self.both.iter().enumerate() {
            encoded.rows.clear();
            let embed = Component::Embed.span();
            let ids = batch.iter().flat_map(|sentence| sentence.ids);
            ids.for_each(|id| words.push(*id, &mut encoded.rows));
            drop(embed);
            self.run(stack, encoded, scratch);
            std::mem::swap(&mut encoded.rows, &mut encoded.tops[at]);
        }
        let [forward, backward] = &encoded.tops;
        encoded.rows.clear();
        for (forward, backward) in forward.chunks_exact(self.width).zip(backward.chunks_exact(self.width)) {
            encoded.rows.extend_from_slice(forward);
            encoded.rows.extend_from_slice(backward);
        }
        self.run(&self.upper, encoded, scratch);
    }

    /// Replaces `encoded.rows` by the outputs of `stack`.
    fn run(&self, stack: &[Layer], encoded: &mut Encoded, scratch: &mut Scratch) {
        for (at, layer) in stack.iter().enumerate() {
            std::mem::swap(&mut encoded.rows, &mut encoded.input);
            layer.run(self.width, encoded, scratch);
            if self.skip && at > 0 {
                dyno_nn::math::add(&mut encoded.rows, &encoded.input);
            }
        }
    }
}

impl Layer {
    /// Runs the layer from `encoded.input` [words, inputs] to `encoded.rows` [words, S].
    fn run(&self, width: usize, encoded: &mut Encoded, scratch: &mut Scratch) {
        let Encoded { rows, spans, input, fed, walk, .. } = encoded;
        let (first, transitions) = self.cells.split_first().expect("a layer has one cell or more");
        first.feed(input, fed, scratch);
        let fed_width = first.fed_width();
        rows.resize(fed.len() / fed_width * width, 0.0);
        spans.walk(
            self.backward,
            walk,
            |word| &fed[word * fed_width..][..fed_width],
            |fed, state| {
                first.step(fed, state, scratch);
                transitions.iter().for_each(|cell| cell.step(&[], state, scratch));
            },
            |word, output| rows[word * width..][..width].copy_from_slice(output),
        );
    }
}

/// Reads layer `number` of the stack `prefix`. Only the first cell of the bidirectional stacks has no number
/// in its name.
fn layer(
    names: Names<'_>,
    spec: &RecurrentSpec,
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
        Cell::new(names, spec.encoder_cell, spec.normalised, place, spec.state)
    };
    Ok(Layer { cells: (1..=spec.encoder_cells).map(cell).collect::<Result<_>>()?, backward })
}
