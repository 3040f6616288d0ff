//! Vocabularies of any kind, by the suffix of their file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::mapped::{MappedPieces, Side, is_tokenizer};
use crate::tokenizer::WholeTokenizer;
use crate::{Error, Result, Scratch, SentencePiece, WordVocabulary};

/// Format of a vocabulary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A SentencePiece model: `.spm`, `.model`.
    SentencePiece,
    /// A map from words to ids: `.yml`, `.yaml`, `.json`.
    Yaml,
    /// A list with a word in each line: `.txt`.
    Text,
    /// A tokeniser of Hugging Face: `tokenizer.json`.
    Tokenizer,
}

impl Format {
    /// The format of a file with this name.
    ///
    /// # Errors
    /// When no format has the suffix.
    pub fn of(name: &Path) -> Result<Self> {
        match name.extension().and_then(|suffix| suffix.to_str()) {
            _ if is_tokenizer(name) => Ok(Self::Tokenizer),
            Some("spm" | "model") => Ok(Self::SentencePiece),
            Some("yml" | "yaml" | "json") => Ok(Self::Yaml),
            Some("txt") => Ok(Self::Text),
            _ => Err(Error::Suffix { name: name.display().to_string() }),
        }
    }

    /// Reads `bytes` and uses the result as every caller would: the entry point for fuzzing.
    ///
    /// # Errors
    /// When the bytes are no vocabulary of this format. The function never panics.
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

/// A vocabulary of any kind, read-only and shared by workers, each of which has its own [`Scratch`].
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
    /// Pieces of words with ids of another file.
    Mapped(Box<MappedPieces>),
    /// A tokeniser of Hugging Face.
    Tokenizer(Box<WholeTokenizer>),
}

impl Vocabulary {
    /// Reads the file at `path`, whose suffix tells the format.
    ///
    /// # Errors
    /// When the file can't be read or is no vocabulary; the message names the file.
    pub fn from_path(path: &Path) -> Result<Self> {
        let format = Format::of(path)?;
        let bytes = dyno_api::files::read(path).map_err(Error::reading(path))?;
        Self::from_bytes(&bytes, format).map_err(|fault| fault.in_file(path))
    }

    /// Reads the file at `path` as [`from_path`](Self::from_path) does. For a SentencePiece model with files
    /// `beside` it, those name the ids of its pieces: the files of Hugging Face's translators.
    ///
    /// # Errors
    /// As [`from_path`](Self::from_path), and when a file beside it is faulty.
    pub fn open(path: &Path, beside: &[PathBuf], side: Side) -> Result<Self> {
        if beside.is_empty() || Format::of(path)? != Format::SentencePiece {
            return Self::from_path(path);
        }
        let bytes = dyno_api::files::read(path).map_err(Error::reading(path))?;
        match MappedPieces::open(path, &bytes, beside, side) {
            Ok(mapped) => Ok(Self::Mapped(Box::new(mapped))),
            Err(error @ (Error::Read { .. } | Error::File { .. })) => Err(error),
            Err(fault) => Err(fault.in_file(path)),
        }
    }

    /// The vocabulary of these words by their ids, which came from the file at `path`.
    ///
    /// # Errors
    /// When a word is repeated or a required one is absent; the message names the file.
    pub fn of_words(path: &Path, words: &[String]) -> Result<Self> {
        let words = WordVocabulary::from_list(words.iter().map(String::as_str)).map(Self::Words);
        words.map_err(|fault| fault.in_file(path))
    }

    /// The vocabulary with lines divided as by OpenNMT-py, where it is one of whole words.
    #[must_use]
    pub fn as_opennmt(self) -> Self {
        match self {
            Self::Words(words) => Self::Words(words.as_opennmt()),
            other => other,
        }
    }

