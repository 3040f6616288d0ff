//! Marian's configurations: every key as written, with typed getters that know Marian's defaults.
//!
//! Three files have this form: `special:model.yml` inside a model, a decoder's YAML beside it, and the table
//! `[marian]` of `model.toml`. No key is dropped or renamed, so that a key without a reader today remains for
//! a later engine.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::defaults::DEFAULTS;
use crate::error::clip;
use crate::yaml::{Entries, Value, parse};
use crate::{Error, Fault, Result};

/// A configuration and the file that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct MarianConfig {
    origin: PathBuf,
    entries: Entries,
}

impl MarianConfig {
    /// Parses YAML; `origin` is for messages.
    ///
    /// # Errors
    /// A fault with line and column.
    pub fn from_yaml(origin: impl Into<PathBuf>, text: &str) -> Result<Self> {
        let origin = origin.into();
        let entries = parse(text).map_err(|fault| Error::content(&origin, fault))?;
        Ok(Self { origin, entries })
    }

    /// Reads a YAML file.
    ///
    /// # Errors
    /// When it can't be read, or a fault with line and column.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_yaml(path, &crate::bytes::read_text(path, crate::yaml::LONGEST)?)
    }

    /// A configuration of these entries, whose keys must differ.
    pub fn from_entries(origin: impl Into<PathBuf>, entries: Entries) -> Self {
        Self { origin: origin.into(), entries }
    }

    /// The file, for messages.
    pub fn origin(&self) -> &Path {
        &self.origin
    }

    /// All keys and values, in the order of the file.
    pub fn entries(&self) -> &[(String, Value)] {
        &self.entries
    }

    /// The value of `key` as written; `None` where the key is absent.
    pub fn find(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether `key` is written with a value that isn't empty.
    pub fn has(&self, key: &str) -> bool {
        match self.find(key) {
            None => false,
            Some(Value::Text(text)) => !text.is_empty() && text != "~" && text != "null",
            Some(Value::List(values)) => !values.is_empty(),
            Some(Value::Map(entries)) => !entries.is_empty(),
        }
    }

    /// The word at `key`, or Marian's default.
    ///
    /// # Errors
    /// When the value is a list or a map, or the key is absent and has no default.
    pub fn text(&self, key: &str) -> Result<&str> {
        match self.find(key) {
            Some(Value::Text(text)) => Ok(text),
            Some(_) => Err(self.fault(key, "is a list or map; one value was expected")),
            None => {
                default(key).ok_or_else(|| self.fault(key, "is missing, and Marian has no default for it"))
            }
        }
    }

    /// The whole number at `key`, or Marian's default.
    ///
    /// # Errors
    /// As [`text`](Self::text), and when the value is no whole number of at least 0.
    pub fn count(&self, key: &str) -> Result<usize> {
        self.number(key, "a whole number")
    }

    /// The number at `key`, or Marian's default. `true` (an option without a value, as in `normalize: true`)
    /// is 1, and `false` is 0.
    ///
    /// # Errors
    /// As [`text`](Self::text), and when the value is no finite number.
    pub fn float(&self, key: &str) -> Result<f32> {
        match self.text(key)? {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            _ => self.number(key, "a number").and_then(|number: f32| {
                if number.is_finite() { Ok(number) } else { Err(self.fault(key, "isn't a finite number")) }
            }),
        }
    }

    /// Whether `key` is switched on, or Marian's default.
    ///
    /// # Errors
    /// As [`text`](Self::text), and when the value is none of Marian's words for yes and no.
    pub fn flag(&self, key: &str) -> Result<bool> {
        match self.text(key)?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Ok(true),
            "false" | "no" | "off" | "n" => Ok(false),
            other => Err(self.fault(key, format!("is `{}`; true or false was expected", clip(other)))),
        }
    }

    /// The list of words at `key`. A single value is a list of one, and an absent or empty value an empty
    /// list.
    ///
    /// # Errors
    /// When an element isn't a plain value.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>> {
        match self.find(key) {
            Some(Value::List(values)) => values.iter().map(|value| self.word(key, value)).collect(),
            Some(value) if self.has(key) => self.word(key, value).map(|text| vec![text]),
            _ => Ok(Vec::new()),
        }
    }

    /// The list of whole numbers at `key`.
    ///
    /// # Errors
    /// As [`texts`](Self::texts), and when an element is no whole number.
    pub fn counts(&self, key: &str) -> Result<Vec<usize>> {
        self.texts(key)?.into_iter().map(|text| self.parsed(key, text, "whole numbers")).collect()
    }

    /// The list of numbers at `key`.
    ///
    /// # Errors
    /// As [`texts`](Self::texts), and when an element is no finite number.
    pub fn floats(&self, key: &str) -> Result<Vec<f32>> {
        let numbers = self.texts(key)?.into_iter().map(|text| self.parsed(key, text, "numbers"));
        let numbers: Vec<f32> = numbers.collect::<Result<_>>()?;
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(number) => Err(self.fault(key, format!("has {number}, which isn't a finite number"))),
            None => Ok(numbers),
        }
    }

    /// Numbers of words of the source vocabulary and of the target vocabulary.
    ///
    /// # Errors
    /// When `dim-vocabs` isn't two numbers above 0.
    pub fn vocabulary_sizes(&self) -> Result<[usize; 2]> {
        const KEY: &str = "dim-vocabs";
        match self.counts(KEY)?[..] {
            [source, target] if source > 0 && target > 0 => Ok([source, target]),
            _ => Err(self.fault(KEY, "must list the words of source and target")),
        }
    }

    fn word<'a>(&self, key: &str, value: &'a Value) -> Result<&'a str> {
        match value {
            Value::Text(text) => Ok(text),
            _ => Err(self.fault(key, "must list plain values")),
        }
    }

    fn number<T: FromStr>(&self, key: &str, expected: &str) -> Result<T> {
        self.parsed(key, self.text(key)?, expected)
    }

    fn parsed<T: FromStr>(&self, key: &str, text: &str, expected: &str) -> Result<T> {
        let fault = || self.fault(key, format!("is `{}`; {expected} was expected", clip(text)));
        text.parse().map_err(|_| fault())
    }

    /// An error about one key of this file.
    pub fn fault(&self, key: &str, what: impl Into<Fault>) -> Error {
        Error::content(&self.origin, what.into().of(key))
    }
}

/// Marian's default for an absent key.
fn default(key: &str) -> Option<&'static str> {
    DEFAULTS.binary_search_by_key(&key, |(name, _)| name).ok().map(|at| DEFAULTS[at].1)
}
