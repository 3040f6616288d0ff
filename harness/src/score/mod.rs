//! Quality, by sacrebleu: the reference implementation, in a Python of the user's or of our own making.

mod bootstrap;
mod python;

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;

use python::Python;

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
    /// How BLEU was computed, in sacrebleu's own notation.
    pub bleu_signature: String,
    /// How chrF was computed.
    pub chrf_signature: String,
}

#[derive(Deserialize)]
struct WireScore {
    bleu: f64,
    chrf: f64,
    bleu_signature: String,
    chrf_signature: String,
    statistics: Vec<[u32; 10]>,
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
fn python() -> Result<&'static Python> {
    static PYTHON: OnceLock<Result<Python, String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| Python::provide().map_err(|error| format!("{error:#}")));
    found.as_ref().map_err(|reason| anyhow!("{reason}"))
}

/// The files of one of sacrebleu's own test sets, such as `multi30k/2016` and `en-de`.
pub fn sacrebleu_files(name: &str, languages: &str) -> Result<SacrebleuFiles> {
    let request = json!({"ask": "files", "name": name, "languages": languages});
    python().and_then(|python| python.ask(&request)).map_err(|error| {
        anyhow!(
            "sacrebleu can't give {name} {languages} ({error:#}); `sacrebleu --list` names its sets, and without \
             a network the folder in SACREBLEU must hold it already"
        )
    })
}

/// Makes sure that scoring will be possible, before anything is measured.
pub fn prepare() -> Result<()> {
    python().map(drop)
}

/// Scores `answers`, a line each, against `references`, of which each is the lines of one translation of the test
/// set of that name.
pub fn score(output: &str, answers: &str, test_set: &str, references: &[Vec<String>]) -> Result<Score> {
    let lines: Vec<&str> = answers.strip_suffix('\n').unwrap_or(answers).split('\n').collect();
    let request = json!({"ask": "score", "answers": lines, "references": references});
    let wire: WireScore = python()?.ask(&request)?;
    let ours = bootstrap::bleu(&bootstrap::sum(wire.statistics.iter()));
    // The bootstrap speaks of sacrebleu's BLEU only if it computes the same one.
    if (ours - wire.bleu).abs() > 1e-4 {
        bail!(
            "sacrebleu says BLEU {}, but its own statistics give {ours}: use another version of it",
            wire.bleu
        );
    }
    Ok(Score {
        output: output.into(),
        test_set: test_set.into(),
        bleu: wire.bleu,
        bleu_confidence: bootstrap::half_interval(&wire.statistics),
        chrf: wire.chrf,
        bleu_signature: wire.bleu_signature,
        chrf_signature: wire.chrf_signature,
    })
}
