//! A layer: attention and a gated feed-forward sublayer, each with a residual.

use dyno_formats::Gguf;
use dyno_formats::spec::{DecoderOnlySpec, Rotation};
use dyno_kernels::{Activation, Kernels, in_half};
use dyno_nn::math::{Norm, activation, add};
use dyno_nn::watch::{Component, Operator};

use super::attention::{Heads, attend};
use super::linear::{Linear, multiply};
use super::rotation::Turns;
use super::row::Row;
use super::worker::Worker;
use crate::Result;

/// A layer of the network.
pub(super) struct Layer {
    number: usize,
    norm: Norm,
    /// Products for queries, keys and values, with their biases.
    products: [Linear; 3],
    biases: Option<[Vec<f32>; 3]>,
    /// Norms of a query's head and of a key's.
    head_norms: Option<[Norm; 2]>,
    mixed: Linear,
    after_attention: Option<Norm>,
    feed_norm: Norm,
    gate: Linear,
    up: Linear,
    down: Linear,
    after_feed: Option<Norm>,
    activation: Activation,
}

impl Layer {
    pub(super) fn new(file: &Gguf, kernels: Kernels, spec: &DecoderOnlySpec, number: usize) -> Result<Self> {
        let name = |end: &str| format!("blk.{number}.{end}");
        let (queries, keys) = (spec.heads * spec.head, spec.key_heads * spec.head);
        let linear = |end: &str, outputs, inputs| Linear::new(file, kernels, &name(end), (outputs, inputs));
        let vector =
            |end: &str, length| -> Result<Vec<f32>> { Ok(file.expect(&name(end), 1, length)?.to_f32()) };
        let norm = |end: &str, width| -> Result<Norm> {
            Ok(Norm::root_mean_square(kernels, vector(end, width)?, spec.epsilon))
        };
        let after = |end: &str| spec.norms_after.then(|| norm(end, spec.width)).transpose();
        let biases = || -> Result<_> {
            Ok([vector("attn_q.bias", queries)?, vector("attn_k.bias", keys)?, vector("attn_v.bias", keys)?])
        };
        let head_norms = || -> Result<_> {
            Ok([norm("attn_q_norm.weight", spec.head)?, norm("attn_k_norm.weight", spec.head)?])
        };
        Ok(Self {
            number,
            norm: norm("attn_norm.weight", spec.width)?,
            products: [
                linear("attn_q.weight", queries, spec.width)?,
                linear("attn_k.weight", keys, spec.width)?,
                linear("attn_v.weight", keys, spec.width)?,
            ],
            biases: spec.biases.then(biases).transpose()?,
            head_norms: spec.head_norms.then(head_norms).transpose()?,
            mixed: linear("attn_output.weight", spec.width, queries)?,
            after_attention: after("post_attention_norm.weight")?,
            feed_norm: norm("ffn_norm.weight", spec.width)?,
            gate: linear("ffn_gate.weight", spec.inner, spec.width)?,
            up: linear("ffn_up.weight", spec.inner, spec.width)?,
            down: linear("ffn_down.weight", spec.width, spec.inner)?,
            after_feed: after("post_ffw_norm.weight")?,
            activation: activation(spec.gate),
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
        worker.add_sum(self.after_attention.as_ref());
        drop(attention);
        let _feed = Component::Feedforward.span();
        self.feed_forward(spec, worker);
        worker.add_sum(self.after_feed.as_ref());
    }

    /// Queries, keys and values.
    fn heads(&self, spec: &DecoderOnlySpec, worker: &mut Worker, rows: usize) {
        let Worker { threads, kernels, x, quantised, buffers, turns, .. } = worker;
        let [query, key, value] = &self.products;
        buffers.normed.clone_from(x);
        self.norm.apply(&mut buffers.normed, threads);
        let (queries, keys, values) = (&mut buffers.queries, &mut buffers.keys, &mut buffers.values);
        let tasks = [(query, &mut *queries), (key, &mut *keys), (value, &mut *values)];
        multiply((threads, *kernels), quantised, (&buffers.normed, spec.width), tasks);
        for (bias, heads) in self.biases.iter().flatten().zip([&mut *queries, &mut *keys, &mut *values]) {
            heads.chunks_exact_mut(bias.len()).for_each(|row| add(row, bias));
        }
        for (norm, heads) in self.head_norms.iter().flatten().zip([&mut *queries, &mut *keys]) {
            norm.apply(heads, threads);
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
        let Worker { threads, kernels, quantised, buffers, kept, .. } = worker;
        let (queries, keys, values) = (&buffers.queries, &buffers.keys, &buffers.values);
        buffers.context.resize(queries.len(), 0.0);
        let heads = Heads { queries, keys, values };
        let (window, kept) = (spec.window(self.number), &mut kept[self.number]);
        attend((threads, *kernels), spec, window, (rows, &heads), kept, &mut buffers.context);
        // From the order of threads' work to that of rows.
        let group = spec.heads / spec.key_heads * spec.head;
        buffers.joined.resize(queries.len(), 0.0);
        for (at, part) in buffers.context.chunks_exact(group).enumerate() {
            let (key_head, row) = (at / rows.len(), at % rows.len());
            buffers.joined[(row * spec.key_heads + key_head) * group..][..group].copy_from_slice(part);
        }
        let task = [(&self.mixed, &mut buffers.sum)];
        multiply((threads, *kernels), quantised, (&buffers.joined, spec.heads * spec.head), task);
    }

    /// The feed-forward sublayer, in `sum`.
    fn feed_forward(&self, spec: &DecoderOnlySpec, worker: &mut Worker) {
        let Worker { threads, kernels, x, quantised, buffers, .. } = worker;
        let kernels = *kernels;
        buffers.normed.clone_from(x);
        self.feed_norm.apply(&mut buffers.normed, threads);
        let tasks = [(&self.gate, &mut buffers.gate), (&self.up, &mut buffers.up)];
        multiply((threads, kernels), quantised, (&buffers.normed, spec.width), tasks);
        let activate = Operator::Activation.span();
        threads.each_rows(&mut buffers.gate, spec.inner, |first, gates| {
            kernels.activate(self.activation, gates);
            gates.iter_mut().zip(&buffers.up[first * spec.inner..]).for_each(|(gate, up)| *gate *= up);
        });
        drop(activate);
        let task = [(&self.down, &mut buffers.sum)];
        multiply((threads, kernels), quantised, (&buffers.gate, spec.inner), task);
    }
}

/// Rotates all heads of all rows.
fn turn((rotation, turns): (&Rotation, &Turns), (rows, head): (usize, usize), heads: &mut [f32]) {
    for (row, heads) in heads.chunks_exact_mut(heads.len() / rows).enumerate() {
        heads.chunks_exact_mut(head).for_each(|head| turns.apply(rotation.pairs, row, head));
    }
}
