//! The codes of broken rules. The track decides how severe a code is.

use super::names::words;
use super::track::Track;

words! {
    /// Code of a broken rule, with the remedy for the system's author.
    #[serde(rename_all = "snake_case")]
    pub enum Code {
        /// The system ended by a signal or with a failure code.
        Crashed => "see the end of its standard error in the record; run its command by hand",
        /// The system ended before its input did.
        ExitedEarly => "read lines until the end of input, also in the latency track",
        /// The system gave no answer in time, or did not end.
        Hung => "run its command by hand on one line; raise `line-seconds` or `launch-seconds` if it is just slow",
        /// The system's answers sit in a buffer until the buffer is full.
        BlockBuffered =>
            "flush standard output after every line: fflush(stdout), print(…, flush=True), or start it under `stdbuf -oL`; see that it doesn't read in blocks either, as mawk does",
        /// The system answers a line only after it has a later one.
        ReadsAhead =>
            "read one line at a time in the latency track: a batch or maxi-batch of 1, no look-ahead in the reader",
        /// The system answers nothing before the end of its input.
        WaitsForEof => "answer line by line in the latency track instead of reading the whole input first",
        /// The system answered fewer or more lines than it was asked.
        LineCount => "answer an empty line by an empty line, and keep line ends out of answers",
        /// The system's answers are right but stand in another order.
        Order => "restore the input's order after sorting by length or working in parallel",
        /// The system wrote output without a question.
        ExtraOutput => "send banners and progress to standard error",
        /// The system wrote without end.
        Flood => "look for a loop in its output; turn its logging down",
        /// An answer to a valid line is not UTF-8.
        InvalidUtf8 => "write UTF-8 in every locale, and cut text between characters, never within one",
        /// An answer of an encoder is no vector, or a vector of another dimension.
        NotAVector =>
            "write one vector a line, the padded base64 of its f32 values in little-endian order; look for a value that overflows",
        /// A thread of the system might run outside of the system's cores.
        Affinity => "don't set the affinity of threads, or only within {core-list}",
        /// The system used more CPU time than its cores can give.
        CpuShare => "use as many threads as {cores} says, and leave affinity as it is",
        /// The system works while it isn't asked.
        BusyIdle =>
            "wait for lines without polling, and do no work in advance; or set `interleave = \"rounds\"` in the campaign, which measures each system alone",
        /// The system waits for something other than its cores.
        Waits =>
            "compute on its own cores; or, if it is a client of a service elsewhere, set `interleave = \"rounds\"` in the campaign",
        /// The system left processes behind.
        LeftProcess => "wait for helper processes before exiting",
        /// The system answers repeated lines faster than fresh ones.
        Cached => "turn off its cache of translations: the track measures translating",
        /// The system translates equal lines once.
        Coalesced => "translate every line, also one that occurs twice",
        /// The system knows the test set.
        Recognises => "remove tables of known sentences, and keep nothing from earlier launches",
        /// The system answers the same lines differently in another launch.
        Nondeterministic => "fix its seed; or set `sampling = true` for the system if it samples on purpose",
        /// The system gives no translation to lines that come again.
        Junk => "translate every line, also one that occurs again or isn't scored",
        /// The system gives empty answers to ordinary lines.
        EmptyOutput => "look for a limit on length, or for a failure that it hides",
        /// The system's answers are far longer than their lines.
        Runaway =>
            "limit the length of its output; look for repetition; raise `runaway-factor` if it is wordy on purpose",
        /// The system's answers are shorter or longer than the references.
        Length => "look for cut or repeated text",
        /// The system takes longer than a line's time limit for an over-long line.
        SlowLine => "translate over-long lines in parts, if users send such lines",
        /// The system's text depends on the track.
        TracksDiffer =>
            "sums of floats in another order explain differences in some lines; beyond that, look for a translation that depends on the other lines of its batch",
        /// The system itself reports that its answers may differ the next time.
        NotReproducible =>
            "leave out the setting that the figure names; or set `sampling = true` for the system if more than a line in a hundred differs",
        /// The system holds memory that its peak doesn't count.
        HiddenMemory =>
            "keep weights in its own memory, or map them, so that its peak counts them; write nothing to /proc/self/clear_refs, and leave PR_SET_DUMPABLE alone",
        /// The system reads files beside its declared model.
        HiddenFiles => "declare all files of the model: `model` may be their folder",
        /// The system holds more memory than it may.
        OverMemory =>
            "load fewer or smaller models, translate smaller batches, or raise `memory-mib` (--memory)",
        /// The system tries to reach a network from which it is cut off.
        UsesNetwork =>
            "ship all files with the system, and switch off downloads, updates and telemetry, such as by HF_HUB_OFFLINE=1",
        /// Most answers equal a reference.
        EqualsReferences =>
            "see whether it was trained on the test set, or reads its references; measure a set that it can't know",
        /// The system's own processes disturbed its round.
        SelfDisturbed =>
            "wait for child processes, and don't ignore SIGCHLD: the time of children that no parent waits for looks like that of other programs",
        /// No rate of arrival keeps the latency limit.
        NoRate => "answer single lines sooner, or raise `limit-ms` of the track server in the campaign",
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
