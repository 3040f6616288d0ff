//! Marian's Transformers. Every key that changes the mathematics is read here or refused.

use super::MarianConfig;
use crate::spec::{
    Activation, AutoregressionSpec, AverageSpec, ChainSpec, Family, FeedSpec, Operation, Positions, SsruSpec,
    TransformerSpec,
};
use crate::yaml::Value;
use crate::{Fault, Result};

/// Known keys of the Transformer: honoured here, refused in `support`, or used in training only. Any other key that
/// is switched on is refused, because its effect is unknown.
const KNOWN: [&str; 40] = [
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
    "transformer-position-table",
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

/// The Transformer of `config`, which is of `family`.
pub(super) fn read(config: &MarianConfig, family: Family) -> Result<TransformerSpec> {
    refuse_unknown(config)?;
    let width = config.count("dim-emb")?;
    let scaled = config.flag("transformer-embedding-scale")?;
    Ok(TransformerSpec {
        width,
        heads: heads(config, width)?,
        encoder_depth: config.count("enc-depth")?,
        decoder_layers: decoder_layers(config)?,
        autoregression: autoregression(config, family)?,
        feeds: feeds(config)?,
        activation: activation(config, "transformer-ffn-activation")?,
        before: chain(config, "transformer-preprocess", "dnr")?,
        after: chain(config, "transformer-postprocess", "danrh")?,
        after_embedding: chain(config, "transformer-postprocess-emb", "dnr")?,
        after_top: chain(config, "transformer-postprocess-top", "danrh")?,
        positions: positions(config, width)?,
        embedding_scale: if scaled { (width as f32).sqrt() } else { 1.0 },
        start_word: start_word(config)?,
        normalised_keys: config.flag("transformer-normalised-keys")?,
        projection: !config.flag("transformer-no-projection")?,
        alignment_layer: alignment_layer(config)?,
    })
}

fn autoregression(config: &MarianConfig, family: Family) -> Result<AutoregressionSpec> {
    Ok(match family {
        Family::AverageAttention => AutoregressionSpec::Average(average(config)?),
        Family::RecurrentUnits => AutoregressionSpec::Ssru(ssru(config)?),
        _ => AutoregressionSpec::SelfAttention,
    })
}

fn average(config: &MarianConfig) -> Result<AverageSpec> {
    let depth = config.count("transformer-aan-depth")?;
    if depth == 0 {
        return Err(config.fault("transformer-aan-depth", "must be 1 or more"));
    }
    Ok(AverageSpec {
        width: config.count("transformer-dim-aan")?,
        depth,
        gated: !config.flag("transformer-aan-nogate")?,
        activation: activation(config, "transformer-aan-activation")?,
    })
}

fn ssru(config: &MarianConfig) -> Result<SsruSpec> {
    const KEY: &str = "dec-cell";
    match config.text(KEY)? {
        "ssru" => Ok(SsruSpec {
            normalised: config.flag("layer-normalization")?,
            projected: config.flag("transformer-rnn-projection")?,
        }),
        cell => {
            let what = format!("the cell `{cell}` in a Transformer's decoder");
            Err(config.lacks(KEY, &what, "the engines have ssru"))
        }
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

/// Names of activations.
pub(super) const ACTIVATIONS: [(&str, Activation); 4] = [
    ("relu", Activation::Relu),
    ("swish", Activation::Swish),
    ("gelu", Activation::Gelu),
    ("sigmoid", Activation::Sigmoid),
];

/// The activation that the key `key` names.
fn activation(config: &MarianConfig, key: &str) -> Result<Activation> {
    let name = config.text(key)?;
    let named = ACTIVATIONS.iter().find(|(known, _)| *known == name).map(|(_, activation)| *activation);
    named.ok_or_else(|| {
        config.fault(key, format!("is `{name}`; there are relu, swish, gelu and sigmoid").as_str())
    })
}

/// Letters of the operations around a sublayer; `d` stands for dropout, which is nothing here.
const CODES: [(char, Operation); 4] = [
    ('n', Operation::LayerNorm),
    ('r', Operation::RmsNorm),
    ('a', Operation::Add),
    ('h', Operation::Highway),
];

fn chain(config: &MarianConfig, key: &str, known: &str) -> Result<ChainSpec> {
    // Marian's is 1e-6 (`src/models/transformer.h`).
    let epsilon = config.float("transformer-norm-epsilon")?;
    let codes = config.text(key)?;
    if let Some(code) = codes.chars().find(|code| !known.contains(*code)) {
        return Err(config.fault(key, format!("has the code `{}`; known are {known}", code.escape_debug())));
    }
    let operation = |code| CODES.iter().find(|(letter, _)| *letter == code).map(|(_, operation)| *operation);
    Ok(ChainSpec { operations: codes.chars().filter_map(operation).collect(), epsilon })
}

/// The letters of `chain`.
pub(super) fn codes_of(chain: &ChainSpec) -> String {
    let letter = |operation: &Operation| CODES.iter().find(|(_, known)| known == operation);
    chain.operations.iter().filter_map(letter).map(|(letter, _)| letter).collect()
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

fn feeds(config: &MarianConfig) -> Result<[FeedSpec; 2]> {
    let encoder = FeedSpec {
        width: config.count("transformer-dim-ffn")?,
        depth: config.count("transformer-ffn-depth")?,
    };
    let or = |value: usize, other: usize| if value == 0 { other } else { value };
    let decoder = FeedSpec {
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
    } else if config.flag("transformer-position-table")? {
        Ok(Positions::Tabulated)
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
            MarianConfig::from_yaml("model.yml", &text).unwrap().spec()
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
