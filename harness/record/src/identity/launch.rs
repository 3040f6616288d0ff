//! Ways to start a system.

use std::path::PathBuf;

use dyno_api::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::batch::BatchSize;
use crate::rules::names::name_of;

/// Way to start a system. A campaign knows more of an adapter or a submission than the run holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launch<Adapter = AdapterLaunch, Submission = SubmissionLaunch> {
    /// Backend of dyno.
    BuiltIn {
        /// Name of the backend in the registry.
        backend: String,
        /// Settings of the backend.
        settings: Settings,
        /// Size of batches in the throughput tracks; dyno chooses it if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<BatchSize>,
    },
    /// Backend in a shared library.
    Plugin {
        /// File of the library.
        library: PathBuf,
        /// Settings of the backend.
        settings: Settings,
        /// Size of batches in the throughput tracks; dyno chooses it if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<BatchSize>,
    },
    /// Any program that answers each line of standard input with a line on standard output.
    Foreign {
        /// Program and arguments, with placeholders.
        command: Vec<String>,
        /// Working folder: the campaign's.
        folder: PathBuf,
    },
    /// Engine of another project, run by an adapter.
    Adapter(Adapter),
    /// A submission to a shared task.
    Submission(Submission),
}

/// An adapter of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdapterLaunch {
    /// Name of the adapter.
    pub name: String,
    /// Settings of the campaign.
    pub settings: Settings,
    /// Size of batches in the throughput tracks; the adapter chooses it if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchSize>,
}

/// A submission of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SubmissionLaunch {
    /// Name of the dialect that the submission speaks.
    pub dialect: String,
    /// Folder of the submission.
    pub folder: PathBuf,
    /// Language pair in the task's own words; empty if the dialect names none.
    pub pair: String,
    /// Lines to translate together, if the dialect names a number.
    pub batch_lines: usize,
    /// Variables of the image's environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

impl<A, S> Launch<A, S> {
    /// The same way to start, with other facts of an adapter and of a submission.
    pub fn map<B, T>(self, adapter: impl FnOnce(A) -> B, submission: impl FnOnce(S) -> T) -> Launch<B, T> {
        match self {
            Self::BuiltIn { backend, settings, batch } => Launch::BuiltIn { backend, settings, batch },
            Self::Plugin { library, settings, batch } => Launch::Plugin { library, settings, batch },
            Self::Foreign { command, folder } => Launch::Foreign { command, folder },
            Self::Adapter(known) => Launch::Adapter(adapter(known)),
            Self::Submission(known) => Launch::Submission(submission(known)),
        }
    }
}

impl Launch {
    /// Name of the way, as in `run.json`.
    pub fn kind(&self) -> &'static str {
        name_of(self)
    }

    /// Name of the engine. A foreign command or a submission is an engine of its own.
    pub fn engine(&self) -> String {
        match self {
            Self::BuiltIn { backend, .. } => backend.clone(),
            Self::Plugin { library, .. } => library.display().to_string(),
            Self::Adapter(adapter) => adapter.name.clone(),
            Self::Foreign { .. } | Self::Submission(_) => format!("{self:?}"),
        }
    }

    /// Settings of a backend or an adapter, and the size of its batches.
    pub fn settings(&self) -> Vec<(String, String)> {
        let (settings, batch) = match self {
            Self::BuiltIn { settings, batch, .. } | Self::Plugin { settings, batch, .. } => (settings, batch),
            Self::Adapter(AdapterLaunch { settings, batch, .. }) => (settings, batch),
            Self::Foreign { .. } | Self::Submission(_) => return Vec::new(),
        };
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
        let settings = settings.iter().map(|(name, value)| (name.clone(), text(value)));
        let batch =
            batch.map(BatchSize::option).map(|(option, most)| (option[2..].to_owned(), most.to_string()));
        settings.chain(batch).collect()
    }
}
