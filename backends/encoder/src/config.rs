//! The shape of a network, from `config.json`.
//!
//! Each family has its own names for the same numbers. What would change the result and isn't supported is
//! refused by name.

use dyno_kernels::Activation;
use serde::Deserialize;

/// Family of a network: the names of its tensors and the places of its norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// BERT and MiniLM.
    Bert,
    /// RoBERTa: BERT whose positions are counted from the padding's id.
    Roberta,
    /// XLM-R: RoBERTa with another tokeniser.
    XlmRoberta,
    /// CamemBERT: as XLM-R, with other ids for its pieces.
    Camembert,
    /// RoBERTa with norms before the sublayers.
    RobertaPreNorm,
    /// DistilBERT, which has no token types.
    DistilBert,
}

/// Families by their names in `model_type`.
const FAMILIES: [(&str, Family); 6] = [
    ("bert", Family::Bert),
    ("roberta", Family::Roberta),
    ("xlm-roberta", Family::XlmRoberta),
    ("camembert", Family::Camembert),
    ("roberta-prelayernorm", Family::RobertaPreNorm),
    ("distilbert", Family::DistilBert),
];

/// Activations by their names in `hidden_act`.
const ACTIVATIONS: [(&str, Activation); 8] = [
    ("gelu", Activation::Gelu),
    ("gelu_python", Activation::Gelu),
    ("gelu_new", Activation::GeluTanh),
    ("gelu_fast", Activation::GeluTanh),
    ("gelu_pytorch_tanh", Activation::GeluTanh),
    ("relu", Activation::Relu),
    ("silu", Activation::Swish),
    ("swish", Activation::Swish),
];

/// Shape of a network.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) family: Family,
    /// Width of a token's vector.
    pub(crate) width: usize,
    /// Width inside of a feed-forward sublayer.
    pub(crate) inner: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) words: usize,
    /// Number of learned positions.
    pub(crate) positions: usize,
    /// Id of the padding.
    pub(crate) padding: u32,
    /// Number of token types; 0 for a network without them.
    pub(crate) types: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
    /// Class of the tokeniser, where the configuration names it.
    pub(crate) tokeniser: Option<String>,
}

/// `config.json` as it stands.
#[derive(Deserialize)]
pub(crate) struct WireConfig {
    model_type: String,
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: Option<usize>,
    pad_token_id: Option<u32>,
    layer_norm_eps: Option<f32>,
    #[serde(alias = "activation")]
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
    is_decoder: Option<bool>,
    tokenizer_class: Option<String>,
}

impl Config {
    /// The shape, or the fault of the configuration.
    pub(crate) fn new(wire: WireConfig) -> Result<Self, String> {
        let family = named(&FAMILIES, &wire.model_type)
            .ok_or_else(|| format!("the model type {:?} is none of {}", wire.model_type, names(&FAMILIES)))?;
        let activation = wire.hidden_act.as_deref().unwrap_or("gelu");
        let activation = named(&ACTIVATIONS, activation)
            .ok_or_else(|| format!("the activation {activation:?} is none of {}", names(&ACTIVATIONS)))?;
        if let Some(other) = wire.position_embedding_type.as_deref().filter(|kind| *kind != "absolute") {
            return Err(format!("positions of the kind {other:?} are not supported, only `absolute` ones"));
        }
        if wire.is_decoder == Some(true) {
            return Err("it is a decoder (`is_decoder`), which sees no later words; take an encoder".into());
        }
        let (width, heads) = (wire.hidden_size, wire.num_attention_heads);
        if heads == 0 || width == 0 || !width.is_multiple_of(heads) {
            return Err(format!("a width of {width} can't be divided among {heads} heads"));
        }
        if wire.intermediate_size == 0 {
            return Err("feed-forward sublayers of width 0 do nothing; set `intermediate_size`".into());
        }
        Ok(Self {
            family,
            width,
            inner: wire.intermediate_size,
            layers: wire.num_hidden_layers,
            heads,
            words: wire.vocab_size,
            positions: wire.max_position_embeddings,
            padding: wire.pad_token_id.unwrap_or(family.default_padding()),
            types: if family == Family::DistilBert { 0 } else { wire.type_vocab_size.unwrap_or(2) },
            epsilon: wire.layer_norm_eps.unwrap_or(1e-12), // DistilBERT names none
            activation,
            tokeniser: wire.tokenizer_class,
        })
    }

    /// Greatest number of tokens of a line.
    pub(crate) fn most_tokens(&self) -> usize {
        self.positions.saturating_sub(self.first_position())
    }

    /// Position of a line's first token.
    pub(crate) fn first_position(&self) -> usize {
        if self.family.counts_from_padding() { self.padding as usize + 1 } else { 0 }
    }
}

impl Family {
    /// Whether norms stand before the sublayers.
    pub(crate) fn norms_first(self) -> bool {
        self == Self::RobertaPreNorm
    }

    /// Whether positions are counted from the padding's id, and padding has no position of its own.
    pub(crate) fn counts_from_padding(self) -> bool {
        !matches!(self, Self::Bert | Self::DistilBert)
    }

    /// Class of the tokeniser in Python, where no file names one.
    pub(crate) fn usual_tokeniser(self) -> &'static str {
        match self {
            Self::Bert => "BertTokenizer",
            Self::DistilBert => "DistilBertTokenizer",
            Self::Roberta | Self::RobertaPreNorm => "RobertaTokenizer",
            Self::XlmRoberta => "XLMRobertaTokenizer",
            Self::Camembert => "CamembertTokenizer",
        }
    }

    fn default_padding(self) -> u32 {
        u32::from(self.counts_from_padding())
    }
}

fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn names<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn config(changes: Value) -> Result<Config, String> {
        let mut wire = json!({
            "model_type": "bert", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2,
            "num_attention_heads": 2, "vocab_size": 30, "max_position_embeddings": 12,
        });
        wire.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        Config::new(serde_json::from_value(wire).unwrap())
    }

    #[test]
    fn each_family_counts_positions_in_its_way() {
        let bert = config(json!({})).unwrap();
        assert_eq!((bert.first_position(), bert.most_tokens()), (0, 12));
        let roberta = config(json!({ "model_type": "xlm-roberta", "pad_token_id": 1 })).unwrap();
        assert_eq!((roberta.first_position(), roberta.most_tokens()), (2, 10));
    }

    #[test]
    fn what_would_change_the_result_is_refused() {
        for (changes, said) in [
            (json!({ "model_type": "mpnet" }), "is none of bert, roberta"),
            (json!({ "hidden_act": "mish" }), "\"mish\" is none of gelu"),
            (json!({ "position_embedding_type": "relative_key" }), "only `absolute`"),
            (json!({ "num_attention_heads": 3 }), "among 3 heads"),
            (json!({ "num_attention_heads": 0 }), "among 0 heads"),
            (json!({ "intermediate_size": 0 }), "of width 0"),
            (json!({ "is_decoder": true }), "take an encoder"),
        ] {
            let fault = config(changes.clone()).unwrap_err();
            assert!(fault.contains(said), "{changes}: {fault}");
        }
    }
}
