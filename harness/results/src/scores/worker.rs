//! Workers: metrics of other programs, such as COMET. A worker speaks one JSON object a line on standard
//! input and output, as `docs/BRING-YOUR-OWN.md` describes, and is started once for all systems of a run. Segment scores
//! feed the same paired bootstrap as BLEU's counts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use dyno_measure::TestSet;
use dyno_measure::companion::{Bounds, Companion};
use dyno_measure::files::file_hash;
use dyno_provision::cache_folder;
use dyno_record::hash_of;
use dyno_stats::bootstrap::Sampled;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::metric::WorkerCommand;
use super::scale::{Direction, Needs, Scale};
use super::work::Scored;
use crate::error::{Error, Result};
use crate::store::files::{read_json, write_json};

/// Time for a worker to end after `shutdown`; it has written all answers by then.
const SHUTDOWN: Duration = Duration::from_secs(10);
/// Time for any answer: a worker may fetch and load a model of many gigabytes first.
const TO_START: Duration = Duration::from_secs(3600);
/// Time for each line that is scored, beside that. COMET's largest model takes some five seconds on a CPU.
const FOR_A_LINE: Duration = Duration::from_secs(30);
/// Bytes of an answer, beside those for each line.
const ANSWER_BYTES: usize = 1 << 20;
/// Bytes of an answer for each line: a score has some twenty digits.
const BYTES_A_LINE: usize = 64;

pub(super) struct Worker {
    command: WorkerCommand,
    program: Companion,
    facts: Facts,
    /// Hash of the worker's command, files and facts, by which its answers are kept.
    identity: String,
}

/// Answer to `init`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Facts {
    name: String,
    version: String,
    direction: Direction,
    #[serde(default)]
    range: Option<[f64; 2]>,
    #[serde(default)]
    signature: String,
    /// Whether the metric compares with references; a metric without them also scores sets without.
    #[serde(default = "yes")]
    references: bool,
}

fn yes() -> bool {
    true
}

