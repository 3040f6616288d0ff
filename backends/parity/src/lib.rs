//! Comparison of an engine's answers with the output of the original program, for the same model, lines and
//! settings.
//!
//! The crate is a dev-dependency of the engines, so that one rule in one place applies to all of them. Like a
//! test, it panics where an answer differs, unless only rounding decided about the difference (`margin`).
//!
//! # Goldens
//! A folder of goldens has a model and the original's outputs. These are `greedy.out`, `beam4.out`,
//! `beam4.nbest` (beam 4, normalised by length to the power 0.6, with scores) and `greedy.shortlist.out` (the
//! first 50 words, and the best 50 of each word). Those that exist are compared.
//!
//! # Checks
//! | check | what it holds |
//! | --- | --- |
//! | [`Goldens::check`] | lines and scores equal the original's, batched and one line at a time |
//! | [`Goldens::check_everywhere`] | translations are the same in any batch, and on any instruction set |
//! | [`Goldens::check_joining`] | translations are the same where lines join a running batch |
//! | [`check_no_allocations`] | decoding allocates nothing once its buffers have grown |
//! | [`check_threads`] | both hold for threads that share a line |
//!
//! `DYNO_PARITY_LINES` limits how many lines are compared, for machines that are slow, such as emulators.
//!
//! # What it leaves out
//! The quality of translations, which the harness scores.

#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod allocations;
mod joining;
mod margin;
mod reproducible;
mod threads;

pub use allocations::check_no_allocations;
pub use threads::check_threads;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Answer, Backend, Model, Settings};
use dyno_translator::Engine;
use serde_json::{Value, json};

pub use margin::{Difference, NARROW, Oracle, Way, judge};

/// Greatest difference of scores, which comes from different orders of the same sums.
const TOLERANCE: f32 = 1e-3;

/// Files that all models in a folder of goldens share.
pub struct Goldens {
    /// Lines to translate.
    pub input: PathBuf,
    /// Vocabulary of both sides.
    pub vocabulary: PathBuf,
    /// Shortlist, if any.
    pub shortlist: Option<PathBuf>,
}

impl Goldens {
    /// The large fixtures in `DYNO_FIXTURES`. Without it, standard error says what is skipped.
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

    /// Checks every model in the folder `home` (such as `tests/goldens/marian`). The models and ensembles lie
    /// in folders of their own and share input, vocabulary and shortlist.
    ///
    /// # Panics
    /// When a line or a score differs, or there is no model.
    pub fn check_folder(engine: &Engine, home: &Path) {
        let (goldens, models) = Self::folder(home);
        models.iter().for_each(|model| goldens.check(engine, model));
    }

    /// The shared files and the models of a folder.
    fn folder(home: &Path) -> (Self, Vec<PathBuf>) {
        let shortlist = Some(home.join("lex.s2t"));
        let goldens = Self { input: home.join("input.en"), vocabulary: home.join("vocab.spm"), shortlist };
        let folders = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
        let named = |folder: PathBuf| ["model.npz", "decoder.yml"].map(|name| folder.join(name));
        let mut models: Vec<PathBuf> = folders.flat_map(named).filter(|model| model.is_file()).collect();
        models.sort();
        assert!(!models.is_empty(), "no model in {}", home.display());
        (goldens, models)
    }

    /// Compares all outputs beside `model`, batched and one line at a time.
    ///
    /// # Panics
    /// When a line or a score differs by more than rounding.
    pub fn check(&self, engine: &Engine, model: &Path) {
        let greedy = Way { beam: 1, normalize: 0.0, shortlist: None };
        let beam = Way { beam: 4, normalize: 0.6, shortlist: None };
        self.hold_lines(engine, model, greedy, "greedy.out");
        self.hold_lines(engine, model, beam, "beam4.out");
        if let Some(list) = &self.shortlist {
            self.hold_lines(engine, model, Way { shortlist: Some(list), ..greedy }, "greedy.shortlist.out");
        }
        self.hold_n_best(engine, model, beam, "beam4.nbest");
    }

    /// Compares the best answers of `models` under `settings` with the lines of `expected`, if the file
    /// exists, batched and one line at a time.
    ///
    /// # Panics
    /// When a line differs.
    pub fn check_lines(&self, backend: &dyn Backend, models: &[PathBuf], settings: &Value, expected: &Path) {
        let Ok(expected_lines) = fs::read_to_string(expected) else { return };
        let expected_lines: Vec<&str> = expected_lines.lines().take(most_lines()).collect();
        for batch in [usize::MAX, 1] {
            let lists = self.translate(backend, models, settings, batch);
            assert_eq!(lists.len(), expected_lines.len(), "{}", expected.display());
            for (at, (list, line)) in lists.iter().zip(&expected_lines).enumerate() {
                assert_eq!(list[0].0, *line, "{} line {}", expected.display(), at + 1);
            }
        }
    }

