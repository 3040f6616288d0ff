//! Continuous batching: a line that joins a running batch has the answers that it has alone, whichever lines
//! are being translated and however far they are.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend};
use dyno_translator::Engine;
use serde_json::{Value, json};

use crate::{Goldens, lines};

/// Answers to a line, best first, with their scores.
type List = Vec<(String, Option<f32>)>;

/// Most lines that join at once, and most steps between two joins: with short lines, both a batch that runs
/// empty and a crowded one come up.
const MOST: [u64; 2] = [4, 6];

impl Goldens {
    /// Checks each model in the folder `home`.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_folder_joining(engine: &Engine, home: &Path) {
        let (goldens, models) = Self::folder(home);
        models.iter().for_each(|model| goldens.check_joining(engine, std::slice::from_ref(model)));
    }

    /// Checks `models`, one or an ensemble, by each precision with a search of its own: greedy, with a shortlist, and
    /// with a beam and scores. [`Goldens::check_everywhere`] crosses them.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_joining(&self, engine: &Engine, models: &[PathBuf]) {
        let pairs = ["f32", "int16", "int8"].into_iter().zip(self.searches());
        for (seed, (precision, mut settings)) in (0..).zip(pairs) {
            settings["precision"] = json!(precision);
            settings["max-length-factor"] = json!(1.5);
            self.check_joining_by(engine, models, &settings, seed);
        }
    }

    /// Checks `models` with `settings`; lines join at steps that `seed` chooses.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_joining_by(&self, engine: &Engine, models: &[PathBuf], settings: &Value, seed: u64) {
        let alone = self.translate(engine, models, settings, 1);
        let joined = self.translate_joining(engine, models, settings, seed);
        assert_eq!(joined, alone, "{models:?} {settings}");
    }

    /// The answers to each input line, where lines join at steps that `seed` chooses.
    fn translate_joining(
        &self,
        backend: &dyn Backend,
        models: &[PathBuf],
        settings: &Value,
        seed: u64,
    ) -> Vec<List> {
        let input = self.input();
        let lines = lines(&input);
        let mut session = self.open(backend, models, settings).session().unwrap();
        let mut lists: Vec<List> = vec![Vec::new(); lines.len()];
        let (mut next, mut met) = (0, 0);
        for round in 0u64.. {
            let answered = lists.iter().filter(|list| !list.is_empty()).count();
            if answered == lines.len() {
                break;
            }
            let [joins, steps] = [0, 1].map(|what| random(seed, round, what) % (MOST[what] + 1));
            let end = lines.len().min(next + joins as usize);
            met += if answered < next { end - next } else { 0 };
            let mut sink = |answer: Answer<'_>| {
                assert_eq!(answer.rank, lists[answer.line].len(), "ranks in order");
                lists[answer.line].push((answer.text.to_owned(), answer.score));
            };
            session.admit(next, &lines[next..end], &mut sink).unwrap();
            (0..steps).for_each(|_| session.step(&mut sink).unwrap());
            next = end;
        }
        assert!(met > lines.len() / 4, "{met} lines joined others");
        lists
    }
}

/// A number that looks random.
fn random(seed: u64, round: u64, what: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, round, what).hash(&mut hasher);
    hasher.finish()
}
