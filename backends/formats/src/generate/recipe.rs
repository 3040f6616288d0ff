//! Recipes: the description of a generated model in a campaign's `[generate.NAME]`.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::family::{ENCODER, MARIAN, OPENNMT, RNN_FC, shapes_of};
use super::shapes::{self, Kind, Macs, Shape};
use crate::digest::FileIdentity;
use crate::error::{Located, clip};
use crate::manifest::entries_of;
use crate::shortlist::Cut;
use crate::yaml::{Entries, Value};
use crate::{Fault, MarianConfig, Result};

/// Generation of the drawing code. It grows whenever a recipe gives another model, so that an old model isn't
/// taken for a new one.
const GENERATION: u32 = 2;

/// Smallest vocabulary: the end, the unknown word, and a shortlist's multiple of eight.
const FEWEST_WORDS: usize = 16;

/// Most words of a vocabulary: four times those of the largest multilingual models.
const MOST_WORDS: usize = 1 << 20;

/// Largest width of a layer: eight times that of the largest dense translators.
const MOST_WIDTH: usize = 1 << 16;

/// Most layers or cells above each other.
const MOST_LAYERS: usize = 256;

/// Most parameters: 8 GiB of weights in f32, which drawing holds in memory.
const MOST_PARAMETERS: u64 = 1 << 31;

/// Most candidates in a whole shortlist: 512 MiB.
const MOST_CANDIDATES: usize = 1 << 27;

