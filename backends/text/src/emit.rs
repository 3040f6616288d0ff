//! Turns cut pieces into ids: unknown characters in a row become one unknown id, or each its bytes.

/// Stands for "no piece" where an id is expected. No vocabulary has so many pieces.
pub(crate) const NO_PIECE: u32 = u32::MAX;

/// Appends ids in the order of the text, or all of them in reverse: merging looks the same from both sides.
pub(crate) struct Emitter<'a> {
    ids: &'a mut Vec<u32>,
    unk: Option<u32>,
    bytes: Option<&'a [u32; 256]>,
    after_unknown: bool,
}

impl<'a> Emitter<'a> {
    /// Appends to `ids`; `bytes`: the pieces of the bytes, if unknown characters fall back to them.
    pub fn new(ids: &'a mut Vec<u32>, unk: Option<u32>, bytes: Option<&'a [u32; 256]>) -> Self {
        Self { ids, unk, bytes, after_unknown: false }
    }

    /// A piece that the vocabulary has.
    #[inline]
    pub fn known(&mut self, id: u32) {
        self.ids.push(id);
        self.after_unknown = false;
    }

    /// A stretch of text that is no piece; its bytes in the order in which ids are appended.
    pub fn unknown(&mut self, surface: impl Iterator<Item = u8>) {
        match (self.bytes, self.unk) {
            (Some(bytes), _) => self.ids.extend(surface.map(|byte| bytes[usize::from(byte)])),
            (None, Some(unk)) if !self.after_unknown => self.ids.push(unk),
            _ => {}
        }
        self.after_unknown = true;
    }
}
