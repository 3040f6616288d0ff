//! XLM-R's tokens from its SentencePiece model: the pieces of the model, one id higher.
//!
//! The ids are fairseq's: `<s>`, `<pad>`, `</s>` and `<unk>` take the first four places, where the model has
//! `<unk>`, `<s>` and `</s>`.

use std::borrow::Cow;
use std::path::Path;

use super::settings::Cut;
use crate::{Error, Result, Scratch, SentencePiece};

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
    /// Greatest number of tokens of a line.
    pub(super) most: usize,
    /// Side at which a longer line is cut.
    pub(super) cut: Cut,
    /// Whether text is put into lower case first; special words stay as they are.
    pub(super) lower_case: bool,
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
        let bytes = dyno_api::files::read(file).map_err(Error::reading(file))?;
        let model = SentencePiece::from_bytes(&bytes);
        let model = model.map_err(|fault| Error::content(file, fault.to_string()))?;
        Ok(Self { model, most: usize::MAX, cut: Cut::Right, lower_case: false })
    }

    /// Adds the ids of `line` between the ends.
    pub(super) fn encode(&self, line: &str, scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let mut found = Vec::new();
        ids.push(START);
        for part in parts(line, self.mask()) {
            match part {
                Part::Special(id) => ids.push(id),
                Part::Text(text) => {
                    let lower = || text.chars().flat_map(char::to_lowercase).collect();
                    let text: Cow<'_, str> = if self.lower_case { lower() } else { text.into() };
                    self.model.encode_into(text.as_bytes(), scratch, &mut found);
                    ids.extend(found.iter().map(|id| if *id == 0 { UNKNOWN } else { id + OFFSET }));
                }
            }
        }
        let excess = ids.len().saturating_sub(self.most - 1);
        match self.cut {
            Cut::Left => drop(ids.drain(1..=excess)),
            Cut::Right => ids.truncate(ids.len() - excess),
        }
        ids.push(END);
    }

    /// Whether `id` is of a special word.
    pub(super) fn is_special(&self, id: u32) -> bool {
        id == self.mask() || SPECIAL.iter().any(|(_, special)| *special == id)
    }

    fn mask(&self) -> u32 {
        self.model.len() as u32 + OFFSET
    }
}

/// Part of a line: a special word, or the text between special words.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Special(u32),
    Text(&'a str),
}

/// Divides a line at its special words, all of which begin with `<`.
fn parts(line: &str, mask: u32) -> Vec<Part<'_>> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in line.match_indices('<') {
        let mut special = SPECIAL.into_iter().chain([(MASK, mask)]);
        // A special word holds no other `<`, so that none begins within the last one.
        if let Some((word, id)) = special.find(|(word, _)| line[at..].starts_with(word)) {
            push(&mut parts, &line[from..at]);
            parts.push(Part::Special(id));
            from = at + word.len();
        }
    }
    push(&mut parts, &line[from..]);
    parts
}

fn push<'a>(parts: &mut Vec<Part<'a>>, text: &'a str) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_divided_at_special_words() {
        let divided = parts("a <s>b</s><mask>", 9);
        let expected =
            [Part::Text("a "), Part::Special(0), Part::Text("b"), Part::Special(2), Part::Special(9)];
        assert_eq!(divided, expected);
        assert!(parts("", 9).is_empty());
    }
}
