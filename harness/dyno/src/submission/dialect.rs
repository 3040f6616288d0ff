//! The dialects: how a shared task calls a submission. Each is a file of `templates/dialects/`; `wmt22.toml`
//! explains the keys.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use dyno_measure::Track;
use serde::Deserialize;

use crate::exit::Outcome;

const FILES: [&str; 3] = [
    include_str!("../../../../templates/dialects/wmt22.toml"),
    include_str!("../../../../templates/dialects/wmt25.toml"),
    include_str!("../../../../templates/dialects/wmt26.toml"),
];

static FACTS: LazyLock<[Facts; 3]> =
    LazyLock::new(|| FILES.map(|text| toml::from_str(text).expect("a test reads all dialects")));
static ALL: LazyLock<Vec<Dialect>> = LazyLock::new(|| FACTS.iter().map(Dialect).collect());

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Dialect(&'static Facts);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Name in campaigns and on the command line.
    pub name: String,
    /// Help on the command line.
    about: String,
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
        self.0
    }
}

impl ValueEnum for Dialect {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name.as_str()).help(self.0.about.as_str()))
    }
}

impl TryFrom<String> for Dialect {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let names: Vec<_> = ALL.iter().map(|dialect| format!("`{}`", dialect.name)).collect();
        Self::from_str(&name, false)
            .map_err(|_| format!("unknown variant `{name}`, expected one of {}", names.join(", ")))
    }
}

impl Dialect {
    /// Whether the task names a language pair and a size of batches in each call.
    pub fn names_pair(self) -> bool {
        self.call.iter().any(|word| word == "PAIR")
    }

    /// Refuses a language pair that is missing, or has no place in the call.
    pub fn check_pair(self, has_pair: bool) -> Outcome<()> {
        let name = &self.name;
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

    fn named(name: &str) -> Dialect {
        Dialect::from_str(name, false).unwrap()
    }

    #[test]
    fn each_dialect_has_its_own_call() {
        let command = |name: &str, script: &str| named(name).command(script, "ces-deu", 8);
        assert_eq!(command("wmt22", "/run.sh"), ["/run.sh", "{task}", "{mode}"]);
        assert_eq!(command("wmt25", "/model/a/run.sh"), ["/model/a/run.sh", "ces-deu", "8"]);
        assert_eq!(command("wmt26", "run.sh")[3..], ["run.sh", "ces-deu", "8"]);
    }

    #[test]
    fn a_dialect_of_whole_files_has_no_track_of_single_lines() {
        for dialect in ["wmt25", "wmt26"].map(named) {
            assert!(dialect.tracks.iter().all(|track| !track.answers_lines()), "{}", dialect.name);
        }
        assert!(named("wmt22").tracks.contains(&Track::Latency));
    }
}
