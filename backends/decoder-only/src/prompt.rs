//! The prompt: the parts before and after the line, as ids.
//!
//! The file's own chat template (in the language of Jinja) is rendered once, around the campaign's words with
//! a mark in the line's place. Control words of the template become their ids. The text between two of them
//! is divided as one, as in a rendered whole: the line's first piece may join what stands before it.

use dyno_formats::{Gguf, GgufValue};
use dyno_text::Scratch;

use crate::template::render;
use crate::vocabulary::Words;
use crate::{Error, Result};

/// Mark of the line in a rendered template. No template has it, and no trimming changes it.
const MARK: &str = "\u{e000}line\u{e000}";

/// Parts of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Ids before the text with the line: the same for all lines.
    pub before: Vec<u32>,
    /// Text before the line that is divided together with it.
    pub left: String,
    /// Text after the line, as above.
    pub right: String,
    /// Ids after them.
    pub after: Vec<u32>,
    /// Number of ids behind `before` of a prompt without a line.
    pub(crate) around: usize,
    /// Whether white space before and after the line is dropped.
    trims: [bool; 2],
}

impl Prompt {
    /// The prompt of `file` with the campaign's `words`, which have `{line}` once.
    ///
    /// # Errors
    /// When the template fails, or drops the line.
    pub fn new(file: &Gguf, vocabulary: &Words, words: &str) -> Result<Self> {
        let template = file.typed("tokenizer.chat_template", "text", GgufValue::text)?;
        let fault = |fault: String| Error::prompt(file.path(), fault);
        let [start, end] = ["bos", "eos"].map(|end| text_of(file, vocabulary, end));
        let rendered = |mark: &str| match template {
            None => Ok(words.replace("{line}", mark)),
            Some(template) => render(template, &words.replace("{line}", mark), [&start, &end])
                .map_err(|error| fault(format!("`tokenizer.chat_template`: {error}; give another model"))),
        };
        // A tab: no prompt has one beside its line.
        let [before, after] = [format!("\t{MARK}"), format!("{MARK}\t")];
        let trims = [!rendered(&before)?.contains(&before), !rendered(&after)?.contains(&after)];
        let whole = rendered(MARK)?;
        let Some((left, right)) = whole.split_once(MARK).filter(|(_, right)| !right.contains(MARK)) else {
            return Err(fault("`tokenizer.chat_template`: has no place for a line, or several".into()));
        };
        let (mut before, left) = parts(vocabulary, left, false).map_err(fault)?;
        let (after, right) = parts(vocabulary, right, true).map_err(fault)?;
        if let Some(start) = vocabulary.start.filter(|start| before.first() != Some(start)) {
            before.insert(0, start);
        }
        let mut prompt = Self { before, left, right, after, around: 0, trims };
        let mut ids = Vec::new();
        let encoded = prompt.encode(vocabulary, "", &mut Scratch::default(), &mut ids);
        encoded.map_err(|error| fault(format!("`tokenizer.chat_template`: {error}")))?;
        prompt.around = ids.len();
        Ok(prompt)
    }

    /// Positions of so many that the prompt leaves for a line and its answer.
    pub(crate) fn room(&self, positions: usize) -> usize {
        positions.saturating_sub(self.before.len() + self.around)
    }

    /// Replaces `ids` by those behind [`before`](Self::before), for `line`.
    pub(crate) fn encode(
        &self,
        vocabulary: &Words,
        line: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> dyno_text::Result<()> {
        let [start, end] = self.trims;
        let line = if start { line.trim_start() } else { line };
        let line = if end { line.trim_end() } else { line };
        ids.clear();
        vocabulary.encode(&format!("{}{line}{}", self.left, self.right), scratch, ids)?;
        ids.extend(&self.after);
        Ok(())
    }
}

/// Text of the word that begins (`bos`) or ends (`eos`) a text, which templates write themselves.
fn text_of(file: &Gguf, vocabulary: &Words, end: &str) -> String {
    let key = format!("tokenizer.ggml.{end}_token_id");
    let id = file.typed(&key, "whole number", GgufValue::whole).ok().flatten();
    let mut controls = vocabulary.tokenizer.controls();
    controls
        .find(|(_, control)| Some(u64::from(*control)) == id)
        .map_or(String::new(), |(word, _)| word.into())
}

/// Divides text at its control words: their ids with those of the text between them, and the text at the end,
/// or with `first` at the beginning.
fn parts(vocabulary: &Words, text: &str, first: bool) -> std::result::Result<(Vec<u32>, String), String> {
    let (mut ids, mut scratch) = (Vec::new(), Scratch::default());
    let mut encode = |text: &str, ids: &mut Vec<u32>| {
        let encoded = vocabulary.encode(text, &mut scratch, ids);
        encoded.map_err(|fault| format!("`tokenizer.chat_template`: {fault}"))
    };
    let mut rest = text;
    let mut beside = None;
    while let Some((at, word, id)) = next_control(vocabulary, rest) {
        match beside {
            None if first => beside = Some(rest[..at].to_owned()),
            _ => encode(&rest[..at], &mut ids)?,
        }
        ids.push(id);
        rest = &rest[at + word..];
    }
    match beside {
        None => Ok((ids, rest.into())),
        Some(beside) => {
            encode(rest, &mut ids)?;
            Ok((ids, beside))
        }
    }
}

/// Place, length and id of the first control word in `text`; of several at one place the longest.
fn next_control(vocabulary: &Words, text: &str) -> Option<(usize, usize, u32)> {
    let found = vocabulary.tokenizer.controls().filter(|(word, _)| !word.is_empty());
    let found = found.filter_map(|(word, id)| text.find(word).map(|at| (at, word.len(), id)));
    found.min_by_key(|(at, length, _)| (*at, usize::MAX - length))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn golden(name: &str) -> (Gguf, Words) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
        let file = Gguf::open(&path).unwrap();
        let words = Words::open(&file, file.network().unwrap().words).unwrap();
        (file, words)
    }

    #[test]
    fn a_chat_that_trims_its_message_trims_the_line_where_it_ends_the_message() {
        let (file, words) = golden("gemma3.gguf");
        for (text, trims) in
            [("{line}", [true, true]), ("From: {line}", [false, true]), ("{line} in German:", [true, false])]
        {
            assert_eq!(Prompt::new(&file, &words, text).unwrap().trims, trims, "{text}");
        }
    }
}
