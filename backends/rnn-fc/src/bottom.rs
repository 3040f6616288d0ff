//! The target's recurrent layer at the bottom, which attends to the source: d_j = tanh(h·W + x·Wx)·tanh(s_j·U),
//! α = softmax(d), c = Σ α_j·s_j, and a cell that is fed with x and c.
//!
//! What is multiplied with the same vector is one product: the gates' weights and the attention's stand side by side, for the
//! state h, for the word x, and for the source word s_j, so that c·U = Σ α_j·(s_j·U) costs one product a source word
//! instead of one a hypothesis and step (paper, 4.3).

use dyno_formats::Result;
use dyno_nn::math::{Linear, add, dot, multiply_add, softmax};
use dyno_nn::recurrent::Cell;
use dyno_nn::watch::{Component, Operator};
use dyno_nn::{Params, Ragged, Row};

use crate::memory::Memory;
use crate::options::Options;
use crate::product::{Named, beside};
use crate::recurrent::Scratch;
use crate::source::Encoded;

/// The layer's weights. G is 3R or 4R.
pub(crate) struct Bottom {
    cell: Cell,
    /// [G].
    bias: Vec<f32>,
    /// Of the state, [R, G + A].
    state: Linear,
    /// Of a source word: the attention's key, [C, A], after the share of the gates where that is computed in advance,
    /// [C, G + A].
    source: Linear,
    /// Of the context, [C, G], where it isn't.
    context: Option<Linear>,
    /// From the mean of the source words to the first state, [C, R].
    start: Linear,
    /// A.
    attention: usize,
    /// C.
    attended: usize,
}

/// What a batch's source words are to the layer, and buffers.
#[derive(Default)]
pub(crate) struct Attended {
    /// [words, A] or [words, G + A].
    words: Vec<f32>,
    contexts: Vec<f32>,
    shares: Vec<f32>,
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
        let shares = named("U", gates, attention);
        let apart = || beside(params, context, &shares[..1]);
        Ok(Self {
            cell: target.cell,
            bias: params.vector("target_b", gates)?,
            state: beside(params, width, &named("W", gates, attention))?,
            source: beside(params, context, &shares[usize::from(!precomputed)..])?,
            context: (!precomputed).then(apart).transpose()?,
            start: params.linear("start_W", Some("start_b"), context, width)?,
            attention,
            attended: context,
        })
    }

    /// Takes the source words of a batch, and starts `memory` with a row for each sentence.
    pub(crate) fn start(
        &self,
        source: &Encoded,
        attended: &mut Attended,
        memory: &mut Memory,
        scratch: &mut Scratch,
    ) {
        let attention = Component::Attention.span();
        let wide = self.source.outputs();
        self.source.apply(&source.rows, &mut scratch.operands, &mut attended.words);
        for word in attended.words.chunks_exact_mut(wide) {
            scratch.functions.tanh(&mut word[wide - self.attention..]);
        }
        drop(attention);
        let _decoder = Component::Decoder.span();
        let means = &mut attended.contexts;
        source.spans.means(&source.rows, self.attended, means);
        self.start.apply(means, &mut scratch.operands, &mut attended.shares);
        scratch.functions.tanh(&mut attended.shares);
        memory.start(&attended.shares);
    }

    /// Takes one step, fed with the words' products `fed` [rows, G + A], to which the context's are added; gives the new
    /// states [rows, R].
    pub(crate) fn step<'a>(
        &self,
        rows: &[Row],
        fed: &mut [f32],
        source: &Encoded,
        attended: &mut Attended,
        memory: &'a mut Memory,
        scratch: &mut Scratch,
    ) -> &'a [f32] {
        self.state.apply(memory.states(0), &mut scratch.operands, &mut scratch.recurrent);
        self.attend(rows, fed, source, attended, memory, scratch);
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        if let Some(context) = &self.context {
            context.apply(&attended.contexts, &mut scratch.operands, &mut attended.shares);
            let shares = attended.shares.chunks_exact(gates);
            fed.chunks_exact_mut(wide).zip(shares).for_each(|(fed, share)| add(&mut fed[..gates], share));
        }
        let _gates = Operator::Activation.span();
        let Scratch { functions, recurrent, row: buffer, .. } = scratch;
        memory.advance(0, |row, owner, output, cell| {
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
        memory: &Memory,
        scratch: &Scratch,
    ) {
        let (gates, wide) = (self.bias.len(), self.state.outputs());
        let (_component, _operator) = (Component::Attention.span(), Operator::Attention.span());
        attended.contexts.clear();
        attended.weights.clear();
        for (row, (at, fed)) in rows.iter().zip(fed.chunks_exact_mut(wide)).enumerate() {
            let (fed, asked) = fed.split_at_mut(gates);
            add(asked, &scratch.recurrent[memory.owner(row) * wide + gates..][..self.attention]);
            scratch.functions.tanh(asked);
            let words = source.spans.words(at.sentence);
            let weights = attended.weights.push(words.len());
            let known =
                attended.words[words.start * self.source.outputs()..].chunks_exact(self.source.outputs());
            let known = known.map(|word| word.split_at(self.source.outputs() - self.attention));
            weights.iter_mut().zip(known.clone()).for_each(|(weight, (_, key))| *weight = dot(asked, key));
            softmax(weights);
            if self.context.is_none() {
                weights.iter().zip(known).for_each(|(weight, (share, _))| multiply_add(fed, *weight, share));
                continue;
            }
            let start = attended.contexts.len();
            attended.contexts.resize(start + self.attended, 0.0);
            let seen = source.rows[words.start * self.attended..].chunks_exact(self.attended).zip(weights);
            seen.for_each(|(word, weight)| multiply_add(&mut attended.contexts[start..], *weight, word));
        }
    }
}
