//! Options of a Transformer's configuration. Every key that changes the mathematics is read here or refused.

use dyno_formats::yaml::Value;
use dyno_formats::{Fault, MarianConfig, Result};

use super::process::Codes;
use crate::math::Activation;

/// Known keys of the Transformer: honoured here or in the engines, refused elsewhere, or used in training
/// only. Any other key that is switched on is refused, because its effect is unknown.
const KNOWN: [&str; 39] = [
    "transformer-aan-activation",
    "transformer-aan-depth",
    "transformer-aan-nogate",
    "transformer-alibi-shift", // without effect unless the attention mask is alibi, which is refused
    "transformer-alibi-trainable",
    "transformer-attention-mask",
    "transformer-decoder-autoreg",
    "transformer-decoder-dim-ffn",
    "transformer-decoder-heads",
    "transformer-decoder-ffn-depth",
    "transformer-depth-scaling", // initialisation
    "transformer-dim-aan",
    "transformer-dim-ffn",
    "transformer-disable-position-embeddings",
    "transformer-dropout",
    "transformer-dropout-attention",
    "transformer-dropout-ffn",
    "transformer-embedding-scale",
    "transformer-ffn-activation",
    "transformer-ffn-depth",
    "transformer-first-position",
    "transformer-guided-alignment-layer",
    "transformer-heads",
    "transformer-no-affine",
    "transformer-no-bias",
    "transformer-no-projection",
    "transformer-norm-epsilon",
    "transformer-normalised-keys",
    "transformer-pool",
    "transformer-position-divisor",
    "transformer-postprocess",
    "transformer-postprocess-emb",
    "transformer-postprocess-top",
    "transformer-preprocess",
    "transformer-rnn-projection",
    "transformer-start-word",
    "transformer-tied-layers",
    "transformer-train-position-embeddings",
    "transformer-train-positions",
];

/// Positions of words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Positions {
    /// Sines and cosines, on embeddings scaled by √D unless the configuration says otherwise.
    Sinusoid {
        /// Divisor of an index in the exponent of wave lengths: D/2 − 1 in Marian and M2M-100, D/2 in MarianMT.
        divisor: f32,
        /// Position of the first word.
        first: usize,
    },
    /// Trained vectors; embeddings as they are.
    Trained,
    /// No positions; embeddings as they are.
    None,
}

/// Shape of the feed-forward sublayers of one stack.
#[derive(Clone, Copy, Debug)]
pub struct Feed {
    /// Width between the layers.
    pub width: usize,
    /// Number of layers.
    pub depth: usize,
}

/// Shape of a Transformer.
#[derive(Clone, Debug)]
pub struct Options {
    /// Width of the model, D.
    pub width: usize,
    /// Number of attention heads in encoder and decoder.
    pub heads: [usize; 2],
    /// Words of the source vocabulary and of the target vocabulary.
    pub words: [usize; 2],
    /// Number of layers of the encoder.
    pub encoder_depth: usize,
    /// For each layer of the decoder, the number under which its parameters are stored, from 1.
    pub decoder_layers: Vec<usize>,
    /// Shapes of the feed-forward sublayers in encoder and decoder.
    pub feeds: [Feed; 2],
    /// Activation of the feed-forward sublayers.
    pub activation: Activation,
    /// Codes of the operations before a sublayer.
    pub before: Codes,
    /// Codes of the operations after a sublayer.
    pub after: Codes,
    /// Codes of the operations after embeddings.
    pub after_embedding: Codes,
    /// Codes of the operations after the last layer.
    pub after_top: Codes,
    /// Positions of words.
    pub positions: Positions,
    /// Factor of embeddings with sines and cosines.
    pub embedding_scale: f32,
    /// Input of the decoder's first step; zeros where there is none, as in Marian.
    pub start_word: Option<u32>,
    /// Whether the decoder's self-attention takes keys and values from its normalised input.
    pub normalised_keys: bool,
    /// Whether attention ends with a projection.
    pub projection: bool,
    /// Index of the decoder's layer whose attention is the alignment, from 0.
    pub alignment_layer: usize,
}

