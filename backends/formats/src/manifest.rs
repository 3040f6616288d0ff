//! The manifest `model.toml`, which describes a model directory; docs/FORMAT.md explains it.
//!
//! Configurations (`[marian]`, `[decoder]`, or an engine's own table) are kept as they are. Every other key
//! must be known, so that a typing error isn't ignored.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};

use serde::de::DeserializeOwned;

use crate::Fault;
use crate::Precision;
use crate::digest::FileIdentity;
use crate::error::clip;
use crate::shortlist::Cut;
use crate::yaml::{Entries, LONGEST, Value};

/// File name of the manifest, which makes a directory a model directory.
pub const MANIFEST: &str = "model.toml";

/// Version of the format that this code reads and writes.
const FORMAT: u32 = 1;

/// Description of a model directory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Source and target language, as in the test sets.
    pub languages: Option<[String; 2]>,
    /// Precision of the weights that an engine takes unless its settings name another one.
    pub precision: Option<Precision>,
    /// File names of the source vocabulary and the target vocabulary; one name twice where both are one file.
    pub vocabularies: Vec<String>,
    /// File names beside the vocabularies, with ids, languages and settings of tokens.
    pub tokens: Vec<String>,
    /// File name of the shortlist, and its cut if it is a text.
    pub shortlist: Option<(String, Cut)>,
    /// Files that the model was made of, by name.
    pub origin: BTreeMap<String, FileIdentity>,
    /// Files of the directory, by name.
    pub files: BTreeMap<String, FileIdentity>,
    /// All other tables in the order of writing; after reading they are sorted by name and key.
    pub tables: Vec<(String, Entries)>,
}

/// A shortlist in the file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WireShortlist {
    file: String,
    first: Option<usize>,
    best: Option<usize>,
    threshold: Option<f32>,
}

/// Checks whether `bytes` are a manifest that the reader accepts.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    Manifest::parse(std::str::from_utf8(bytes).map_err(crate::bytes::not_utf8)?).map(drop)
}

impl Manifest {
    /// Parses TOML.
    ///
    /// # Errors
    /// The first fault, with line and column where the text isn't TOML.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > LONGEST {
            return Err(format!("has {} bytes; a description may have {LONGEST}", text.len()).into());
        }
        let mut table: toml::Table = toml::from_str(text).map_err(|error| not_toml(&error, text))?;
        let format: u32 =
            take(&mut table, "format")?.ok_or("has no `format`: it is no model's description")?;
        if format != FORMAT {
            return Err(format!("has format {format}; this version reads format {FORMAT}").into());
        }
        let shortlist = take(&mut table, "shortlist")?;
        let mut manifest = Self {
            languages: take(&mut table, "languages")?,
            precision: take(&mut table, "precision")?.map(precision_of).transpose()?,
            vocabularies: take(&mut table, "vocabularies")?.unwrap_or_default(),
            tokens: take(&mut table, "tokens")?.unwrap_or_default(),
            shortlist: shortlist.map(shortlist_of),
            origin: take(&mut table, "origin")?.unwrap_or_default(),
            files: take(&mut table, "files")?.unwrap_or_default(),
            tables: Vec::new(),
        };
        for (name, value) in table {
            let toml::Value::Table(entries) = value else {
                return Err(Fault::from("is no key of a model's description").of(&name));
            };
            manifest.tables.push((name, entries_of(entries)));
        }
        manifest.refuse_far_names()?;
        Ok(manifest)
    }

    /// The table `name`.
    pub fn table(&self, name: &str) -> Option<&Entries> {
        self.tables.iter().find(|(table, _)| table == name).map(|(_, entries)| entries)
    }

    /// Refuses names that reach outside the directory.
    fn refuse_far_names(&self) -> Result<(), Fault> {
        let shortlist = self.shortlist.iter().map(|(name, _)| name);
        let mut names =
            self.vocabularies.iter().chain(&self.tokens).chain(shortlist).chain(self.files.keys());
        let near = |name: &String| {
            let mut parts = Path::new(name).components().peekable();
            parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        match names.find(|name| !near(name)) {
            Some(name) => Err(Fault::from("isn't a file inside the model's directory").of(name)),
            None => Ok(()),
        }
    }

    /// The text of the manifest; equal content always gives equal text.
    pub fn to_toml(&self) -> String {
        let mut text =
            String::from("# A model of dyno. docs/FORMAT.md, section Models, explains the keys.\n");
        line(&mut text, "format", &FORMAT.to_string());
        if let Some(languages) = &self.languages {
            line(&mut text, "languages", &list(languages.iter().map(|name| quoted(name))));
        }
        if let Some(precision) = self.precision {
            line(&mut text, "precision", &quoted(precision.name()));
        }
        line(&mut text, "vocabularies", &list(self.vocabularies.iter().map(|name| quoted(name))));
        if !self.tokens.is_empty() {
            line(&mut text, "tokens", &list(self.tokens.iter().map(|name| quoted(name))));
        }
        if let Some((file, cut)) = &self.shortlist {
            let Cut { first, best, threshold } = cut;
            let file = quoted(file);
            line(
                &mut text,
                "shortlist",
                &format!("{{ file = {file}, first = {first}, best = {best}, threshold = {threshold:?} }}"),
            );
        }
        identities(&mut text, "origin", &self.origin);
        identities(&mut text, "files", &self.files);
        for (name, entries) in &self.tables {
            text.push_str(&format!("\n[{}]\n", key(name)));
            entries.iter().for_each(|(name, value)| line(&mut text, &key(name), &written(value)));
        }
        text
    }
}

