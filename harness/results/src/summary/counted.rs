//! Counts of a run's texts. Many cells share a test set and an answer, so each text is counted once.

use std::collections::HashMap;

use dyno_measure::words;

use crate::run::Run;

/// Words and characters of a run's texts.
pub(super) struct Counted<'a> {
    /// Words of each source line, by the name of the test set.
    lines: HashMap<&'a str, Vec<usize>>,
    /// Words and characters of each output, by its hash.
    outputs: HashMap<&'a str, [usize; 2]>,
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
        }
    }

    /// Words of each source line.
    pub(super) fn line_words(&self, test_set: &str) -> &[usize] {
        self.lines.get(test_set).map_or(&[], Vec::as_slice)
    }

    /// Words and characters of an output.
    pub(super) fn size(&self, output: &str) -> Option<[usize; 2]> {
        self.outputs.get(output).copied()
    }
}
