//! A tokeniser of Hugging Face's crate, as a vocabulary.

use tokenizers::Tokenizer;

use crate::{Error, Result, post_processor};

/// A whole tokeniser, from `tokenizer.json`.
pub struct WholeTokenizer {
    tokenizer: Tokenizer,
    end: u32,
    unknown: u32,
    len: usize,
}

impl WholeTokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// When the bytes are no tokeniser, or one without an end of a sentence or an unknown word.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let fault = |error: tokenizers::Error| {
            Error::model("tokeniser", format!("{error}; copy the file anew from the model's origin"))
        };
        // The crate panics on some texts that are no JSON.
        serde_json::from_slice::<serde_json::Value>(bytes)
            .map_err(|error| Error::words(error.line(), format!("{error}; copy the file anew")))?;
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(fault)?;
        if let Some(fault) = post_processor::fault(&tokenizer) {
            return Err(Error::model("tokeniser", format!("{fault}; copy the file anew")));
        }
        // The file keeps those of its training, and transformers asks for neither when it translates.
        tokenizer.with_padding(None).with_truncation(None).map_err(fault)?;
        let need = |word: &str| {
            let missing =
                || Error::model(word, "this word is missing; the file belongs to another kind of model");
            tokenizer.token_to_id(word).ok_or_else(missing)
        };
        let (end, unknown) = (need("</s>")?, need("<unk>")?);
        let last = tokenizer.get_vocab(true).into_values().max().unwrap_or(0);
        // Each word takes some bytes of the file, so that a greater id is a fault.
        if last as usize >= bytes.len() {
            let fault = format!("id {last} is beyond all reason for a file of this size");
            return Err(Error::model("vocabulary", fault));
        }
        Ok(Self { end, unknown, len: last as usize + 1, tokenizer })
    }

    /// Replaces `ids` by the ids of `line`, without words that the tokeniser adds at its ends.
    pub(crate) fn encode_into(&self, line: &[u8], ids: &mut Vec<u32>) {
        ids.clear();
        match self.tokenizer.encode_fast(&*String::from_utf8_lossy(line), false) {
            Ok(encoding) => ids.extend_from_slice(encoding.get_ids()),
            Err(_) => ids.push(self.unknown), // a model with an unknown word has no such line
        }
    }

    /// Replaces `text` by the text of `ids`; special words have none.
    pub(crate) fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        if let Some(id) = ids.iter().find(|id| **id as usize >= self.len) {
            return Err(Error::UnknownId { id: *id, len: self.len });
        }
        let decoded = self.tokenizer.decode(ids, true);
        *text = decoded.map_err(|error| Error::model("decoder", error.to_string()))?;
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The word of `id`, with its marks of spaces.
    pub(crate) fn word(&self, id: u32) -> Option<String> {
        self.tokenizer.id_to_token(id)
    }

    pub(crate) fn lookup(&self, word: &str) -> Option<u32> {
        self.tokenizer.token_to_id(word)
    }

    pub(crate) fn lookup_special(&self, word: &str) -> Option<u32> {
        let special = self.tokenizer.get_added_vocabulary().is_special_token(word);
        self.lookup(word).filter(|_| special)
    }

    pub(crate) fn eos_id(&self) -> u32 {
        self.end
    }

    pub(crate) fn unk_id(&self) -> u32 {
        self.unknown
    }
}
