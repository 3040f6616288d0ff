//! The network: from variables and `config.json` to its description.
//!
//! Variables say nearly all: shapes by tensors, switches by single numbers. A variable that has no place here is
//! refused by its name, because its effect is unknown.

use super::files::Config;
use super::tensors::{self, Shape};
use super::variables::Variables;
use crate::error::Located;
use crate::naming::Tensors;
use crate::spec::{
    Activation, AutoregressionSpec, ChainSpec, FeedSpec, ModelSpec, NetworkSpec, Operation, Positions,
    TransformerSpec, VectorsSpec,
};
use crate::{DType, Fault, Result, Weights};

/// Tables of the source's words: newer files number the features of a word.
const SOURCE_TABLES: [&str; 2] = ["encoder/embeddings_0/weight", "encoder/embeddings/weight"];

/// The encodings of positions.
const POSITIONS: [&str; 2] = ["encoder/position_encodings/encodings", "decoder/position_encodings/encodings"];

/// Single numbers that are read here, behind the name of their stack; older files have them without it.
const READ: [&str; 8] = [
    "num_heads",
    "pre_norm",
    "activation",
    "scale_embeddings",
    "alignment_layer",
    "start_from_zero_embedding",
    "alignment_heads",
    "embeddings_merge", // without effect on a translation
];

/// Single numbers that may be there as long as they are off: their features are none of these networks.
const OFF: [&str; 5] =
    ["multi_query_attention", "alibi", "alibi_use_positive_positions", "scale_alibi", "with_source_bos"];

/// Numbers of files of version 5, whose `config.json` may be absent.
const OLD: [&str; 3] = ["with_source_eos", "with_target_bos", "user_decoder_start_tokens"];

/// A network with its tensors.
pub(super) struct Network {
    pub(super) spec: ModelSpec,
    pub(super) tensors: Tensors,
    /// Rows of the table of positions; 0 where there is none.
    pub(super) positions: usize,
}

/// The network in `weights`.
pub(super) fn read(weights: &Weights, config: &Config) -> Result<Network> {
    let origin = weights.origin();
    let variables = Variables(weights);
    let shape = variables.shape().in_file(origin)?;
    let tensors = tensors::of(&shape);
    variables.refuse_others(&tensors).in_file(origin)?;
    let network = variables.transformer(&shape, config).in_file(origin)?;
    let network = NetworkSpec::Transformer(network);
    let spec = ModelSpec { origin: origin.into(), words: shape.words, vectors: shape.vectors, network };
    Ok(Network { spec, tensors, positions: shape.positions })
}

