//! The network: from `config.json` to its description.

use std::path::Path;

use serde::Deserialize;

use crate::Fault;
use crate::spec::{
    Activation, AutoregressionSpec, ChainSpec, FeedSpec, ModelSpec, NetworkSpec, Operation, Positions,
    TransformerSpec, VectorsSpec,
};

/// Epsilon of PyTorch's layer norm, which the original doesn't change.
const EPSILON: f32 = 1e-5;

/// Greatest number of anything that a configuration counts: no model is near it, and sums of shapes fit.
const MOST: usize = 1 << 24;

/// Greatest number of layers, and of heads: no model is near it.
const MOST_LAYERS: usize = 1000;

/// Family of translators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// MarianMT: norms after sublayers, ids of `vocab.json`.
    Marian,
    /// M2M-100 and NLLB-200: norms before sublayers, words for languages.
    M2m,
}

impl Family {
    /// The family with this name in `model_type`.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "marian" => Some(Self::Marian),
            "m2m_100" => Some(Self::M2m),
            _ => None,
        }
    }

    /// Whether norms stand before sublayers.
    pub(super) fn norms_first(self) -> bool {
        self == Self::M2m
    }
}

/// `config.json`, as far as it matters. Absent values have the defaults of the original's classes, which are
/// those of its first published models.
#[derive(Deserialize)]
pub(super) struct WireNetwork {
    model_type: String,
    pub(super) vocab_size: usize,
    pub(super) decoder_vocab_size: Option<usize>,
    pub(super) d_model: usize,
    pub(super) encoder_layers: usize,
    pub(super) decoder_layers: usize,
    encoder_attention_heads: usize,
    decoder_attention_heads: usize,
    pub(super) encoder_ffn_dim: usize,
    pub(super) decoder_ffn_dim: usize,
    max_position_embeddings: Option<usize>,
    activation_function: Option<String>,
    scale_embedding: Option<bool>,
    share_encoder_decoder_embeddings: Option<bool>,
    tie_word_embeddings: Option<bool>,
    normalize_before: Option<bool>,
    normalize_embedding: Option<bool>,
    static_position_embeddings: Option<bool>,
    decoder_start_token_id: Option<u32>,
    pad_token_id: Option<u32>,
    eos_token_id: Option<Id>,
}

/// Start and end of a translation.
pub(super) struct Ends {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// An id, which may stand in a list of its own.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Id {
    One(u32),
    List(Vec<u32>),
}

impl Id {
    /// The one id.
    pub(super) fn only(&self, key: &str) -> Result<u32, Fault> {
        match self {
            Self::One(id) => Ok(*id),
            Self::List(ids) => match ids[..] {
                [id] => Ok(id),
                _ => Err(Fault::unsupported("more than one end of a sentence", "a model has one").of(key)),
            },
        }
    }
}

impl WireNetwork {
    pub(super) fn family(&self) -> Option<Family> {
        Family::named(&self.model_type)
    }

    /// Greatest number of words that a position is made for.
    pub(super) fn positions(&self) -> usize {
        self.max_position_embeddings.unwrap_or(1024)
    }

    /// Whether source and target have one table of word vectors. Untied sides have their own.
    pub(super) fn shares_words(&self, family: Family) -> bool {
        self.has_shared_words(family) && self.ties_output()
    }

    /// Whether the network has a table for both sides, which older versions of the original use even where
    /// nothing is tied.
    pub(super) fn has_shared_words(&self, family: Family) -> bool {
        family == Family::M2m || self.share_encoder_decoder_embeddings.unwrap_or(true)
    }

    /// Whether the target's word vectors are the output's weights.
    pub(super) fn ties_output(&self) -> bool {
        self.tie_word_embeddings.unwrap_or(true)
    }

    /// Words of source and target.
    pub(super) fn words(&self) -> [usize; 2] {
        [self.vocab_size, self.decoder_vocab_size.unwrap_or(self.vocab_size)]
    }

    /// Special words at the ends of a translation.
    pub(super) fn ends(&self, family: Family) -> Ends {
        let [pad, end] = match family {
            Family::Marian => [58_100, 0],
            Family::M2m => [1, 2],
        };
        let pad = self.pad_token_id.unwrap_or(pad);
        let start = if family == Family::Marian { pad } else { end };
        Ends {
            start: self.decoder_start_token_id.unwrap_or(start),
            end: self.eos_token_id.as_ref().and_then(|id| id.only("").ok()).unwrap_or(end),
        }
    }

    /// The network, which `origin` describes.
    pub(super) fn spec(&self, family: Family, origin: &Path) -> Result<ModelSpec, Fault> {
        self.refuse_unsupported(family)?;
        let (words, start) = (self.words(), self.ends(family).start);
        if start as usize >= words[1] {
            return Err(Fault::from("is no word of the vocabulary").of("decoder_start_token_id"));
        }
        let vectors = VectorsSpec {
            shared: self.shares_words(family),
            tied: self.ties_output(),
            bias: family == Family::Marian,
        };
        let network = NetworkSpec::Transformer(self.transformer(family, start)?);
        Ok(ModelSpec { origin: origin.into(), words, vectors, network })
    }