    /// Compares all answers of `models` under `settings`, and their scores, with the list of `expected`, if
    /// the file exists.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_n_best(&self, backend: &dyn Backend, models: &[PathBuf], settings: &Value, expected: &Path) {
        let Ok(text) = fs::read_to_string(expected) else { return };
        let lists = self.translate(backend, models, settings, usize::MAX);
        let goldens: Vec<&str> = text.lines().filter(|golden| number(golden) < most_lines()).collect();
        let found = lists.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |one| (at, one)));
        let mut count = 0;
        for ((at, (line, score)), golden) in found.zip(&goldens) {
            let fields: Vec<&str> = golden.split(" ||| ").collect();
            let place = format!("{}: {golden}", expected.display());
            assert_eq!((at.to_string().as_str(), line.as_str()), (fields[0], fields[1]), "{place}");
            let expected: f32 = fields[3].trim().parse().unwrap();
            let score = score.unwrap();
            assert!((score - expected).abs() <= TOLERANCE, "{score} against {place}");
            count += 1;
        }
        assert_eq!(count, goldens.len(), "{}", expected.display());
        assert_eq!(count, lists.iter().map(Vec::len).sum::<usize>(), "{}", expected.display());
    }

    fn hold_lines(&self, engine: &Engine, model: &Path, way: Way<'_>, golden: &str) {
        let golden = model.with_file_name(golden);
        let Ok(text) = fs::read_to_string(&golden) else { return };
        let theirs: Vec<Vec<&str>> = text.lines().take(most_lines()).map(|line| vec![line]).collect();
        for batch in [usize::MAX, 1] {
            let lists = self.translate(engine, &[model.to_path_buf()], &way.settings(), batch);
            let ours: Vec<Vec<&str>> = lists.iter().map(|list| vec![list[0].0.as_str()]).collect();
            self.judge(engine, model, way, &golden, (&theirs, &ours));
        }
    }

    fn hold_n_best(&self, engine: &Engine, model: &Path, way: Way<'_>, golden: &str) {
        let golden = model.with_file_name(golden);
        let Ok(text) = fs::read_to_string(&golden) else { return };
        let theirs = n_best(&text);
        let mut settings = way.settings();
        settings["n-best"] = json!(true);
        let ours = self.translate(engine, &[model.to_path_buf()], &settings, usize::MAX);
        let pairs = theirs.iter().flatten().zip(ours.iter().flatten());
        for ((line, score), (_, found)) in pairs {
            // Ranks of equal texts have equal scores, and so have ranks that rounding exchanged.
            let off = (score - found.unwrap()).abs();
            assert!(off <= TOLERANCE, "{found:?} for {score}: {line:?} in {}", golden.display());
        }
        let theirs: Vec<Vec<&str>> =
            theirs.iter().map(|list| list.iter().map(|(text, _)| *text).collect()).collect();
        let ours: Vec<Vec<&str>> =
            ours.iter().map(|list| list.iter().map(|(text, _)| text.as_str()).collect()).collect();
        self.judge(engine, model, way, &golden, (&theirs, &ours));
    }

    /// Accepts the differences that the rule allows.
    fn judge(
        &self,
        engine: &Engine,
        model: &Path,
        way: Way<'_>,
        golden: &Path,
        lists: (&[Vec<&str>], &[Vec<&str>]),
    ) {
        let (theirs, ours) = lists;
        assert_eq!(ours.len(), theirs.len(), "lines of {}", golden.display());
        let differ: Vec<usize> = (0..ours.len()).filter(|line| ours[*line] != theirs[*line]).collect();
        if differ.is_empty() {
            return;
        }
        let (mut oracle, input) = (Oracle::open(engine, model, &self.vocabulary), self.input());
        let lines = lines(&input);
        let difference = |line: usize| {
            let (theirs, ours) = (&theirs[line], &ours[line]);
            let margin = oracle.margin(lines[line], way, theirs[0], theirs.len() > 1);
            Difference { line: line + 1, margin, texts: [theirs.join("\n"), ours.join("\n")] }
        };
        let differences: Vec<Difference> = differ.into_iter().map(difference).collect();
        judge(lines.len(), &differences).unwrap_or_else(|fault| panic!("{}: {fault}", golden.display()));
    }

    /// The lines to translate.
    fn input(&self) -> Vec<u8> {
        let all = fs::read(&self.input).unwrap();
        all.split_inclusive(|byte| *byte == b'\n').take(most_lines()).flatten().copied().collect()
    }

    /// The answers to each input line, best first, from calls of `batch` lines.
    pub fn translate(
        &self,
        backend: &dyn Backend,
        models: &[PathBuf],
        settings: &Value,
        batch: usize,
    ) -> Vec<Vec<(String, Option<f32>)>> {
        let input = self.input();
        let lines = lines(&input);
        let mut session = self.open(backend, models, settings).session().unwrap();
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

    /// Opens `models`; weights without a model directory have the shared vocabulary.
    fn open(&self, backend: &dyn Backend, models: &[PathBuf], settings: &Value) -> Arc<dyn Model> {
        let mut settings: Settings = settings.as_object().unwrap().clone();
        let alone = |model: &PathBuf| model.extension().is_some_and(|kind| kind == "npz" || kind == "bin");
        if models.iter().any(alone) {
            settings.insert("vocab".into(), json!(self.vocabulary));
        }
        backend.open(models, &settings).unwrap_or_else(|error| panic!("{error}"))
    }
}

fn lines(input: &[u8]) -> Vec<&[u8]> {
    let input = input.strip_suffix(b"\n").unwrap_or(input);
    input.split(|byte| *byte == b'\n').collect()
}

/// Texts and scores of each line `number ||| text ||| scores of the parts ||| score`.
fn n_best(text: &str) -> Vec<Vec<(&str, f32)>> {
    let mut lists: Vec<Vec<(&str, f32)>> = Vec::new();
    for line in text.lines().filter(|line| number(line) < most_lines()) {
        let fields: Vec<&str> = line.split(" ||| ").collect();
        let number = number(line);
        lists.resize(lists.len().max(number + 1), Vec::new());
        lists[number].push((fields[1], fields[3].trim().parse().unwrap()));
    }
    lists
}

/// Number of the line that an entry of an n-best list answers.
fn number(entry: &str) -> usize {
    entry.split(" ||| ").next().unwrap().parse().unwrap()
}

/// Most lines that are compared.
fn most_lines() -> usize {
    std::env::var("DYNO_PARITY_LINES").map_or(usize::MAX, |most| most.parse().unwrap())
}
