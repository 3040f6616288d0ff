//! The files beside `model.bin`: settings, words, and SentencePiece models.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::variables::Variables;
use crate::bytes::read_text;
use crate::error::clip;
use crate::{Error, Fault, Result, Weights};

/// Longest list of words that is read: NLLB's 256,000 words take 5 MB.
const LONGEST_WORDS: usize = 1 << 26;

/// Longest `config.json` that is read; usual ones have some hundred bytes.
const LONGEST: usize = 1 << 20;

/// Epsilon of norms where `config.json` names none.
const EPSILON: f32 = 1e-5;

/// SentencePiece models of both sides, by the names that families of models give them.
const SHARED: [&str; 4] = ["sentencepiece.bpe.model", "sentencepiece.model", "spiece.model", "vocab.spm"];

/// `config.json`, as far as it matters.
#[derive(Deserialize)]
struct WireConfig {
    bos_token: Option<String>,
    eos_token: Option<String>,
    unk_token: Option<String>,
    decoder_start_token: Option<String>,
    add_source_bos: Option<bool>,
    add_source_eos: Option<bool>,
    layer_norm_epsilon: Option<f32>,
}

/// Settings of a model.
pub(super) struct Config {
    pub(super) epsilon: f32,
    /// Id of the decoder's first input, where the files name one.
    start: Option<u32>,
    /// Whether the source ends with the end of a sentence, by the model or its converter's habit.
    pub(super) ends_source: bool,
}

impl Config {
    /// Id of the decoder's first input.
    pub(super) fn start(&self) -> Result<u32, Fault> {
        self.start.ok_or_else(|| {
            Fault::from("names no word of the vocabulary; convert the model anew").of("decoder_start_token")
        })
    }
}

/// Words of source and target, and their files.
pub(super) struct Words {
    pub(super) files: Vec<PathBuf>,
    pub(super) target: Vec<String>,
    /// Places of words for languages, as the key `language-words` has them.
    pub(super) languages: &'static str,
}

/// The settings in `directory`, of whose older files some stand in the weights.
pub(super) fn config(directory: &Path, weights: &Weights, words: &Words) -> Result<Config> {
    let path = directory.join("config.json");
    let text = if path.is_file() { read_text(&path, LONGEST)? } else { "{}".into() };
    let parse = |error: serde_json::Error| Error::content(&path, clip(&error.to_string()));
    let wire: WireConfig = serde_json::from_str(&text).map_err(parse)?;
    let variables = Variables(weights);
    let fault = |key: &str, fault: Fault| Error::content(&path, fault.of(key));
    let other = |word: &Option<String>, usual: &str| word.as_ref().is_some_and(|word| word != usual);
    let refused = [
        (
            "add_source_bos",
            wire.add_source_bos == Some(true) || variables.flag("with_source_bos") == Some(true),
        ),
        ("eos_token", other(&wire.eos_token, "</s>")),
        ("unk_token", other(&wire.unk_token, "<unk>")),
    ];
    if let Some((key, _)) = refused.into_iter().find(|(_, refused)| *refused) {
        let remedy = "a line has no beginning, and special words are </s> and <unk>";
        return Err(fault(key, Fault::unsupported("this setting", remedy)));
    }
    let epsilon = wire.layer_norm_epsilon.unwrap_or(EPSILON);
    if !(epsilon.is_finite() && epsilon > 0.0) {
        return Err(fault("layer_norm_epsilon", "isn't a positive number".into()));
    }
    let begin = wire.bos_token.unwrap_or_else(|| "<s>".into());
    let old_start = || match variables.flag("with_target_bos") {
        Some(false) => Some("</s>".to_owned()),
        _ => Some(begin.clone()),
    };
    let start = if path.is_file() { wire.decoder_start_token } else { old_start() };
    let adds = wire.add_source_eos.or_else(|| variables.flag("with_source_eos")).unwrap_or(false);
    Ok(Config {
        epsilon,
        // Callers of models from Hugging Face end the source themselves; those of OpenNMT, which begin with <s>, don't.
        ends_source: adds || start.as_ref() != Some(&begin),
        start: start
            .and_then(|start| words.target.iter().position(|word| *word == start))
            .map(|id| id as u32),
    })
}

/// The lists of words in `directory`.
pub(super) fn words(directory: &Path) -> Result<Words> {
    let shared = ["shared_vocabulary.json", "shared_vocabulary.txt"];
    let apart =
        ["json", "txt"].map(|suffix| ["source", "target"].map(|side| format!("{side}_vocabulary.{suffix}")));
    let there = |name: &str| Some(directory.join(name)).filter(|path| path.is_file());
    let one = shared.into_iter().find_map(there).map(|path| vec![path]);
    let two = || apart.iter().find_map(|[source, target]| Some(vec![there(source)?, there(target)?]));
    let files = one.or_else(two).ok_or_else(|| {
        Error::content(
            directory,
            "has no vocabulary; a model has shared_vocabulary.json, or one of source and target",
        )
    })?;
    let lists = files.iter().map(|path| list(path)).collect::<Result<Vec<_>>>()?;
    let languages = languages_of(&lists[0]);
    let target = lists.into_iter().next_back().unwrap_or_default();
    Ok(Words { files, target, languages })
}

/// The words in a file: a JSON list, or a word in each line.
fn list(path: &Path) -> Result<Vec<String>> {
    let text = read_text(path, LONGEST_WORDS)?;
    if path.extension().is_some_and(|suffix| suffix == "json") {
        return serde_json::from_str(&text).map_err(|error| Error::content(path, clip(&error.to_string())));
    }
    Ok(text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect())
}

/// Where words for languages stand, by the form of such words: M2M-100's and NLLB-200's on both sides, MarianMT's
/// before the line.
fn languages_of(words: &[String]) -> &'static str {
    let between = |word: &str, [before, after]: [&str; 2]| {
        word.strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|code| !code.is_empty())
    };
    let has = |name: &str| words.iter().any(|word| word == name);
    if has("eng_Latn") || has("__en__") {
        "both"
    } else if words.iter().any(|word| between(word, [">>", "<<"])) {
        "line"
    } else {
        "none"
    }
}

/// SentencePiece models of source and target: inside of the directory, or beside it, as packages have them.
pub(super) fn pieces(directory: &Path) -> Result<Vec<PathBuf>> {
    let places = [directory.to_owned(), directory.join("..")];
    let there = |place: &Path, name: &str| Some(place.join(name)).filter(|path| path.is_file());
    let found = places.iter().find_map(|place| {
        let two = there(place, "source.spm").zip(there(place, "target.spm"));
        let one = || SHARED.into_iter().find_map(|name| there(place, name));
        two.map(|(source, target)| vec![source, target])
            .or_else(|| one().map(|path| vec![path.clone(), path]))
    });
    found.ok_or_else(|| {
        let fault =
            "has no SentencePiece model; copy source.spm and target.spm, or sentencepiece.model, into it";
        Error::content(directory, fault)
    })
}
