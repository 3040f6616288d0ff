//! Workers: metrics of other programs, such as COMET. A worker speaks one JSON object a line on standard
//! input and output, as `docs/BRING-YOUR-OWN.md` describes, and is started once for all systems of a run. Segment
//! scores feed the same paired bootstrap as BLEU's counts.

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
use serde_json::{Value, json};

use super::answers::{MetricFacts, TextScores};
use super::metric::WorkerCommand;
use super::scale::{Needs, Scale};
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
    facts: MetricFacts,
    /// Hash of the worker's command, files and facts, by which its answers are kept.
    identity: String,
}

impl Worker {
    pub(super) fn start(command: &WorkerCommand) -> Result<Self> {
        let fault = |fault: String| Error::Input(format!("metric {}: {fault}", command.name));
        let mut process = Command::new(&command.worker[0]);
        process.args(&command.worker[1..]).current_dir(&command.folder);
        let program = Companion::start(&mut process, SHUTDOWN).map_err(|error| {
            fault(format!("can't start {:?}: {error}; correct the metric, or install it", command.worker[0]))
        })?;
        let mut worker =
            Self { command: command.clone(), program, facts: Default::default(), identity: String::new() };
        let answer = worker.ask(&json!({"ask": "init"}), 0)?;
        worker.facts = MetricFacts::read(&answer).map_err(|fault| worker.fault(fault))?;
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
        let (name, MetricFacts { direction, range, .. }) = (&self.command.name, &self.facts);
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
                let answer = self.ask(&request, lines.len())?;
                let answer = TextScores::read(&answer, lines.len()).map_err(|fault| self.fault(fault))?;
                keep(&key, &answer);
                answer
            }
        };
        let sampled = answer.segments.as_deref().map(Sampled::mean);
        let score = answer.score.or(sampled.as_ref().map(|sampled| sampled.score)).unwrap_or(f64::NAN);
        Ok(Scored { score, signature: self.signature(), sampled, lines: answer.segments })
    }

    fn signature(&self) -> String {
        let MetricFacts { name, version, signature, .. } = &self.facts;
        let more = if signature.is_empty() { String::new() } else { format!("|{signature}") };
        format!("{name}|version:{version}{more}")
    }

    /// Sends a request about `lines` lines and reads the answer, each one line.
    fn ask(&mut self, request: &Value, lines: usize) -> Result<String> {
        let bounds = Bounds {
            bytes: ANSWER_BYTES + BYTES_A_LINE * lines,
            time: TO_START.saturating_add(FOR_A_LINE.saturating_mul(lines as u32)),
            is_interruptible: true,
        };
        let answer = self.program.ask(format!("{request}\n").as_bytes(), bounds);
        let line = answer
            .map_err(|silence| self.fault(format!("the worker {:?}: {silence}", self.command.worker)))?;
        Ok(String::from_utf8_lossy(&line).into_owned())
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

fn path_of(key: &str) -> Option<PathBuf> {
    Some(cache_folder().ok()?.join("metrics").join(format!("{key}.json")))
}

/// Scores of a text, from the user's cache: by the hash of worker and texts, so that a text is scored once, however
/// often it is compared. A damaged file counts as none: the worker is asked again.
fn kept(key: &str) -> Option<TextScores> {
    read_json(&path_of(key)?).ok()?
}

/// Keeps scores. A failure costs a second request, nothing more.
fn keep(key: &str, scores: &TextScores) {
    if let Some(path) = path_of(key) {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = write_json(&path, scores);
    }
}
