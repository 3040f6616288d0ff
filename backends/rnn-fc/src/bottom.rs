//! The target's recurrent layer at the bottom, which attends to the source: d_j = tanh(h·W + x·Wx)·tanh(s_j·U),
//! α = softmax(d), c = Σ α_j·s_j, and a cell that is fed with x and c.
//!
//! What is multiplied with the same vector is one product: the gates' weights and the attention's stand side by side, for the
//! state h and for the word x. The source word s_j is multiplied with both, too, so that c·U = Σ α_j·(s_j·U) costs one
//! product a source word instead of one a hypothesis and step (paper, 4.3).

use dyno_formats::Result;
use dyno_nn::math::{Kernels, Linear, add, dot, together};
use dyno_nn::recurrent::Cell;
use dyno_nn::watch::{Component, Operator};
use dyno_nn::{Params, Ragged, Row};

use crate::options::Options;
use crate::recurrent::{Named, Scratch, beside};
use crate::source::Encoded;
use crate::states::States;

/// The layer's weights. G is 3R or 4R.
pub(crate) struct Bottom {
    cell: Cell,
    /// [G].
    bias: Vec<f32>,
    /// Of the state, [R, G + A].
    state: Linear,
    /// Of a source word, the attention's key, [C, A].
    key: Linear,
    /// To the gates, [C, G]: of a source word where that is `precomputed`, else of the context.
    share: Linear,
    precomputed: bool,
    /// From the mean of the source words to the first state, [C, R].
    start: Linear,
    /// A.
    attention: usize,
    /// C.
    attended: usize,
    kernels: Kernels,
}

/// What a batch's source words are to the layer, and buffers.
#[derive(Default)]
pub(crate) struct Attended {
    /// [words, A].
    keys: Vec<f32>,
    /// [words, G], where they are computed in advance.
    shares: Vec<f32>,
    contexts: Vec<f32>,
    gates: Vec<f32>,
    /// Of the last step: for each row α, a weight for each word of its sentence.
    pub(crate) weights: Ragged,
}

/// The matrices that read the same vector, for the gates and for the attention.
fn named(suffix: &str, gates: usize, attention: usize) -> [Named; 2] {
    [(format!("target_{suffix}"), gates), (format!("attention_{suffix}"), attention)]
}

/// The product of the layer with its words, [E, G + A].
pub(crate) fn word_input(params: Params<'_>, options: &Options) -> Result<Linear> {
    let (gates, attention) = (options.target.gates(), options.target.attention);
    beside(params, options.embedding, &named("Wx", gates, attention))
}

impl Bottom {
    pub(crate) fn new(params: Params<'_>, options: &Options, precomputed: bool) -> Result<Self> {
        let (target, context) = (&options.target, options.context());
        let (width, gates, attention) = (target.width, target.gates(), target.attention);
        let [share, key] = named("U", gates, attention);
        Ok(Self {
            cell: target.cell,
            bias: params.vector("target_b", gates)?,
            state: beside(params, width, &named("W", gates, attention))?,
            key: beside(params, context, &[key])?,
            share: beside(params, context, &[share])?,
            precomputed,
            start: params.linear("start_W", Some("start_b"), context, width)?,
            attention,
            attended: context,
            kernels: params.kernels(),
        })
    }

    /// How many values of each source word a step reads: its key, and what is averaged.
    pub(crate) fn attended(&self) -> usize {
        self.attention + if self.precomputed { self.bias.len() } else { self.attended }
    }

    /// Takes the source words of a batch, and starts `states` with a row for each sentence.
    pub(crate) fn start(
        &self,
        source: &Encoded,
        attended: &mut Attended,
        states: &mut States,
        scratch: &mut Scratch,
    ) {
        let attention = Component::Attention.span();
        match self.precomputed {
            true => {
                let parts = [(&self.key, &mut attended.keys), (&self.share, &mut attended.shares)];
                together(&source.rows, &mut scratch.operands, parts);
            }
            false => self.key.apply(&source.rows, &mut scratch.operands, &mut attended.keys),
        }
        scratch.functions.tanh(&mut attended.keys);
        drop(attention);
        let _decoder = Component::Decoder.span();
        let means = &mut attended.contexts;
        source.spans.means(&source.rows, self.attended, means);
        self.start.apply(means, &mut scratch.operands, &mut attended.gates);
        scratch.functions.tanh(&mut attended.gates);
        states.start(&attended.gates);
    }

    /// Takes one step, fed with the words' products `fed` [rows, G + A], to which the context's are added; gives the new
    /// states [rows, R].
    pub(crate) fn step<'a>(
        &self,
        rows: &[Row],
        fed: &mut [f32],
        source: &Encoded,
        attended: &mut Attended,
        states: &'a mut States,
        scratch: &mut Scratch,
    ) -> &'a [f32] {
        self.state.apply(states.outputs(0), &mut scratch.operands, &mut scratch.recurrent);
        self.attend(rows, fed, source, attended, states, scratch);
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        if !self.precomputed {
            self.share.apply(&attended.contexts, &mut scratch.operands, &mut attended.gates);
            let shares = attended.gates.chunks_exact(gates);
            fed.chunks_exact_mut(wide).zip(shares).for_each(|(fed, share)| add(&mut fed[..gates], share));
        }
        let _gates = Operator::Activation.span();
        let Scratch { functions, recurrent, row: buffer, .. } = scratch;
        states.advance(0, |row, owner, output, cell| {
            let pre = [&fed[row * wide..][..gates], &recurrent[owner * wide..][..gates], &self.bias];
            self.cell.step(*functions, pre, output, cell, buffer);
        })
    }

    /// Adds to each row of `fed` what it sees of its sentence, or puts it into `attended.contexts` [rows, C].
    fn attend(
        &self,
        rows: &[Row],
        fed: &mut [f32],
        source: &Encoded,
        attended: &mut Attended,
        states: &States,
        scratch: &Scratch,
    ) {
        let (_component, _operator) = (Component::Attention.span(), Operator::Attention.span());
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        let Attended { keys, shares, contexts, gates: share, weights: all } = attended;
        // What is averaged over the source words, and how wide that is.
        let (seen, width) = if self.precomputed { (&*shares, gates) } else { (&source.rows, self.attended) };
        contexts.clear();
        all.clear();
        for (row, (at, fed)) in rows.iter().zip(fed.chunks_exact_mut(wide)).enumerate() {
            let (fed, asked) = fed.split_at_mut(gates);
            add(asked, &scratch.recurrent[states.owner(row) * wide + gates..][..self.attention]);
            scratch.functions.tanh(asked);
            let words = source.spans.words(at.sentence);
            let weights = all.push(words.len());
            let keys = keys[words.start * self.attention..].chunks_exact(self.attention);
            weights.iter_mut().zip(keys).for_each(|(weight, key)| *weight = dot(asked, key));
            self.kernels.softmax(weights);
            share.resize(width, 0.0);
            let seen = &seen[words.start * width..words.end * width];
            self.kernels.weighted_sum(weights, seen, share).expect("a row for each weight");
            match self.precomputed {
                true => add(fed, share),
                false => contexts.extend_from_slice(share),
            }
        }
    }
}
