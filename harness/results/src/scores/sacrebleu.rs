//! Requests to sacrebleu: scores with counts of each line, files of its test sets, its version.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use dyno_stats::bootstrap::{Line, Metric as Formula, Sampled};
use serde::Deserialize;
use serde_json::json;

use super::corpus;
use super::metric::{Metrics, Standard};
use super::python::{FLORES, Python, of_languages};
use super::work::{Scored, Work};
use crate::error::{Error, Result};

/// Files of a test set in sacrebleu's folder.
#[derive(Debug, Deserialize)]
pub struct SacrebleuFiles {
    /// File of source lines.
    pub source: PathBuf,
    /// Files of reference lines, one for each reference.
    pub references: Vec<PathBuf>,
    /// File of the names of the lines' documents, in sets that have some.
    pub documents: Option<PathBuf>,
}

/// A Python with sacrebleu, or the reason for its absence.
type Found = Result<Python, String>;

/// A Python with sacrebleu and `tokenisers`, found or built once in a process.
fn python(tokenisers: Vec<&'static str>, announce: &dyn Fn(&str)) -> Result<Python> {
    static PYTHONS: Mutex<BTreeMap<Vec<&str>, Found>> = Mutex::new(BTreeMap::new());
    let mut known = PYTHONS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(tokenisers).or_insert_with_key(|tokenisers| {
        Python::provide(tokenisers, announce).map_err(|error| error.to_string())
    });
    found.clone().map_err(Error::Input)
}

/// Announcements without a reader: [`prepare`] alone announces.
fn in_silence(_: &str) {}

/// Files of one of sacrebleu's own test sets, such as `multi30k/2016` and `en-de`.
pub fn sacrebleu_files(name: &str, languages: &str) -> Result<SacrebleuFiles> {
    let request = json!({"ask": "files", "name": name, "languages": languages});
    python(Vec::new(), &in_silence).and_then(|python| python.ask(&request)).map_err(|error| {
        Error::Input(format!(
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
    Python::find(&[]).map(|(_, version)| version)
}

/// Makes sure, before the measurement, that outputs can be scored by `metrics`. `announce` gets a line for the user
/// where sacrebleu must be installed first, which takes half a minute.
pub fn prepare(metrics: &Metrics, announce: &dyn Fn(&str)) -> Result<()> {
    let targets = metrics.targets.values().map(String::as_str);
    python(tokenisers(&metrics.of_sacrebleu(), targets), announce).map(drop)
}

/// Tokenisers that `metrics` need for these target languages.
fn tokenisers<'a>(metrics: &[Standard], targets: impl Iterator<Item = &'a str> + Clone) -> Vec<&'static str> {
    let needed = |metric: &Standard| match metric {
        Standard::Bleu => of_languages(targets.clone()),
        Standard::SpBleu => vec![FLORES],
        Standard::Chrf | Standard::ChrfPlusPlus | Standard::Ter | Standard::Spearman => Vec::new(),
    };
    metrics.iter().flat_map(needed).collect()
}

#[derive(Deserialize)]
struct WireAnswer {
    /// Scores by test set, then by metric: of its outputs, or sacrebleu's own message about its failure.
    sets: Vec<Vec<Result<Vec<WireScore>, String>>>,
}

#[derive(Deserialize)]
struct WireScore {
    score: f64,
    signature: String,
    /// Counts of each line.
    statistics: Vec<Line>,
}

/// Scores by test set, then by metric: those of all outputs, or the reason why there are none.
type BySet = Vec<Vec<Result<Vec<Scored>>>>;

/// Scores all of `work` in one process of sacrebleu. `targets` are the target languages of the sets.
pub(super) fn score(work: &[&Work<'_>], metrics: &[Standard], targets: &[Option<&str>]) -> Result<BySet> {
    let lines = |set: &Work<'_>| set.outputs.iter().map(|&(_, lines)| lines.to_vec()).collect::<Vec<_>>();
    let sets = work.iter().zip(targets).map(
        |(set, target)| json!({"references": set.set.references, "outputs": lines(set), "target": target}),
    );
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let request = json!({"ask": "score", "metrics": names, "sets": sets.collect::<Vec<_>>()});
    let tokenisers = tokenisers(metrics, targets.iter().copied().flatten());
    let answer: WireAnswer = python(tokenisers, &in_silence)?.ask(&request)?;
    let of_metric = |(scored, &metric): (Result<Vec<WireScore>, String>, &Standard)| {
        let texts = scored.map_err(Error::Input)?;
        texts.into_iter().map(|text| text.sample(metric)).collect()
    };
    let of_set = |set: Vec<_>| set.into_iter().zip(metrics).map(of_metric).collect();
    Ok(answer.sets.into_iter().map(of_set).collect())
}

impl WireScore {
    /// The score with its bootstrap samples. They hold for sacrebleu's score only if our formula gives the
    /// same score.
    fn sample(self, metric: Standard) -> Result<Scored> {
        let (formula, of_line): (Formula, Formula) = match metric {
            Standard::Bleu | Standard::SpBleu => (corpus::bleu, corpus::sentence_bleu),
            Standard::Chrf | Standard::ChrfPlusPlus => (corpus::chrf, corpus::chrf),
            Standard::Ter => (corpus::ter, corpus::ter),
            Standard::Spearman => unreachable!("sacrebleu is asked for its own metrics"),
        };
        let lines = self.statistics.iter().map(|line| of_line(line)).collect();
        let sampled = Sampled::new(self.statistics, formula);
        let (ours, theirs) = (sampled.score, self.score);
        if (ours - theirs).abs() > 1e-4 {
            let name = metric.scale().title;
            return Err(Error::Input(format!(
                "sacrebleu says {name} {theirs}, but its own statistics give {ours}: use another version of it"
            )));
        }
        Ok(Scored { score: theirs, signature: self.signature, sampled: Some(sampled), lines: Some(lines) })
    }
}
