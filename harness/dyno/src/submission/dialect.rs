//! The dialects: how a shared task calls a submission.

use clap::ValueEnum;
use dyno_measure::Track;
use serde::{Deserialize, Serialize};

/// Dialect of a shared task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Efficiency task: `/run.sh TASK TRACK`, the model in /model, standard input to standard output
    Wmt22,
    /// Model compression 2025: `/model/ID/run.sh PAIR BATCH`, standard input to standard output
    Wmt25,
    /// Model compression 2026: `setup.sh` once, then `run.sh` with --lang-pair, --batch-size, --input,
    /// --output
    Wmt26,
}

/// Bridge from standard input and output to the files of `wmt26`. What the script itself prints is no answer.
const BY_FILES: &str = "cat >/tmp/input.txt && ./run.sh --lang-pair \"$1\" --batch-size \"$2\" \
                        --input /tmp/input.txt --output /tmp/output.txt >&2 && cat /tmp/output.txt";

impl Dialect {
    /// Name in campaigns and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wmt22 => "wmt22",
            Self::Wmt25 => "wmt25",
            Self::Wmt26 => "wmt26",
        }
    }

    /// Tracks that the dialect has. Only the efficiency task asks line by line; the others pass whole files,
    /// and nothing in them says when an answer leaves.
    pub const fn tracks(self) -> &'static [Track] {
        match self {
            Self::Wmt22 => &[Track::Latency, Track::LatencyAll, Track::Throughput1, Track::ThroughputAll],
            Self::Wmt25 | Self::Wmt26 => &[Track::Throughput1, Track::ThroughputAll],
        }
    }

    /// Whether the task names a language pair and a size of batches in each call.
    pub const fn names_pair(self) -> bool {
        !matches!(self, Self::Wmt22)
    }

    /// Whether a submission has a script that installs what it needs.
    pub const fn has_setup(self) -> bool {
        matches!(self, Self::Wmt26)
    }

    /// Whether this script may use the network.
    pub(super) const fn sets_up_online(self) -> bool {
        matches!(self, Self::Wmt26)
    }

    /// Program and arguments, with the bench's placeholders. `script` is the path at which the submission
    /// sees its script.
    pub(super) fn command(self, script: &str, pair: &str, batch_lines: usize) -> Vec<String> {
        let batch = batch_lines.to_string();
        let words: &[&str] = match self {
            Self::Wmt22 => &[script, "{task}", "{mode}"],
            Self::Wmt25 => &[script, pair, &batch],
            Self::Wmt26 => &["sh", "-c", BY_FILES, script, pair, &batch],
        };
        words.iter().map(|&word| word.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_own_call() {
        let command = |dialect: Dialect, script: &str| dialect.command(script, "ces-deu", 8);
        assert_eq!(command(Dialect::Wmt22, "/run.sh"), ["/run.sh", "{task}", "{mode}"]);
        assert_eq!(command(Dialect::Wmt25, "/model/a/run.sh"), ["/model/a/run.sh", "ces-deu", "8"]);
        assert_eq!(command(Dialect::Wmt26, "run.sh")[3..], ["run.sh", "ces-deu", "8"]);
    }

    #[test]
    fn a_dialect_of_whole_files_has_no_track_of_single_lines() {
        for dialect in [Dialect::Wmt25, Dialect::Wmt26] {
            assert!(dialect.tracks().iter().all(|track| !track.answers_lines()), "{}", dialect.name());
        }
        assert!(Dialect::Wmt22.tracks().contains(&Track::Latency));
    }
}
