//! The files of tokenisers, and the objects of the crate `tokenizers` that stand for them.
//!
//! `tokenizer.json` holds all. Without it, `vocab.txt` is BERT's WordPiece, `vocab.json` with `merges.txt`
//! is the byte-level BPE of RoBERTa, and a SentencePiece model is XLM-R's.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokenizers::models::bpe::BPE;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::processors::roberta::RobertaProcessing;
use tokenizers::{AddedToken, Model, Tokenizer};

use super::kind::Kind;
use super::pieces::Pieces;
use crate::directory::Directory;
use crate::error::{read, read_json};
use crate::{Error, Result};

/// Names of SentencePiece models.
const PIECES: [&str; 2] = ["sentencepiece.bpe.model", "spiece.model"];

/// `tokenizer_config.json`, as far as it matters.
#[derive(Default, Deserialize)]
pub(super) struct Settings {
    do_lower_case: Option<bool>,
    strip_accents: Option<bool>,
    tokenize_chinese_chars: Option<bool>,
    /// A number past all integers stands for none.
    model_max_length: Option<f64>,
}

impl Settings {
    /// Reads the settings of a directory, if it has some.
    pub(super) fn open(folder: &Path, files: &mut Vec<PathBuf>) -> Result<Self> {
        let file = folder.join("tokenizer_config.json");
        if !file.exists() {
            return Ok(Self::default());
        }
        let settings = read_json(&file)?;
        files.push(file);
        Ok(settings)
    }

    /// Greatest number of tokens, if the settings name one.
    pub(super) fn model_max_length(&self) -> Option<usize> {
        self.model_max_length.filter(|most| *most >= 1.0 && *most < 1e9).map(|most| most as usize)
    }
}

/// The tokeniser of a directory, and the files that it was made of.
pub(super) fn open(directory: &Directory) -> Result<(Kind, Vec<PathBuf>)> {
    let at = |name: &str| directory.network.join(name);
    let [whole, words, units, merges] = ["tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"].map(at);
    let pieces = PIECES.into_iter().map(at).find(|file| file.exists());
    let of = |tokenizer: Tokenizer| Kind::Tokenizers(Box::new(tokenizer));
    if whole.exists() {
        let made = Tokenizer::from_bytes(read(&whole)?).map_err(|fault| unusable(&whole, fault))?;
        return Ok((of(made), vec![whole]));
    }
    if words.exists() {
        let settings = Settings::open(&directory.network, &mut Vec::new())?;
        return Ok((of(word_pieces(&words, &settings)?), vec![words]));
    }
    if units.exists() && merges.exists() {
        return Ok((of(byte_pairs(&units, &merges)?), vec![units, merges]));
    }
    if let Some(file) = pieces {
        return Ok((Kind::Pieces(Box::new(Pieces::open(&file)?)), vec![file]));
    }
    let fault = "has no tokeniser: tokenizer.json, vocab.txt, vocab.json with merges.txt, \
         or sentencepiece.bpe.model";
    Err(Error::content(&directory.network, fault))
}

fn unusable(file: &Path, fault: impl std::fmt::Display) -> Error {
    Error::content(file, format!("{fault}; copy the file anew from the model's origin"))
}

/// BERT's tokeniser from its vocabulary, a word a line.
fn word_pieces(file: &Path, settings: &Settings) -> Result<Tokenizer> {
    read(file)?; // says that the file is missing or no text; the crate doesn't
    let model = WordPiece::from_file(&text(file)?).unk_token("[UNK]".into()).build();
    let mut tokenizer = Tokenizer::new(model.map_err(|fault| unusable(file, fault))?);
    let [cls, sep] = ends(&tokenizer, file, ["[CLS]", "[SEP]"])?;
    let normalizer = BertNormalizer::new(
        true,
        settings.tokenize_chinese_chars.unwrap_or(true),
        settings.strip_accents,
        settings.do_lower_case.unwrap_or(true),
    );
    tokenizer
        .with_normalizer(Some(normalizer))
        .map_err(|fault| unusable(file, fault))?
        .with_pre_tokenizer(Some(BertPreTokenizer))
        .with_post_processor(Some(BertProcessing::new(sep, cls)));
    add_special(&mut tokenizer, &["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], file)?;
    Ok(tokenizer)
}

/// RoBERTa's tokeniser from its vocabulary and its merges.
fn byte_pairs(units: &Path, merges: &Path) -> Result<Tokenizer> {
    read(units)?;
    read(merges)?;
    let model = BPE::from_file(&text(units)?, &text(merges)?).build();
    let mut tokenizer = Tokenizer::new(model.map_err(|fault| unusable(merges, fault))?);
    let [start, end] = ends(&tokenizer, units, ["<s>", "</s>"])?;
    let bytes = ByteLevel::default().add_prefix_space(false).trim_offsets(true);
    tokenizer
        .with_pre_tokenizer(Some(bytes))
        .with_post_processor(Some(RobertaProcessing::new(end, start).add_prefix_space(false)));
    add_special(&mut tokenizer, &["<s>", "<pad>", "</s>", "<unk>"], units)?;
    let mask = AddedToken::from("<mask>", true).lstrip(true);
    tokenizer.add_special_tokens([mask]).map_err(|fault| unusable(units, fault))?;
    Ok(tokenizer)
}

/// A path as the crate takes it.
fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| unusable(path, "the path isn't UTF-8"))
}

/// Ids of the tokens at the ends of a line.
fn ends(tokenizer: &Tokenizer, file: &Path, names: [&str; 2]) -> Result<[(String, u32); 2]> {
    let [first, last] = names.map(|name| {
        let id = tokenizer.get_model().token_to_id(name);
        id.map(|id| (name.to_owned(), id)).ok_or_else(|| {
            Error::content(file, format!("lacks the word {name}; it belongs to another model"))
        })
    });
    Ok([first?, last?])
}

/// Makes words of the vocabulary special: they are found in a line before it is divided.
fn add_special(tokenizer: &mut Tokenizer, names: &[&str], file: &Path) -> Result<()> {
    let known: Vec<_> = names
        .iter()
        .filter(|name| tokenizer.get_model().token_to_id(name).is_some())
        .map(|name| AddedToken::from(*name, true))
        .collect();
    tokenizer.add_special_tokens(known).map_err(|fault| unusable(file, fault))?;
    Ok(())
}
