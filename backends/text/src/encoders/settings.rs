//! `tokenizer_config.json`, and what may stand beside it: what a directory says about its tokeniser outside
//! of the tokeniser's own files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use tokenizers::{AddedToken, Tokenizer};

use super::read::read_json;
use super::source::Source;
use crate::{Error, Result};

/// Name of the settings.
const SETTINGS: &str = "tokenizer_config.json";

/// Name of an older file with words that were added to a vocabulary.
const ADDED: &str = "added_tokens.json";

/// Name of an older file with the roles of special words; what the settings say goes first.
const ROLES: &str = "special_tokens_map.json";

/// What a network and the modules around it say about its tokeniser.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Folder with the tokeniser's files.
    pub folder: &'a Path,
    /// Class of the tokeniser in Python, where the network's configuration names it.
    pub class: Option<&'a str>,
    /// Class for networks of this kind, where no file names one.
    pub usual_class: &'a str,
    /// Number of words of the network.
    pub words: usize,
    /// Greatest number of tokens that the network takes.
    pub positions: usize,
    /// Greatest number of tokens of a line, where it is given.
    pub most_tokens: Option<usize>,
    /// Whether text is put into lower case first.
    pub lower_case: bool,
    /// Text that is put before each line.
    pub prompt: &'a str,
}

/// A side of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cut {
    Left,
    Right,
}

/// Settings of a tokeniser, as far as they matter.
#[derive(Default, Deserialize)]
pub(super) struct Settings {
    pub(super) do_lower_case: Option<bool>,
    pub(super) strip_accents: Option<bool>,
    pub(super) tokenize_chinese_chars: Option<bool>,
    pub(super) add_prefix_space: Option<bool>,
    tokenizer_class: Option<String>,
    /// Class for networks of this kind.
    #[serde(skip)]
    usual_class: String,
    do_basic_tokenize: Option<bool>,
    /// A number past all integers stands for none.
    model_max_length: Option<f64>,
    /// Side at which a line that is too long is cut.
    pub(super) truncation_side: Option<Cut>,
    /// Whether special words in a line are divided as other text.
    #[serde(default)]
    pub(super) split_special_tokens: bool,
    /// All other settings, roles of special words among them.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
    /// Words that were added to the vocabulary, by an older file.
    #[serde(skip)]
    added: BTreeMap<String, Value>,
}

impl Settings {
    /// Reads the settings of a folder, if it has some, and adds the files that it read to `files`.
    pub(super) fn open(asked: Asked<'_>, files: &mut Vec<PathBuf>) -> Result<Self> {
        let mut settings: Self = Self::default();
        let [file, added, roles] = [SETTINGS, ADDED, ROLES].map(|name| asked.folder.join(name));
        if file.exists() {
            settings = read_json(&file)?;
            files.push(file);
        }
        if added.exists() {
            settings.added = read_json(&added)?;
            files.push(added);
        }
        if roles.exists() {
            let older: BTreeMap<String, Value> = read_json(&roles)?;
            for (role, word) in older {
                settings.others.entry(role).or_insert(word);
            }
            files.push(roles);
        }
        settings.tokenizer_class = settings.tokenizer_class.or(asked.class.map(str::to_owned));
        settings.usual_class = asked.usual_class.into();
        Ok(settings)
    }

    /// Name of the tokeniser's class, or of the usual one if no file names one.
    pub(super) fn class_or_usual(&self) -> &str {
        self.class().unwrap_or(&self.usual_class)
    }

    /// Name of the tokeniser's class, if a file names one.
    pub(super) fn class(&self) -> Option<&str> {
        self.tokenizer_class.as_deref()
    }

    /// Greatest number of tokens, if the settings name one.
    pub(super) fn model_max_length(&self) -> Option<usize> {
        self.model_max_length.filter(|most| *most >= 1.0 && *most < 1e9).map(|most| most as usize)
    }

    /// Refuses settings that change tokens and that only tokenizer.json can express here.
    pub(super) fn check(&self, source: Source, folder: &Path) -> Result<()> {
        let refuse = |fault: String| {
            let fault = format!("{fault}; save the tokeniser as tokenizer.json");
            Err(Error::content(&folder.join(SETTINGS), fault))
        };
        if self.do_basic_tokenize == Some(false) {
            return refuse("`do_basic_tokenize` = false isn't supported".into());
        }
        if self.split_special_tokens && source == Source::Pieces {
            return refuse("`split_special_tokens` isn't supported".into());
        }
        for (role, usual) in source.special() {
            let own = self.others.get(*role).and_then(word);
            if let Some(own) = own.filter(|own| own != usual) {
                return refuse(format!("`{role}` is {own:?}; without tokenizer.json it must be {usual:?}"));
            }
        }
        let known = |word: &str| source.special().iter().any(|(_, usual)| *usual == word);
        match self.added_words().find(|word| !known(word)) {
            None => Ok(()),
            Some(word) => refuse(format!("the added word {word:?} isn't supported without tokenizer.json")),
        }
    }

    /// Words that were added to the vocabulary, in any of the ways in which files say so.
    fn added_words(&self) -> impl Iterator<Item = &str> {
        self.added_tokens().filter_map(word).chain(self.added.keys().map(String::as_str))
    }

    /// The same as the settings have them: as texts, or as objects that say how a word is found.
    fn added_tokens(&self) -> impl Iterator<Item = &Value> {
        let by_id = self.others.get("added_tokens_decoder").and_then(Value::as_object);
        let lists = ["additional_special_tokens", "extra_special_tokens"];
        let further = lists.into_iter().filter_map(|name| self.others.get(name).and_then(Value::as_array));
        by_id.into_iter().flat_map(|words| words.values()).chain(further.flatten())
    }

    /// The added words that `tokenizer` doesn't find in a line yet.
    pub(super) fn missing_in(&self, tokenizer: &Tokenizer) -> Vec<AddedToken> {
        let known = tokenizer.get_added_vocabulary().get_vocab();
        let token = |value: &Value| {
            let is = |property: &str| value[property] == true;
            let special = value["special"] != false;
            let token = AddedToken::from(word(value)?, special).normalized(is("normalized"));
            Some(token.lstrip(is("lstrip")).rstrip(is("rstrip")).single_word(is("single_word")))
        };
        let older = self.added.keys().map(|word| AddedToken::from(word.as_str(), true));
        let added = self.added_tokens().filter_map(token).chain(older);
        added.filter(|token| !known.contains_key(&token.content)).collect()
    }
}

/// A special word: a text, or an object with the text and the way in which it is found.
fn word(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value["content"].as_str())
}
