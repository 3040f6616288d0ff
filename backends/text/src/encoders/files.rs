//! The files of tokenisers, and the objects of the crate `tokenizers` that stand for them.
//!
//! `tokenizer.json` holds all. Without it, `vocab.txt` is BERT's WordPiece, `vocab.json` with `merges.txt`
//! is the byte-level BPE of RoBERTa, and a SentencePiece model is XLM-R's.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::{BertNormalizer, NormalizerWrapper};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::processors::roberta::RobertaProcessing;
use tokenizers::{AddedToken, Model, Tokenizer};

use super::classes::{check_whole, family_of, source_of};
use super::kind::Kind;
use super::pieces::Pieces;
use super::read::{parse_json, read};
use super::settings::Settings;
use super::source::Source;
use crate::{Error, Result, post_processor};

/// The tokeniser of a folder; its files are added to `files`.
pub(super) fn open(folder: &Path, settings: &Settings, files: &mut Vec<PathBuf>) -> Result<Kind> {
    let whole = folder.join("tokenizer.json");
    if whole.exists() {
        check_whole(settings, folder)?;
        let made =
            with_settings(whole_tokeniser(&whole)?, settings).map_err(|fault| unusable(&whole, fault))?;
        files.push(whole);
        return Ok(Kind::Tokenizers(Box::new(made), None));
    }
    let source = source_of(settings, folder)?;
    settings.check(source, folder)?;
    let at: Vec<PathBuf> = source.files().iter().map(|name| folder.join(name)).collect();
    let of_crate = |mut made: Tokenizer| {
        made.set_encode_special_tokens(settings.split_special_tokens);
        Kind::Tokenizers(Box::new(made), None)
    };
    let kind = match source {
        Source::WordPieces => of_crate(word_pieces(&at[0], settings)?),
        Source::BytePairs => of_crate(byte_pairs(&at[0], &at[1], settings)?),
        Source::Pieces => Kind::Pieces(Box::new(Pieces::open(&at[0])?)),
    };
    files.extend(at);
    Ok(kind)
}

/// The tokeniser of a `tokenizer.json`.
fn whole_tokeniser(file: &Path) -> Result<Tokenizer> {
    let text = read(file)?;
    // The crate panics on some texts that are no JSON.
    parse_json::<serde::de::IgnoredAny>(file, &text)?;
    let made = Tokenizer::from_bytes(text).map_err(|fault| unusable(file, fault))?;
    match post_processor::fault(&made) {
        Some(fault) => Err(unusable(file, fault)),
        None => Ok(made),
    }
}

fn unusable(file: &Path, fault: impl std::fmt::Display) -> Error {
    Error::content(file, format!("{fault}; copy the file anew from the model's origin"))
}

/// The tokeniser with what `transformers` puts over tokenizer.json: the settings of the class with its defaults, and
/// words that were added since. A class of no family changes nothing of the first.
fn with_settings(mut tokenizer: Tokenizer, settings: &Settings) -> tokenizers::Result<Tokenizer> {
    let family = family_of(settings);
    if let Some(NormalizerWrapper::BertNormalizer(mut normalizer)) = tokenizer.get_normalizer().cloned()
        && family == Some(Source::WordPieces)
    {
        normalizer.lowercase = settings.do_lower_case.unwrap_or(true);
        normalizer.strip_accents = settings.strip_accents;
        normalizer.handle_chinese_chars = settings.tokenize_chinese_chars.unwrap_or(true);
        tokenizer.with_normalizer(Some(normalizer))?;
    }
    if let Some(PreTokenizerWrapper::ByteLevel(mut bytes)) = tokenizer.get_pre_tokenizer().cloned()
        && family == Some(Source::BytePairs)
    {
        bytes.add_prefix_space = settings.add_prefix_space.unwrap_or(false);
        tokenizer.with_pre_tokenizer(Some(bytes));
    }
    let missing = settings.missing_in(&tokenizer);
    tokenizer.add_tokens(missing)?;
    tokenizer.set_encode_special_tokens(settings.split_special_tokens);
    Ok(tokenizer)
}

/// BERT's tokeniser from its vocabulary, a word a line.
fn word_pieces(file: &Path, settings: &Settings) -> Result<Tokenizer> {
    let text = read(file)?;
    let words: Vocab = text.lines().zip(0..).map(|(word, id)| (word.to_owned(), id)).collect();
    let model = WordPiece::builder().vocab(words).unk_token("[UNK]".into()).build();
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
    add_special(&mut tokenizer, Source::WordPieces, file)?;
    Ok(tokenizer)
}

/// RoBERTa's tokeniser from its vocabulary and its merges.
fn byte_pairs(units: &Path, merges: &Path, settings: &Settings) -> Result<Tokenizer> {
    let ids: HashMap<String, u32> = parse_json(units, &read(units)?)?;
    let pairs = pairs(&read(merges)?).map_err(|fault| unusable(merges, fault))?;
    let model = BPE::builder().vocab_and_merges(ids.into_iter().collect::<Vocab>(), pairs).build();
    let mut tokenizer = Tokenizer::new(model.map_err(|fault| unusable(merges, fault))?);
    let [start, end] = ends(&tokenizer, units, ["<s>", "</s>"])?;
    let space = settings.add_prefix_space.unwrap_or(false);
    tokenizer
        .with_pre_tokenizer(Some(ByteLevel::default().add_prefix_space(space)))
        .with_post_processor(Some(RobertaProcessing::new(end, start).add_prefix_space(space)));
    add_special(&mut tokenizer, Source::BytePairs, units)?;
    Ok(tokenizer)
}

/// The merges of a file, a pair a line after the line with the version.
fn pairs(text: &str) -> std::result::Result<Vec<(String, String)>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with("#version"));
    let pair = |(at, line): (usize, &str)| match line.split_once(' ') {
        Some((one, other)) if !other.contains(' ') => Ok((one.into(), other.into())),
        _ => Err(format!("line {} is no pair of units", at + 1)),
    };
    lines.map(pair).collect()
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

/// Makes words of the vocabulary special: they are found in a line before it is divided. RoBERTa's mask takes
/// the space before it.
fn add_special(tokenizer: &mut Tokenizer, source: Source, file: &Path) -> Result<()> {
    let known = source.special().iter().filter(|(_, word)| tokenizer.get_model().token_to_id(word).is_some());
    let known: Vec<_> = known
        .map(|(role, word)| {
            AddedToken::from(*word, true).lstrip(*role == "mask_token" && source == Source::BytePairs)
        })
        .collect();
    tokenizer.add_special_tokens(known).map_err(|fault| unusable(file, fault))?;
    Ok(())
}