fn precision_of(name: String) -> Result<Precision, Fault> {
    name.parse().map_err(|reason: String| Fault::from(clip(&reason)).of("precision"))
}

fn shortlist_of(wire: WireShortlist) -> (String, Cut) {
    let default = Cut::default();
    let cut = Cut {
        first: wire.first.unwrap_or(default.first),
        best: wire.best.unwrap_or(default.best),
        threshold: wire.threshold.unwrap_or(default.threshold),
    };
    (wire.file, cut)
}

fn take<T: DeserializeOwned>(table: &mut toml::Table, key: &str) -> Result<Option<T>, Fault> {
    let Some(value) = table.remove(key) else { return Ok(None) };
    value
        .try_into()
        .map(Some)
        .map_err(|error: toml::de::Error| Fault::from(clip(error.message().trim())).of(key))
}

fn not_toml(error: &toml::de::Error, text: &str) -> Fault {
    let fault = Fault::from(clip(error.message().trim()));
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return fault };
    let line = before.rsplit('\n').next().unwrap_or_default();
    fault.at(before.matches('\n').count() + 1, line.chars().count() + 1)
}

pub(crate) fn entries_of(table: toml::Table) -> Entries {
    table.into_iter().map(|(key, value)| (key, value_of(value))).collect()
}

fn value_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Text(number.to_string()),
        toml::Value::Float(number) => Value::Text(number.to_string()),
        toml::Value::Boolean(flag) => Value::Text(flag.to_string()),
        toml::Value::Datetime(date) => Value::Text(date.to_string()),
        toml::Value::Array(values) => Value::List(values.into_iter().map(value_of).collect()),
        toml::Value::Table(table) => Value::Map(entries_of(table)),
    }
}

fn line(text: &mut String, key: &str, value: &str) {
    writeln!(text, "{key} = {value}").expect("a string takes all that is written to it");
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn identities(text: &mut String, name: &str, files: &BTreeMap<String, FileIdentity>) {
    if files.is_empty() {
        return;
    }
    text.push_str(&format!("\n[{name}]\n"));
    for (file, FileIdentity { bytes, sha256 }) in files {
        line(text, &quoted(file), &format!("{{ bytes = {bytes}, sha256 = {} }}", quoted(sha256)));
    }
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { name.into() } else { quoted(name) }
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) if is_literal(text) => text.clone(),
        Value::Text(text) => quoted(text),
        Value::List(values) => list(values.iter().map(written)),
        Value::Map(entries) => {
            let pairs: Vec<String> =
                entries.iter().map(|(name, value)| format!("{} = {}", key(name), written(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

/// Whether TOML would write a word as a number or a flag, and read it back as the same word.
fn is_literal(text: &str) -> bool {
    let whole = text.parse().is_ok_and(|number: i64| number.to_string() == text);
    let decimal = text.contains('.')
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-')
        && text.parse().is_ok_and(|number: f64| number.to_string() == text);
    whole || decimal || matches!(text, "true" | "false")
}
