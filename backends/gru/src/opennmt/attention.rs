//! Global attention, and the attentional vector that it makes (Luong et al. 2015, sections 3.1 and 3.3):
//! α = softmax(energies), c = Σ α_j·s_j, and v = tanh(c·Wc + h·Wh), or c·Wc + h·Wh + b with a perceptron
//! (OpenNMT-py's `modules/global_attention.py`).
//!
//! A step multiplies neither the context nor, with `general`, the state for its energies: c·Wc = Σ α_j·(s_j·Wc)
//! and (h·W)·s_j = h·(s_j·Wᵀ). So both products are of a sentence's words, computed once, all at a time.

use dyno_formats::Result;
use dyno_formats::spec::{GlobalAttention, OpenNmtSpec};
use dyno_nn::math::{Kernels, KeyValues, Linear, Mat, Operands, together};
use dyno_nn::recurrent::Spans;
use dyno_nn::watch::{Component, Operator};
use dyno_nn::{Params, Ragged, Row};

/// Weights of the attention.
pub(super) struct Attention {
    /// Product of a source word that gives its key, [H, H]; without it the word is its key.
    key: Option<Linear>,
    /// Product of a source word that gives its share in the attentional vector, [H, H].
    share: Linear,
    /// Product of the state in the attentional vector, [H, H].
    pub(super) state: Linear,
    perceptron: Option<Perceptron>,
    width: usize,
    kernels: Kernels,
}

/// A perceptron that gives energies.
struct Perceptron {
    /// Product of the state, [H, H].
    query: Linear,
    /// Direction of the energies, `[H]`.
    direction: Vec<f32>,
}

/// What attention reads of the sentence at each place, and buffers.
pub(super) struct Sources {
    sources: Vec<Source>,
    keys: Vec<f32>,
    shares: Vec<f32>,
    queries: Vec<f32>,
    weights: Vec<f32>,
    /// Contexts' shares in the attentional vectors, [rows, H].
    pub(super) seen: Vec<f32>,
}

/// Keys and shares of a sentence's words: as the kernels of products read them, or those of perceptrons.
struct Source {
    memory: KeyValues,
    keys: Vec<f32>,
    shares: Vec<f32>,
    words: usize,
}

impl Sources {
    pub(super) fn new() -> Self {
        let (keys, shares, queries) = (Vec::new(), Vec::new(), Vec::new());
        Self { sources: Vec::new(), keys, shares, queries, weights: Vec::new(), seen: Vec::new() }
    }
}

impl Attention {
    pub(super) fn new(params: Params<'_>, spec: &OpenNmtSpec) -> Result<Self> {
        let width = spec.state;
        let square = |part: &str, bias: Option<&str>| {
            params.linear(&format!("decoder_att_{part}"), bias, width, width)
        };
        let perceptron = spec.attention == GlobalAttention::Perceptron;
        let key = spec.attention != GlobalAttention::Dot;
        Ok(Self {
            key: key.then(|| square("Wk", None)).transpose()?,
            share: square("Wc", None)?,
            state: square("Wh", perceptron.then_some("decoder_att_b"))?,
            perceptron: perceptron
                .then(|| {
                    let direction = params.vector("decoder_att_v", width)?;
                    Ok(Perceptron { query: square("Wq", Some("decoder_att_bq"))?, direction })
                })
                .transpose()?,
            width,
            kernels: params.kernels(),
        })
    }

    /// Whether the attentional vector has no tanh.
    pub(super) fn is_linear(&self) -> bool {
        self.perceptron.is_some()
    }

    /// Computes keys and shares of encoded words [words, H] for the sentences' places.
    pub(super) fn remember(
        &self,
        (rows, spans): (&[f32], &Spans),
        places: &[usize],
        sources: &mut Sources,
        operands: &mut Operands,
    ) {
        let _attention = Component::Attention.span();
        let Sources { sources, keys, shares, .. } = sources;
        match &self.key {
            Some(key) => together(rows, operands, [(key, &mut *keys), (&self.share, &mut *shares)]),
            None => {
                keys.clear();
                keys.extend_from_slice(rows);
                self.share.apply(rows, operands, shares);
            }
        }
        if self.perceptron.is_none() {
            // The kernel divides energies by the root of the width, as Transformers do.
            let root = (self.width as f32).sqrt();
            keys.iter_mut().for_each(|key| *key *= root);
        }
        let needed = places.iter().max().map_or(0, |last| last + 1);
        sources.resize_with(sources.len().max(needed), || Source::new(self.width));
        for (sentence, place) in places.iter().enumerate() {
            let words = spans.words(sentence);
            let span = words.start * self.width..words.end * self.width;
            self.put(&keys[span.clone()], &shares[span], &mut sources[*place]);
        }
    }

    /// Replaces what a sentence's place holds by keys and shares [words, H].
    fn put(&self, keys: &[f32], shares: &[f32], source: &mut Source) {
        source.words = keys.len() / self.width;
        match self.perceptron {
            None => self.kernels.remember(&mut source.memory, keys, shares).expect(WIDE),
            Some(_) => {
                for (from, to) in [(keys, &mut source.keys), (shares, &mut source.shares)] {
                    to.clear();
                    to.extend_from_slice(from);
                }
            }
        }
    }

    /// Computes the share of each row's context in its attentional vector, from the states `states` [rows, H].
    /// `alignment` receives a row's weights over the source, where it is asked for. OpenNMT's sources have no
    /// end of the sentence, so that it has no weight.
    pub(super) fn attend(
        &self,
        rows: &[Row],
        states: &[f32],
        sources: &mut Sources,
        operands: &mut Operands,
        mut alignment: Option<&mut Ragged>,
    ) {
        let (_component, _operator) = (Component::Attention.span(), Operator::Attention.span());
        let Sources { sources, queries, weights, seen, .. } = sources;
        seen.resize(states.len(), 0.0);
        let queries: &[f32] = match &self.perceptron {
            Some(perceptron) => {
                perceptron.query.apply(states, operands, queries);
                queries
            }
            None => states,
        };
        let width = self.width;
        let all = queries.chunks_exact(width).zip(seen.chunks_exact_mut(width));
        for (row, (query, seen)) in rows.iter().zip(all) {
            let source = &sources[row.sentence];
            self.attend_row(query, source, weights, seen);
            if let Some(alignment) = &mut alignment {
                let to = alignment.push(source.words + 1);
                to[..source.words].copy_from_slice(&weights[..source.words]);
                to[source.words] = 0.0;
            }
        }
    }

    fn attend_row(&self, query: &[f32], source: &Source, weights: &mut Vec<f32>, seen: &mut [f32]) {
        match &self.perceptron {
            None => {
                let query = Mat::new(query, 1, self.width).expect(WIDE);
                self.kernels.attend(query, &source.memory, 1, weights, seen).expect(WIDE);
            }
            Some(Perceptron { direction, query: product, .. }) => {
                weights.resize(source.words, 0.0);
                let near = product.reads_int8();
                self.kernels.energies(&source.keys, query, direction, near, weights).expect(WIDE);
                self.kernels.softmax(weights);
                self.kernels.weighted_sum(weights, &source.shares, seen).expect(WIDE);
            }
        }
    }
}

impl Source {
    fn new(width: usize) -> Self {
        Self { memory: KeyValues::new(width), keys: Vec::new(), shares: Vec::new(), words: 0 }
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "keys, shares and queries are as wide as the state";