/// Description of a model to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of words in the vocabulary that source and target share.
    pub words: usize,
    /// Texts whose words begin the vocabulary, most frequent first; invented words follow.
    pub text: Vec<PathBuf>,
    /// Number of candidates of each word; `None` for no shortlist.
    pub shortlist: Option<Cut>,
    /// Name of the table with the network's configuration: `marian`, `rnn-fc`, `opennmt` or `encoder`.
    table: &'static str,
    entries: Entries,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireRecipe {
    #[serde(default = "one")]
    seed: u64,
    words: usize,
    #[serde(default)]
    text: Vec<PathBuf>,
    shortlist: Option<WireShortlist>,
    marian: Option<toml::Table>,
    rnn_fc: Option<toml::Table>,
    opennmt: Option<toml::Table>,
    encoder: Option<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireShortlist {
    first: usize,
    best: usize,
}

fn one() -> u64 {
    1
}

impl Recipe {
    /// Reads a recipe's table; the paths of texts are relative to `folder`.
    ///
    /// # Errors
    /// The first fault.
    pub fn of(table: toml::Table, folder: &Path) -> Result<Self, Fault> {
        let wire: WireRecipe =
            table.try_into().map_err(|error: toml::de::Error| Fault::from(clip(error.message().trim())))?;
        let given =
            [(MARIAN, wire.marian), (RNN_FC, wire.rnn_fc), (OPENNMT, wire.opennmt), (ENCODER, wire.encoder)];
        let mut given = given.into_iter().filter_map(|(name, table)| Some((name, entries_of(table?))));
        let (Some((table, entries)), None) = (given.next(), given.next()) else {
            let fault =
                "needs one of `marian`, `rnn-fc`, `opennmt` and `encoder`: the network's configuration";
            return Err(fault.into());
        };
        if table == ENCODER && wire.shortlist.is_some() {
            return Err("an encoder chooses no words: leave `shortlist` out".into());
        }
        within("words", wire.words, FEWEST_WORDS..=MOST_WORDS)?;
        sizes_fault(&entries)?;
        if let Some(WireShortlist { first, best }) = &wire.shortlist {
            within("shortlist.first", *first, 0..=MOST_WORDS)?;
            within("shortlist.best", *best, 0..=MOST_CANDIDATES / wire.words)?;
        }
        let shortlist =
            wire.shortlist.map(|WireShortlist { first, best }| Cut { first, best, threshold: 0.0 });
        let text = wire.text.iter().map(|path| folder.join(path)).collect();
        let recipe = Self { seed: wire.seed, words: wire.words, text, shortlist, table, entries };
        recipe.shapes().map_err(|error| Fault::from(error.to_string()))?;
        match recipe.parameters() {
            0..=MOST_PARAMETERS => Ok(recipe),
            many => {
                Err(format!("{many} parameters; at most {MOST_PARAMETERS} are drawn: make it smaller").into())
            }
        }
    }

    /// The network's configuration for `model.toml`, with the sizes of the vocabularies.
    pub(super) fn configuration(&self) -> (String, Entries) {
        let words = Value::Text(self.words.to_string());
        let sizes = ("dim-vocabs".to_owned(), Value::List(vec![words.clone(), words]));
        let others = self.entries.iter().filter(|(key, _)| key != "dim-vocabs").cloned();
        (self.table.into(), others.chain([sizes]).collect())
    }

    /// The network's configuration with typed getters.
    pub(super) fn config(&self) -> MarianConfig {
        let (name, entries) = self.configuration();
        MarianConfig::from_entries(format!("generated [{name}]"), entries)
    }

    /// Number of parameters.
    pub fn parameters(&self) -> u64 {
        let sizes = self.shapes().unwrap_or_default();
        sizes.iter().map(|Shape { rows, columns, .. }| (rows * columns) as u64).sum()
    }

    /// Number of multiply-accumulates for a word, by the recipe's shortlist or with all words as candidates.
    pub fn macs(&self, shortlisted: bool) -> Macs {
        let shapes = self.shapes().unwrap_or_default();
        if !self.is_encoder() {
            return shapes::macs(&shapes, if shortlisted { self.candidates() } else { self.words });
        }
        let products = shapes.iter().filter(|shape| shape.kind == Kind::Transposed);
        Macs { source: products.map(|shape| (shape.rows * shape.columns) as u64).sum(), target: 0 }
    }

    /// Whether the model is a sentence encoder, in a directory of Hugging Face.
    pub fn is_encoder(&self) -> bool {
        self.table == ENCODER
    }

    /// Number of candidates for the next word.
    fn candidates(&self) -> usize {
        /// Assumed number of words in a sentence, each of which brings its own candidates.
        const SENTENCE: usize = 10;
        let listed = self.shortlist.as_ref().map(|cut| cut.first + cut.best * SENTENCE);
        listed.unwrap_or(self.words).min(self.words)
    }

    /// A hash over everything that decides the bytes of the model.
    ///
    /// # Errors
    /// When a text can't be read.
    pub fn key(&self) -> Result<String> {
        let texts = self.text.iter().map(|path| FileIdentity::of_file(path)).collect::<Result<Vec<_>>>()?;
        let parts = (GENERATION, self.seed, self.words, &self.shortlist, self.configuration(), texts);
        let identity = FileIdentity::of_bytes(format!("{parts:?}").as_bytes());
        Ok(identity.sha256[..12].into())
    }

    /// All tensors of the network.
    pub(super) fn shapes(&self) -> Result<Vec<Shape>> {
        shapes_of(self.table, &self.config(), self.words)
    }
}

/// Refuses more layers than `MOST_LAYERS` and wider ones than `MOST_WIDTH`, before shapes are computed.
fn sizes_fault(entries: &Entries) -> Result<(), Fault> {
    let sizes = entries.iter().filter_map(|(key, value)| match value {
        Value::Text(text) => Some((key, text.parse().ok()?)),
        Value::List(_) | Value::Map(_) => None,
    });
    for (key, size) in sizes {
        match () {
            () if ["depth", "layers"].iter().any(|part| key.contains(part)) => {
                within(key, size, 0..=MOST_LAYERS)?;
            }
            () if ["dim", "size", "position"].iter().any(|part| key.contains(part)) => {
                within(key, size, 0..=MOST_WIDTH)?;
            }
            () => (),
        }
    }
    Ok(())
}

fn within(key: &str, size: usize, range: RangeInclusive<usize>) -> Result<(), Fault> {
    let (least, most) = (range.start(), range.end());
    match range.contains(&size) {
        true => Ok(()),
        false => Err(format!("`{}` is {size}; it must lie between {least} and {most}", clip(key)).into()),
    }
}

/// Reads a recipe's text; the fault names the file.
pub(super) fn read(path: &Path) -> Result<String> {
    let bytes = crate::bytes::Bytes::map(path)?;
    let text = std::str::from_utf8(&bytes).map_err(crate::bytes::not_utf8).in_file(path)?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> Recipe {
        Recipe::of(toml::from_str(text).unwrap(), Path::new(".")).unwrap()
    }

    fn macs_of(text: &str) -> Macs {
        recipe(text).macs(true)
    }

    #[test]
    fn a_word_costs_each_weight_once() {
        // Vaswani et al. 2017: a layer of the encoder has 4 d² of attention and 2 d F. A layer of the decoder
        // has another 4 d² of attention, of which keys and values belong to the source. The whole vocabulary
        // has words · d.
        let (d, feed, layers, words) = (512, 2048, 6, 34_000);
        let macs = macs_of(&format!(
            "words = {words}\nmarian = {{ type = \"transformer\", tied-embeddings-all = true, transformer-postprocess = \"dan\", \
             transformer-heads = 8, enc-depth = {layers}, dec-depth = {layers}, dim-emb = {d}, transformer-dim-ffn = {feed} }}"
        ));
        assert_eq!(macs.source, layers * (4 * d * d + 2 * d * feed) + layers * 2 * d * d);
        assert_eq!(macs.target, layers * (6 * d * d + 2 * d * feed) + words * d);
    }

    #[test]
    fn a_word_of_opennmts_costs_each_layer_and_attention_once() {
        // distill-tiny of the OpenNMT paper: GRU layers of 512 over embeddings of 256, 34,000 words.
        let (e, h, words) = (256, 512, 34_000);
        let macs = macs_of(
            "words = 34000\nopennmt = { cell = \"gru\", dim-emb = 256, dim-state = 512, enc-depth = 2, dec-depth = 1 }",
        );
        let gru = |inputs: u64, state: u64| 3 * state * (inputs + state);
        let attention = 2 * h * h; // keys, and the context's share in the attentional vector
        assert_eq!(macs.source, 2 * (gru(e, h / 2) + gru(h, h / 2)) + attention);
        assert_eq!(macs.target, gru(e + h, h) + h * h + words * h);
    }

    #[test]
    fn a_shortlist_leaves_its_columns_of_the_output_layer_alone() {
        // A GRU of two gates and a candidate; the encoder's two directions, the decoder's two cells.
        let (e, h) = (16, 32);
        let text = "words = 5000\nshortlist = { first = 100, best = 2 }\nmarian = { type = \"s2s\", tied-embeddings-all = true, \
                    enc-type = \"bidirectional\", enc-cell = \"gru\", dec-cell = \"gru\", enc-depth = 1, dec-depth = 1, dim-emb = 16, dim-rnn = 32 }";
        let macs = macs_of(text);
        let gru = |inputs: u64| 3 * h * (inputs + h);
        assert_eq!(macs.source, 2 * gru(e) + (2 * h) * (2 * h));
        let attention = h * 2 * h + 2 * h;
        let last = (e + h + 2 * h) * e + 2 * h * h;
        let target = |candidates| gru(e) + gru(2 * h) + attention + last + candidates * e;
        assert_eq!(macs.target, target(100 + 2 * 10));
        assert_eq!(recipe(text).macs(false).target, target(5000), "without the shortlist");
    }
}
