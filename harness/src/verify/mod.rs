//! What can be wrong with a round, in the protocol's own codes: each with the figure that was seen, the limit,
//! and what to do about it.

use serde::{Deserialize, Serialize};

/// Why a round is INVALID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// It ended by a signal or with a failure code.
    Crashed,
    /// It ended before its input did.
    ExitedEarly,
    /// It gave no answer in time.
    Hung,
    /// It answered fewer or more lines than it was asked.
    LineCount,
    /// It wrote what nobody had asked for.
    ExtraOutput,
    /// It wrote without end.
    Flood,
    /// An answer is not UTF-8.
    InvalidUtf8,
    /// It left processes behind.
    LeftProcess,
}

impl Code {
    /// The name in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::ExitedEarly => "exited_early",
            Self::Hung => "hung",
            Self::LineCount => "line_count",
            Self::ExtraOutput => "extra_output",
            Self::Flood => "flood",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::LeftProcess => "left_process",
        }
    }

    const fn limit(self) -> &'static str {
        match self {
            Self::Crashed => "exit code 0",
            Self::ExitedEarly => "run until the end of its input",
            Self::Hung => "an answer within the campaign's line-seconds or launch-seconds",
            Self::LineCount => "one line out for each line in",
            Self::ExtraOutput => "nothing but the answers on standard output",
            Self::Flood => "64 MiB and 64 times its input",
            Self::InvalidUtf8 => "UTF-8 in every answer",
            Self::LeftProcess => "no process alive 0.2 s after its end",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Crashed => "see the end of its standard error in the record; run its command by hand",
            Self::ExitedEarly => "read lines until the end of input, also in the latency track",
            Self::Hung => "flush after every line in the latency track; else raise the limit in the campaign",
            Self::LineCount => "answer an empty line by an empty line, and keep line ends out of answers",
            Self::ExtraOutput => "send banners and progress to standard error",
            Self::Flood => "look for a loop in its output",
            Self::InvalidUtf8 => {
                "replace invalid bytes of the input by U+FFFD, and cut text at characters only"
            }
            Self::LeftProcess => "wait for helper processes before exiting",
        }
    }

    /// The reason to put into a record; `figure` is what was seen.
    pub fn reason(self, figure: impl Into<String>) -> Reason {
        Reason { code: self, figure: figure.into(), limit: self.limit().into(), remedy: self.remedy().into() }
    }
}

/// A code with what was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Which rule.
    pub code: Code,
    /// What was seen.
    pub figure: String,
    /// What is allowed.
    pub limit: String,
    /// What to do about it.
    pub remedy: String,
}

/// Whether a round, or a cell, may be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The rules were kept.
    Valid,
    /// The host disturbed it.
    Noisy,
    /// A rule was broken.
    Invalid,
}

impl Verdict {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Noisy => "NOISY",
            Self::Invalid => "INVALID",
        }
    }
}
