//! A layer: attention and feed-forward, each with a residual and a norm.
//!
//! Attention alone looks at other rows. All that stands between two attentions may be done for some rows at a
//! time: it begins with `finish` of a layer, and ends with `prepare` of the next.

use dyno_kernels::{Precision, RowsPart};
use dyno_nn::math::{Activation, Epilogue, Linear, Norm, Operands};
use dyno_nn::watch::Component;

use super::attention::Attention;
use super::embedding::Place;
use super::params::Params;
use crate::Result;
use crate::config::Config;

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
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) operands: Operands,
    /// Normalised rows, where norms stand before sublayers.
    normed: Vec<f32>,
    inner: Vec<f32>,
    sum: Vec<f32>,
}

impl Layer {
    pub(super) fn new(params: Params<'_>, names: [String; 8], config: &Config) -> Result<Self> {
        let [query, key, value, mixed, attention_norm, first, second, feed_norm] = &names;
        let (width, inner) = (config.width, config.inner);
        let square = |name: &str| params.linear(name, width, width);
        let products = [square(query)?, square(key)?, square(value)?];
        Ok(Self {
            attention: Attention { products, heads: config.heads },
            mixed: square(mixed)?,
            attention_norm: params.norm(attention_norm, width, config.epsilon)?,
            first: params.linear(first, width, inner)?,
            second: params.linear(second, inner, width)?,
            feed_norm: params.norm(feed_norm, width, config.epsilon)?,
            activation: match params.precision {
                Precision::Int8 => config.activation.before_rounding(),
                _ => config.activation,
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
    pub(super) fn prepare(&self, part: &mut Part<'_>) {
        let _attention = Component::Attention.span();
        if self.norms_first {
            part.normed.copy_from_slice(part.x);
            self.attention_norm.apply(part.normed);
        }
        if let Some(quantised) = part.quantised.take() {
            let read = if self.norms_first { &*part.normed } else { &*part.x };
            self.attention.products[0].quantise(quantised, read);
        }
    }

    /// All that follows attention: replaces the vectors of a part by those after the layer.
    pub(super) fn finish(&self, buffers: &mut Buffers, part: &mut Part<'_>) {
        let attention = Component::Attention.span();
        self.mix(buffers, part);
        drop(attention);
        let _feedforward = Component::Feedforward.span();
        self.feed_forward(buffers, part.x);
    }

    /// Adds the results of attention to the rows; the sum is left in `buffers`.
    fn mix(&self, buffers: &mut Buffers, part: &Part<'_>) {
        let Buffers { operands, sum, .. } = buffers;
        self.mixed.apply_then(part.context, operands, Epilogue::sum(part.x), sum);
        self.normalise_after(&self.attention_norm, sum);
    }

    /// Replaces `out` by the feed-forward sublayer's result for the sum in `buffers`.
    fn feed_forward(&self, buffers: &mut Buffers, out: &mut [f32]) {
        let Buffers { operands, normed, inner, sum } = buffers;
        let mut read = &*sum;
        if self.norms_first {
            normed.clone_from(sum);
            self.feed_norm.apply(normed);
            read = normed;
        }
        let then = Epilogue { activation: self.activation, residual: None };
        self.first.apply_then(read, operands, then, inner);
        self.second.apply_to(inner, operands, Epilogue::sum(sum), out);
        self.normalise_after(&self.feed_norm, out);
    }

    fn normalise_after(&self, norm: &Norm, rows: &mut [f32]) {
        if !self.norms_first {
            norm.apply(rows);
        }
    }
}
