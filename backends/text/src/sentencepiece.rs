//! A SentencePiece model: from a line to ids and back, as in the reference.

use crate::bpe::{Bpe, BpeScratch};
use crate::emit::Emitter;
use crate::model::{Algorithm, Kind, WireModel};
use crate::normalizer::{Normalizer, Symbols};
use crate::pieces::Pieces;
use crate::unigram::{Node, Unigram};
use crate::{Result, simple};

/// Greatest length of a line that counts: positions have 32 bits, and a normal form may be 18 times as long
/// as its source.
const MAX_LINE_BYTES: usize = 1 << 27;

/// Buffers of one worker. They grow to the longest line; after that, nothing is allocated.
#[derive(Default)]
pub struct Scratch {
    normalized: Vec<u8>,
    nodes: Vec<Node>,
    bpe: BpeScratch,
    /// Runs of unknown characters, in the order of the line.
    pub(crate) unknown: Vec<u8>,
}

enum Cutter {
    Unigram(Unigram),
    Bpe(Box<Bpe>),
    Word,
    Char,
}

/// A checked SentencePiece model, read-only and shared by workers, each of which has its own [`Scratch`].
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
    /// When the bytes are no SentencePiece model, or a model that the reference refuses.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::new(&WireModel::read(bytes)?)
    }

    /// The model of what a file says.
    pub(crate) fn new(wire: &WireModel<'_>) -> Result<Self> {
        let algorithm = wire.trainer.algorithm;
        let pieces = Pieces::new(wire, algorithm != Algorithm::Bpe)?;
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

    /// Replaces `ids` by the ids of `line`. The line may have any bytes, of which the first 128 MiB count. No
    /// end of the sentence is added.
    pub fn encode_into(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let Scratch { normalized, nodes, bpe, .. } = scratch;
        ids.clear();
        let emitter = Emitter::new(ids, self.pieces.unk, self.pieces.bytes.as_deref());
        self.cut(line, (normalized, nodes, bpe), emitter);
        if matches!(self.cutter, Cutter::Unigram(_)) {
            ids.reverse();
        }
    }

    /// As [`encode_into`](Self::encode_into); the scratch gets the runs of unknown characters as well.
    pub(crate) fn encode_with_unknown(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let Scratch { normalized, nodes, bpe, unknown } = scratch;
        ids.clear();
        unknown.clear();
        let emitter = Emitter::new(ids, self.pieces.unk, self.pieces.bytes.as_deref()).with_runs(unknown);
        self.cut(line, (normalized, nodes, bpe), emitter);
        if matches!(self.cutter, Cutter::Unigram(_)) {
            ids.reverse();
            unknown.reverse();
        }
    }

    /// Emits the pieces of `line`; a unigram model's in reverse.
    fn cut(
        &self,
        line: &[u8],
        (normalized, nodes, bpe): (&mut Vec<u8>, &mut Vec<Node>, &mut BpeScratch),
        mut emitter: Emitter<'_>,
    ) {
        let line = &line[..line.len().min(MAX_LINE_BYTES)];
        self.normalizer.normalize(line, &self.symbols, normalized);
        match &self.cutter {
            Cutter::Unigram(unigram) => unigram.cut_reversed(normalized, nodes, &mut emitter),
            Cutter::Bpe(merger) => merger.cut(normalized, &self.symbols, bpe, &mut emitter),
            Cutter::Word => simple::cut_words(&self.pieces, normalized, &mut emitter),
            Cutter::Char => simple::cut_chars(&self.pieces, &self.symbols, normalized, &mut emitter),
        }
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a piece with its space marks.
    pub fn piece(&self, id: u32) -> Option<&str> {
        self.pieces.text(id)
    }

    /// The id of the piece with exactly this text.
    pub fn lookup(&self, piece: &str) -> Option<u32> {
        self.pieces.find(piece)
    }

    /// Id of the end of a sentence, if the model has one.
    pub fn eos_id(&self) -> Option<u32> {
        self.eos
    }

    /// Id of the unknown piece. Only a model that falls back to bytes may lack it.
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