impl Worker {
    pub(super) fn start(command: &WorkerCommand) -> Result<Self> {
        let fault = |fault: String| Error::Input(format!("metric {}: {fault}", command.name));
        let mut process = Command::new(&command.worker[0]);
        process.args(&command.worker[1..]).current_dir(&command.folder);
        let program = Companion::start(&mut process, SHUTDOWN)
            .map_err(|error| fault(format!("can't start {:?}: {error}", command.worker[0])))?;
        let mut worker =
            Self { command: command.clone(), program, facts: Facts::default(), identity: String::new() };
        worker.facts = worker.ask(&json!({"ask": "init"}), 0)?;
        if let Some([low, high]) = worker.facts.range
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            return Err(
                worker.fault(format!("`range` is [{low}, {high}]: give the least and the greatest score"))
            );
        }
        worker.identity = worker.identify();
        Ok(worker)
    }

    /// Hash of everything that decides a score besides the texts.
    fn identify(&self) -> String {
        let files = self.command.worker.iter().map(|word| self.command.folder.join(word));
        let hashes: Vec<_> = files.filter(|path| path.is_file()).map(|path| file_hash(&path).ok()).collect();
        hash_of(json!([self.command.worker, hashes, self.facts]).to_string().as_bytes())
    }

    /// Scale of the metric, under the name that the campaign gives.
    pub(super) fn scale(&self) -> Scale {
        let (name, Facts { direction, range, .. }) = (&self.command.name, &self.facts);
        let needs = if self.facts.references { Needs::References } else { Needs::Source };
        Scale { name: name.clone(), title: name.clone(), direction: *direction, range: *range, needs }
    }

    /// Score of one text, from an earlier answer if there is one.
    pub(super) fn score(&mut self, set: &TestSet, lines: &[String]) -> Result<Scored> {
        let source: Vec<_> = set.source.iter().map(|line| String::from_utf8_lossy(line)).collect();
        let request =
            json!({"ask": "score", "source": source, "hypothesis": lines, "references": set.references});
        let key = hash_of(format!("{}{request}", self.identity).as_bytes());
        let answer = match kept(&key) {
            Some(answer) => answer,
            None => {
                let answer: Kept = self.ask(&request, lines.len())?;
                self.check(&answer, lines.len())?;
                keep(&key, &answer);
                answer
            }
        };
        let sampled = answer.segments.as_deref().map(Sampled::mean);
        let score = answer.score.or(sampled.as_ref().map(|sampled| sampled.score)).unwrap_or(f64::NAN);
        Ok(Scored { score, signature: self.signature(), sampled, lines: answer.segments })
    }

    /// Checks an answer. The bootstrap resamples the mean of the segments, so the score must be that mean.
    fn check(&self, answer: &Kept, lines: usize) -> Result<()> {
        let segments = answer.segments.as_deref();
        let numbers = segments.into_iter().flatten().chain(&answer.score);
        let mean = segments.map(|segments| segments.iter().sum::<f64>() / segments.len() as f64);
        // Workers of single precision agree to six digits.
        let apart = |(score, mean): (f64, f64)| (score - mean).abs() > 1e-4 * mean.abs().max(1.0);
        match () {
            () if segments.is_none() && answer.score.is_none() => {
                Err(self.fault("its answer has neither `segments` nor `score`"))
            }
            () if numbers.clone().any(|number| !number.is_finite()) => {
                Err(self.fault("a score is not a finite number"))
            }
            () if segments.is_some_and(|segments| segments.len() != lines) => {
                let count = segments.map_or(0, <[f64]>::len);
                Err(self.fault(format!("{count} segment scores for {lines} lines: give one for each line")))
            }
            () if answer.score.zip(mean).is_some_and(apart) => Err(self.fault(format!(
                "its score {} is not the mean {} of its segment scores: leave one of them out",
                answer.score.unwrap_or_default(),
                mean.unwrap_or_default()
            ))),
            () => Ok(()),
        }
    }

    fn signature(&self) -> String {
        let Facts { name, version, signature, .. } = &self.facts;
        let more = if signature.is_empty() { String::new() } else { format!("|{signature}") };
        format!("{name}|version:{version}{more}")
    }

    /// Sends a request about `lines` lines and reads the answer, each one line.
    fn ask<T: DeserializeOwned>(&mut self, request: &Value, lines: usize) -> Result<T> {
        let bounds = Bounds {
            bytes: ANSWER_BYTES + BYTES_A_LINE * lines,
            time: TO_START.saturating_add(FOR_A_LINE.saturating_mul(lines as u32)),
            is_interruptible: true,
        };
        let answer = self.program.ask(format!("{request}\n").as_bytes(), bounds);
        let line = answer
            .map_err(|silence| self.fault(format!("the worker {:?}: {silence}", self.command.worker)))?;
        let line = String::from_utf8_lossy(&line);
        let no_answer = |error: serde_json::Error| {
            let shown: String = line.trim_end().chars().take(80).collect();
            self.fault(format!(
                "{error} in its answer {shown:?}: print one JSON object a line, and nothing else"
            ))
        };
        let value: Value = serde_json::from_str(&line).map_err(no_answer)?;
        if let Some(error) = value["error"].as_str() {
            return Err(self.fault(error));
        }
        serde_json::from_value(value).map_err(no_answer)
    }

    fn fault(&self, fault: impl std::fmt::Display) -> Error {
        Error::Input(format!("metric {}: {fault}", self.command.name))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.program.tell(format!("{}\n", json!({"ask": "shutdown"})).as_bytes());
    }
}

/// Answer to `score`, kept in the user's cache by the hash of worker and texts: a text is scored once, however often it
/// is compared.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    segments: Option<Vec<f64>>,
    score: Option<f64>,
}

fn path_of(key: &str) -> Option<PathBuf> {
    Some(cache_folder().ok()?.join("metrics").join(format!("{key}.json")))
}

/// Answer of that key. A damaged file counts as none: the worker is asked again.
fn kept(key: &str) -> Option<Kept> {
    read_json(&path_of(key)?).ok()?
}

/// Keeps an answer. A failure costs a second request, nothing more.
fn keep(key: &str, answer: &Kept) {
    if let Some(path) = path_of(key) {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = write_json(&path, answer);
    }
}
