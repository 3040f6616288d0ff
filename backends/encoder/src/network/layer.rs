//! A layer: attention and feed-forward, each with a residual and a norm.

use std::ops::Range;

use dyno_kernels::{Activation, Kernels, SelfAttention};
use dyno_nn::watch::Component;

use super::attention::{Projected, attend};
use super::linear::{Linear, Operand, Task, multiply, normalise};
use super::names::LayerNames;
use super::norm::Norm;
use super::params::Params;
use super::team::Team;
use crate::Result;
use crate::config::Config;

/// A layer of the network.
#[derive(Debug)]
pub(crate) struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    /// Product after attention.
    mixed: Linear,
    attention_norm: Norm,
    first: Linear,
    second: Linear,
    feed_norm: Norm,
    activation: Activation,
    heads: usize,
    /// Whether norms stand before the sublayers.
    norms_first: bool,
}

/// Buffers of a worker for the values between products. They only grow.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) kernels: Kernels,
    pub(super) operand: Operand,
    pub(super) attention: Vec<SelfAttention>,
    /// Normalised rows, where norms stand before sublayers.
    normed: Vec<f32>,
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    sum: Vec<f32>,
}

impl Buffers {
    pub(super) fn new(kernels: Kernels, operand: Operand, threads: usize) -> Self {
        let attention = (0..threads).map(|_| kernels.self_attention()).collect();
        let empty = Vec::new;
        let (normed, context, inner, sum) = (empty(), empty(), empty(), empty());
        let (queries, keys, values) = (empty(), empty(), empty());
        Self { kernels, operand, attention, normed, queries, keys, values, context, inner, sum }
    }
}

impl Layer {
    pub(super) fn new(params: Params<'_>, names: &LayerNames, config: &Config) -> Result<Self> {
        let (width, inner) = (config.width, config.inner);
        let square = |name: &str| params.linear(name, width, width);
        Ok(Self {
            query: square(&names.query)?,
            key: square(&names.key)?,
            value: square(&names.value)?,
            mixed: square(&names.mixed)?,
            attention_norm: params.norm(&names.attention_norm, width, config.epsilon)?,
            first: params.linear(&names.first, width, inner)?,
            second: params.linear(&names.second, inner, width)?,
            feed_norm: params.norm(&names.feed_norm, width, config.epsilon)?,
            activation: config.activation,
            heads: config.heads,
            norms_first: config.family.norms_first(),
        })
    }

    /// Replaces the tokens' vectors `x` [tokens, width] by those after the layer.
    pub(super) fn apply(
        &self,
        team: &mut Team,
        buffers: &mut Buffers,
        lines: &[Range<usize>],
        x: &mut Vec<f32>,
    ) {
        let attention = Component::Attention.span();
        self.attend(team, buffers, lines, x);
        drop(attention);
        let _feedforward = Component::Feedforward.span();
        self.feed_forward(team, buffers, x);
    }

    fn attend(&self, team: &mut Team, buffers: &mut Buffers, lines: &[Range<usize>], x: &mut Vec<f32>) {
        let (width, kernels) = (self.mixed.outputs(), buffers.kernels);
        let rows = x.len() / width;
        let Buffers { operand, attention, normed, queries, keys, values, context, sum, .. } = buffers;
        let (norm, read) = self.before(&self.attention_norm, x, normed);
        let input = operand.fill(team, norm, read, width);
        let query = Task::new(&self.query, queries);
        multiply(team, input, rows, [query, Task::new(&self.key, keys), Task::new(&self.value, values)]);
        let projected = Projected { queries, keys, values };
        attend(team, attention, &projected, lines, (self.heads, width / self.heads), context);
        let input = operand.fill(team, None, context, width);
        let task = Task { residual: Some(x), ..Task::new(&self.mixed, sum) };
        multiply(team, input, rows, [task]);
        std::mem::swap(x, sum);
        normalise(team, kernels, self.after(&self.attention_norm), x, width);
    }

    fn feed_forward(&self, team: &mut Team, buffers: &mut Buffers, x: &mut Vec<f32>) {
        let (width, kernels) = (self.mixed.outputs(), buffers.kernels);
        let rows = x.len() / width;
        let Buffers { operand, normed, inner, sum, .. } = buffers;
        let (norm, read) = self.before(&self.feed_norm, x, normed);
        let input = operand.fill(team, norm, read, width);
        let task = Task { activation: self.activation, ..Task::new(&self.first, inner) };
        multiply(team, input, rows, [task]);
        let input = operand.fill(team, None, inner, self.first.outputs());
        let task = Task { residual: Some(x), ..Task::new(&self.second, sum) };
        multiply(team, input, rows, [task]);
        std::mem::swap(x, sum);
        normalise(team, kernels, self.after(&self.feed_norm), x, width);
    }

    /// The norm before a sublayer, and the rows that the sublayer reads: `x`, or a copy to normalise.
    fn before<'a>(
        &'a self,
        norm: &'a Norm,
        x: &'a mut Vec<f32>,
        copy: &'a mut Vec<f32>,
    ) -> (Option<&'a Norm>, &'a mut [f32]) {
        if !self.norms_first {
            return (None, x);
        }
        copy.clone_from(x);
        (Some(norm), copy)
    }

    /// The norm after a sublayer.
    fn after<'a>(&self, norm: &'a Norm) -> Option<&'a Norm> {
        (!self.norms_first).then_some(norm)
    }
}
