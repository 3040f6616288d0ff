//! The names of a network's tensors, by family.

use dyno_formats::{LayerLayout, Weights};

use crate::config::Family;

/// Names of a layer's tensors, without `.weight` and `.bias`.
pub(super) struct LayerNames {
    pub(super) query: String,
    pub(super) key: String,
    pub(super) value: String,
    /// Product after attention.
    pub(super) mixed: String,
    /// Norm of the attention sublayer.
    pub(super) attention_norm: String,
    pub(super) first: String,
    pub(super) second: String,
    /// Norm of the feed-forward sublayer.
    pub(super) feed_norm: String,
}

/// Names of the tensors outside of layers.
pub(super) struct Names {
    family: Family,
    /// What stands before all names: the name of the network, where it is a part of a larger one.
    prefix: &'static str,
}

impl Names {
    /// The names in `weights`.
    pub(super) fn new(family: Family, weights: &Weights) -> Self {
        let prefix = match family {
            Family::Bert => "bert.",
            Family::Roberta | Family::XlmRoberta | Family::Camembert => "roberta.",
            Family::RobertaPreNorm => "roberta_prelayernorm.",
            Family::DistilBert => "distilbert.",
        };
        let words = "embeddings.word_embeddings.weight";
        let part = weights.find(&format!("{prefix}{words}")).is_some();
        Self { family, prefix: if part { prefix } else { "" } }
    }

    pub(super) fn of(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) fn layer(&self, number: usize) -> LayerNames {
        let layout = match self.family {
            Family::DistilBert => LayerLayout::DISTILBERT,
            Family::RobertaPreNorm => LayerLayout::PRE_NORM,
            Family::Bert | Family::Roberta | Family::XlmRoberta | Family::Camembert => LayerLayout::BERT,
        };
        let [query, key, value, mixed, attention_norm, first, second, feed_norm] =
            layout.names(number).map(|name| self.of(&name));
        LayerNames { query, key, value, mixed, attention_norm, first, second, feed_norm }
    }
}