impl Options {
    /// Reads the options.
    ///
    /// # Errors
    /// When an unknown key is switched on, or a value makes no sense.
    pub fn read(config: &MarianConfig) -> Result<Self> {
        refuse_unknown(config)?;
        let width = config.count("dim-emb")?;
        let codes = |key: &str, known: &str| codes(config, key, known);
        Ok(Self {
            width,
            heads: heads(config, width)?,
            words: config.vocabulary_sizes()?,
            encoder_depth: config.count("enc-depth")?,
            decoder_layers: decoder_layers(config)?,
            feeds: feeds(config)?,
            activation: activation(config, "transformer-ffn-activation")?,
            before: codes("transformer-preprocess", "dnr")?,
            after: codes("transformer-postprocess", "danrh")?,
            after_embedding: codes("transformer-postprocess-emb", "dnr")?,
            after_top: codes("transformer-postprocess-top", "danrh")?,
            positions: positions(config, width)?,
            embedding_scale: if config.flag("transformer-embedding-scale")? {
                (width as f32).sqrt()
            } else {
                1.0
            },
            start_word: start_word(config)?,
            normalised_keys: config.flag("transformer-normalised-keys")?,
            projection: !config.flag("transformer-no-projection")?,
            alignment_layer: alignment_layer(config)?,
        })
    }
}

/// Heads of the encoder and of the decoder, which has as many unless the configuration says otherwise.
fn heads(config: &MarianConfig, width: usize) -> Result<[usize; 2]> {
    const DECODER: &str = "transformer-decoder-heads";
    let (encoder, decoder) = (config.count("transformer-heads")?, config.count(DECODER)?);
    let heads = [encoder, if decoder == 0 { encoder } else { decoder }];
    let divides = |heads: usize| heads > 0 && width > 0 && width.is_multiple_of(heads);
    match ["transformer-heads", DECODER].into_iter().zip(heads).find(|(_, heads)| !divides(*heads)) {
        Some((key, heads)) => Err(config.fault(key, format!("{heads} heads don't divide {width}"))),
        None => Ok(heads),
    }
}

fn refuse_unknown(config: &MarianConfig) -> Result<()> {
    let off = |value: &Value| match value {
        Value::Text(text) => matches!(text.as_str(), "" | "0" | "false" | "~" | "null"),
        Value::List(values) => values.is_empty(),
        Value::Map(entries) => entries.is_empty(),
    };
    let unknown = |(key, value): &&(String, Value)| {
        key.starts_with("transformer-") && !KNOWN.contains(&key.as_str()) && !off(value)
    };
    match config.entries().iter().find(unknown) {
        Some((key, _)) => {
            let what = "a switch of the Transformer that dyno doesn't know".into();
            let remedy = "it would translate differently; use a model without it";
            Err(config.fault(key, Fault::Unsupported { what, remedy }))
        }
        None => Ok(()),
    }
}

/// The activation that the key `key` names.
///
/// # Errors
/// When there is no such activation.
pub fn activation(config: &MarianConfig, key: &str) -> Result<Activation> {
    let name = config.text(key)?;
    Activation::named(name).ok_or_else(|| {
        config.fault(key, format!("is `{name}`; there are relu, swish, gelu and sigmoid").as_str())
    })
}

fn codes(config: &MarianConfig, key: &str, known: &str) -> Result<Codes> {
    // Marian's is 1e-6 (`src/models/transformer.h`).
    let epsilon = config.float("transformer-norm-epsilon")?;
    let codes = config.text(key)?;
    match codes.chars().find(|code| !known.contains(*code)) {
        Some(code) => {
            Err(config.fault(key, format!("has the code `{}`; known are {known}", code.escape_debug())))
        }
        None => Ok(Codes { codes: codes.into(), epsilon }),
    }
}

fn start_word(config: &MarianConfig) -> Result<Option<u32>> {
    const KEY: &str = "transformer-start-word";
    if !config.has(KEY) {
        return Ok(None);
    }
    let (word, [_, words]) = (config.count(KEY)?, config.vocabulary_sizes()?);
    match u32::try_from(word) {
        Ok(start) if word < words => Ok(Some(start)),
        _ => Err(config.fault(KEY, format!("is {word}, but the vocabulary has {words} words"))),
    }
}

