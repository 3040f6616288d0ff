//! Reasons of a verdict. A reason holds the code of the broken rule, the figure that was seen, the limit and
//! a remedy.

use serde::{Deserialize, Serialize};

use super::code::Code;
use super::limits::{
    BUSY_IDLE, CACHED_RATIO, COALESCED_RATIO, CPU_SHARE_TOLERANCE, EMPTY_SHARE, FOREIGN_LIMIT, GRACE,
    HIDDEN_BYTES, HIDDEN_SHARE, LENGTH_TOLERANCE, LONGEST_ORDINARY, MOST_DIFFERING, MOST_JUNK,
    MOST_OUTPUT_BYTES, MOST_OUTPUT_GROWTH, MOST_REFERENCES, MOST_STDERR_BYTES, MOST_WAITING,
    RECOGNISED_RATIO, RUNAWAY_FACTOR, RUNAWAY_SHARE,
};

/// A broken rule, with its figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Code of the broken rule.
    pub code: Code,
    /// Figure that was seen.
    pub figure: String,
    /// Limit of the rule.
    pub limit: String,
    /// Remedy for the system's author.
    pub remedy: String,
}

impl Code {
    /// Text of the limit, with the figures of [`limits`](super::limits).
    fn limit(self) -> String {
        let percent = |share: f64| format!("{} %", (share * 1e4).round() / 1e2);
        let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
        match self {
            Self::Crashed => "exit code 0".into(),
            Self::ExitedEarly => "run until the end of its input".into(),
            Self::Hung => "an answer within the campaign's line-seconds or launch-seconds, and an exit after the end of input".into(),
            Self::BlockBuffered | Self::ReadsAhead | Self::WaitsForEof => {
                "each answer before the next line is asked".into()
            }
            Self::LineCount => "one line out for each line in".into(),
            Self::Order => "answers in the order of the lines".into(),
            Self::ExtraOutput => "nothing but the answers on standard output".into(),
            Self::Flood => format!(
                "{} and {MOST_OUTPUT_GROWTH} times its input on standard output, {} on standard error",
                mebibytes(MOST_OUTPUT_BYTES),
                mebibytes(MOST_STDERR_BYTES)
            ),
            Self::InvalidUtf8 => "UTF-8 in every answer to a valid line".into(),
            Self::NotAVector => "base64 of little-endian f32, all finite, as many for each line".into(),
            Self::Affinity => "all threads on the allowed cores".into(),
            Self::CpuShare => format!("allowed cores and {}", percent(CPU_SHARE_TOLERANCE)),
            Self::BusyIdle => format!(
                "at most {} of a core while it isn't asked, after a short clean-up",
                percent(BUSY_IDLE)
            ),
            Self::Waits => format!(
                "at work at {} of the moments at which it is stopped",
                percent(1.0 - MOST_WAITING)
            ),
            Self::LeftProcess => format!("no process alive {} s after its end", GRACE.as_secs()),
            Self::Cached => format!(
                "repeated lines take at least {CACHED_RATIO} of fresh lines' time per word, and no line takes next to no time"
            ),
            Self::Coalesced => format!(
                "lines that come again take at least {} of the time of other lines with the same words",
                percent(COALESCED_RATIO)
            ),
            Self::Recognises => format!(
                "lines of the set take as long as copies with other words, within {}; no line takes next to no time; copies have other answers",
                percent(1.0 - RECOGNISED_RATIO)
            ),
            Self::Nondeterministic => {
                format!("the same answer to at least {} of lines", percent(1.0 - MOST_DIFFERING))
            }
            Self::Junk => format!(
                "a translation each time that a line comes, but for {} of lines",
                percent(MOST_JUNK)
            ),
            Self::EmptyOutput => format!(
                "an answer to at least {} of lines of up to {LONGEST_ORDINARY} words",
                percent(1.0 - EMPTY_SHARE)
            ),
            Self::Runaway => format!(
                "at most the campaign's runaway-factor (else {RUNAWAY_FACTOR}) times the source's characters, but for {} of lines",
                percent(RUNAWAY_SHARE)
            ),
            Self::Length => format!("the references' characters ±{}", percent(LENGTH_TOLERANCE)),
            Self::SlowLine => "an answer within the campaign's line-seconds or launch-seconds".into(),
            Self::TracksDiffer => "the same text in every track".into(),
            Self::NotReproducible => "the same answers in every launch".into(),
            Self::HiddenMemory => {
                format!(
                    "less than {} in shared memory that no process maps, and a peak that is not lowered",
                    mebibytes(HIDDEN_BYTES)
                )
            }
            Self::HiddenFiles => format!(
                "files of {} and more that are neither declared nor named in the command: together at most {} of the declared model",
                mebibytes(HIDDEN_BYTES),
                percent(HIDDEN_SHARE)
            ),
            Self::OverMemory => "at most the campaign's memory-mib, all processes together".into(),
            Self::UsesNetwork => "no attempt to reach another host".into(),
            Self::EqualsReferences => {
                format!("at most {} of answers equal a reference", percent(MOST_REFERENCES))
            }
            Self::SelfDisturbed => format!(
                "processes that no parent waits for take at most {} of its cores",
                percent(FOREIGN_LIMIT)
            ),
            Self::NoRate => "some rate of arrival keeps the campaign's latency limit".into(),
        }
    }

