//! The dialects: how a shared task calls a submission. Each is a file of `templates/dialects/`; `wmt22.toml`
//! explains the keys.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::LazyLock;

use dyno_record::Track;
use serde::Deserialize;

use crate::exit::Outcome;

dyno_record::words! {
    /// A dialect of a shared task.
    #[serde(rename_all = "lowercase")]
    pub enum Dialect {
        /// Efficiency task: `/run.sh TASK TRACK`, the model in /model, standard input to standard output
        Wmt22,
        /// Model compression 2025: `/model/ID/run.sh PAIR BATCH`, standard input to standard output
        Wmt25,
        /// Model compression 2026: `setup.sh` once, then `run.sh` with --lang-pair, --batch-size, --input, --output
        Wmt26,
    }
}

/// File of each dialect.
const FILES: [&str; 3] = [
    include_str!("../../../../templates/dialects/wmt22.toml"),
    include_str!("../../../../templates/dialects/wmt25.toml"),
    include_str!("../../../../templates/dialects/wmt26.toml"),
];

static FACTS: LazyLock<[Facts; 3]> =
    LazyLock::new(|| FILES.map(|text| toml::from_str(text).expect("a test reads all dialects")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    pub tracks: Vec<Track>,
    /// Place at which a submission sees its files.
    pub(super) place: Place,
    /// Whether a submission has a script that installs what it needs.
    #[serde(default)]
    pub(super) setup: bool,
    call: Vec<String>,
    /// Templates of the files of our own submissions, by path.
    pub files: BTreeMap<String, String>,
}

/// Place at which a submission sees its files.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    Root,
    /// A folder of `/model` with the model's name.
    Id,
    /// The folder in which the files lie.
    Own,
}

impl Deref for Dialect {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &FACTS[*self as usize]
    }
}

impl Dialect {
    /// Whether the task names a language pair and a size of batches in each call.
    pub fn names_pair(self) -> bool {
        self.call.iter().any(|word| word == "PAIR")
    }

    /// Refuses a language pair that is missing, or has no place in the call.
    pub fn check_pair(self, has_pair: bool) -> Outcome<()> {
        let name = self.name();
        match (self.names_pair(), has_pair) {
            (true, false) => Err(bad_input!(
                "the dialect {name} names a language pair in each call; give the pair, such as ces-deu"
            )),
            (false, true) => Err(bad_input!("the dialect {name} names no language pair; leave the pair out")),
            _ => Ok(()),
        }
    }

    /// Program and arguments, with the bench's placeholders. `script` is the path at which the submission
    /// sees its script.
    pub(super) fn command(self, script: &str, pair: &str, batch_lines: usize) -> Vec<String> {
        let filled = |word: &String| match word.as_str() {
            "SCRIPT" => script.into(),
            "PAIR" => pair.into(),
            "BATCH" => batch_lines.to_string(),
            word => word.into(),
        };
        self.call.iter().map(filled).collect()
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
            assert!(dialect.tracks.iter().all(|track| !track.answers_lines()), "{dialect}");
        }
        assert!(Dialect::Wmt22.tracks.contains(&Track::Latency));
    }
}