fn decoder_layers(config: &MarianConfig) -> Result<Vec<usize>> {
    const KEY: &str = "transformer-tied-layers";
    let depth = config.count("dec-depth")?;
    if depth == 0 {
        return Err(
            config.fault("dec-depth", "is 0; a decoder has one layer or more, which attend to the source")
        );
    }
    let tied = config.counts(KEY)?;
    if tied.is_empty() {
        return Ok((1..=depth).collect());
    }
    if tied.len() != depth {
        return Err(config.fault(KEY, format!("names {} layers; the decoder has {depth}", tied.len())));
    }
    Ok(tied)
}

fn feeds(config: &MarianConfig) -> Result<[Feed; 2]> {
    let encoder =
        Feed { width: config.count("transformer-dim-ffn")?, depth: config.count("transformer-ffn-depth")? };
    let or = |value: usize, other: usize| if value == 0 { other } else { value };
    let decoder = Feed {
        width: or(config.count("transformer-decoder-dim-ffn")?, encoder.width),
        depth: or(config.count("transformer-decoder-ffn-depth")?, encoder.depth),
    };
    if encoder.depth == 0 || encoder.width == 0 {
        return Err(config.fault("transformer-ffn-depth", "a feed-forward sublayer has one layer or more"));
    }
    Ok([encoder, decoder])
}

fn positions(config: &MarianConfig, width: usize) -> Result<Positions> {
    // Marian's option is called transformer-train-position-embeddings, but its Transformer reads this key. A
    // model of 1.12 that was trained with the option has no such vectors and works with sines. With this key
    // 1.12 aborts, so that only older models have trained vectors, and no golden holds them.
    const TRAINED: &str = "transformer-train-positions";
    if config.flag("transformer-disable-position-embeddings")? {
        Ok(Positions::None)
    } else if config.has(TRAINED) && config.flag(TRAINED)? {
        Ok(Positions::Trained)
    } else {
        let half = (width / 2) as f32;
        let divisor = match config.text(DIVISOR)? {
            "d/2" => half,
            "d/2-1" => half - 1.0,
            other => return Err(config.fault(DIVISOR, format!("is `{other}`; there are d/2 and d/2-1"))),
        };
        Ok(Positions::Sinusoid { divisor, first: config.count("transformer-first-position")?.min(MOST) })
    }
}

/// Key of the divisor in the exponent of wave lengths.
const DIVISOR: &str = "transformer-position-divisor";

/// Greatest first position: sums of positions fit.
const MOST: usize = 1 << 24;

fn alignment_layer(config: &MarianConfig) -> Result<usize> {
    const KEY: &str = "transformer-guided-alignment-layer";
    let depth = config.count("dec-depth")?;
    if config.text(KEY)? == "last" {
        return Ok(depth.saturating_sub(1));
    }
    match config.count(KEY)? {
        layer if (1..=depth).contains(&layer) => Ok(layer - 1),
        _ => Err(config.fault(KEY, format!("must be `last` or a layer from 1 to {depth}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_make_no_sense_are_refused_by_their_key() {
        let read = |keys: &str| {
            let text = format!("type: transformer\ndim-vocabs: [8, 9]\ndim-emb: 8\n{keys}");
            Options::read(&MarianConfig::from_yaml("model.yml", &text).unwrap())
        };
        assert_eq!(read("").unwrap().words, [8, 9]);
        for (keys, refusal) in [
            ("transformer-heads: 3", "`transformer-heads`: 3 heads don't divide 8"),
            ("transformer-decoder-heads: 3", "`transformer-decoder-heads`: 3 heads don't divide 8"),
            ("dec-depth: 0", "`dec-depth`: is 0"),
            ("transformer-ffn-depth: 0", "`transformer-ffn-depth`"),
            (
                "transformer-tied-layers: [1, 1]",
                "`transformer-tied-layers`: names 2 layers; the decoder has 1",
            ),
            ("transformer-ffn-activation: tanh", "is `tanh`; there are relu, swish, gelu and sigmoid"),
            ("transformer-postprocess: dax", "has the code `x`"),
            ("transformer-guided-alignment-layer: 7", "a layer from 1 to 1"),
            ("transformer-never-heard-of: true", "a switch of the Transformer that dyno doesn't know"),
        ] {
            let told = read(keys).unwrap_err().to_string();
            assert!(told.contains(refusal), "{keys}: {told}");
        }
        // A key that is switched off changes nothing.
        assert!(read("transformer-never-heard-of: false").is_ok());
    }
}