    /// Text of the remedy, for the system's author.
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
            Self::NotAVector => {
                "write one vector a line, the padded base64 of its f32 values in little-endian order; look for a line that overflows"
            }
            Self::Affinity => "don't set the affinity of threads, or only within {core-list}",
            Self::CpuShare => "use as many threads as {cores} says, and leave affinity as it is",
            Self::BusyIdle => {
                "wait for lines without polling, and do no work in advance; `interleave = \"rounds\"` in the campaign measures it alone"
            }
            Self::Waits => {
                "compute on its own cores; a client of a service elsewhere is measured with `interleave = \"rounds\"` in the campaign"
            }
            Self::LeftProcess => "wait for helper processes before exiting",
            Self::Cached => "turn off its cache of translations: the track measures translating",
            Self::Coalesced => "translate every line, also one that occurs twice",
            Self::Recognises => "remove tables of known sentences, and what it keeps from earlier launches",
            Self::Nondeterministic => {
                "fix its seed; or set `sampling = true` for the system if it samples on purpose"
            }
            Self::Junk => "translate every line, also one that occurs again or isn't scored",
            Self::EmptyOutput => "look for a limit on length, or a failure that is swallowed",
            Self::Runaway => {
                "limit the length of its output; look for repetition; raise `runaway-factor` if it is wordy on purpose"
            }
            Self::Length => "look for cut or repeated text",
            Self::SlowLine => "limit the length of what it translates at once, if it may get such lines",
            Self::TracksDiffer => {
                "expected of float arithmetic in batches; else look for a translation that depends on its batch mates"
            }
            Self::HiddenMemory => {
                "keep weights in its own memory, or map them, so that the peak holds them; leave /proc/self/clear_refs and PR_SET_DUMPABLE as they are"
            }
            Self::HiddenFiles => "declare all files of the model: `model` may be their folder",
            Self::OverMemory => {
                "load fewer or smaller models, translate smaller batches, or raise `memory-mib` (--memory)"
            }
            Self::UsesNetwork => {
                "ship all files with the system, and switch off downloads, updates and telemetry, such as by HF_HUB_OFFLINE=1"
            }
            Self::EqualsReferences => {
                "see whether it was trained on the test set, or reads its references; measure a set that it can't know"
            }
            Self::SelfDisturbed => {
                "wait for child processes, and don't ignore SIGCHLD: the time of such children can't be told from that of other programs"
            }
            Self::NoRate => {
                "answer single lines sooner, or raise `limit-ms` of the track server in the campaign"
            }
            Self::NotReproducible => {
                "leave out the setting that it names; or set `sampling = true` for the system if more than a line in a hundred differs"
            }
        }
    }

    /// Reason for a record; `figure` is what was seen.
    pub fn reason(self, figure: impl Into<String>) -> Reason {
        Reason { code: self, figure: figure.into(), limit: self.limit(), remedy: self.remedy().into() }
    }
}
