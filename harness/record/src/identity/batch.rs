//! Sizes of batches: words or lines that a backend translates together.

use serde::{Deserialize, Serialize};

/// Size of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BatchSize {
    /// Most words of a batch. A longer line is a batch of its own.
    Words(usize),
    /// Number of lines of a batch, whatever their length.
    Lines {
        /// The number.
        lines: usize,
    },
}

impl BatchSize {
    /// A batch of so many lines.
    pub const fn of_lines(lines: usize) -> Self {
        Self::Lines { lines }
    }

    /// Option of the command line, and its value.
    pub const fn option(self) -> (&'static str, usize) {
        match self {
            Self::Words(words) => ("--batch", words),
            Self::Lines { lines } => ("--batch-lines", lines),
        }
    }

    /// Most that a batch holds: words or lines.
    pub const fn most(self) -> usize {
        self.option().1
    }

    /// What a line of `words` words fills of a batch.
    pub const fn filled_by(self, words: usize) -> usize {
        match self {
            Self::Words(_) => words,
            Self::Lines { .. } => 1,
        }
    }

    /// A batch of the same kind that holds at most `most`.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        let most = self.most().min(most.max(1));
        match self {
            Self::Words(_) => Self::Words(most),
            Self::Lines { .. } => Self::of_lines(most),
        }
    }
}
