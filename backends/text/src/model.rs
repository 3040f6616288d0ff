//! The content of a SentencePiece file, read and not yet checked.
//!
//! Only the fields that encoding and decoding need are kept; training's fields are skipped. As in protobuf,
//! the last of several values of a field counts, several messages of a singular field are merged, and an
//! unknown enumerator counts as absent.

use crate::Result;
use crate::wire::{Field, Reader, Value};

/// The whole file.
#[derive(Default)]
pub(crate) struct WireModel<'a> {
    pub pieces: Vec<WirePiece<'a>>,
    pub trainer: WireTrainer<'a>,
    pub normalizer: WireNormalizer<'a>,
    pub denormalizer: Option<WireNormalizer<'a>>,
}

/// An entry of the vocabulary; its id is its position.
pub(crate) struct WirePiece<'a> {
    pub text: &'a str,
    pub score: f32,
    pub kind: Kind,
}

/// Kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl Kind {
    /// Whether text can be divided into such pieces. Other kinds have ids, but no text becomes them.
    pub fn is_surface(self) -> bool {
        matches!(self, Self::Normal | Self::UserDefined | Self::Unused)
    }
}

/// Algorithm that divides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Unigram,
    Bpe,
    Word,
    Char,
}

/// The trainer's settings that count after training.
pub(crate) struct WireTrainer<'a> {
    pub algorithm: Algorithm,
    pub byte_fallback: bool,
    pub whitespace_as_suffix: bool,
    pub eos_piece: &'a str,
    pub unk_surface: &'a str,
}

/// Normalisation before division, or after joining.
pub(crate) struct WireNormalizer<'a> {
    pub charsmap: &'a [u8],
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
}

impl<'a> WireModel<'a> {
    /// Reads the fields of `bytes`.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut model = Self::default();
        let mut reader = Reader::new(bytes);
        while let Some(Field { number, value }) = reader.field()? {
            let Value::Bytes(message) = value else { continue };
            match number {
                1 => model.pieces.push(WirePiece::read(message)?),
                2 => model.trainer.merge(message)?,
                3 => model.normalizer.merge(message)?,
                5 => model.denormalizer.get_or_insert_default().merge(message)?,
                _ => {}
            }
        }
        Ok(model)
    }
}

impl<'a> WirePiece<'a> {
    fn read(mut reader: Reader<'a>) -> Result<Self> {
        let mut piece = Self { text: "", score: 0.0, kind: Kind::Normal };
        while let Some(Field { number, value }) = reader.field()? {
            match (number, value) {
                (1, Value::Bytes(text)) => piece.text = text.text()?,
                (2, Value::Fixed32(bits)) => piece.score = f32::from_bits(bits),
                (3, Value::Varint(code)) => piece.kind = kind(code).unwrap_or(piece.kind),
                _ => {}
            }
        }
        Ok(piece)
    }
}

impl<'a> WireTrainer<'a> {
    fn merge(&mut self, mut reader: Reader<'a>) -> Result<()> {
        while let Some(Field { number, value }) = reader.field()? {
            match (number, value) {
                (3, Value::Varint(code)) => self.algorithm = algorithm(code).unwrap_or(self.algorithm),
                (24, Value::Varint(flag)) => self.whitespace_as_suffix = flag != 0,
                (35, Value::Varint(flag)) => self.byte_fallback = flag != 0,
                (44, Value::Bytes(text)) => self.unk_surface = text.text()?,
                (47, Value::Bytes(text)) => self.eos_piece = text.text()?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'a> WireNormalizer<'a> {
    fn merge(&mut self, mut reader: Reader<'a>) -> Result<()> {
        while let Some(Field { number, value }) = reader.field()? {
            match (number, value) {
                (2, Value::Bytes(charsmap)) => self.charsmap = charsmap.bytes(),
                (3, Value::Varint(flag)) => self.add_dummy_prefix = flag != 0,
                (4, Value::Varint(flag)) => self.remove_extra_whitespaces = flag != 0,
                (5, Value::Varint(flag)) => self.escape_whitespaces = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Default for WireTrainer<'_> {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Unigram,
            byte_fallback: false,
            whitespace_as_suffix: false,
            eos_piece: "</s>",
            unk_surface: " \u{2047} ",
        }
    }
}

impl Default for WireNormalizer<'_> {
    fn default() -> Self {
        Self {
            charsmap: &[],
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
        }
    }
}

/// The kind with this code, in these files and in GGUF alike.
pub(crate) fn kind(code: u64) -> Option<Kind> {
    Some(match code {
        1 => Kind::Normal,
        2 => Kind::Unknown,
        3 => Kind::Control,
        4 => Kind::UserDefined,
        5 => Kind::Unused,
        6 => Kind::Byte,
        _ => return None,
    })
}

fn algorithm(code: u64) -> Option<Algorithm> {
    Some(match code {
        1 => Algorithm::Unigram,
        2 => Algorithm::Bpe,
        3 => Algorithm::Word,
        4 => Algorithm::Char,
        _ => return None,
    })
}
