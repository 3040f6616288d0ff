//! What can be wrong, in the protocol's own codes: each with the figure that was seen, the limit, and what to do
//! about it; and which of them count under which track.

use serde::{Deserialize, Serialize};

use super::Track;

/// Which rule was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// It ended by a signal or with a failure code.
    Crashed,
    /// It ended before its input did.
    ExitedEarly,
    /// It gave no answer in time, or did not end.
    Hung,
    /// Its answers sit in a buffer until that is full.
    BlockBuffered,
    /// It answers a line only after a later one.
    ReadsAhead,
    /// It answers nothing before the end of its input.
    WaitsForEof,
    /// It answered fewer or more lines than it was asked.
    LineCount,
    /// Its answers are right but stand in another order.
    Order,
    /// It wrote what nobody had asked for.
    ExtraOutput,
    /// It wrote without end.
    Flood,
    /// An answer to a valid line is not UTF-8.
    InvalidUtf8,
    /// A thread of it might run outside of its cores.
    Affinity,
    /// It used more CPU time than its cores can give.
    CpuShare,
    /// It left processes behind.
    LeftProcess,
    /// It answers lines that it has seen before faster.
    Cached,
    /// It translates equal lines once.
    Coalesced,
    /// It knows the test set.
    Recognises,
    /// It answers the same lines differently each time.
    Nondeterministic,
    /// It answers ordinary lines by nothing.
    EmptyOutput,
    /// Its answers are far longer than their lines.
    Runaway,
    /// Its answers are shorter or longer than the references.
    Length,
    /// Its text depends on the track.
    TracksDiffer,
    /// It says itself that its answers may differ the next time.
    NotReproducible,
}

/// What a code means for a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The track doesn't forbid it.
    Allowed,
    /// To be shown with its figure.
    Warning,
    /// The track's figures may not be quoted.
    Invalid,
}

impl Code {
    /// The name in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::ExitedEarly => "exited_early",
            Self::Hung => "hung",
            Self::BlockBuffered => "block_buffered",
            Self::ReadsAhead => "reads_ahead",
            Self::WaitsForEof => "waits_for_eof",
            Self::LineCount => "line_count",
            Self::Order => "order",
            Self::ExtraOutput => "extra_output",
            Self::Flood => "flood",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::Affinity => "affinity",
            Self::CpuShare => "cpu_share",
            Self::LeftProcess => "left_process",
            Self::Cached => "cached",
            Self::Coalesced => "coalesced",
            Self::Recognises => "recognises",
            Self::Nondeterministic => "nondeterministic",
            Self::EmptyOutput => "empty_output",
            Self::Runaway => "runaway",
            Self::Length => "length",
            Self::TracksDiffer => "tracks_differ",
            Self::NotReproducible => "not_reproducible",
        }
    }

    /// Whether `track` forbids it.
    pub const fn severity(self, track: Track) -> Severity {
        match (self, track) {
            (Self::BlockBuffered | Self::ReadsAhead | Self::WaitsForEof, Track::Latency) => Severity::Invalid,
            (Self::BlockBuffered | Self::ReadsAhead | Self::WaitsForEof, _) => Severity::Allowed,
            (Self::Length | Self::TracksDiffer | Self::NotReproducible, _) => Severity::Warning,
            _ => Severity::Invalid,
        }
    }

    const fn limit(self) -> &'static str {
        match self {
            Self::Crashed => "exit code 0",
            Self::ExitedEarly => "run until the end of its input",
            Self::Hung => {
                "an answer within the campaign's line-seconds or launch-seconds, and an end after that of the input"
            }
            Self::BlockBuffered => "each answer before the next line is asked",
            Self::ReadsAhead => "each answer before the next line is asked",
            Self::WaitsForEof => "each answer before the next line is asked",
            Self::LineCount => "one line out for each line in",
            Self::Order => "answers in the order of the lines",
            Self::ExtraOutput => "nothing but the answers on standard output",
            Self::Flood => "64 MiB and 64 times its input on standard output, 64 MiB on standard error",
            Self::InvalidUtf8 => "UTF-8 in every answer to a valid line",
            Self::Affinity => "all threads on the allowed cores",
            Self::CpuShare => "allowed cores and 2 %",
            Self::LeftProcess => "no process alive 1 s after its end",
            Self::Cached => {
                "repeated lines take at least 0.85 of fresh ones' time per word, and none next to nothing"
            }
            Self::Coalesced => "a set five times over takes at least 60 % of five times once",
            Self::Recognises => {
                "lines of the set take as long as copies with other words in them, within 10 %, none next to nothing, and have other answers"
            }
            Self::Nondeterministic => "the same answer to at least 99 % of lines",
            Self::EmptyOutput => "an answer to at least 99 % of lines of up to 150 words",
            Self::Runaway => "at most twice the source's characters, but for 1 % of lines",
            Self::Length => "the references' characters ±10 %",
            Self::TracksDiffer => "the same text in every track",
            Self::NotReproducible => "the same answers in every launch",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Crashed => "see the end of its standard error in the record; run its command by hand",
            Self::ExitedEarly => "read lines until the end of input, also in the latency track",
            Self::Hung => {
                "run its command by hand on one line; raise the limit in the campaign if it is just slow"
            }
            Self::BlockBuffered => {
                "flush standard output after every line: fflush(stdout), print(…, flush=True), or start it under `stdbuf -oL`; see that it doesn't read in blocks either, as mawk does"
            }
            Self::ReadsAhead => {
                "read one line at a time in the latency track: a batch or maxi-batch of 1, no look-ahead in the reader"
            }
            Self::WaitsForEof => {
                "answer line by line in the latency track instead of reading the whole input first"
            }
            Self::LineCount => "answer an empty line by an empty line, and keep line ends out of answers",
            Self::Order => "restore the input's order after sorting by length or working in parallel",
            Self::ExtraOutput => "send banners and progress to standard error",
            Self::Flood => "look for a loop in its output; turn its logging down",
            Self::InvalidUtf8 => "write UTF-8 whatever the locale, and cut text at characters only",
            Self::Affinity => "don't set the affinity of threads, or only within {core-list}",
            Self::CpuShare => "use as many threads as {cores} says, and leave affinity as it is",
            Self::LeftProcess => "wait for helper processes before exiting",
            Self::Cached => "turn off its cache of translations: the track measures translating",
            Self::Coalesced => "translate every line, also one that occurs twice",
            Self::Recognises => "remove tables of known sentences, and what it keeps from earlier launches",
            Self::Nondeterministic => {
                "fix its seed; or set `sampling = true` for the system if it samples on purpose"
            }
            Self::EmptyOutput => "look for a limit on length, or a failure that is swallowed",
            Self::Runaway => "limit the length of its output; look for repetition",
            Self::Length => "look for cut or repeated text",
            Self::TracksDiffer => {
                "expected of float arithmetic in batches; else look for a translation that depends on its batch mates"
            }
            Self::NotReproducible => {
                "leave out the setting that it names; or set `sampling = true` for the system if more than a line in a hundred differs"
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_records() {
        for code in [Code::Crashed, Code::BlockBuffered, Code::WaitsForEof, Code::InvalidUtf8, Code::CpuShare]
        {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }

    #[test]
    fn reading_ahead_is_forbidden_in_the_latency_track_alone() {
        for code in [Code::ReadsAhead, Code::BlockBuffered, Code::WaitsForEof] {
            assert_eq!(code.severity(Track::Latency), Severity::Invalid);
            assert_eq!(code.severity(Track::Throughput1), Severity::Allowed);
            assert_eq!(code.severity(Track::ThroughputAll), Severity::Allowed);
        }
    }
}
