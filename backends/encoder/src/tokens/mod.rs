//! From text to ids: WordPiece, byte-level BPE and unigram, each exactly as the model was trained with.
//!
//! The crate `tokenizers` of Hugging Face does the work where a directory has `tokenizer.json` or the files
//! from which its objects can be built. It is what the models' own pipelines call, so that ids agree by
//! construction. The slow tokenisers in Python differ from it in two places, which the crate's way decides:
//! they drop code points that Unicode hasn't assigned, and cased BERT's composes characters first (NFC). A SentencePiece model alone goes through `dyno-text`, which equals the reference on any
//! bytes. All sit behind [`Tokeniser`].

mod files;
mod kind;
mod pieces;

use std::path::PathBuf;

use self::kind::Kind;
use crate::directory::Directory;
use crate::{Error, Result};

/// Tokeniser of an encoder.
#[derive(Debug)]
pub struct Tokeniser {
    kind: Kind,
    /// Text that is put before each line.
    prompt: String,
    lower_case: bool,
    /// Greatest number of tokens of a line.
    most: usize,
    /// Number of words of the network.
    words: usize,
    /// Files that were read.
    pub(crate) files: Vec<PathBuf>,
}

impl Tokeniser {
    /// The tokeniser of a directory.
    ///
    /// # Errors
    /// When a file is missing or faulty.
    pub fn open(directory: &Directory) -> Result<Self> {
        let (config, modules) = (&directory.config, &directory.modules);
        let (mut kind, mut files) = files::open(directory)?;
        let settings = files::Settings::open(&directory.network, &mut files)?;
        let most = modules.most_tokens.or(settings.model_max_length());
        let most = most.unwrap_or(usize::MAX).min(config.most_tokens());
        let least = kind.added() + 1;
        if most < least {
            let fault = format!("lines may have {most} tokens, but need {least}; set a greater length");
            return Err(Error::content(&directory.network, fault));
        }
        kind.cut_at(most, &directory.network)?;
        let (prompt, lower_case) = (modules.prompt.clone(), modules.lower_case);
        Ok(Self { kind, prompt, lower_case, most, words: config.words, files })
    }

    /// Replaces `ids` by the ids of `line`, with those that the model adds, cut at the model's length. Bytes
    /// that are no UTF-8 count as U+FFFD.
    ///
    /// # Errors
    /// When the tokeniser fails at the line.
    pub fn encode(&self, line: &[u8], ids: &mut Vec<u32>) -> Result<()> {
        let mut text = String::from_utf8_lossy(line);
        if !self.prompt.is_empty() || self.lower_case {
            let whole = format!("{}{text}", self.prompt);
            // Letter by letter, as the crate does: a sigma stays the same at the end of a word.
            let lower = || whole.chars().flat_map(char::to_lowercase).collect();
            text = if self.lower_case { lower() } else { whole.clone() }.into();
        }
        ids.clear();
        match &self.kind {
            Kind::Tokenizers(tokenizer) => {
                let encoding = tokenizer.encode_fast(text, true);
                let encoding = encoding.map_err(|fault| Error::content(&self.files[0], fault.to_string()))?;
                ids.extend_from_slice(encoding.get_ids());
            }
            Kind::Pieces(pieces) => pieces.encode(text.as_bytes(), self.most, ids),
        }
        match ids.iter().find(|id| **id as usize >= self.words) {
            None => Ok(()),
            Some(id) => {
                let fault = format!("gives the id {id} to a network of {} words; take its own", self.words);
                Err(Error::content(&self.files[0], fault))
            }
        }
    }

    /// Greatest number of tokens of a line.
    pub fn most_tokens(&self) -> usize {
        self.most
    }
}