    fn transformer(&self, family: Family, start: u32) -> Result<TransformerSpec, Fault> {
        let [before, after, after_top] = match family {
            Family::Marian => [&[][..], &[Operation::Add, Operation::LayerNorm], &[]],
            Family::M2m => [&[Operation::LayerNorm][..], &[Operation::Add], &[Operation::LayerNorm]],
        };
        let chain = |operations: &[Operation]| ChainSpec { operations: operations.into(), epsilon: EPSILON };
        let half = (self.d_model / 2) as f32;
        let (divisor, first) = match family {
            Family::Marian => (half, 0),
            Family::M2m => (half - 1.0, 2),
        };
        let scaled = self.scale_embedding.unwrap_or(family == Family::M2m);
        Ok(TransformerSpec {
            width: self.d_model,
            heads: [self.encoder_attention_heads, self.decoder_attention_heads],
            encoder_depth: self.encoder_layers,
            decoder_layers: (1..=self.decoder_layers).collect(),
            autoregression: AutoregressionSpec::SelfAttention,
            feeds: [self.encoder_ffn_dim, self.decoder_ffn_dim].map(|width| FeedSpec { width, depth: 2 }),
            activation: self.activation(family)?,
            before: chain(before),
            after: chain(after),
            after_embedding: chain(&[]),
            after_top: chain(after_top),
            positions: Positions::Sinusoid { divisor, first },
            embedding_scale: if scaled { (self.d_model as f32).sqrt() } else { 1.0 },
            start_word: Some(start),
            normalised_keys: family.norms_first(),
            projection: true,
            alignment_layer: self.decoder_layers - 1,
        })
    }

    fn activation(&self, family: Family) -> Result<Activation, Fault> {
        // Defaults of MarianConfig and M2M100Config.
        let usual = match family {
            Family::Marian => "gelu",
            Family::M2m => "relu",
        };
        match self.activation_function.as_deref().unwrap_or(usual) {
            "swish" | "silu" => Ok(Activation::Swish),
            "relu" => Ok(Activation::Relu),
            "gelu" | "gelu_python" => Ok(Activation::Gelu),
            other => Err(Fault::unsupported(
                format!("the activation `{}`", crate::error::clip(other)),
                "there are swish, relu and gelu",
            )
            .of("activation_function")),
        }
    }

    fn refuse_unsupported(&self, family: Family) -> Result<(), Fault> {
        let fault = |key: &str, what: &str| Err(Fault::from(what).of(key));
        let [source, target] = self.words();
        let counts = [
            ("vocab_size", source, MOST),
            ("decoder_vocab_size", target, MOST),
            ("d_model", self.d_model, MOST),
            ("encoder_ffn_dim", self.encoder_ffn_dim, MOST),
            ("decoder_ffn_dim", self.decoder_ffn_dim, MOST),
            ("max_position_embeddings", self.positions(), MOST),
            ("encoder_layers", self.encoder_layers, MOST_LAYERS),
            ("decoder_layers", self.decoder_layers, MOST_LAYERS),
            ("encoder_attention_heads", self.encoder_attention_heads, MOST_LAYERS),
            ("decoder_attention_heads", self.decoder_attention_heads, MOST_LAYERS),
        ];
        if let Some((key, ..)) = counts.into_iter().find(|(_, count, most)| !(1..=*most).contains(count)) {
            return fault(key, "is 0 or beyond all reason; copy the file anew from the model's origin");
        }
        let heads = [
            ("encoder_attention_heads", self.encoder_attention_heads),
            ("decoder_attention_heads", self.decoder_attention_heads),
        ];
        if let Some((key, heads)) = heads.into_iter().find(|(_, heads)| !self.d_model.is_multiple_of(*heads))
        {
            return fault(key, &format!("{heads} heads don't divide {}", self.d_model));
        }
        if self.has_shared_words(family) && source != target {
            return fault("decoder_vocab_size", "must be vocab_size where embeddings are shared");
        }
        // Older versions of the original read these keys; today's doesn't, so that such a model has two readings.
        let other = [
            ("normalize_before", self.normalize_before == Some(!family.norms_first())),
            ("normalize_embedding", self.normalize_embedding == Some(true)),
            ("static_position_embeddings", self.static_position_embeddings == Some(false)),
        ];
        match other.into_iter().find(|(_, odd)| *odd).filter(|_| family == Family::Marian) {
            Some((key, _)) => fault(key, "today's MarianMT has no such networks; convert the model anew"),
            None => Ok(()),
        }
    }
}
