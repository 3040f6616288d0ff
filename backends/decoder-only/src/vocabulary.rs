//! The vocabulary of a file: its tokeniser, the word that begins a prompt, and the words that end an answer.

use std::collections::BTreeSet;

use dyno_formats::{Gguf, GgufArray, GgufValue};
use dyno_text::{GgufPieces, GgufTokenizer, Scratch};

use crate::{Error, Result};

/// Control words that end an answer in the chats of the supported families. Files name one or two of them by
/// their ids; llama.cpp knows the others by these names, too.
const ENDS: [&str; 15] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<eos>",
    "</s>",
];

/// Code of a control word among the pieces' kinds.
const CONTROL: u64 = 3;

/// Keys with the ids of words that end an answer.
const END_KEYS: [&str; 3] =
    ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];

/// The words of a model.
pub struct Words {
    pub(crate) tokenizer: GgufTokenizer,
    /// Word that begins each prompt, if one does.
    pub(crate) start: Option<u32>,
    ends: BTreeSet<u32>,
}

impl Words {
    /// The vocabulary of `file`, for a network of so many words.
    ///
    /// # Errors
    /// When the metadata have no usable tokeniser.
    pub fn open(file: &Gguf, words: usize) -> Result<Self> {
        let model = file.need("tokenizer.ggml.model", "text", GgufValue::text)?;
        let division = file.typed("tokenizer.ggml.pre", "text", GgufValue::text)?;
        let flag = |key: &str, usual| -> Result<bool> {
            Ok(file.typed(key, "flag", GgufValue::flag)?.unwrap_or(usual))
        };
        let texts = all(file, "tokenizer.ggml.tokens", GgufValue::text)?;
        let mut kinds = all(file, "tokenizer.ggml.token_type", GgufValue::whole)?;
        // Files take some of these words for plain ones. As llama.cpp, the engine doesn't.
        for (kind, text) in kinds.iter_mut().zip(&texts) {
            *kind = if ENDS.contains(text) { CONTROL } else { *kind };
        }
        let pieces = GgufPieces {
            model,
            division: division.unwrap_or("default"),
            texts,
            kinds,
            scores: all(file, "tokenizer.ggml.scores", GgufValue::number)?,
            merges: all(file, "tokenizer.ggml.merges", GgufValue::text)?,
            space_first: flag("tokenizer.ggml.add_space_prefix", model == "llama")?,
        };
        if pieces.texts.len() != words {
            let fault = format!("has {} words for a network of {words}", pieces.texts.len());
            return Err(Error::prompt(file.path(), format!("{fault}; convert the model anew")));
        }
        let text_error = |source| Error::Text { path: file.path().into(), source };
        let tokenizer = GgufTokenizer::new(&pieces).map_err(text_error)?;
        let id = |key: &str| -> Result<Option<u32>> {
            let id = file.typed(key, "whole number", GgufValue::whole)?;
            Ok(id.and_then(|id| u32::try_from(id).ok()).filter(|id| (*id as usize) < words))
        };
        let starts = flag("tokenizer.ggml.add_bos_token", pieces.begin_by_default())?;
        let start = if starts { id("tokenizer.ggml.bos_token_id")? } else { None };
        let mut ends: BTreeSet<u32> = ENDS.iter().filter_map(|word| tokenizer.control(word)).collect();
        for key in END_KEYS {
            ends.extend(id(key)?);
        }
        Ok(Self { tokenizer, start, ends })
    }

    /// Adds the ids of `text` to `ids`; no control word is among them.
    ///
    /// # Errors
    /// When the tokeniser fails at the text.
    pub fn encode(&self, text: &str, scratch: &mut Scratch, ids: &mut Vec<u32>) -> dyno_text::Result<()> {
        self.tokenizer.encode(text, scratch, ids)
    }

    /// Text of `ids`, without control words. Bytes of no character become U+FFFD.
    pub fn decode(&self, ids: &[u32]) -> String {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| self.tokenizer.bytes(*id)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether a word ends an answer.
    pub(crate) fn ends(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }
}

/// All elements of an array; none where the metadata lack it.
fn all<'a, T>(file: &'a Gguf, key: &str, read: impl Fn(GgufValue<'a>) -> Option<T>) -> Result<Vec<T>> {
    let array: Option<GgufArray<'a>> = file.typed(key, "array", GgufValue::array)?;
    let wrong =
        |fault: String| Error::prompt(file.path(), format!("`{key}`: {fault}; convert the model anew"));
    let elements = array.into_iter().flat_map(GgufArray::values);
    elements
        .map(|element| {
            let value = element.map_err(|fault| wrong(fault.to_string()))?;
            read(value).ok_or_else(|| wrong("has an element of another type".into()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_word_that_ends_answers_does_so_whatever_a_file_takes_it_for() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/llama.gguf");
        let mut bytes = std::fs::read(path).unwrap();
        let (from, to) = ("\u{2581}the".as_bytes(), b"_<EOT>");
        let at =
            bytes.windows(from.len()).position(|part| part == from).expect("a piece of the golden model");
        bytes[at..at + to.len()].copy_from_slice(to);
        let renamed = tempfile::NamedTempFile::with_suffix(".gguf").unwrap();
        std::fs::write(renamed.path(), bytes).unwrap();
        let file = Gguf::open(renamed.path()).unwrap();
        let words = Words::open(&file, file.network().unwrap().words).unwrap();
        assert!(words.ends(words.tokenizer.control("_<EOT>").expect("a control word, not a plain one")));
    }
}
