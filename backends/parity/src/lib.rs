//! An engine's answers against what the original program printed for the same model, lines and settings.
//!
//! A dev-dependency of the engines and of nothing else: all of them are held to the same rule by the same code. It
//! panics where an answer differs, as tests do. A folder of goldens holds a model and the original's outputs:
//! `greedy.out`, `beam4.out`, `beam4.nbest` (beam 4, normalised by length to the power 0.6, with scores) and
//! `greedy.shortlist.out` (the first 50 words and the best 50 of each); what is there is compared.

#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod allocations;
mod reproducible;

pub use allocations::check_no_allocations;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Settings};
use serde_json::{Value, json};

/// Scores may differ by this, from different orders of the same sums.
const TOLERANCE: f32 = 1e-3;

/// What all models of a folder of goldens share.
pub struct Goldens {
    /// The lines that were translated.
    pub input: PathBuf,
    /// The vocabulary, of both sides.
    pub vocabulary: PathBuf,
    /// The shortlist, if any.
    pub shortlist: Option<PathBuf>,
}

impl Goldens {
    /// The big fixtures, which `DYNO_FIXTURES` names; without it says on standard error what is skipped.
    pub fn fixtures(what: &str) -> Option<(Self, PathBuf)> {
        let Some(home) = std::env::var_os("DYNO_FIXTURES").map(PathBuf::from) else {
            let line = format!("skipped: {what}: DYNO_FIXTURES names no folder\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        };
        let shortlist = Some(home.join("lex.s2t"));
        let goldens = Self { input: home.join("input.en"), vocabulary: home.join("vocab.spm"), shortlist };
        Some((goldens, home))
    }

    /// Every model in the folder `home` (such as `tests/goldens/marian`), which shares input, vocabulary and
    /// shortlist among the models that lie in folders of their own.
    ///
    /// # Panics
    /// Where a line or a score differs, or there is no model.
    pub fn check_folder(backend: &dyn Backend, home: &Path) {
        let (goldens, models) = Self::folder(home);
        models.iter().for_each(|model| goldens.check(backend, model));
    }

    /// What [`Goldens::check_folder`] reads of a folder.
    fn folder(home: &Path) -> (Self, Vec<PathBuf>) {
        let shortlist = Some(home.join("lex.s2t"));
        let goldens = Self { input: home.join("input.en"), vocabulary: home.join("vocab.spm"), shortlist };
        let entries = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path().join("model.npz"));
        let mut models: Vec<PathBuf> = entries.filter(|model| model.is_file()).collect();
        models.sort();
        assert!(!models.is_empty(), "no model in {}", home.display());
        (goldens, models)
    }

    /// Compares all outputs that lie beside `model`, batched and one line at a time.
    ///
    /// # Panics
    /// Where a line or a score differs.
    pub fn check(&self, backend: &dyn Backend, model: &Path) {
        let (home, models) = (model.parent().unwrap(), [model.to_path_buf()]);
        let greedy = json!({ "beam": 1 });
        self.check_lines(backend, &models, &greedy, &home.join("greedy.out"));
        let beam = json!({ "beam": 4, "normalize": 0.6 });
        self.check_lines(backend, &models, &beam, &home.join("beam4.out"));
        if let Some(shortlist) = &self.shortlist {
            let settings = json!({ "beam": 1, "shortlist": [shortlist, 50, 50, 0] });
            self.check_lines(backend, &models, &settings, &home.join("greedy.shortlist.out"));
        }
        let settings = json!({ "beam": 4, "normalize": 0.6, "n-best": true });
        self.check_n_best(backend, &models, &settings, &home.join("beam4.nbest"));
    }

    /// Compares the best answers of `models` under `settings` with the lines of `expected`, if there is such a file,
    /// batched and one line at a time.
    ///
    /// # Panics
    /// Where a line differs.
    pub fn check_lines(&self, backend: &dyn Backend, models: &[PathBuf], settings: &Value, expected: &Path) {
        let Ok(expected_lines) = fs::read_to_string(expected) else { return };
        let expected_lines: Vec<&str> = expected_lines.lines().collect();
        for batch in [usize::MAX, 1] {
            let lists = self.translate(backend, models, settings, batch);
            assert_eq!(lists.len(), expected_lines.len(), "{}", expected.display());
            for (at, (list, line)) in lists.iter().zip(&expected_lines).enumerate() {
                assert_eq!(list[0].0, *line, "{} line {}", expected.display(), at + 1);
            }
        }
    }

    /// Compares all answers of `models` under `settings`, and their scores, with the list of `expected`, if there is such
    /// a file.
    ///
    /// # Panics
    /// Where a line or a score differs.
    pub fn check_n_best(&self, backend: &dyn Backend, models: &[PathBuf], settings: &Value, expected: &Path) {
        let Ok(text) = fs::read_to_string(expected) else { return };
        let lists = self.translate(backend, models, settings, usize::MAX);
        let found = lists.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |one| (at, one)));
        let mut count = 0;
        for ((at, (line, score)), golden) in found.zip(text.lines()) {
            let fields: Vec<&str> = golden.split(" ||| ").collect();
            let place = format!("{}: {golden}", expected.display());
            assert_eq!((at.to_string().as_str(), line.as_str()), (fields[0], fields[1]), "{place}");
            let expected: f32 = fields[3].trim().parse().unwrap();
            let score = score.unwrap();
            assert!((score - expected).abs() <= TOLERANCE, "{score} against {place}");
            count += 1;
        }
        assert_eq!(count, text.lines().count(), "{}", expected.display());
        assert_eq!(count, lists.iter().map(Vec::len).sum::<usize>(), "{}", expected.display());
    }

    /// The answers to each input line, best first, in calls of `batch` lines.
    pub fn translate(
        &self,
        backend: &dyn Backend,
        models: &[PathBuf],
        settings: &Value,
        batch: usize,
    ) -> Vec<Vec<(String, Option<f32>)>> {
        let mut settings: Settings = settings.as_object().unwrap().clone();
        let alone = |model: &PathBuf| model.extension().is_some_and(|kind| kind == "npz" || kind == "bin");
        if models.iter().any(alone) {
            settings.insert("vocab".into(), json!(self.vocabulary));
        }
        let input = fs::read(&self.input).unwrap();
        let input = input.strip_suffix(b"\n").unwrap_or(&input);
        let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
        let opened = backend.open(models, &settings);
        let opened = opened.unwrap_or_else(|error| panic!("{error}"));
        let mut session = opened.session().unwrap();
        let mut lists = Vec::new();
        for lines in lines.chunks(batch.min(lines.len())) {
            let start = lists.len();
            lists.resize(start + lines.len(), Vec::new());
            let mut sink = |answer: Answer<'_>| {
                let list: &mut Vec<_> = &mut lists[start + answer.line];
                assert_eq!(answer.rank, list.len(), "ranks in order");
                list.push((answer.text.to_owned(), answer.score));
            };
            session.run(lines, &mut sink).unwrap();
        }
        lists
    }
}
