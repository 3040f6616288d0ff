//! Quality, by sacrebleu: the reference implementation, in a Python of the user's or of our own making. All
//! outputs of a run are scored by one process, and every two of a test set are compared.

mod command;
mod corpus;
mod python;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use dyno_stats::bootstrap::{Counts, Difference, Metric, Sampled};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use command::MetricCommand;
use corpus::{bleu, chrf};
use python::Python;
pub use python::cache_folder;

use crate::error::{Error, Result};
use crate::run::Run;

/// Quality of a run's outputs: `scores.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// One a test set and output.
    pub scores: Vec<Score>,
    /// One every two outputs of a test set.
    pub pairs: Vec<Pair>,
}

/// The quality of one output on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Of the answers.
    pub output: String,
    /// Name of the test set.
    pub test_set: String,
    /// Corpus BLEU.
    pub bleu: f64,
    /// Half of its 95 % interval, by seeded bootstrap over lines.
    pub bleu_confidence: f64,
    /// Corpus chrF.
    pub chrf: f64,
    /// Half of its 95 % interval.
    pub chrf_confidence: f64,
    /// How BLEU was computed, in sacrebleu's own notation.
    pub bleu_signature: String,
    /// How chrF was computed.
    pub chrf_signature: String,
    /// Metrics of the user's own, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, f64>,
}

/// Two outputs on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Name of the test set.
    pub test_set: String,
    /// One output.
    pub a: String,
    /// The other.
    pub b: String,
    /// BLEU of the one minus that of the other.
    pub bleu: Difference,
    /// The same of chrF.
    pub chrf: Difference,
}

impl Scores {
    /// The score of `output` on the test set of that name.
    pub fn of(&self, output: &str, test_set: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.output == output && score.test_set == test_set)
    }

    /// BLEU of output `a` minus that of `b`.
    pub fn bleu_difference(&self, a: &str, b: &str, test_set: &str) -> Option<Difference> {
        let pairs = self.pairs.iter().filter(|pair| pair.test_set == test_set);
        let mut either =
            pairs.filter_map(|pair| match (pair.a == a && pair.b == b, pair.a == b && pair.b == a) {
                (true, _) => Some(pair.bleu),
                (_, true) => Some(pair.bleu.reversed()),
                _ => None,
            });
        either.next()
    }
}

/// What is to be scored on one test set.
pub struct Work<'a> {
    /// Its name.
    pub test_set: &'a str,
    /// The lines of each reference.
    pub references: &'a [Vec<String>],
    /// Names and lines of the outputs.
    pub outputs: Vec<(&'a str, &'a [String])>,
}

/// Where sacrebleu keeps a test set.
#[derive(Debug, Deserialize)]
pub struct SacrebleuFiles {
    /// Source lines.
    pub source: PathBuf,
    /// Reference lines, a file each.
    pub references: Vec<PathBuf>,
}

/// A Python with sacrebleu, found or built once a process; the reason if there is none.
fn python(announce: &dyn Fn(&str)) -> Result<&'static Python> {
    static PYTHON: OnceLock<std::result::Result<Python, String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| Python::provide(announce).map_err(|error| error.to_string()));
    found.as_ref().map_err(|reason| Error::Scorer(reason.clone()))
}

/// Whoever has not called [`prepare`] has nothing to announce.
fn in_silence(_: &str) {}

/// The files of one of sacrebleu's own test sets, such as `multi30k/2016` and `en-de`.
pub fn sacrebleu_files(name: &str, languages: &str) -> Result<SacrebleuFiles> {
    let request = json!({"ask": "files", "name": name, "languages": languages});
    python(&in_silence).and_then(|python| python.ask(&request)).map_err(|error| {
        Error::Scorer(format!(
            "sacrebleu can't give {name} {languages} ({error}); `sacrebleu --list` names its sets, and without \
             a network the folder in SACREBLEU must hold it already"
        ))
    })
}

/// The version of the sacrebleu that is there, if any; nothing is built.
pub fn version() -> Option<String> {
    Python::find().map(|(_, version)| version)
}

/// Makes sure that scoring will be possible, before anything is measured. `announce` gets a line for the user where
/// sacrebleu must be installed first, which takes half a minute.
pub fn prepare(announce: &dyn Fn(&str)) -> Result<()> {
    python(announce).map(drop)
}

#[derive(Deserialize)]
struct WireAnswer {
    /// Of each test set, of each output.
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
    /// A line each.
    statistics: Vec<Counts>,
}

impl WireMetric {
    /// Resamples the corpus. The bootstrap speaks of sacrebleu's score only if it computes the same one.
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

/// Scores everything in one go.
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

/// Scores of a whole run, if any of its outputs lacks one; `None` where nothing is to be done. All outputs are scored then,
/// since pairs are of all; scores of the user's own metrics are kept.
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

/// The outputs on one test set. The text of a round with a wrong number of lines is kept, but can't be scored.
fn work<'a>(run: &'a Run, test_set: &'a str, references: &'a [Vec<String>]) -> Option<Work<'a>> {
    let lines = references.first()?.len();
    let records = run.records.iter().filter(|record| record.test_set == test_set);
    let names: BTreeSet<&String> = records.filter_map(|record| record.output.as_ref()).collect();
    let outputs = names.into_iter().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let outputs: Vec<_> = outputs.filter(|(_, answers)| answers.len() == lines).collect();
    (!outputs.is_empty()).then_some(Work { test_set, references, outputs })
}
