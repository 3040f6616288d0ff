//! Keys of a system in a campaign file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dyno_api::Task;
use dyno_record::Track;
use dyno_record::identity::SandboxChoice;
use serde::Deserialize;
use toml::Spanned;

use super::models::WireModel;
use super::source::Source;
use super::sweeps::OneOrMany;
use crate::exit::Outcome;
use crate::submission::Dialect;

/// System: one of `backend`, `plugin`, `command`, `adapter` and `submission`, with models and options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WireSystem {
    pub(super) name: Spanned<String>,
    pub(super) backend: Option<Spanned<String>>,
    pub(super) plugin: Option<Spanned<PathBuf>>,
    pub(super) command: Option<Spanned<Vec<String>>>,
    pub(super) adapter: Option<Spanned<String>>,
    pub(super) model: Option<Spanned<WireModel>>,
    #[serde(default)]
    pub(super) models: Vec<Spanned<WireModel>>,
    /// Command that builds the plugin. A system whose plugin isn't built is left out.
    pub(super) build: Option<String>,
    /// Number of words to translate together in the throughput tracks, or several to sweep.
    pub(super) batch: Option<Spanned<OneOrMany>>,
    /// The same in lines.
    pub(super) batch_lines: Option<Spanned<OneOrMany>>,
    #[serde(default)]
    pub(super) settings: dyno_api::Settings,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    /// Tracks of the campaign in which the system takes part; all if absent.
    pub(super) tracks: Option<Spanned<Vec<Track>>>,
    /// Task of a plugin or a command: `translate` (default) or `encode`.
    pub(super) task: Option<Spanned<Task>>,
    #[serde(default)]
    pub(super) sampling: bool,
    pub(super) sandbox: Option<SandboxChoice>,
    /// Files and folders that the system sees in the sandbox, beside those that it names.
    #[serde(default)]
    pub(super) sandbox_paths: Vec<Spanned<PathBuf>>,
    pub(super) submission: Option<Spanned<PathBuf>>,
    pub(super) dialect: Option<Dialect>,
    /// Language pair of the submission, in the task's own words.
    pub(super) pair: Option<String>,
}

impl WireSystem {
    /// A path of the system, `what` in errors. What a command makes may be missing so far.
    pub(super) fn path(
        &self,
        source: &Source<'_>,
        span: Range<usize>,
        path: &Path,
        what: &str,
    ) -> Outcome<PathBuf> {
        if self.build.is_some() { Ok(source.resolve(path)) } else { source.existing(span, path, what) }
    }
}
