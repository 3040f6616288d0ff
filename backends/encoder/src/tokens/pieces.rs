//! XLM-R's tokens from its SentencePiece model: the pieces of the model, one id higher.
//!
//! The ids are fairseq's: `<s>`, `<pad>`, `</s>` and `<unk>` take the first four places, where the model has
//! `<unk>`, `<s>` and `</s>`.

use std::path::Path;
use std::sync::Mutex;

use dyno_text::{Scratch, SentencePiece};

use crate::{Error, Result};

/// Distance between the ids of the network and those of the model.
const OFFSET: u32 = 1;

/// Special words with the network's ids. The mask's id follows the last piece.
const SPECIAL: [(&str, u32); 4] = [("<s>", 0), ("<pad>", 1), ("</s>", 2), ("<unk>", 3)];
const START: u32 = 0;
const END: u32 = 2;
const UNKNOWN: u32 = 3;
const MASK: &str = "<mask>";

/// A SentencePiece model with XLM-R's ids.
pub(super) struct Pieces {
    model: SentencePiece,
    scratch: Mutex<Scratch>,
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pieces({})", self.model.len())
    }
}

impl Pieces {
    /// Number of tokens that are added to each line.
    pub(super) const ADDED: usize = 2;

    /// Reads the model at `file`.
    pub(super) fn open(file: &Path) -> Result<Self> {
        let bytes = dyno_api::files::read(file);
        let bytes = bytes.map_err(|source| Error::Read { path: file.into(), source })?;
        let model = SentencePiece::from_bytes(&bytes);
        let model = model.map_err(|fault| Error::content(file, fault.to_string()))?;
        Ok(Self { model, scratch: Mutex::default() })
    }

    /// Adds the ids of `line` between the ends, `most` of them at most.
    pub(super) fn encode(&self, line: &[u8], most: usize, ids: &mut Vec<u32>) {
        let mut scratch = self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut found = Vec::new();
        ids.push(START);
        for part in parts(line, self.model.len() as u32 + OFFSET) {
            match part {
                Part::Special(id) => ids.push(id),
                Part::Text(text) => {
                    self.model.encode_into(text, &mut scratch, &mut found);
                    ids.extend(found.iter().map(|id| if *id == 0 { UNKNOWN } else { id + OFFSET }));
                }
            }
        }
        ids.truncate(most - 1);
        ids.push(END);
    }
}

/// Part of a line: a special word, or the text between special words.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Special(u32),
    Text(&'a [u8]),
}

/// Divides a line at its special words.
fn parts(line: &[u8], mask: u32) -> Vec<Part<'_>> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while at < line.len() {
        let special = SPECIAL.into_iter().chain([(MASK, mask)]);
        match special.into_iter().find(|(word, _)| line[at..].starts_with(word.as_bytes())) {
            None => at += 1,
            Some((word, id)) => {
                push(&mut parts, &line[from..at]);
                parts.push(Part::Special(id));
                (from, at) = (at + word.len(), at + word.len());
            }
        }
    }
    push(&mut parts, &line[from..]);
    parts
}

fn push<'a>(parts: &mut Vec<Part<'a>>, text: &'a [u8]) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_divided_at_special_words() {
        let divided = parts(b"a <s>b</s><mask>", 9);
        let expected =
            [Part::Text(b"a "), Part::Special(0), Part::Text(b"b"), Part::Special(2), Part::Special(9)];
        assert_eq!(divided, expected);
        assert!(parts(b"", 9).is_empty());
    }
}
