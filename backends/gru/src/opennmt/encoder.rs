//! The encoder: a stack of layers over the words of a batch, each in one direction or both, or two stacks, one
//! for each direction, whose results are added up.

use dyno_formats::Result;
use dyno_formats::spec::{Directions, OpenNmtSpec};
use dyno_nn::math::{Linear, add};
use dyno_nn::recurrent::{Spans, State, WalkBuffers, Ways};
use dyno_nn::watch::Component;
use dyno_nn::{Params, Scratch, Sentence, WordTable};

use super::cells;

/// The encoder's stacks: one, or one for each direction.
pub(super) struct Encoder(Vec<Stack>);

/// Layers from the bottom up: the product of the input, and the layer.
type Stack = Vec<(Linear, Ways)>;

/// An encoded batch, and buffers.
pub(super) struct Encoded {
    /// Outputs of the top layer, [words, H].
    pub(super) rows: Vec<f32>,
    pub(super) spans: Spans,
    /// Last states of each layer, [sentences, H].
    pub(super) ends: Vec<State>,
    words: Vec<f32>,
    top: Vec<f32>,
    below: Vec<f32>,
    fed: Vec<f32>,
    walk: WalkBuffers,
}

impl Encoded {
    /// Buffers for the layers of `spec`.
    pub(super) fn new(spec: &OpenNmtSpec) -> Self {
        let (rows, words, top) = (Vec::new(), Vec::new(), Vec::new());
        let ends = (0..spec.depths[0]).map(|_| State::new(spec.state)).collect();
        let (spans, walk) = (Spans::default(), WalkBuffers::new(spec.width()));
        Self { rows, spans, ends, words, top, below: Vec::new(), fed: Vec::new(), walk }
    }
}

impl Encoder {
    pub(super) fn new(params: Params<'_>, spec: &OpenNmtSpec) -> Result<Self> {
        let stacks: &[&[&str]] = match spec.directions {
            Directions::Forward => &[&["forward"]],
            Directions::Joined => &[&["forward", "backward"]],
            Directions::Summed => &[&["forward"], &["backward"]],
        };
        Ok(Self(stacks.iter().map(|ways| stack(params, spec, ways)).collect::<Result<_>>()?))
    }

    /// Encodes a batch of sentences over `words`.
    pub(super) fn encode(
        &self,
        batch: &[Sentence<'_>],
        words: &WordTable,
        encoded: &mut Encoded,
        scratch: &mut Scratch,
    ) {
        let _encoder = Component::Encoder.span();
        encoded.spans.set(batch);
        encoded.words.clear();
        let embed = Component::Embed.span();
        batch.iter().flat_map(|sentence| sentence.ids).for_each(|id| words.push(*id, &mut encoded.words));
        drop(embed);
        encoded.ends.iter_mut().for_each(|end| end.reset(encoded.spans.sentences()));
        for (at, stack) in self.0.iter().enumerate() {
            encoded.run(stack, scratch);
            match at {
                0 => std::mem::swap(&mut encoded.rows, &mut encoded.top),
                _ => add(&mut encoded.rows, &encoded.top),
            }
        }
    }
}

impl Encoded {
    /// Runs a stack over the words; its outputs [words, ways × S] replace `top`, and its last states are added to
    /// `ends`.
    fn run(&mut self, stack: &Stack, scratch: &mut Scratch) {
        let Self { spans, ends, words, top, below, fed, walk, .. } = self;
        for (at, ((input, ways), end)) in stack.iter().zip(ends).enumerate() {
            std::mem::swap(top, below);
            let below: &[f32] = if at == 0 { words } else { below };
            input.apply(below, &mut scratch.operands, fed);
            ways.run(spans, (fed, walk), scratch, top, |way, last| add_end(way, last, end));
        }
    }
}

/// Reads the stack of these directions, which share its layers.
fn stack(params: Params<'_>, spec: &OpenNmtSpec, ways: &[&str]) -> Result<Stack> {
    let layer = |number| {
        let prefixes: Vec<String> = ways.iter().map(|way| format!("encoder_l{number}_{way}")).collect();
        let own = prefixes.iter().map(|prefix| cells::layer(params, spec.cell, prefix, spec.width()));
        let mut own = own.collect::<Result<Vec<_>>>()?;
        let inputs = cells::inputs(params, spec.cell, &prefixes, spec.encoder_inputs(number), spec.width())?;
        let backward = ways == ["backward"];
        let backward = if backward { own.pop() } else { None };
        Ok((inputs, backward.map_or_else(|| Ways::new(own), Ways::backward)))
    };
    (1..=spec.depths[0]).map(layer).collect()
}

/// Adds the last states of one direction, [sentences, S], at their place in `end`, [sentences, H].
fn add_end(way: usize, last: &State, end: &mut State) {
    for sentence in 0..last.output.len() {
        for (from, to) in [(&last.output, &mut end.output), (&last.cell, &mut end.cell)] {
            let from = from.row(sentence);
            add(&mut to.row_mut(sentence)[way * from.len()..][..from.len()], from);
        }
    }
}
