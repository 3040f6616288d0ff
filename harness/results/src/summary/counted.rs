//! Counts of a run's texts. Many cells share a test set and an answer, so each text is counted once.

use std::collections::{HashMap, HashSet};

use dyno_measure::{TestSet, words};

use crate::kinds::{Counter, KindCount, Languages};
use crate::run::Run;

/// Words and characters of a run's texts.
pub(super) struct Counted<'a> {
    /// Words of each source line, by the name of the test set.
    pub(super) lines: HashMap<&'a str, Vec<usize>>,
    /// Words and characters of each output, by its hash.
    pub(super) outputs: HashMap<&'a str, [usize; 2]>,
    /// What each output keeps of a test set, by the names of both.
    pub(super) kinds: HashMap<[&'a str; 2], Vec<KindCount>>,
}

impl<'a> Counted<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        let line_words = |lines: &Vec<Vec<u8>>| lines.iter().map(|line| words(line)).collect();
        let size = |lines: &Vec<String>| {
            let count = |of: fn(&String) -> usize| lines.iter().map(of).sum();
            [count(|line| words(line.as_bytes())), count(|line| line.chars().count())]
        };
        Self {
            lines: run.test_sets.iter().map(|set| (set.name.as_str(), line_words(&set.source))).collect(),
            outputs: run.outputs.iter().map(|(name, lines)| (name.as_str(), size(lines))).collect(),
            kinds: run.test_sets.iter().flat_map(|set| kinds_on(run, set)).collect(),
        }
    }
}

/// What each output on `set` keeps of it.
fn kinds_on<'a>(run: &'a Run, set: &'a TestSet) -> HashMap<[&'a str; 2], Vec<KindCount>> {
    let records = run.records.iter().filter(|record| record.test_set == set.name);
    let outputs: HashSet<&str> = records.filter_map(|record| record.output.as_deref()).collect();
    let mut counter = Counter::new(set, Languages::of(set, &run.metrics));
    let counted = |output: &'a str| ([set.name.as_str(), output], counter.counts(&run.outputs[output]));
    outputs.into_iter().filter(|output| run.outputs.contains_key(*output)).map(counted).collect()
}
