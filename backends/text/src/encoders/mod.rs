//! Tokenisers of sentence encoders, from text to ids: WordPiece, byte-level BPE and unigram, each exactly as the model
//! was trained with.
//!
//! The crate `tokenizers` of Hugging Face does the work where a directory has `tokenizer.json` or the files
//! from which its objects can be built. It is what the models' own pipelines call. Plain words of BERT's kind take
//! a shorter way to the same ids. A SentencePiece model
//! alone goes through [`SentencePiece`](crate::SentencePiece), which equals the reference on any bytes. All sit behind
//! [`Tokeniser`].
//!
//! BERT's slow tokeniser in Python differs from the crate in three places, where the crate's way decides. It
//! drops code points that Unicode hasn't assigned, it composes characters first (NFC), and its tables of
//! punctuation are of a newer Unicode. `ci/encoder-tokens.py` compares the two.

mod classes;
mod files;
mod kind;
mod pieces;
mod plain;
mod read;
mod settings;
mod source;

use std::path::PathBuf;

use self::kind::Kind;
pub use self::read::read_json;
pub use self::settings::Asked;
use self::settings::Settings;
use crate::{Error, Result, Scratch};

/// Tokeniser of an encoder.
#[derive(Debug)]
pub struct Tokeniser {
    kind: Kind,
    /// Text that is put before each line.
    prompt: String,
    /// Greatest number of tokens of a line.
    most: usize,
    /// Number of words of the network.
    words: usize,
    /// Files that were read.
    files: Vec<PathBuf>,
}

impl Tokeniser {
    /// The tokeniser of a folder.
    ///
    /// # Errors
    /// When a file is missing or faulty.
    pub fn open(asked: Asked<'_>) -> Result<Self> {
        let folder = asked.folder;
        let mut files = Vec::new();
        let settings = Settings::open(asked, &mut files)?;
        let mut kind = files::open(folder, &settings, &mut files)?;
        let most = asked.most_tokens.or(settings.model_max_length());
        let most = most.unwrap_or(usize::MAX).min(asked.positions);
        let least = kind.added() + 1;
        if most < least {
            let fault = format!("lines may have {most} tokens, but need {least}; set a greater length");
            return Err(Error::content(folder, fault));
        }
        kind.finish(most, settings.truncation_side, asked.lower_case, folder)?;
        Ok(Self { kind, prompt: asked.prompt.into(), most, words: asked.words, files })
    }

    /// Replaces `ids` by the ids of `line`, with those that the model adds, cut at the model's length. Bytes
    /// that are no UTF-8 count as U+FFFD.
    ///
    /// # Errors
    /// When the tokeniser fails at the line.
    pub fn encode(&self, line: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) -> Result<()> {
        let mut text = String::from_utf8_lossy(line);
        if !self.prompt.is_empty() {
            text.to_mut().insert_str(0, &self.prompt);
        }
        self.ids(&text, scratch, ids)
    }

    fn ids(&self, text: &str, scratch: &mut Scratch, ids: &mut Vec<u32>) -> Result<()> {
        let done = self.kind.encode(text, scratch, ids);
        done.map_err(|fault| self.fault(fault.to_string()))?;
        match ids.iter().find(|id| **id as usize >= self.words) {
            None => Ok(()),
            Some(id) => {
                let words = self.words;
                Err(self.fault(format!("gives the id {id} to a network of {words} words; take its own")))
            }
        }
    }

    fn fault(&self, fault: String) -> Error {
        Error::content(self.files.last().expect("a tokeniser has files"), fault)
    }

    /// Number of tokens of the prompt at the beginning of each line, without the token at the end, as
    /// sentence-transformers counts them.
    ///
    /// # Errors
    /// When no token is left for the line.
    pub fn prompt_tokens(&self) -> Result<usize> {
        let mut ids = Vec::new();
        if self.prompt.is_empty() {
            return Ok(0);
        }
        self.ids(&self.prompt, &mut Scratch::default(), &mut ids)?;
        let ends = ids.last().is_some_and(|last| self.kind.is_special(*last));
        match ids.len() {
            tokens if tokens < self.most => Ok(tokens - usize::from(ends)),
            tokens => {
                let fault = format!("the prompt alone has {tokens} tokens, as many as a line; shorten it");
                Err(self.fault(fault))
            }
        }
    }

    /// Files that were read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Greatest number of tokens of a line.
    pub fn most_tokens(&self) -> usize {
        self.most
    }
}
