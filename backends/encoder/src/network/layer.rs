//! A layer: attention and feed-forward, each with a residual and a norm.
//!
//! Attention alone looks at other rows. All that stands between two attentions may be done for some rows at a
//! time: it begins with `finish` of a layer, and ends with `prepare` of the next.

use dyno_kernels::{Activation, Kernels, RowsPart};
use dyno_nn::watch::Component;

use super::attention::Attention;
use super::embedding::Place;
use super::linear::{Linear, Operand, Task, multiply, normalise, ready};
use super::names::LayerNames;
use super::norm::Norm;
use super::params::Params;
use super::team::Team;
use crate::Result;
use crate::config::Config;
use crate::settings::Precision;

/// A layer of the network.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(super) attention: Attention,
    /// Product after attention.
    mixed: Linear,
    attention_norm: Norm,
    first: Linear,
    second: Linear,
    feed_norm: Norm,
    activation: Activation,
    /// Whether norms stand before the sublayers.
    norms_first: bool,
}

/// Some rows between two attentions.
pub(super) struct Part<'a> {
    pub(super) places: &'a [Place],
    /// Vectors of tokens [rows, width].
    pub(super) x: &'a mut [f32],
    /// Results of attention [rows, width].
    pub(super) context: &'a mut [f32],
    /// A copy of the vectors to normalise, where norms stand before sublayers.
    pub(super) normed: &'a mut [f32],
    /// The rows as attention reads them, where it reads quantised rows.
    pub(super) quantised: Option<RowsPart<'a>>,
}

/// Buffers for the values within a part. They only grow.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) kernels: Kernels,
    pub(super) operand: Operand,
    /// Normalised rows, where norms stand before sublayers.
    normed: Vec<f32>,
    inner: Vec<f32>,
    sum: Vec<f32>,
}

impl Buffers {
    pub(super) fn new(kernels: Kernels, operand: Operand) -> Self {
        Self { kernels, operand, normed: Vec::new(), inner: Vec::new(), sum: Vec::new() }
    }
}

impl Layer {
    pub(super) fn new(params: Params<'_>, names: &LayerNames, config: &Config) -> Result<Self> {
        let (width, inner) = (config.width, config.inner);
        let square = |name: &str| params.linear(name, width, width);
        let products = [square(&names.query)?, square(&names.key)?, square(&names.value)?];
        Ok(Self {
            attention: Attention { products, heads: config.heads },
            mixed: square(&names.mixed)?,
            attention_norm: params.norm(&names.attention_norm, width, config.epsilon)?,
            first: params.linear(&names.first, width, inner)?,
            second: params.linear(&names.second, inner, width)?,
            feed_norm: params.norm(&names.feed_norm, width, config.epsilon)?,
            activation: match (config.activation, params.precision) {
                // The next product rounds the results far more.
                (Activation::Gelu, Precision::Int8) => Activation::GeluNear,
                (exact, _) => exact,
            },
            norms_first: config.family.norms_first(),
        })
    }

    pub(super) fn width(&self) -> usize {
        self.mixed.outputs()
    }

    /// Whether norms stand before the sublayers.
    pub(super) fn norms_first(&self) -> bool {
        self.norms_first
    }

    /// Gives a part the form in which attention reads its rows.
    pub(super) fn prepare(&self, team: &mut Team, buffers: &Buffers, part: &mut Part<'_>) {
        let _attention = Component::Attention.span();
        let (norm, read) = if self.norms_first {
            part.normed.copy_from_slice(part.x);
            (Some(&self.attention_norm), &mut *part.normed)
        } else {
            (None, &mut *part.x)
        };
        ready(team, buffers.kernels, norm, (read, self.width()), part.quantised.take());
    }

    /// All that follows attention: replaces the vectors of a part by those after the layer.
    pub(super) fn finish(&self, team: &mut Team, buffers: &mut Buffers, part: &mut Part<'_>) {
        let attention = Component::Attention.span();
        self.mix(team, buffers, part);
        drop(attention);
        let _feedforward = Component::Feedforward.span();
        self.feed_forward(team, buffers, part.x);
    }

    /// Adds the results of attention to the rows; the sum is left in `buffers`.
    fn mix(&self, team: &mut Team, buffers: &mut Buffers, part: &mut Part<'_>) {
        let Buffers { kernels, operand, sum, .. } = buffers;
        sum.resize(part.x.len(), 0.0);
        let input = operand.fill(team, None, part.context, self.width());
        multiply(team, input, [Task { residual: Some(part.x), ..Task::new(&self.mixed, sum) }]);
        normalise(team, *kernels, self.after(&self.attention_norm), sum, self.width());
    }

    /// Replaces `out` by the feed-forward sublayer's result for the sum in `buffers`.
    fn feed_forward(&self, team: &mut Team, buffers: &mut Buffers, out: &mut [f32]) {
        let Buffers { kernels, operand, normed, inner, sum } = buffers;
        inner.resize(sum.len() / self.width() * self.first.outputs(), 0.0);
        let (norm, read) = self.before(&self.feed_norm, sum, normed);
        let input = operand.fill(team, norm, read, self.width());
        multiply(team, input, [Task { activation: self.activation, ..Task::new(&self.first, inner) }]);
        let input = operand.fill(team, None, inner, self.first.outputs());
        multiply(team, input, [Task { residual: Some(sum), ..Task::new(&self.second, out) }]);
        normalise(team, *kernels, self.after(&self.feed_norm), out, self.width());
    }

    /// The norm before a sublayer, and the rows that the sublayer reads: `x`, or a copy to normalise.
    fn before<'a>(
        &'a self,
        norm: &'a Norm,
        x: &'a mut [f32],
        copy: &'a mut Vec<f32>,
    ) -> (Option<&'a Norm>, &'a mut [f32]) {
        if !self.norms_first {
            return (None, x);
        }
        copy.clear();
        copy.extend_from_slice(x);
        (Some(norm), copy)
    }

    /// The norm after a sublayer.
    fn after<'a>(&self, norm: &'a Norm) -> Option<&'a Norm> {
        (!self.norms_first).then_some(norm)
    }
}
