//! Scoring: one process of sacrebleu scores all outputs of a run, and a bootstrap compares every two of a
//! test set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use dyno_stats::bootstrap::{Counts, Metric, Sampled};
use serde::Deserialize;
use serde_json::json;

use super::corpus::{bleu, chrf};
use super::python::Python;
use super::stored::{Pair, Score, Scores};
use crate::error::{Error, Result};
use crate::run::Run;

/// Outputs to score on one test set.
pub struct Work<'a> {
    /// Name of the test set.
    pub test_set: &'a str,
    /// Lines of each reference.
    pub references: &'a [Vec<String>],
    /// Names and lines of the outputs.
    pub outputs: Vec<(&'a str, &'a [String])>,
}

/// Files of a test set in sacrebleu's folder.
#[derive(Debug, Deserialize)]
pub struct SacrebleuFiles {
    /// File of source lines.
    pub source: PathBuf,
    /// Files of reference lines, one for each reference.
    pub references: Vec<PathBuf>,
}

/// A Python with sacrebleu, found or built once in a process; or the reason for its absence.
fn python(announce: &dyn Fn(&str)) -> Result<&'static Python> {
    static PYTHON: OnceLock<std::result::Result<Python, String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| Python::provide(announce).map_err(|error| error.to_string()));
    found.as_ref().map_err(|reason| Error::Scorer(reason.clone()))
}

/// Announcements without a reader: [`prepare`] alone announces.
fn in_silence(_: &str) {}

/// Files of one of sacrebleu's own test sets, such as `multi30k/2016` and `en-de`.
pub fn sacrebleu_files(name: &str, languages: &str) -> Result<SacrebleuFiles> {
    let request = json!({"ask": "files", "name": name, "languages": languages});
    python(&in_silence).and_then(|python| python.ask(&request)).map_err(|error| {
        Error::Scorer(format!(
            "sacrebleu can't give {name} {languages} ({error}); `sacrebleu --list` names its sets, and without \
             a network the folder in SACREBLEU must hold it already"
        ))
    })
}

/// Folder of sacrebleu's test sets, if there can be one.
pub fn collection() -> Option<PathBuf> {
    let own = std::env::var_os("SACREBLEU").map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".sacrebleu")))
}

/// Version of the installed sacrebleu, if any; builds nothing.
pub fn version() -> Option<String> {
    Python::find().map(|(_, version)| version)
}

/// Makes sure, before the measurement, that outputs can be scored. `announce` gets a line for the user where
/// sacrebleu must be installed first, which takes half a minute.
pub fn prepare(announce: &dyn Fn(&str)) -> Result<()> {
    python(announce).map(drop)
}

#[derive(Deserialize)]
struct WireAnswer {
    /// Scores by test set, then by output.
    sets: Vec<Vec<WireScore>>,
}

#[derive(Deserialize)]
struct WireScore {
    bleu: WireMetric,
    chrf: WireMetric,
}

#[derive(Deserialize)]
struct WireMetric {
    score: f64,
    signature: String,
    /// Counts of each line.
    statistics: Vec<Counts>,
}

impl WireMetric {
    /// Bootstrap samples of the corpus score. They hold for sacrebleu's score only if our formula gives the
    /// same score.
    fn sample(&self, metric: Metric) -> Result<Sampled> {
        let sampled = Sampled::new(&self.statistics, metric);
        let (ours, theirs) = (sampled.score, self.score);
        if (ours - theirs).abs() > 1e-4 {
            return Err(Error::Scorer(format!(
                "sacrebleu says {theirs}, but its own statistics give {ours}: use another version of it"
            )));
        }
        Ok(sampled)
    }
}

/// Scores all of `work` in one process of sacrebleu.
pub fn score(work: &[Work<'_>]) -> Result<Scores> {
    let lines = |set: &Work<'_>| set.outputs.iter().map(|&(_, lines)| lines.to_vec()).collect::<Vec<_>>();
    let sets = work.iter().map(|set| json!({"references": set.references, "outputs": lines(set)}));
    let request = json!({"ask": "score", "sets": sets.collect::<Vec<_>>()});
    let answer: WireAnswer = python(&in_silence)?.ask(&request)?;
    let mut scores = Scores::default();
    for (set, wires) in work.iter().zip(&answer.sets) {
        score_set(set, wires, &mut scores)?;
    }
    Ok(scores)
}

fn score_set(set: &Work<'_>, wires: &[WireScore], scores: &mut Scores) -> Result<()> {
    let sample = |wire: &WireScore| Ok((wire.bleu.sample(bleu)?, wire.chrf.sample(chrf)?));
    let sampled = wires.iter().map(sample).collect::<Result<Vec<_>>>()?;
    for (i, (wire, (bleu, chrf))) in wires.iter().zip(&sampled).enumerate() {
        scores.scores.push(Score {
            output: set.outputs[i].0.into(),
            test_set: set.test_set.into(),
            bleu: wire.bleu.score,
            bleu_confidence: bleu.half_interval(),
            chrf: wire.chrf.score,
            chrf_confidence: chrf.half_interval(),
            bleu_signature: wire.bleu.signature.clone(),
            chrf_signature: wire.chrf.signature.clone(),
            others: BTreeMap::new(),
        });
        scores.pairs.extend(sampled[..i].iter().enumerate().map(|(other, (b, c))| Pair {
            test_set: set.test_set.into(),
            a: set.outputs[i].0.into(),
            b: set.outputs[other].0.into(),
            bleu: bleu.minus(b),
            chrf: chrf.minus(c),
        }));
    }
    Ok(())
}

/// Scores of a whole run if one of its outputs lacks a score, else `None`. All outputs are then scored again,
/// since pairs need all of them; scores of the user's own metrics stay.
pub fn score_run(run: &Run) -> Result<Option<Scores>> {
    let work: Vec<Work<'_>> =
        run.test_sets.iter().filter_map(|set| work(run, &set.name, &set.references)).collect();
    let is_scored = |set: &Work<'_>| {
        let mut outputs = set.outputs.iter();
        outputs.all(|(output, _)| run.scores.of(output, set.test_set).is_some())
    };
    if work.iter().all(is_scored) {
        return Ok(None);
    }
    let mut scores = score(&work)?;
    for score in &mut scores.scores {
        let known = run.scores.of(&score.output, &score.test_set);
        score.others = known.map(|known| known.others.clone()).unwrap_or_default();
    }
    Ok(Some(scores))
}

/// Outputs on one test set. An output with a wrong number of lines stays in the run, but can't be scored.
fn work<'a>(run: &'a Run, test_set: &'a str, references: &'a [Vec<String>]) -> Option<Work<'a>> {
    let lines = references.first()?.len();
    let records = run.records.iter().filter(|record| record.test_set == test_set);
    let names: BTreeSet<&String> = records.filter_map(|record| record.output.as_ref()).collect();
    let outputs = names.into_iter().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let outputs: Vec<_> = outputs.filter(|(_, answers)| answers.len() == lines).collect();
    (!outputs.is_empty()).then_some(Work { test_set, references, outputs })
}
