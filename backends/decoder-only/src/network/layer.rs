//! A layer: attention and a gated feed-forward sublayer, each with a residual.

use dyno_formats::Gguf;
use dyno_formats::spec::{DecoderOnlySpec, Gate, Rotation};
use dyno_kernels::{Activation, Kernels, in_half};
use dyno_nn::watch::{Component, Operator};

use super::attention::{Heads, attend};
use super::linear::{Linear, multiply};
use super::rotation::Turns;
use super::row::Row;
use super::worker::{Worker, each_row, normalise};
use crate::Result;

/// A layer of the network.
pub(super) struct Layer {
    number: usize,
    norm: Vec<f32>,
    /// Products for queries, keys and values, with their biases (empty where there are none).
    products: [Linear; 3],
    biases: [Vec<f32>; 3],
    /// Norms of a query's head and of a key's; empty where there are none.
    head_norms: [Vec<f32>; 2],
    mixed: Linear,
    after_attention: Vec<f32>,
    feed_norm: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
    after_feed: Vec<f32>,
}

impl Layer {
    pub(super) fn new(file: &Gguf, kernels: Kernels, spec: &DecoderOnlySpec, number: usize) -> Result<Self> {
        let name = |end: &str| format!("blk.{number}.{end}");
        let (queries, keys) = (spec.heads * spec.head, spec.key_heads * spec.head);
        let linear = |end: &str, outputs, inputs| Linear::new(file, kernels, &name(end), (outputs, inputs));
        let vector = |asked: bool, end: &str, length| -> Result<Vec<f32>> {
            Ok(if asked { file.expect(&name(end), 1, length)?.to_f32() } else { Vec::new() })
        };
        Ok(Self {
            number,
            norm: vector(true, "attn_norm.weight", spec.width)?,
            products: [
                linear("attn_q.weight", queries, spec.width)?,
                linear("attn_k.weight", keys, spec.width)?,
                linear("attn_v.weight", keys, spec.width)?,
            ],
            biases: [
                vector(spec.biases, "attn_q.bias", queries)?,
                vector(spec.biases, "attn_k.bias", keys)?,
                vector(spec.biases, "attn_v.bias", keys)?,
            ],
            head_norms: [
                vector(spec.head_norms, "attn_q_norm.weight", spec.head)?,
                vector(spec.head_norms, "attn_k_norm.weight", spec.head)?,
            ],
            mixed: linear("attn_output.weight", spec.width, queries)?,
            after_attention: vector(spec.norms_after, "post_attention_norm.weight", spec.width)?,
            feed_norm: vector(true, "ffn_norm.weight", spec.width)?,
            gate: linear("ffn_gate.weight", spec.inner, spec.width)?,
            up: linear("ffn_up.weight", spec.inner, spec.width)?,
            down: linear("ffn_down.weight", spec.width, spec.inner)?,
            after_feed: vector(spec.norms_after, "post_ffw_norm.weight", spec.width)?,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let products = self.products.iter().chain([&self.mixed, &self.gate, &self.up, &self.down]);
        products.map(Linear::bytes).sum()
    }

    /// Replaces the worker's rows by those after the layer.
    pub(super) fn apply(&self, spec: &DecoderOnlySpec, worker: &mut Worker, rows: &[Row]) {
        let attention = Component::Attention.span();
        self.heads(spec, worker, rows.len());
        self.attend(spec, worker, rows);
        add(worker, &self.after_attention, spec.epsilon);
        drop(attention);
        let _feed = Component::Feedforward.span();
        self.feed_forward(spec, worker);
        add(worker, &self.after_feed, spec.epsilon);
    }

    /// Queries, keys and values.
    fn heads(&self, spec: &DecoderOnlySpec, worker: &mut Worker, rows: usize) {
        let Worker { crew, kernels, x, quantised, buffers, turns, .. } = worker;
        let (kernels, [query, key, value]) = (*kernels, &self.products);
        buffers.normed.clone_from(x);
        normalise((crew, kernels), &self.norm, spec.epsilon, &mut buffers.normed);
        let (queries, keys, values) = (&mut buffers.queries, &mut buffers.keys, &mut buffers.values);
        let tasks = [(query, &mut *queries), (key, &mut *keys), (value, &mut *values)];
        multiply((crew, kernels), quantised, (&buffers.normed, spec.width), tasks);
        for (bias, heads) in self.biases.iter().zip([&mut *queries, &mut *keys, &mut *values]) {
            if !bias.is_empty() {
                heads.chunks_exact_mut(bias.len()).for_each(|row| plus(row, bias));
            }
        }
        for (norm, heads) in self.head_norms.iter().zip([&mut *queries, &mut *keys]) {
            if !norm.is_empty() {
                normalise((crew, kernels), norm, spec.epsilon, heads);
            }
        }
        let turns = &turns[usize::from(spec.window(self.number).is_some())];
        let scale = spec.attention_scale * (spec.head as f32).sqrt(); // the kernel divides by the root
        if let Some(rotation) = spec.rotation(self.number) {
            turn((rotation, turns), (rows, spec.head), queries);
            turn((rotation, turns), (rows, spec.head), keys);
        }
        if (scale - 1.0).abs() > f32::EPSILON {
            queries.iter_mut().for_each(|query| *query *= scale);
        }
        keys.iter_mut().chain(values).for_each(|x| *x = in_half(*x)); // as they are kept by ggml
    }

    /// Attention, up to the product after it, in `sum`.
    fn attend(&self, spec: &DecoderOnlySpec, worker: &mut Worker, rows: &[Row]) {
        let Worker { crew, kernels, quantised, buffers, kept, .. } = worker;
        let (queries, keys, values) = (&buffers.queries, &buffers.keys, &buffers.values);
        buffers.context.resize(queries.len(), 0.0);
        let heads = Heads { queries, keys, values };
        let (window, kept) = (spec.window(self.number), &mut kept[self.number]);
        attend((crew, *kernels), spec, window, (rows, &heads), kept, &mut buffers.context);
        // From the order of threads' work to that of rows.
        let group = spec.heads / spec.key_heads * spec.head;
        buffers.joined.resize(queries.len(), 0.0);
        for (at, part) in buffers.context.chunks_exact(group).enumerate() {
            let (key_head, row) = (at / rows.len(), at % rows.len());
            buffers.joined[(row * spec.key_heads + key_head) * group..][..group].copy_from_slice(part);
        }
        let task = [(&self.mixed, &mut buffers.sum)];
        multiply((crew, *kernels), quantised, (&buffers.joined, spec.heads * spec.head), task);
    }

    /// The feed-forward sublayer, in `sum`.
    fn feed_forward(&self, spec: &DecoderOnlySpec, worker: &mut Worker) {
        let Worker { crew, kernels, x, quantised, buffers, .. } = worker;
        let kernels = *kernels;
        buffers.normed.clone_from(x);
        normalise((crew, kernels), &self.feed_norm, spec.epsilon, &mut buffers.normed);
        let tasks = [(&self.gate, &mut buffers.gate), (&self.up, &mut buffers.up)];
        multiply((crew, kernels), quantised, (&buffers.normed, spec.width), tasks);
        let activation = Operator::Activation.span();
        let kind = match spec.gate {
            Gate::Swish => Activation::Swish,
            Gate::GeluTanh => Activation::GeluTanh,
        };
        each_row(crew, spec.inner, &mut buffers.gate, |row, gate| {
            kernels.activate(kind, gate);
            let up = &buffers.up[row * spec.inner..];
            gate.iter_mut().zip(up).for_each(|(gate, up)| *gate *= up);
        });
        drop(activation);
        let task = [(&self.down, &mut buffers.sum)];
        multiply((crew, kernels), quantised, (&buffers.gate, spec.inner), task);
    }
}

/// Adds what a sublayer gave to the rows, normalised where a norm follows.
fn add(worker: &mut Worker, norm: &[f32], epsilon: f32) {
    let Worker { crew, kernels, x, buffers, .. } = worker;
    if !norm.is_empty() {
        normalise((crew, *kernels), norm, epsilon, &mut buffers.sum);
    }
    plus(x, &buffers.sum);
}

fn plus(x: &mut [f32], y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}

/// Rotates all heads of all rows.
fn turn((rotation, turns): (&Rotation, &Turns), (rows, head): (usize, usize), heads: &mut [f32]) {
    for (row, heads) in heads.chunks_exact_mut(heads.len() / rows).enumerate() {
        heads.chunks_exact_mut(head).for_each(|head| turns.apply(rotation.pairs, row, head));
    }
}
