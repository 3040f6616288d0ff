//! Any vocabulary, by the suffix of its file.

use std::path::Path;

use crate::{Error, Result, Scratch, SentencePiece, WordVocabulary};

/// How a vocabulary is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A SentencePiece model: `.spm`, `.model`.
    SentencePiece,
    /// A map from words to ids: `.yml`, `.yaml`, `.json`.
    Yaml,
    /// A word a line: `.txt`.
    Text,
}

impl Format {
    /// The format that a file of this name has.
    ///
    /// # Errors
    /// When the suffix is none of the above.
    pub fn of(name: &Path) -> Result<Self> {
        match name.extension().and_then(|suffix| suffix.to_str()) {
            Some("spm" | "model") => Ok(Self::SentencePiece),
            Some("yml" | "yaml" | "json") => Ok(Self::Yaml),
            Some("txt") => Ok(Self::Text),
            _ => Err(Error::Suffix { name: name.display().to_string() }),
        }
    }

    /// Reads `bytes` to the end and uses what is there, as every user of a vocabulary would: what a fuzzer calls.
    ///
    /// # Errors
    /// When they are no vocabulary of this format. It never panics.
    pub fn check(self, bytes: &[u8]) -> Result<()> {
        let vocabulary = Vocabulary::from_bytes(bytes, self)?;
        let (mut ids, mut text) = (Vec::new(), String::new());
        let line = "Ein \u{2581}\u{FB01}lm,  a\u{308} 👩 \u{3000}1.".as_bytes();
        for line in [line, b"\xE2\x96 \xFF\x00", &bytes[..bytes.len().min(1000)]] {
            vocabulary.encode_into(line, &mut Scratch::default(), &mut ids);
            vocabulary.decode_into(&ids, &mut text)?;
        }
        let all: Vec<u32> = (0..vocabulary.len() as u32).collect();
        vocabulary.decode_into(&all, &mut text)
    }
}

/// A vocabulary of any kind. Read-only: workers share it, each with a [`Scratch`] of its own.
///
/// ```
/// use dyno_text::{Format, Scratch, Vocabulary};
///
/// let vocabulary = Vocabulary::from_bytes(b"</s>\n<unk>\nfast\nengines\n", Format::Text)?;
/// let (mut scratch, mut ids, mut text) = (Scratch::default(), Vec::new(), String::new());
/// vocabulary.encode_into(b"very fast engines", &mut scratch, &mut ids);
/// assert_eq!(ids, [1, 2, 3]);
/// vocabulary.decode_into(&ids, &mut text)?;
/// assert_eq!(text, "<unk> fast engines");
/// # Ok::<(), dyno_text::Error>(())
/// ```
pub enum Vocabulary {
    /// Pieces of words.
    SentencePiece(Box<SentencePiece>),
    /// Whole words, separated by spaces.
    Words(WordVocabulary),
}

impl Vocabulary {
    /// Reads the file at `path`; its suffix tells the format.
    ///
    /// # Errors
    /// When the file can't be read, or is no vocabulary; the message names it.
    pub fn from_path(path: &Path) -> Result<Self> {
        let format = Format::of(path)?;
        let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source })?;
        Self::from_bytes(&bytes, format)
            .map_err(|source| Error::File { path: path.into(), source: Box::new(source) })
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are no vocabulary of this format.
    pub fn from_bytes(bytes: &[u8], format: Format) -> Result<Self> {
        Ok(match format {
            Format::SentencePiece => Self::SentencePiece(Box::new(SentencePiece::from_bytes(bytes)?)),
            Format::Yaml => Self::Words(WordVocabulary::from_yaml(bytes)?),
            Format::Text => Self::Words(WordVocabulary::from_text(bytes)?),
        })
    }

    /// Replaces `ids` by the ids of `line`, which may be any bytes. The end of the sentence is not added: a
    /// translator appends [`eos_id`](Self::eos_id).
    pub fn encode_into(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        match self {
            Self::SentencePiece(model) => model.encode_into(line, scratch, ids),
            Self::Words(words) => words.encode_into(line, ids),
        }
    }

    /// Replaces `text` by what `ids` stand for; the end of the sentence stands for nothing.
    ///
    /// # Errors
    /// When an id is not in the vocabulary.
    pub fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        match self {
            Self::SentencePiece(model) => model.decode_into(ids, text),
            Self::Words(words) => words.decode_into(ids, text),
        }
    }

    /// How many ids there are; they count from 0.
    pub fn len(&self) -> usize {
        match self {
            Self::SentencePiece(model) => model.len(),
            Self::Words(words) => words.len(),
        }
    }

    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The piece or word of `id`, as the file has it.
    pub fn piece(&self, id: u32) -> Option<&str> {
        match self {
            Self::SentencePiece(model) => model.piece(id),
            Self::Words(words) => words.word(id),
        }
    }

    /// The id of exactly this piece or word: `None`, not the unknown id, where there is none.
    pub fn lookup(&self, piece: &str) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.lookup(piece),
            Self::Words(words) => words.lookup(piece),
        }
    }

    /// The end of a sentence, if the vocabulary has one.
    pub fn eos_id(&self) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.eos_id(),
            Self::Words(words) => Some(words.eos_id()),
        }
    }

    /// What stands for the unknown, if the vocabulary has it.
    pub fn unk_id(&self) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.unk_id(),
            Self::Words(words) => Some(words.unk_id()),
        }
    }
}