    /// The vocabulary of the SentencePiece model `pieces` with the ids of `ids`, a `vocab.json`: the entry point
    /// for mutated files.
    ///
    /// # Errors
    /// When one of them is faulty. The function never panics.
    pub fn of_pieces_and_ids(pieces: &[u8], ids: &[u8]) -> Result<Self> {
        MappedPieces::check(pieces, ids).map(Box::new).map(Self::Mapped)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When the bytes are no vocabulary of this format.
    pub fn from_bytes(bytes: &[u8], format: Format) -> Result<Self> {
        Ok(match format {
            Format::SentencePiece => Self::SentencePiece(Box::new(SentencePiece::from_bytes(bytes)?)),
            Format::Yaml => Self::Words(WordVocabulary::from_yaml(bytes)?),
            Format::Text => Self::Words(WordVocabulary::from_text(bytes)?),
            Format::Tokenizer => Self::Tokenizer(Box::new(WholeTokenizer::from_bytes(bytes)?)),
        })
    }

    /// Replaces `ids` by the ids of `line`, which may have any bytes. The end of the sentence isn't added: a
    /// translator appends [`eos_id`](Self::eos_id).
    pub fn encode_into(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        match self {
            Self::SentencePiece(model) => model.encode_into(line, scratch, ids),
            Self::Words(words) => words.encode_into(line, ids),
            Self::Mapped(mapped) => mapped.encode_into(line, scratch, ids),
            Self::Tokenizer(tokenizer) => tokenizer.encode_into(line, ids),
        }
    }

    /// Replaces `text` by the text of `ids`; the end of the sentence has no text.
    ///
    /// # Errors
    /// When an id isn't in the vocabulary.
    pub fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        match self {
            Self::SentencePiece(model) => model.decode_into(ids, text),
            Self::Words(words) => words.decode_into(ids, text),
            Self::Mapped(mapped) => mapped.decode_into(ids, text),
            Self::Tokenizer(tokenizer) => tokenizer.decode_into(ids, text),
        }
    }

    /// Number of ids, which count from 0.
    pub fn len(&self) -> usize {
        match self {
            Self::SentencePiece(model) => model.len(),
            Self::Words(words) => words.len(),
            Self::Mapped(mapped) => mapped.len(),
            Self::Tokenizer(tokenizer) => tokenizer.len(),
        }
    }

    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The piece or word of `id`, as in the file.
    pub fn piece(&self, id: u32) -> Option<Cow<'_, str>> {
        match self {
            Self::SentencePiece(model) => model.piece(id).map(Cow::Borrowed),
            Self::Words(words) => words.word(id).map(Cow::Borrowed),
            Self::Mapped(mapped) => mapped.word(id).map(Cow::Borrowed),
            Self::Tokenizer(tokenizer) => tokenizer.word(id).map(Cow::Owned),
        }
    }

    /// The id of exactly this piece or word; `None`, not the unknown id, where the vocabulary lacks it.
    pub fn lookup(&self, piece: &str) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.lookup(piece),
            Self::Words(words) => words.lookup(piece),
            Self::Mapped(mapped) => mapped.lookup(piece),
            Self::Tokenizer(tokenizer) => tokenizer.lookup(piece),
        }
    }

    /// The id of exactly this word, if the vocabulary has it as a special word: one that no text becomes.
    pub fn lookup_special(&self, word: &str) -> Option<u32> {
        match self {
            Self::SentencePiece(_) | Self::Words(_) => None,
            Self::Mapped(mapped) => mapped.lookup(word).filter(|id| mapped.is_special(*id)),
            Self::Tokenizer(tokenizer) => tokenizer.lookup_special(word),
        }
    }

    /// Id of the end of a sentence, if the vocabulary has one.
    pub fn eos_id(&self) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.eos_id(),
            Self::Words(words) => Some(words.eos_id()),
            Self::Mapped(mapped) => Some(mapped.eos_id()),
            Self::Tokenizer(tokenizer) => Some(tokenizer.eos_id()),
        }
    }

    /// Id of the unknown piece or word, if the vocabulary has one.
    pub fn unk_id(&self) -> Option<u32> {
        match self {
            Self::SentencePiece(model) => model.unk_id(),
            Self::Words(words) => Some(words.unk_id()),
            Self::Mapped(mapped) => Some(mapped.unk_id()),
            Self::Tokenizer(tokenizer) => Some(tokenizer.unk_id()),
        }
    }
}
