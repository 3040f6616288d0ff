//! A layer of the network, from its tensors.

use dyno_nn::transformer::{Attention, EncoderLayer, FeedForward, Process};

use super::params::Params;
use crate::Result;
use crate::config::Config;

/// The layer whose tensors have these `names`, as [`Names::layer`](super::names::Names::layer) lists them.
pub(super) fn read(params: Params<'_>, names: [String; 8], config: &Config) -> Result<EncoderLayer> {
    let [query, key, value, mixed, attention_norm, first, second, feed_norm] = &names;
    let (width, inner, norms_first) = (config.width, config.inner, config.family.norms_first());
    let square = |name: &str| params.linear(name, width, width);
    let around = |norm: &str| {
        let norm = params.norm(norm, width, config.epsilon)?;
        let (before, after) = if norms_first { (Some(norm), None) } else { (None, Some(norm)) };
        let chain = |adds, norm| Process::of(params.kernels, adds, norm);
        Ok::<_, crate::Error>([chain(false, before), chain(true, after)])
    };
    let projections = [square(query)?, square(key)?, square(value)?];
    let attention = Attention::of(projections, square(mixed)?, around(attention_norm)?, config.heads);
    let layers = vec![params.linear(first, width, inner)?, params.linear(second, inner, width)?];
    let feed = FeedForward::of(layers, config.activation, around(feed_norm)?);
    Ok(EncoderLayer::new(attention, feed))
}
