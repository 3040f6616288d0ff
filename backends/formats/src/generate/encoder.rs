//! Drawn sentence encoders, as directories of Hugging Face: their tensors, their configuration and tokeniser.
//!
//! The names of tensors and keys are those of `transformers`. The tokeniser is WordPiece for every type of
//! network, with a vocabulary of whole words: so a text of known words has a known number of tokens. A
//! network's speed doesn't depend on where its ids come from.

use serde_json::{Map, Value as Json, json};

use super::shapes::{Kind, Shapes};
use crate::encoder_layers::LayerLayout;
use crate::yaml::Value;
use crate::{Fault, MarianConfig, Result};

/// Keys of sizes in the order of [`Sizes`], by the types of network that have them.
const SIZES: [(&[&str], [&str; 5]); 2] = [
    (
        &["bert", "roberta"],
        [
            "hidden_size",
            "intermediate_size",
            "num_hidden_layers",
            "num_attention_heads",
            "max_position_embeddings",
        ],
    ),
    (&["distilbert"], ["dim", "hidden_dim", "n_layers", "n_heads", "max_position_embeddings"]),
];

/// Further keys that a recipe may have.
const FURTHER: [&str; 7] = [
    "model_type",
    "type_vocab_size",
    "pad_token_id",
    "layer_norm_eps",
    "hidden_act",
    "activation",
    "dim-vocabs", // added to every recipe
];

/// First words of a vocabulary, as BERT's tokeniser expects them.
pub(super) const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Name of the weights.
pub(super) const WEIGHTS: &str = "model.safetensors";

/// Sizes of a network.
struct Sizes {
    distil: bool,
    width: usize,
    inner: usize,
    layers: usize,
    positions: usize,
    types: usize,
}

impl Sizes {
    fn of(config: &MarianConfig) -> Result<Self> {
        const KEY: &str = "model_type";
        let kind = config.text(KEY)?;
        let Some((_, keys)) = SIZES.iter().find(|(kinds, _)| kinds.contains(&kind)) else {
            let remedy = "there are bert (MiniLM too), roberta and distilbert";
            return Err(config.fault(KEY, Fault::unsupported(format!("generating a `{kind}`"), remedy)));
        };
        let known = |key: &str| keys.contains(&key) || FURTHER.contains(&key);
        if let Some((key, _)) = config.entries().iter().find(|(key, _)| !known(key)) {
            return Err(config.fault(key, format!("isn't a key of a drawn `{kind}`; leave it out")));
        }
        let [width, inner, layers, heads, positions] = keys.map(|key| match config.has(key) {
            true => config.count(key),
            false => Err(config.fault(key, "is missing; state all sizes of the network")),
        });
        let (width, heads) = (width?, heads?);
        if heads == 0 || !width.is_multiple_of(heads) {
            return Err(
                config.fault(keys[3], format!("is {heads}, by which a width of {width} can't be divided"))
            );
        }
        let distil = kind == "distilbert";
        let types = match config.has("type_vocab_size") {
            _ if distil => 0,
            true => config.count("type_vocab_size")?,
            false => 2,
        };
        Ok(Self { distil, width, inner: inner?, layers: layers?, positions: positions?, types })
    }
}

/// Adds the tensors of the network.
pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    let sizes = Sizes::of(config)?;
    to.words("embeddings.word_embeddings.weight", words, sizes.width);
    to.words("embeddings.position_embeddings.weight", sizes.positions, sizes.width);
    if sizes.types > 0 {
        to.words("embeddings.token_type_embeddings.weight", sizes.types, sizes.width);
    }
    norm("embeddings.LayerNorm", &sizes, to);
    (0..sizes.layers).for_each(|number| layer(number, &sizes, to));
    Ok(())
}

fn layer(number: usize, sizes: &Sizes, to: &mut Shapes) {
    let layout = if sizes.distil { LayerLayout::DISTILBERT } else { LayerLayout::BERT };
    let at = layout.names(number);
    at[..4].iter().for_each(|name| linear(name, sizes.width, sizes.width, to));
    norm(&at[4], sizes, to);
    linear(&at[5], sizes.width, sizes.inner, to);
    linear(&at[6], sizes.inner, sizes.width, to);
    norm(&at[7], sizes, to);
}

/// Adds a product with its bias; PyTorch has a row for each output.
fn linear(name: &str, inputs: usize, outputs: usize, to: &mut Shapes) {
    to.add(format!("{name}.weight"), outputs, inputs, Kind::Transposed);
    to.bias(format!("{name}.bias"), outputs);
}

fn norm(name: &str, sizes: &Sizes, to: &mut Shapes) {
    to.add(format!("{name}.weight"), 1, sizes.width, Kind::Scale);
    to.bias(format!("{name}.bias"), sizes.width);
}

/// `config.json`.
pub(super) fn configuration(config: &MarianConfig, words: usize) -> String {
    // Some readers expect the kind of positions in words.
    let always = [("vocab_size", json!(words)), ("position_embedding_type", json!("absolute"))];
    let mut json = Map::from_iter(always.map(|(key, value)| (key.to_owned(), value)));
    for (key, value) in config.entries().iter().filter(|(key, _)| key != "dim-vocabs") {
        if let Value::Text(text) = value {
            json.insert(key.clone(), text.parse::<serde_json::Number>().map_or(json!(text), Json::Number));
        }
    }
    format!("{:#}\n", Json::Object(json))
}

/// `tokenizer_config.json`.
pub(super) fn tokeniser() -> String {
    format!("{:#}\n", json!({ "tokenizer_class": "BertTokenizer", "do_lower_case": true }))
}
