//! The recurrent layer at the bottom of the target, which attends to the source. Its equations are d_j =
//! tanh(h·W + x·Wx)·tanh(s_j·U), α = softmax(d), c = Σ α_j·s_j, and a cell with the inputs x and c.
//!
//! Weights that multiply the same vector are one product: those of the gates and of the attention stand side
//! by side, for the state h and for the word x. The source word s_j is multiplied with both as well. So c·U =
//! Σ α_j·(s_j·U) costs one product for each source word instead of one for each hypothesis and step (paper,
//! 4.3).

use dyno_formats::Result;
use dyno_formats::spec::{FullyConnectedSpec, TargetSpec};
use dyno_nn::math::{Kernels, Linear, Operands, add, dot, together};
use dyno_nn::recurrent::{Cell, Columns, Functions, beside};
use dyno_nn::watch::{Component, Operator};
use dyno_nn::{Params, Ragged, Row, Scratch};

use crate::source::Encoded;
use crate::states::States;

/// Weights of the layer. G is 3R or 4R.
pub(crate) struct Bottom {
    cell: Cell,
    functions: Functions,
    /// Bias of the gates, `[G]`.
    bias: Vec<f32>,
    /// Product of the state, [R, G + A].
    state: Linear,
    /// Product of a source word that gives its key, [C, A].
    key: Linear,
    /// Product for the gates, [C, G]: of source words if `precomputed`, else of the context.
    share: Linear,
    precomputed: bool,
    /// Product of the mean of the source words that gives the first state, [C, R].
    start: Linear,
    /// Width of the attention, A.
    attention: usize,
    /// Width of a source word, C.
    attended: usize,
    kernels: Kernels,
}

/// Sources of the running batch, and buffers.
#[derive(Default)]
pub(crate) struct Attended {
    /// Source of the sentence at each place.
    sources: Vec<Source>,
    /// Keys of the sentences that join, and shares of their words in the gates.
    keys: Vec<f32>,
    shares: Vec<f32>,
    contexts: Vec<f32>,
    gates: Vec<f32>,
    /// Attention weights of the last step: for each row, a weight for each word of its sentence.
    pub(crate) weights: Ragged,
}

/// What attention reads of a sentence.
#[derive(Default)]
struct Source {
    /// Keys of the words, [words, A].
    keys: Vec<f32>,
    /// Vectors that are averaged: shares of the words in the gates [words, G], if they are precomputed, else
    /// the words [words, C].
    seen: Vec<f32>,
}

/// The matrices of gates and attention that read the same vector.
fn named(suffix: &str, gates: usize, attention: usize) -> [Columns; 2] {
    [(format!("target_{suffix}"), gates), (format!("attention_{suffix}"), attention)]
}

/// Width of the cell's pre-activations: 3R or 4R.
fn gates(target: &TargetSpec) -> usize {
    Cell::from(target.cell).gates() * target.width
}

/// The product of the layer's input words, [E, G + A].
pub(crate) fn word_input(params: Params<'_>, spec: &FullyConnectedSpec) -> Result<Linear> {
    let (gates, attention) = (gates(&spec.target), spec.target.attention);
    beside(params, spec.embedding, &named("Wx", gates, attention), &[])
}

impl Bottom {
    pub(crate) fn new(
        params: Params<'_>,
        spec: &FullyConnectedSpec,
        functions: Functions,
        precomputed: bool,
    ) -> Result<Self> {
        let (target, context) = (&spec.target, spec.context());
        let (width, gates, attention) = (target.width, gates(target), target.attention);
        let [share, key] = named("U", gates, attention);
        Ok(Self {
            cell: target.cell.into(),
            functions,
            bias: params.vector("target_b", gates)?,
            state: beside(params, width, &named("W", gates, attention), &[])?,
            key: beside(params, context, &[key], &[])?,
            share: beside(params, context, &[share], &[])?,
            precomputed,
            start: params.linear("start_W", Some("start_b"), context, width)?,
            attention,
            attended: context,
            kernels: params.kernels(),
        })
    }

    /// Number of values of each source word that a step reads: its key, and the vector that is averaged.
    pub(crate) fn attended(&self) -> usize {
        self.attention + self.seen()
    }

