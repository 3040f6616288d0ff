//! A system of a run, as its campaign describes it.

use std::path::PathBuf;

use dyno_api::Task;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::launch::Launch;
use crate::rules::Track;

/// System of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSystem {
    /// Name in tables.
    pub name: String,
    /// How the system is started.
    pub launch: Launch,
    /// Models; several are an ensemble.
    pub models: Vec<PathBuf>,
    /// Environment variables of the system, besides those of all systems.
    pub environment: Vec<(String, String)>,
    /// Task that the campaign names for a plugin or a foreign program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Whether the system declares that it draws its answers at random.
    pub sampling: bool,
    /// Choice of the campaign whether the system runs in a sandbox; the profile's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxChoice>,
    /// Files and folders that the system sees in the sandbox, beside those that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_paths: Vec<PathBuf>,
    /// Tracks that the system takes part in; all of the campaign if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracks: Option<Vec<Track>>,
    /// Number of cores in the tracks of several cores, if the system is a part of a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// Name of the sweep, if the system is a part of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Name of the original, if the system is a twin. The pair shows the difference between equal systems.
    pub twin_of: Option<String>,
    /// Search of a system whose model is a directory with a decoder's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

impl RunSystem {
    /// Whether the system takes part in `track`.
    pub fn takes_part(&self, track: Track) -> bool {
        self.tracks.as_ref().is_none_or(|tracks| tracks.contains(&track))
    }

    /// Whether both are one program on one model, started alike, under whatever names.
    pub fn is_same_program(&self, other: &Self) -> bool {
        let nameless = |system: &Self| Self {
            name: String::new(),
            tracks: None,
            sweep: None,
            twin_of: None,
            search: None,
            ..system.clone()
        };
        nameless(self) == nameless(other)
    }

    /// Whether a campaign describes both alike. The search follows from the rest of the description, and what is to be
    /// seen in a sandbox changes no program. Folders don't count: a published run has them shortened, and another
    /// checkout or cache lies elsewhere.
    pub fn is_described_as(&self, other: &Self) -> bool {
        let described = |system: &Self| {
            let bare = Self { search: None, sandbox_paths: Vec::new(), ..system.clone() };
            serde_json::to_value(bare).map(without_folders).ok()
        };
        described(self).is_some_and(|ours| Some(ours) == described(other))
    }
}

/// A description with the names of files where it has paths; a text with spaces is none.
fn without_folders(described: Value) -> Value {
    match described {
        Value::String(text) if !text.contains(char::is_whitespace) => {
            Value::String(text.rsplit('/').next().unwrap_or_default().to_owned())
        }
        Value::Array(values) => values.into_iter().map(without_folders).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, without_folders(value))).collect()
        }
        other => other,
    }
}

/// Choice of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// The sandbox that bubblewrap makes.
    Bwrap,
    /// No sandbox.
    None,
}

/// What decides a system's translations beside the weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Precision of the products: `f32`, `bf16`, `int8` and so on.
    pub precision: String,
    /// Hypotheses that the search keeps.
    pub beam: usize,
    /// Most words of a translation, with the word that it begins with, as `max_length` of Hugging Face counts them.
    /// Absent where the length of the source decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_another_environment_is_another_program() {
        let system = |name: &str, environment: &[(&str, &str)]| -> RunSystem {
            let launch = serde_json::json!({"foreign": {"command": ["mt"], "folder": "/here"}});
            serde_json::from_value(serde_json::json!({
                "name": name, "launch": launch, "models": ["/m"], "environment": environment, "sampling": false
            }))
            .unwrap()
        };
        let one = system("one", &[("MODE", "fast")]);
        assert!(one.is_same_program(&system("two", &[("MODE", "fast")])));
        assert!(!one.is_same_program(&system("two", &[("MODE", "best")])));
        assert!(!one.is_same_program(&RunSystem { sampling: true, ..one.clone() }));
        let beside =
            RunSystem { twin_of: Some("one".into()), tracks: Some(vec![Track::Latency]), ..one.clone() };
        assert!(one.is_same_program(&beside), "what a campaign says of it is no part of the program");
    }
}
