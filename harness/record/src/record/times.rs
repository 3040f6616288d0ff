//! The times of a round, as each track takes them.

use serde::{Deserialize, Serialize};

use super::served::Served;

/// Times of a round, beside the other keys of the record. What a new track takes is a new kind here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Times {
    /// Server track.
    Server {
        /// Runs and greatest rate.
        served: Served,
    },
    /// Throughput tracks.
    Launches(Launches),
    /// Track with pages of lines.
    Pages {
        /// Number of lines of each page, in source order.
        page_lines: Vec<usize>,
        /// Nanoseconds to the answer of each page's first line.
        first_line_ns: Vec<u64>,
        /// Nanoseconds to the answer of each page's last line.
        last_line_ns: Vec<u64>,
    },
    /// Tracks with one line at a time.
    Lockstep {
        /// Nanoseconds of each line, in source order.
        latency_ns: Vec<u64>,
        /// Nanoseconds to the first text of each answer, if the system writes answers in pieces.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        first_text_ns: Vec<u64>,
        /// Number of pieces of each answer, likewise.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pieces: Vec<usize>,
    },
}

/// Times of launches over the whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launches {
    /// Lines of each launch's input, with filler and repeats; absent if the round failed before its end.
    #[serde(rename = "timed_lines", default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Words of each launch's input.
    #[serde(rename = "timed_words", default, skip_serializing_if = "Option::is_none")]
    pub words: Option<usize>,
    /// Nanoseconds of each launch, from its start to its end.
    #[serde(rename = "launch_ns")]
    pub ns: Vec<u64>,
    /// Nanoseconds of each launch with a single line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_line_ns: Vec<u64>,
    /// The launch over fresh lines, which no system can know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<FreshLaunch>,
}

/// A launch over fresh lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshLaunch {
    /// Number of fresh lines.
    pub lines: usize,
    /// Words of these lines.
    pub words: usize,
    /// Nanoseconds of the launch, from its start to its end.
    pub ns: u64,
}
