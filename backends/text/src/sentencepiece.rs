//! A SentencePiece model: from a line to ids and back, as the reference does it.

use crate::bpe::{Bpe, BpeScratch};
use crate::emit::Emitter;
use crate::model::{Algorithm, Kind, WireModel};
use crate::normalizer::{Normalizer, Symbols};
use crate::pieces::Pieces;
use crate::unigram::{Node, Unigram};
use crate::{Result, simple};

/// Lines are cut here: positions inside of a line are kept in 32 bits. Normal forms are up to 18 times as long as
/// what they replace.
const MAX_LINE_BYTES: usize = 1 << 27;

/// Working memory of one worker: grows to the longest line, then nothing is allocated any more.
#[derive(Default)]
pub struct Scratch {
    normalized: Vec<u8>,
    nodes: Vec<Node>,
    bpe: BpeScratch,
}

enum Cutter {
    Unigram(Unigram),
    Bpe(Box<Bpe>),
    Word,
    Char,
}

/// A SentencePiece model, checked and ready. Read-only: workers share it, each with a [`Scratch`] of its own.
pub struct SentencePiece {
    pub(crate) pieces: Pieces,
    pub(crate) add_dummy_prefix: bool,
    pub(crate) remove_extra_whitespaces: bool,
    pub(crate) unk_surface: String,
    pub(crate) denormalizer: Option<Normalizer>,
    symbols: Symbols,
    normalizer: Normalizer,
    cutter: Cutter,
    eos: Option<u32>,
}

impl SentencePiece {
    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// When they are no SentencePiece model, or one that the reference would refuse.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wire = WireModel::read(bytes)?;
        let algorithm = wire.trainer.algorithm;
        let pieces = Pieces::new(&wire, algorithm != Algorithm::Bpe)?;
        let is_symbol = |&(_, _, kind): &(u32, &str, Kind)| kind == Kind::UserDefined;
        let keys = pieces.surfaces().filter(is_symbol).map(|(id, text, _)| (text.as_bytes(), id));
        let symbols = Symbols::new(keys.collect())?;
        let denormalizer = wire.denormalizer.as_ref().filter(|spec| !spec.charsmap.is_empty());
        Ok(Self {
            normalizer: Normalizer::new(&wire.normalizer, wire.trainer.whitespace_as_suffix, &symbols)?,
            denormalizer: denormalizer
                .map(|spec| Normalizer::new(spec, false, &Symbols::none()))
                .transpose()?,
            cutter: Cutter::new(algorithm, &pieces)?,
            symbols,
            add_dummy_prefix: wire.normalizer.add_dummy_prefix,
            remove_extra_whitespaces: wire.normalizer.remove_extra_whitespaces,
            unk_surface: wire.trainer.unk_surface.into(),
            eos: pieces.find(wire.trainer.eos_piece).filter(|&id| pieces.kind(id) == Some(Kind::Control)),
            pieces,
        })
    }

    /// Replaces `ids` by the ids of `line` (any bytes, of which the first 128 MiB count; no end of sentence is
    /// added).
    pub fn encode_into(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        ids.clear();
        let line = &line[..line.len().min(MAX_LINE_BYTES)];
        let Scratch { normalized, nodes, bpe } = scratch;
        self.normalizer.normalize(line, &self.symbols, normalized);
        let mut emitter = Emitter::new(ids, self.pieces.unk, self.pieces.bytes.as_deref());
        match &self.cutter {
            Cutter::Unigram(unigram) => {
                unigram.cut_reversed(normalized, nodes, &mut emitter);
                ids.reverse();
            }
            Cutter::Bpe(merger) => merger.cut(normalized, &self.symbols, bpe, &mut emitter),
            Cutter::Word => simple::cut_words(&self.pieces, normalized, &mut emitter),
            Cutter::Char => simple::cut_chars(&self.pieces, &self.symbols, normalized, &mut emitter),
        }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a piece, space marks and all.
    pub fn piece(&self, id: u32) -> Option<&str> {
        self.pieces.text(id)
    }

    /// The id of the piece with exactly this text.
    pub fn lookup(&self, piece: &str) -> Option<u32> {
        self.pieces.find(piece)
    }

    /// The end of a sentence, if the model has one.
    pub fn eos_id(&self) -> Option<u32> {
        self.eos
    }

    /// The unknown piece; only a model that falls back to bytes may have none.
    pub fn unk_id(&self) -> Option<u32> {
        self.pieces.unk
    }
}

impl Cutter {
    fn new(algorithm: Algorithm, pieces: &Pieces) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Unigram => Self::Unigram(Unigram::new(pieces)?),
            Algorithm::Bpe => Self::Bpe(Box::new(Bpe::new(pieces)?)),
            Algorithm::Word => Self::Word,
            Algorithm::Char => Self::Char,
        })
    }
}
