//! The codes of broken rules. The track decides how severe a code is.

use super::names::words;
use super::track::Track;

words! {
    /// Code of a broken rule.
    #[serde(rename_all = "snake_case")]
    pub enum Code {
        /// The system ended by a signal or with a failure code.
        Crashed,
        /// The system ended before its input did.
        ExitedEarly,
        /// The system gave no answer in time, or did not end.
        Hung,
        /// The system's answers sit in a buffer until the buffer is full.
        BlockBuffered,
        /// The system answers a line only after it has a later one.
        ReadsAhead,
        /// The system answers nothing before the end of its input.
        WaitsForEof,
        /// The system answered fewer or more lines than it was asked.
        LineCount,
        /// The system's answers are right but stand in another order.
        Order,
        /// The system wrote output without a question.
        ExtraOutput,
        /// The system wrote without end.
        Flood,
        /// An answer to a valid line is not UTF-8.
        InvalidUtf8,
        /// An answer of an encoder is no vector, or a vector of another dimension.
        NotAVector,
        /// A thread of the system might run outside of the system's cores.
        Affinity,
        /// The system used more CPU time than its cores can give.
        CpuShare,
        /// The system works while it isn't asked.
        BusyIdle,
        /// The system waits for something else than its cores.
        Waits,
        /// The system left processes behind.
        LeftProcess,
        /// The system answers repeated lines faster than fresh ones.
        Cached,
        /// The system translates equal lines once.
        Coalesced,
        /// The system knows the test set.
        Recognises,
        /// The system answers the same lines differently in another launch.
        Nondeterministic,
        /// The system gives lines that come again no translation.
        Junk,
        /// The system gives empty answers to ordinary lines.
        EmptyOutput,
        /// The system's answers are far longer than their lines.
        Runaway,
        /// The system's answers are shorter or longer than the references.
        Length,
        /// The system takes longer than a line's time limit for an over-long line.
        SlowLine,
        /// The system's text depends on the track.
        TracksDiffer,
        /// The system itself reports that its answers may differ the next time.
        NotReproducible,
        /// The system holds memory that its peak lacks.
        HiddenMemory,
        /// The system reads files beside its declared model.
        HiddenFiles,
        /// The system holds more memory than it may.
        OverMemory,
        /// The system tries to reach a network from which it is cut off.
        UsesNetwork,
        /// Most answers equal a reference.
        EqualsReferences,
        /// The system's own processes disturbed its round.
        SelfDisturbed,
        /// No rate of arrival keeps the latency limit.
        NoRate,
    }
}

/// Meaning of a code under a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The track allows it.
    Allowed,
    /// The track's figures may be quoted; the reason is shown with them.
    Warning,
    /// The track's figures may not be quoted.
    Invalid,
}

impl Code {
    /// Severity of the code under `track`.
    pub const fn severity(self, track: Track) -> Severity {
        match self {
            Self::BlockBuffered | Self::ReadsAhead | Self::WaitsForEof if track.answers_lines() => {
                Severity::Invalid
            }
            Self::BlockBuffered | Self::ReadsAhead | Self::WaitsForEof => Severity::Allowed,
            Self::Runaway
            | Self::Length
            | Self::SlowLine
            | Self::TracksDiffer
            | Self::NotReproducible
            | Self::UsesNetwork
            | Self::EqualsReferences
            | Self::SelfDisturbed
            | Self::NoRate => Severity::Warning,
            _ => Severity::Invalid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_records() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
        assert_eq!((Code::ALL.len(), Code::ALL[34].name()), (35, "no_rate"));
    }

    #[test]
    fn reading_ahead_is_forbidden_in_the_latency_track_alone() {
        for code in [Code::ReadsAhead, Code::BlockBuffered, Code::WaitsForEof] {
            assert_eq!(code.severity(Track::Latency), Severity::Invalid);
            assert_eq!(code.severity(Track::Server), Severity::Invalid);
            assert_eq!(code.severity(Track::Throughput1), Severity::Allowed);
            assert_eq!(code.severity(Track::ThroughputAll), Severity::Allowed);
        }
    }
}
