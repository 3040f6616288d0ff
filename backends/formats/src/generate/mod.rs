//! Models with random weights, to measure speed at dimensions of which no trained model exists.
//!
//! A [`Recipe`] describes such a model, and [`generate`] writes it as a model directory. The same recipe
//! gives the same bytes on every host. A drawn model's translations mean nothing and never end by themselves.
//! With `max-length-factor = 1` every system writes as many words as the source has, so that all do the same
//! work.
//!
//! `family` lists the tensors of a configuration (the engines check them), `draw` draws their values, and
//! `words` makes the vocabulary and the shortlist. `encoder` has what differs for sentence encoders.

mod draw;
mod encoder;
mod family;
mod opennmt;
mod recipe;
mod rnn_fc;
mod s2s;
mod shapes;
mod transformer;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use crate::convert::Partial;
use crate::digest::FileIdentity;
use crate::manifest::{MANIFEST, Manifest};
use crate::model_dir::weights_name;
use crate::shortlist::Cut;
use crate::{Precision, Result, safetensors};

pub use recipe::Recipe;
pub use shapes::Macs;
use words::Words;
pub use words::lines_of_tokens;

/// File name of the vocabulary, which both sides share.
const VOCABULARY: &str = "vocab.txt";

/// File name of the shortlist.
const SHORTLIST: &str = "shortlist.bin";

/// Draws the model of `recipe` and writes it as a directory at `to`, which must not exist: a model of dyno,
/// or a sentence encoder in Hugging Face's form.
///
/// # Errors
/// One line with the file and its fault; `to` doesn't exist then.
pub fn generate(recipe: &Recipe, to: &Path) -> Result<()> {
    let partial = Partial::create(to)?;
    if recipe.is_encoder() {
        write_encoder(recipe, &partial)?;
    } else {
        write_translator(recipe, &partial)?;
    }
    partial.move_into_place(to)
}

/// Writes the files of a sentence encoder, as Hugging Face lays them out.
fn write_encoder(recipe: &Recipe, partial: &Partial) -> Result<()> {
    let words = Words::read(&encoder::SPECIAL, &recipe.text, words::letters, recipe.words)?;
    partial.write("config.json", encoder::configuration(&recipe.config(), recipe.words).as_bytes())?;
    partial.write("tokenizer_config.json", encoder::tokeniser().as_bytes())?;
    partial.write(VOCABULARY, words.list().as_bytes())?;
    let metadata = BTreeMap::from([("format".to_owned(), "pt".to_owned())]);
    partial.write(encoder::WEIGHTS, &safetensors::write(&metadata, &draw::tensors(recipe)?))
}

fn write_translator(recipe: &Recipe, partial: &Partial) -> Result<()> {
    let mut files = BTreeMap::new();
    let mut add = |name: &str, bytes: &[u8]| {
        partial.write(name, bytes)?;
        files.insert(name.to_owned(), FileIdentity::of_bytes(bytes));
        Ok(())
    };
    let words = Words::read(&draw::SPECIAL, &recipe.text, words::between_blanks, recipe.words)?;
    add(VOCABULARY, words.list().as_bytes())?;
    let shortlist = recipe.shortlist.map(|cut| words.shortlist(cut, recipe.seed));
    if let Some(binary) = shortlist.and_then(|list| list.to_binary()) {
        add(SHORTLIST, &binary)?;
    }
    let metadata = [("format", "dyno-1"), ("precision", Precision::F32.name())];
    let metadata = metadata.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
    add(&weights_name(Precision::F32), &safetensors::write(&metadata, &draw::tensors(recipe)?))?;
    let manifest = Manifest {
        vocabularies: vec![VOCABULARY.into(); 2],
        shortlist: recipe.shortlist.map(|cut: Cut| (SHORTLIST.into(), cut)),
        files,
        tables: vec![recipe.configuration()],
        ..Manifest::default()
    };
    partial.write(MANIFEST, manifest.to_toml().as_bytes())
}
