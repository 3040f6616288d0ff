//! The names of a network's tensors, by family.

use dyno_formats::{LayerLayout, Weights};

use crate::config::Family;

/// Names of the network's tensors.
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

    /// Names of a layer's tensors, without `.weight` and `.bias`, in the order of [`LayerLayout::names`].
    pub(super) fn layer(&self, number: usize) -> [String; 8] {
        let layout = match self.family {
            Family::DistilBert => LayerLayout::DISTILBERT,
            Family::RobertaPreNorm => LayerLayout::PRE_NORM,
            Family::Bert | Family::Roberta | Family::XlmRoberta | Family::Camembert => LayerLayout::BERT,
        };
        layout.names(number).map(|name| self.of(&name))
    }
}
