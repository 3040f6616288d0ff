//! Verdicts on rounds, cells and probes, and their reasons. A reason holds the code of the broken rule, the figure that
//! was seen, the limit and a remedy.

use serde::{Deserialize, Serialize};

use super::code::Code;
use super::limits::{
    BUSY_IDLE, CACHED_RATIO, COALESCED_RATIO, CPU_SHARE_TOLERANCE, EMPTY_SHARE, FOREIGN_LIMIT, GRACE,
    HIDDEN_BYTES, HIDDEN_SHARE, LENGTH_TOLERANCE, LONGEST_ORDINARY, LONGEST_VECTOR, MOST_DIFFERING,
    MOST_JUNK, MOST_OUTPUT_BYTES, MOST_OUTPUT_GROWTH, MOST_REFERENCES, MOST_STDERR_BYTES, MOST_STRANGE,
    MOST_WAITING, RECOGNISED_RATIO, RUNAWAY_FACTOR, RUNAWAY_SHARE, SAME_ANSWERS,
};
use super::names::words;

words! {
    /// Whether a round, a cell or a system may be quoted. A later variant is worse.
    #[serde(rename_all = "UPPERCASE")]
    pub enum Verdict {
        /// The system kept the rules.
        Valid,
        /// The host disturbed the measurement.
        Noisy,
        /// The system broke a rule.
        Invalid,
    }
}

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
                "each answer before the next line is sent".into()
            }
            Self::LineCount => "one line out for each line in".into(),
            Self::Order => "answers in the order of the lines".into(),
            Self::ExtraOutput => "nothing but the answers on standard output".into(),
            Self::Flood => format!(
                "at most {} or {MOST_OUTPUT_GROWTH} times its input on standard output, whichever is more, {} beside that for each vector, and {} on standard error",
                mebibytes(MOST_OUTPUT_BYTES),
                mebibytes(LONGEST_VECTOR),
                mebibytes(MOST_STDERR_BYTES)
            ),
            Self::InvalidUtf8 => "UTF-8 in every answer to a valid line".into(),
            Self::NotAVector => "base64 of finite little-endian f32 values, as many in each answer".into(),
            Self::Affinity => "all threads on the allowed cores".into(),
            Self::CpuShare => {
                format!("at most {} more CPU time than its allowed cores have", percent(CPU_SHARE_TOLERANCE))
            }
            Self::BusyIdle => format!(
                "at most {} of a core while it isn't asked, after a short clean-up",
                percent(BUSY_IDLE)
            ),
            Self::Waits => format!(
                "on its cores, not waiting, at {} or more of the moments at which the bench pauses it, but for chance",
                percent(1.0 - MOST_WAITING)
            ),
            Self::LeftProcess => format!("no process alive {} s after its end", GRACE.as_secs()),
            Self::Cached => format!(
                "a repeated line takes at least {CACHED_RATIO} of a fresh line's time per word, and none next to no time"
            ),
            Self::Coalesced => format!(
                "lines that come again take at least {} of the time of other lines with the same words",
                percent(COALESCED_RATIO)
            ),
            Self::Recognises => format!(
                "lines of the set take as long as copies with other words, within {}, and none next to no time; at least {} of copies have an answer of their own, and at most {} of lines an answer unlike those to two copies",
                percent(1.0 - RECOGNISED_RATIO),
                percent(1.0 - SAME_ANSWERS),
                percent(MOST_STRANGE)
            ),
            Self::Nondeterministic => {
                format!("the same answer to at least {} of lines", percent(1.0 - MOST_DIFFERING))
            }
            Self::Junk => format!(
                "a translation each time for at least {} of the lines that come again",
                percent(1.0 - MOST_JUNK)
            ),
            Self::EmptyOutput => format!(
                "an answer to at least {} of the lines of up to {LONGEST_ORDINARY} words, but for chance",
                percent(1.0 - EMPTY_SHARE)
            ),
            Self::Runaway => format!(
                "an answer of at most {RUNAWAY_FACTOR} times its line's characters, or the campaign's runaway-factor, to more than {} of the lines",
                percent(1.0 - RUNAWAY_SHARE)
            ),
            Self::Length => format!("as many characters as the references, ±{}", percent(LENGTH_TOLERANCE)),
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
                "at most {} of the declared model's size in files of {} and more that are neither declared nor named in the command",
                percent(HIDDEN_SHARE),
                mebibytes(HIDDEN_BYTES)
            ),
            Self::OverMemory => "at most the campaign's memory-mib, all processes together".into(),
            Self::UsesNetwork => "no attempt to reach another host".into(),
            Self::EqualsReferences => {
                format!("at most {} of answers equal a reference", percent(MOST_REFERENCES))
            }
            Self::SelfDisturbed => format!(
                "processes that no parent waits for take at most {} of the time of its cores",
                percent(FOREIGN_LIMIT)
            ),
            Self::NoRate => "some rate of arrival keeps the campaign's latency limit".into(),
        }
    }

    /// Reason for a record; `figure` is what was seen.
    pub fn reason(self, figure: impl Into<String>) -> Reason {
        Reason { code: self, figure: figure.into(), limit: self.limit(), remedy: self.text().into() }
    }
}
