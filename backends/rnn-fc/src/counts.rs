//! Counts behind two shares that the paper prints: states of a beam that differ (4.5), and words whose first
//! product was computed in advance (4.2).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of all workers of a network.
#[derive(Debug, Default)]
pub(crate) struct WorkDone {
    hypotheses: AtomicU64,
    states: AtomicU64,
    source_words: AtomicU64,
    frequent_words: AtomicU64,
}

impl WorkDone {
    /// Notes a step of so many hypotheses with so many states.
    pub(crate) fn step(&self, hypotheses: usize, states: usize) {
        self.hypotheses.fetch_add(hypotheses as u64, Relaxed);
        self.states.fetch_add(states as u64, Relaxed);
    }

    /// Notes the words of a source, `frequent` of which are among those that were computed in advance.
    pub(crate) fn read(&self, words: usize, frequent: usize) {
        self.source_words.fetch_add(words as u64, Relaxed);
        self.frequent_words.fetch_add(frequent as u64, Relaxed);
    }

    /// The counts, by name.
    pub(crate) fn counts(&self) -> dyno_nn::Counts {
        let counts = [
            ("hypotheses", &self.hypotheses),
            ("states", &self.states),
            ("source-words", &self.source_words),
            ("frequent-words", &self.frequent_words),
        ];
        counts.map(|(name, count)| (name, count.load(Relaxed))).into()
    }
}
