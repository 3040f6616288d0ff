//! The two kinds of tokenisers behind one face.

use std::path::Path;

use tokenizers::Tokenizer;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::normalizers::utils::{Lowercase, Sequence};
use tokenizers::utils::truncation::{TruncationDirection, TruncationParams};

use super::pieces::Pieces;
use super::plain::Plain;
use super::settings::Cut;
use crate::{Error, Result, Scratch};

/// Tokeniser of the crate, or of a SentencePiece model alone.
#[derive(Debug)]
pub(super) enum Kind {
    /// The crate's, and what it does with plain words where it is of BERT's kind.
    Tokenizers(Box<Tokenizer>, Option<Plain>),
    Pieces(Box<Pieces>),
}

impl Kind {
    /// Number of tokens that the model adds to each line.
    pub(super) fn added(&self) -> usize {
        match self {
            Self::Tokenizers(tokenizer, _) => {
                let processor = tokenizer.get_post_processor();
                processor.map_or(0, |processor| tokenizers::PostProcessor::added_tokens(processor, false))
            }
            Self::Pieces(_) => Pieces::ADDED,
        }
    }

    /// Cuts lines at `most` tokens, whatever the file of the tokeniser says, and pads none. They are cut at the side
    /// `cut`, else at that of the file, else at their end. With `lower_case`, text is put into lower case first.
    pub(super) fn finish(
        &mut self,
        most: usize,
        cut: Option<Cut>,
        lower_case: bool,
        folder: &Path,
    ) -> Result<()> {
        let failed = |fault: tokenizers::Error| Error::content(folder, fault.to_string());
        match self {
            Self::Tokenizers(tokenizer, plain) => {
                let of_file = || tokenizer.get_truncation().map(|of_file| of_file.direction);
                let direction = cut.map(TruncationDirection::from).or_else(of_file).unwrap_or_default();
                let cut = TruncationParams { max_length: most, direction, ..TruncationParams::default() };
                tokenizer.with_truncation(Some(cut)).map_err(failed)?.with_padding(None);
                if lower_case {
                    lower_first(tokenizer).map_err(failed)?;
                }
                let ends_are_cut = matches!(direction, TruncationDirection::Right);
                *plain = if ends_are_cut { Plain::of(tokenizer, most) } else { None };
            }
            Self::Pieces(pieces) => {
                (pieces.most, pieces.cut, pieces.lower_case) = (most, cut.unwrap_or(Cut::Right), lower_case);
            }
        }
        Ok(())
    }

    /// Replaces `ids` by the ids of `text`.
    pub(super) fn encode(
        &self,
        text: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> tokenizers::Result<()> {
        ids.clear();
        match self {
            Self::Tokenizers(tokenizer, plain) => {
                let plain = plain.as_ref().map_or(Ok(false), |plain| plain.encode(tokenizer, text, ids));
                if !plain? {
                    ids.extend_from_slice(tokenizer.encode_fast(text, true)?.get_ids());
                }
            }
            Self::Pieces(pieces) => pieces.encode(text, scratch, ids),
        }
        Ok(())
    }

    /// Whether `id` is of a word with a meaning of its own.
    pub(super) fn is_special(&self, id: u32) -> bool {
        match self {
            Self::Tokenizers(tokenizer, _) => {
                let added = tokenizer.get_added_vocabulary();
                tokenizer.id_to_token(id).is_some_and(|word| added.is_special_token(&word))
            }
            Self::Pieces(pieces) => pieces.is_special(id),
        }
    }
}

impl From<Cut> for TruncationDirection {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Left => Self::Left,
            Cut::Right => Self::Right,
        }
    }
}

/// Puts text into lower case before anything else is done with it. Special words stay as they are.
fn lower_first(tokenizer: &mut Tokenizer) -> tokenizers::Result<()> {
    let first = NormalizerWrapper::Lowercase(Lowercase);
    let others = tokenizer.get_normalizer().cloned();
    tokenizer.with_normalizer(Some(Sequence::new([first].into_iter().chain(others).collect())))?;
    Ok(())
}
