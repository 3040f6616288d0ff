//! The kinds of files from which the engine builds a tokeniser without tokenizer.json.

/// Files of a tokeniser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// BERT's `vocab.txt`.
    WordPieces,
    /// RoBERTa's `vocab.json` and `merges.txt`.
    BytePairs,
    /// XLM-R's `sentencepiece.bpe.model`.
    Pieces,
}

impl Source {
    /// The files of the tokeniser.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Self::WordPieces => &["vocab.txt"],
            Self::BytePairs => &["vocab.json", "merges.txt"],
            Self::Pieces => &["sentencepiece.bpe.model"],
        }
    }

    /// The words with a meaning of their own, by the names of their roles in the settings.
    pub(super) fn special(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::WordPieces => &[
                ("pad_token", "[PAD]"),
                ("unk_token", "[UNK]"),
                ("cls_token", "[CLS]"),
                ("sep_token", "[SEP]"),
                ("mask_token", "[MASK]"),
            ],
            Self::BytePairs | Self::Pieces => &[
                ("bos_token", "<s>"),
                ("cls_token", "<s>"),
                ("pad_token", "<pad>"),
                ("eos_token", "</s>"),
                ("sep_token", "</s>"),
                ("unk_token", "<unk>"),
                ("mask_token", "<mask>"),
            ],
        }
    }
}
