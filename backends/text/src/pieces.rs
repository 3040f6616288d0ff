//! The vocabulary of a SentencePiece model: its checked pieces, with lookup by text.
//!
//! The checks are those of the reference, except that it accepts pieces that aren't UTF-8.

use crate::error::shown;
use crate::model::{Kind, WireModel};
use crate::piece_index::PieceIndex;
use crate::utf8::SPACE;
use crate::{Error, Result};

/// Greatest length of a piece, as in the reference: longer pieces make division quadratic.
const MAX_PIECE_BYTES: usize = 8000;

/// The pieces by id, which is a position.
pub(crate) struct Pieces {
    text: String,
    /// End of each piece in `text`; the piece begins at the end of the one before.
    ends: Vec<usize>,
    pub kinds: Vec<Kind>,
    pub scores: Vec<f32>,
    /// Pieces that text can be divided into.
    surfaces: PieceIndex,
    /// All other pieces.
    reserved: PieceIndex,
    pub unk: Option<u32>,
    /// Pieces of bytes, where the model falls back to bytes.
    pub bytes: Option<Box<[u32; 256]>>,
}

impl Pieces {
    /// Checks and indexes the pieces of `wire`. With `share_names`, a surface piece may have the text of a
    /// reserved piece.
    pub fn new(wire: &WireModel<'_>, share_names: bool) -> Result<Self> {
        let many = wire.pieces.len();
        let mut pieces = Self {
            text: String::new(),
            ends: Vec::with_capacity(many),
            kinds: Vec::with_capacity(many),
            scores: Vec::with_capacity(many),
            surfaces: PieceIndex::with_capacity(many), // nearly all of them; growing would insert them twice
            reserved: PieceIndex::with_capacity(0),
            unk: None,
            bytes: None,
        };
        for piece in &wire.pieces {
            let nul = piece.text == "\0";
            let kind = if nul && wire.trainer.byte_fallback { Kind::Unused } else { piece.kind };
            pieces.push(piece.text, kind, piece.score, share_names)?;
        }
        pieces.finish(wire.trainer.byte_fallback)
    }

    fn push(&mut self, text: &str, kind: Kind, score: f32, share_names: bool) -> Result<()> {
        let id = self.kinds.len() as u32;
        let nameless = text == "\0" && kind == Kind::Unused;
        self.check(text, kind).or_else(|fault| if nameless { Ok(()) } else { Err(at(id, text, fault)) })?;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.kinds.push(kind);
        self.scores.push(score);
        if kind == Kind::Unknown {
            self.unk = Some(id);
        }
        if nameless || self.index(text, kind, id, share_names) {
            return Ok(());
        }
        Err(at(id, text, "defined twice"))
    }

    fn check(&self, text: &str, kind: Kind) -> std::result::Result<(), &'static str> {
        match () {
            () if text.is_empty() => Err("empty"),
            () if text.len() >= MAX_PIECE_BYTES => Err("too long"),
            () if text.contains('\0') => Err("a piece must not contain NUL"),
            () if kind == Kind::Unknown && self.unk.is_some() => Err("a second unknown piece"),
            () if kind == Kind::Byte && byte_of(text).is_none() => Err("not the name of a byte"),
            () => Ok(()),
        }
    }

    /// Indexes the last piece by its text; false where another piece has the text.
    fn index(&mut self, text: &str, kind: Kind, id: u32, share_names: bool) -> bool {
        let Self { text: all, ends, surfaces, reserved, .. } = self;
        let (own, other) = if kind.is_surface() { (surfaces, reserved) } else { (reserved, surfaces) };
        let text_of = |id| part(all, ends, id);
        (share_names || other.find(text, text_of).is_none()) && own.insert(id, text_of)
    }

    fn finish(mut self, byte_fallback: bool) -> Result<Self> {
        let has_bytes = self.kinds.contains(&Kind::Byte);
        if has_bytes && !byte_fallback {
            return Err(Error::model(
                "pieces",
                "there are byte pieces, but the model doesn't fall back to bytes",
            ));
        }
        if byte_fallback {
            self.bytes = Some(self.byte_pieces()?);
        } else if self.unk.is_none() {
            return Err(Error::model("pieces", "there is no unknown piece"));
        }
        Ok(self)
    }

    fn byte_pieces(&self) -> Result<Box<[u32; 256]>> {
        let mut ids = Box::new([0; 256]);
        for (byte, slot) in ids.iter_mut().enumerate() {
            let found = self.reserved.find(&format!("<0x{byte:02X}>"), self.texts());
            let byte_piece = found.filter(|&id| self.kind(id) == Some(Kind::Byte));
            *slot = byte_piece
                .ok_or_else(|| Error::model(format!("<0x{byte:02X}>"), "this byte has no piece"))?;
        }
        Ok(ids)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of `id`.
    pub fn text(&self, id: u32) -> Option<&str> {
        ((id as usize) < self.len()).then(|| part(&self.text, &self.ends, id))
    }

    pub fn kind(&self, id: u32) -> Option<Kind> {
        self.kinds.get(id as usize).copied()
    }

    /// The id of a piece of any kind by its text.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.reserved.find(text, self.texts()).or_else(|| self.surfaces.find(text, self.texts()))
    }

    /// The id of a surface piece by its text.
    pub fn find_surface(&self, text: &[u8]) -> Option<u32> {
        self.surfaces.find(std::str::from_utf8(text).ok()?, self.texts())
    }

    /// The texts by id, for ids that the indexes have.
    fn texts<'a>(&'a self) -> impl Fn(u32) -> &'a str {
        |id| part(&self.text, &self.ends, id)
    }

    /// The surface pieces with their texts and kinds.
    pub fn surfaces(&self) -> impl Iterator<Item = (u32, &str, Kind)> {
        (0..self.len() as u32).filter_map(|id| {
            let (text, kind) = (self.text(id)?, self.kind(id)?);
            (kind.is_surface() && text != "\0").then_some((id, text, kind))
        })
    }

    /// The positions of the space mark in the surface pieces.
    pub fn space_marks(&self) -> SpaceMarks {
        let mut marks = SpaceMarks { only_first: true, only_last: true };
        for (_, text, _) in self.surfaces() {
            marks.only_first &= !text.strip_prefix(SPACE).unwrap_or(text).contains(SPACE);
            marks.only_last &= !text.strip_suffix(SPACE).unwrap_or(text).contains(SPACE);
        }
        marks
    }
}

/// The piece `id` of the joined texts.
fn part<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let start = (id as usize).checked_sub(1).map_or(0, |before| ends[before]);
    &text[start..ends[id as usize]]
}

/// Positions of the space mark in pieces.
pub(crate) struct SpaceMarks {
    /// Whether the mark never follows another character of a piece.
    pub only_first: bool,
    /// Whether the mark never precedes another character of a piece.
    pub only_last: bool,
}

/// The byte of a piece with a name like `<0x0A>`.
pub(crate) fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let exact = digits.len() == 2 && digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'A'..=b'F'));
    if exact { u8::from_str_radix(digits, 16).ok() } else { None }
}

fn at(id: u32, text: &str, fault: &str) -> Error {
    Error::model(format!("piece {id} `{}`", shown(text)), fault)
}
