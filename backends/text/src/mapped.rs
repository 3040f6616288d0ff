//! SentencePiece whose ids another file gives: the vocabularies of MarianMT, M2M-100 and NLLB-200.
//!
//! Words that were added to the vocabulary are found first, and the text between them is divided into pieces by the
//! SentencePiece model. Each piece has its id in `vocab.json`; a piece
//! without an id there is the unknown word. Text that no piece covers is looked up as well, as the original
//! does: the other side's pieces have ids in the same file. Special words have no text.

mod added;
mod files;

use std::path::{Path, PathBuf};

use crate::model::Kind;
use crate::utf8::SPACE;
use crate::{Error, Result, Scratch, SentencePiece};
use added::{AddedWords, Part};
pub use files::Side;
use files::Tokens;

/// Pieces with ids of another file.
pub struct MappedPieces {
    pieces: SentencePiece,
    tokens: Tokens,
    added: AddedWords,
    /// Id of each piece of the model.
    ids: Vec<u32>,
    /// Whether a word for a language may stand before a line: in MarianMT's models.
    marks_languages: bool,
    end: u32,
    unknown: u32,
}

/// Words that the original's class finds in any line. MarianMT's has no beginning of a sentence, the last one.
const USUAL: [&str; 4] = ["</s>", "<unk>", "<pad>", "<s>"];

/// Spaces that the original removes before punctuation and English endings, where its settings ask for it.
const CLEANED: [(&str, &str); 10] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

impl MappedPieces {
    /// Reads the SentencePiece model in `bytes` and the files `tokens`, which have Hugging Face's names; models
    /// whose name ends in `.spm` are MarianMT's.
    ///
    /// # Errors
    /// A file that can't be read or is faulty, and a vocabulary without the end of a sentence or the unknown
    /// word.
    pub(crate) fn open(path: &Path, bytes: &[u8], tokens: &[PathBuf], side: Side) -> Result<Self> {
        let pieces = SentencePiece::from_bytes(bytes)?;
        let marks_languages = path.extension().is_some_and(|suffix| suffix == "spm");
        let usual = if marks_languages { &USUAL[..3] } else { &USUAL };
        let tokens = Tokens::open(tokens, &pieces, side, usual)?;
        let mapped = Self { marks_languages, ..Self::new(pieces, tokens)? };
        let known = mapped.ids.iter().filter(|id| **id != mapped.unknown).count();
        if known < mapped.ids.len() / 2 {
            let fault = format!(
                "only {known} of {} have an id; the files belong to different models",
                mapped.ids.len()
            );
            return Err(Error::model("pieces", fault));
        }
        Ok(mapped)
    }

    /// Reads `bytes` as a `vocab.json` of `pieces`: the entry point for mutated files.
    pub(crate) fn check(pieces: &[u8], bytes: &[u8]) -> Result<Self> {
        Self::new(SentencePiece::from_bytes(pieces)?, Tokens::of_map(bytes)?)
    }

    fn new(pieces: SentencePiece, tokens: Tokens) -> Result<Self> {
        let need = |word: &str| {
            let missing =
                || Error::model(word, "this word is missing from the vocabulary; copy its files anew");
            tokens.id(word).ok_or_else(missing)
        };
        let (end, unknown) = (need("</s>")?, need("<unk>")?);
        let id = |piece: u32| pieces.piece(piece).and_then(|text| tokens.id(text)).unwrap_or(unknown);
        let ids = (0..pieces.len() as u32).map(id).collect();
        let added = AddedWords::new(tokens.found())?;
        Ok(Self { ids, marks_languages: true, end, unknown, pieces, tokens, added })
    }

    /// Replaces `ids` by the ids of `line`.
    pub(crate) fn encode_into(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        if !self.added.may_be_in(line) {
            return self.encode_text(line, scratch, ids);
        }
        let (mut all, mut own) = (Vec::new(), Vec::new());
        self.added.parts(&String::from_utf8_lossy(line), |part| match part {
            Part::Word(id) => all.push(id),
            Part::Text(text) => {
                self.encode_text(text.as_bytes(), scratch, &mut own);
                all.append(&mut own);
            }
        });
        *ids = all;
    }

    /// Replaces `ids` by the ids of text without added words. A word for a language, as in `>>deu<< Hello`, may come
    /// first.
    fn encode_text(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let (language, line) = if self.marks_languages { language_of(line) } else { (None, line) };
        self.pieces.encode_with_unknown(line, scratch, ids);
        let mut unknown =
            scratch.unknown.split(|byte| *byte == crate::emit::BETWEEN).filter(|run| !run.is_empty());
        for id in ids.iter_mut() {
            let own = if Some(*id) == self.pieces.unk_id() {
                unknown.next().and_then(|run| self.tokens.id(std::str::from_utf8(run).ok()?))
            } else {
                self.ids.get(*id as usize).copied()
            };
            *id = own.unwrap_or(self.unknown);
        }
        if let Some(language) = language {
            ids.insert(0, self.tokens.id(language).unwrap_or(self.unknown));
        }
    }

    /// Replaces `text` by the text of `ids`, without white space around it.
    pub(crate) fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        text.clear();
        let mut bytes: Vec<u32> = Vec::new();
        for id in ids {
            let word = self.word(*id).ok_or(Error::UnknownId { id: *id, len: self.len() })?;
            if self.tokens.is_special(*id) {
                continue;
            }
            let piece = self.pieces.lookup(word);
            let kind = piece.and_then(|piece| self.pieces.pieces.kind(piece));
            match (kind, piece) {
                (Some(Kind::Byte), Some(piece)) => bytes.push(piece),
                (Some(Kind::Control), _) => {}
                _ => {
                    self.pieces.push_bytes(&bytes, text);
                    bytes.clear();
                    word.split(SPACE).enumerate().for_each(|(at, part)| {
                        text.push_str(if at > 0 { " " } else { "" });
                        text.push_str(part);
                    });
                }
            }
        }
        self.pieces.push_bytes(&bytes, text);
        let trimmed = text.trim();
        let cleaned = CLEANED.iter().filter(|_| self.tokens.cleans_up());
        let cleaned = cleaned.fold(trimmed.to_owned(), |text, (from, to)| text.replace(from, to));
        *text = cleaned;
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn word(&self, id: u32) -> Option<&str> {
        self.tokens.word(id)
    }

    pub(crate) fn lookup(&self, word: &str) -> Option<u32> {
        self.tokens.id(word)
    }

    pub(crate) fn is_special(&self, id: u32) -> bool {
        self.tokens.is_special(id)
    }

    pub(crate) fn eos_id(&self) -> u32 {
        self.end
    }

    pub(crate) fn unk_id(&self) -> u32 {
        self.unknown
    }
}

/// A language's word at the start of a line, and the rest of the line.
fn language_of(line: &[u8]) -> (Option<&str>, &[u8]) {
    let end = || line.windows(2).position(|two| two == b"<<").map(|at| at + 2);
    let Some(end) = Some(line).filter(|line| line.starts_with(b">>")).and_then(|_| end()) else {
        return (None, line);
    };
    let (language, rest) = line.split_at(end);
    (Some(std::str::from_utf8(language).unwrap_or_default()), rest)
}

/// Whether a file of this name is a whole tokeniser of Hugging Face.
pub(crate) fn is_tokenizer(name: &Path) -> bool {
    name.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with("tokenizer.json"))
}
