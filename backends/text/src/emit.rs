//! Emission of pieces as ids: a run of unknown characters becomes one unknown id, or its bytes.

/// Id that means "no piece"; no vocabulary is so large.
pub(crate) const NO_PIECE: u32 = u32::MAX;

/// Byte between runs of unknown characters; no UTF-8 has it.
pub(crate) const BETWEEN: u8 = 0xFF;

/// A target for ids in the order of the text, or for all of them in reverse order.
pub(crate) struct Emitter<'a> {
    ids: &'a mut Vec<u32>,
    unk: Option<u32>,
    bytes: Option<&'a [u32; 256]>,
    after_unknown: bool,
    /// Target for runs of unknown characters.
    runs: Option<&'a mut Vec<u8>>,
}

impl<'a> Emitter<'a> {
    /// Appends to `ids`. `bytes` are the pieces of bytes, if unknown characters fall back to them.
    pub fn new(ids: &'a mut Vec<u32>, unk: Option<u32>, bytes: Option<&'a [u32; 256]>) -> Self {
        Self { ids, unk, bytes, after_unknown: false, runs: None }
    }

    /// The same emitter, which also appends each run of unknown characters to `runs`, after [`BETWEEN`].
    pub fn with_runs(self, runs: &'a mut Vec<u8>) -> Self {
        Self { runs: Some(runs), ..self }
    }

    /// Appends a piece of the vocabulary.
    #[inline]
    pub fn known(&mut self, id: u32) {
        self.ids.push(id);
        self.after_unknown = false;
    }

    /// Appends a stretch of text that is no piece; its bytes come in the order of appending.
    pub fn unknown(&mut self, surface: impl Iterator<Item = u8>) {
        let mut surface = surface;
        if let Some(runs) = self.runs.as_mut().filter(|_| self.bytes.is_none()) {
            runs.extend((!self.after_unknown).then_some(BETWEEN));
            runs.extend(&mut surface);
        }
        match (self.bytes, self.unk) {
            (Some(bytes), _) => self.ids.extend(surface.map(|byte| bytes[usize::from(byte)])),
            (None, Some(unk)) if !self.after_unknown => self.ids.push(unk),
            _ => {}
        }
        self.after_unknown = true;
    }
}