impl Variables<'_> {
    fn shape(self) -> Result<Shape, Fault> {
        let source_table = SOURCE_TABLES.into_iter().find(|name| self.has(name)).unwrap_or(SOURCE_TABLES[0]);
        let [source, width] = self.dimensions(source_table)?;
        let [target, _] = self.dimensions("decoder/embeddings/weight")?;
        let stacks = ["encoder", "decoder"];
        let layers = stacks.map(|stack| {
            (0..).take_while(|layer| self.has(&format!("{stack}/layer_{layer}/ffn/linear_0/weight"))).count()
        });
        let inner =
            |stack| self.dimensions(&format!("{stack}/layer_0/ffn/linear_0/weight")).map(|[inner, _]| inner);
        let tied = self.same("decoder/embeddings/weight", "decoder/projection/weight");
        let vectors = VectorsSpec {
            shared: tied && self.same(source_table, "decoder/embeddings/weight"),
            tied,
            bias: self.has("decoder/projection/bias"),
        };
        Ok(Shape {
            width,
            layers,
            feeds: [inner("encoder")?, inner("decoder")?],
            words: [source, target],
            vectors,
            source_table: source_table.into(),
            norms_first: self.alike("pre_norm", 1.0)? != 0.0,
            norms_top: self.has("encoder/layer_norm/gamma"),
            positions: self.positions()?,
        })
    }

    /// Rows of the table of positions, which both sides share.
    fn positions(self) -> Result<usize, Fault> {
        let [encoder, decoder] = POSITIONS.map(|name| self.0.find(name).map(|tensor| tensor.raw()));
        match (encoder, decoder) {
            (None, None) => Ok(0),
            (Some(encoder), Some(decoder)) if encoder == decoder => {
                self.dimensions(POSITIONS[0]).map(|[rows, _]| rows)
            }
            _ => Err(Fault::unsupported("a table of the decoder's own", "both sides must have the same")
                .of(POSITIONS[1])),
        }
    }

    /// Refuses variables that are neither tensors of the network nor known numbers.
    fn refuse_others(self, tensors: &Tensors) -> Result<(), Fault> {
        const REMEDY: &str =
            "no engine of dyno has what it stands for; measure CTranslate2 itself by its adapter";
        let known: std::collections::BTreeSet<&str> = tensors.stored().collect();
        let aliases = ["decoder/embeddings/weight", "decoder/projection/weight", POSITIONS[1]];
        for name in self.0.names().filter(|name| !known.contains(name) && !aliases.contains(name)) {
            let short = name.rsplit('/').next().unwrap_or(name);
            let is_neutral = match short {
                _ if READ.contains(&short) || OLD.contains(&short) => true,
                _ if OFF.contains(&short) => self.number(name) == Some(0.0),
                "scale_outputs" | "queries_scale" => self.number(name) == Some(1.0),
                _ => false,
            };
            if !is_neutral {
                return Err(Fault::unsupported("this variable", REMEDY).of(name));
            }
        }
        Ok(())
    }

    fn transformer(self, shape: &Shape, config: &Config) -> Result<TransformerSpec, Fault> {
        let chain =
            |operations: &[Operation]| ChainSpec { operations: operations.into(), epsilon: config.epsilon };
        let [before, after] = match shape.norms_first {
            true => [&[Operation::LayerNorm][..], &[Operation::Add]],
            false => [&[][..], &[Operation::Add, Operation::LayerNorm]],
        };
        let last = shape.layers[1].saturating_sub(1);
        let alignment = self.of_stack("decoder", "alignment_layer").unwrap_or(-1.0);
        Ok(TransformerSpec {
            width: shape.width,
            heads: [self.heads("encoder", shape.width)?, self.heads("decoder", shape.width)?],
            encoder_depth: shape.layers[0],
            decoder_layers: (1..=shape.layers[1]).collect(),
            autoregression: AutoregressionSpec::SelfAttention,
            feeds: shape.feeds.map(|width| FeedSpec { width, depth: 2 }),
            activation: self.activation()?,
            before: chain(before),
            after: chain(after),
            after_embedding: chain(&[]),
            after_top: chain(if shape.norms_top { &[Operation::LayerNorm] } else { &[] }),
            positions: match shape.positions {
                // Without a table CTranslate2 computes sines as OpenNMT-tf does: the first word has position 1.
                0 => Positions::Sinusoid { divisor: (shape.width / 2) as f32 - 1.0, first: 1 },
                _ => Positions::Tabulated,
            },
            embedding_scale: self.embedding_scale(shape.width)?,
            start_word: match self.of_stack("decoder", "start_from_zero_embedding") {
                Some(flag) if flag != 0.0 => None,
                _ => Some(config.start()?),
            },
            normalised_keys: shape.norms_first,
            projection: true,
            alignment_layer: if alignment < 0.0 { last } else { (alignment as usize).min(last) },
        })
    }

    fn heads(self, stack: &str, width: usize) -> Result<usize, Fault> {
        let name = format!("{stack}/num_heads");
        let heads = self.of_stack(stack, "num_heads").map_or(0, |heads| heads as usize);
        match heads {
            1.. if width.is_multiple_of(heads) => Ok(heads),
            _ => Err(Fault::from(format!("{heads} heads don't divide {width}")).of(&name)),
        }
    }

    /// The activation, by the numbers of `include/ctranslate2/ops/activation.h`.
    fn activation(self) -> Result<Activation, Fault> {
        let code = self.alike("activation", 0.0)?;
        let named = [
            (0.0, Activation::Relu),
            (2.0, Activation::Swish),
            (3.0, Activation::Gelu),
            (6.0, Activation::Sigmoid),
        ];
        let found = named.into_iter().find(|(known, _)| *known == code);
        found.map(|(_, activation)| activation).ok_or_else(|| {
            let what = match code as usize {
                1 => "GELU by tanh".to_owned(),
                4 => "GELU by the sigmoid".to_owned(),
                _ => format!("activation {code}"),
            };
            Fault::unsupported(what, "there are ReLU, Swish, GELU and the sigmoid").of("activation")
        })
    }

    /// The factor of embeddings: a switch for the root of the width in int8, else the factor itself.
    fn embedding_scale(self, width: usize) -> Result<f32, Fault> {
        const NAME: &str = "scale_embeddings";
        let scale = self.alike(NAME, 1.0)?;
        let is_switch =
            self.0.find("encoder/scale_embeddings").is_none_or(|tensor| tensor.dtype() == DType::I8);
        match scale {
            _ if !scale.is_finite() => Err(Fault::from(format!("is {scale}")).of(NAME)),
            1.0 if is_switch => Ok((width as f32).sqrt()),
            _ if is_switch => Ok(1.0),
            _ => Ok(scale),
        }
    }
}