    /// Computes keys and shares of encoded sentences for their places, and adds a row for each sentence to
    /// `states`.
    pub(crate) fn admit(
        &self,
        source: &Encoded,
        places: &[usize],
        attended: &mut Attended,
        states: &mut States,
        operands: &mut Operands,
    ) {
        let attention = Component::Attention.span();
        match self.precomputed {
            true => {
                let parts = [(&self.key, &mut attended.keys), (&self.share, &mut attended.shares)];
                together(&source.rows, operands, parts);
            }
            false => self.key.apply(&source.rows, operands, &mut attended.keys),
        }
        self.functions.tanh(&mut attended.keys);
        self.remember(source, places, attended);
        drop(attention);
        let _decoder = Component::Decoder.span();
        let means = &mut attended.contexts;
        source.spans.means(&source.rows, self.attended, means);
        self.start.apply(means, operands, &mut attended.gates);
        self.functions.tanh(&mut attended.gates);
        states.admit(&attended.gates);
    }

    /// Stores what attention reads of encoded sentences at their places.
    fn remember(&self, source: &Encoded, places: &[usize], attended: &mut Attended) {
        let Attended { sources, keys, shares, .. } = attended;
        let seen = if self.precomputed { shares } else { &source.rows };
        let needed = places.iter().max().map_or(0, |last| last + 1);
        sources.resize_with(sources.len().max(needed), Source::default);
        for (sentence, place) in places.iter().enumerate() {
            let (words, at) = (source.spans.words(sentence), &mut sources[*place]);
            let parts = [(&*keys, &mut at.keys, self.attention), (seen, &mut at.seen, self.seen())];
            for (from, to, width) in parts {
                to.clear();
                to.extend_from_slice(&from[words.start * width..words.end * width]);
            }
        }
    }

    /// Width of the vectors that are averaged over the source words.
    fn seen(&self) -> usize {
        if self.precomputed { self.bias.len() } else { self.attended }
    }

    /// Takes one step. The inputs `fed` [rows, G + A] are the products of the words; the share of the context
    /// is added to them. Gives the new states [rows, R].
    pub(crate) fn step<'a>(
        &self,
        rows: &[Row],
        fed: &mut [f32],
        attended: &mut Attended,
        states: &'a mut States,
        scratch: &mut Scratch,
    ) -> &'a [f32] {
        let Scratch { operands, between: [recurrent, _], gates: buffer, .. } = scratch;
        self.state.apply(states.outputs(0), operands, recurrent);
        self.attend(rows, fed, attended, states, recurrent);
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        if !self.precomputed {
            self.share.apply(&attended.contexts, operands, &mut attended.gates);
            let shares = attended.gates.chunks_exact(gates);
            fed.chunks_exact_mut(wide).zip(shares).for_each(|(fed, share)| add(&mut fed[..gates], share));
        }
        let _gates = Operator::Activation.span();
        states.advance(0, |row, owner, output, cell| {
            let pre = [&fed[row * wide..][..gates], &recurrent[owner * wide..][..gates], &self.bias];
            self.cell.step(self.functions, pre, output, cell, buffer);
        })
    }

    /// Adds the share of the context to each row of `fed`, or writes the context into `attended.contexts`
    /// [rows, C]. `recurrent` [states, G + A] are the products of the states.
    fn attend(
        &self,
        rows: &[Row],
        fed: &mut [f32],
        attended: &mut Attended,
        states: &States,
        recurrent: &[f32],
    ) {
        let (_component, _operator) = (Component::Attention.span(), Operator::Attention.span());
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        let Attended { sources, contexts, gates: share, weights: all, .. } = attended;
        contexts.clear();
        all.clear();
        for (row, (at, fed)) in rows.iter().zip(fed.chunks_exact_mut(wide)).enumerate() {
            let (fed, asked) = fed.split_at_mut(gates);
            add(asked, &recurrent[states.owner(row) * wide + gates..][..self.attention]);
            self.functions.tanh(asked);
            let Source { keys, seen } = &sources[at.sentence];
            let keys = keys.chunks_exact(self.attention);
            let weights = all.push(keys.len());
            weights.iter_mut().zip(keys).for_each(|(weight, key)| *weight = dot(asked, key));
            self.kernels.softmax(weights);
            share.resize(self.seen(), 0.0);
            self.kernels.weighted_sum(weights, seen, share).expect("a row for each weight");
            match self.precomputed {
                true => add(fed, share),
                false => contexts.extend_from_slice(share),
            }
        }
    }
}
