//! The two kinds of tokenisers behind one face.

use std::path::Path;

use tokenizers::Tokenizer;
use tokenizers::utils::truncation::TruncationParams;

use super::pieces::Pieces;
use crate::{Error, Result};

/// Tokeniser of the crate, or of a SentencePiece model alone.
#[derive(Debug)]
pub(super) enum Kind {
    Tokenizers(Box<Tokenizer>),
    Pieces(Box<Pieces>),
}

impl Kind {
    /// Number of tokens that the model adds to each line.
    pub(super) fn added(&self) -> usize {
        match self {
            Self::Tokenizers(tokenizer) => {
                let processor = tokenizer.get_post_processor();
                processor.map_or(0, |processor| tokenizers::PostProcessor::added_tokens(processor, false))
            }
            Self::Pieces(_) => Pieces::ADDED,
        }
    }

    /// Cuts lines at `most` tokens at the end, whatever the file of the tokeniser says, and pads none.
    pub(super) fn cut_at(&mut self, most: usize, folder: &Path) -> Result<()> {
        if let Self::Tokenizers(tokenizer) = self {
            let cut = TruncationParams { max_length: most, ..TruncationParams::default() };
            let cut = tokenizer.with_truncation(Some(cut));
            cut.map_err(|fault| Error::content(folder, fault.to_string()))?.with_padding(None);
        }
        Ok(())
    }
}
