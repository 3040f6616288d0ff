//! A Python with sacrebleu.
//!
//! The user's own Python comes first. Without sacrebleu there, dyno builds a private virtual environment with
//! pinned versions in the user's cache folder.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dyno_measure::companion::{Bounds, Companion};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::environment::{build_environment, cache_folder};
use crate::error::{Error, Result};

/// Script that asks sacrebleu for the bench.
const HELPER: &str = include_str!("helper.py");

/// Packages of the private environment: sacrebleu and its imports. All versions are pinned, so that one dyno
/// always gives the same scores. The version of numpy, which computes no score, depends on the Python.
const PINNED: [&str; 8] = [
    "sacrebleu==2.6.0",
    "portalocker==3.2.0",
    "regex==2025.9.18",
    "tabulate==0.9.0",
    "colorama==0.4.6",
    "lxml==6.0.2",
    "numpy==2.2.6; python_version < '3.11'",
    "numpy==2.4.6; python_version >= '3.11'",
];

/// Time for sacrebleu to score all texts of a run, or to fetch a test set: an hour ends what will not end.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Time for the interpreter to end after its answer.
const EXIT: Duration = Duration::from_secs(10);
/// Bytes of an answer: the counts of 20 million lines, and far less than memory has.
const ANSWER_BYTES: usize = 2 << 30;

/// A Python interpreter with sacrebleu.
pub(super) struct Python {
    program: PathBuf,
}

impl Python {
    /// The installed Python with sacrebleu, else a private one.
    pub(super) fn provide(announce: &dyn Fn(&str)) -> Result<Self> {
        if let Some((found, _)) = Self::find() {
            return Ok(found);
        }
        let folder = private_folder()?;
        let private = Self { program: folder.join("bin/python3") };
        build(&folder, announce)?;
        // An installed sacrebleu can still fail to answer.
        private
            .ask::<Value>(&serde_json::json!({"ask": "probe"}))
            .map_err(|error| fault("the private sacrebleu", error))?;
        Ok(private)
    }

    /// An installed Python, with its version of sacrebleu: the user's own before the private one.
    pub(super) fn find() -> Option<(Self, String)> {
        let private = private_folder().ok().map(|folder| folder.join("bin/python3"));
        iter::once("python3".into()).chain(private).map(|program| Self { program }).find_map(|python| {
            let answer: Value = python.ask(&serde_json::json!({"ask": "probe"})).ok()?;
            Some((python, answer["version"].as_str()?.to_owned()))
        })
    }

    /// Sends one request to the helper.
    pub(super) fn ask<T: DeserializeOwned>(&self, request: &Value) -> Result<T> {
        let mut command = Command::new(&self.program);
        command.args(["-c", HELPER]);
        // SACREBLEU_* override options of the metrics. SACREBLEU itself, the folder of test sets, stays.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SACREBLEU_") {
                command.env_remove(name);
            }
        }
        let program = Companion::start(&mut command, EXIT)
            .map_err(|error| fault(format!("can't start {}", self.program.display()), error))?;
        let text = serde_json::to_vec(request).map_err(Error::encoding("a request to sacrebleu"))?;
        let bounds = Bounds { bytes: ANSWER_BYTES, time: PATIENCE, is_interruptible: true };
        answer(&program.ask_once(&text, bounds).map_err(|silence| fault("sacrebleu", silence))?)
    }
}

fn answer<T: DeserializeOwned>(output: &[u8]) -> Result<T> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().last().unwrap_or_default();
    let value: Value = serde_json::from_str(line).map_err(|error| fault("sacrebleu's answer", error))?;
    if let Some(error) = value["error"].as_str() {
        return Err(Error::Scorer(error.lines().next().unwrap_or(error).into()));
    }
    serde_json::from_value(value).map_err(|error| fault("sacrebleu's answer", error))
}

fn private_folder() -> Result<PathBuf> {
    Ok(cache_folder()?.join(format!("{}-py", PINNED[0].replace("==", "-"))))
}

/// Builds the environment with the pinned packages.
fn build(folder: &Path, announce: &dyn Fn(&str)) -> Result<()> {
    announce("sacrebleu is not installed: building a private environment (once, about half a minute) …");
    // Two short tries: without a network, a table without BLEU is better than a long wait.
    let install = [&["--retries", "1", "--timeout", "10"], PINNED.as_slice()].concat();
    build_environment(folder, &install, "a network is needed once; or install sacrebleu for python3 yourself")
}

fn fault(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Error {
    Error::Scorer(format!("{what}: {cause}"))
}
