//! State that all workers of an opened model share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use dyno_api::{Facts, counts};
use dyno_nn::watch::SharedTimes;

use crate::answer::Rule;
use crate::network::Network;
use crate::prompt::Prompt;
use crate::vocabulary::Words;

/// Network, words and prompt of an opened model.
pub(crate) struct Shared {
    pub(crate) network: Network,
    pub(crate) words: Words,
    pub(crate) prompt: Prompt,
    pub(crate) rule: Rule,
    pub(crate) threads: usize,
    pub(crate) max_length_factor: f32,
    pub(crate) max_length: usize,
    pub(crate) times: SharedTimes,
    pub(crate) counts: Counts,
    pub(crate) facts: Facts,
}

/// Work so far.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Words of prompts, without those that stand before each line.
    pub(crate) reading: Work,
    /// First words of answers, and the time from each line's arrival to its own.
    pub(crate) first: Work,
    /// Words of answers but their first ones, which the reading gives.
    pub(crate) writing: Work,
    /// Positions whose keys and values all workers hold.
    pub(crate) held: AtomicU64,
    pub(crate) cut_lines: AtomicU64,
    /// Answers that end where their line is complete: the model might say more.
    complete: AtomicU64,
    /// Answers of the greatest length.
    longest: AtomicU64,
    /// Answers without the marks that should stand around them.
    unmarked: AtomicU64,
}

/// Words, and the time that they took.
#[derive(Debug, Default)]
pub(crate) struct Work {
    words: AtomicU64,
    ns: AtomicU64,
}

impl Work {
    /// Adds `words` whose work began at `start`.
    pub(crate) fn add(&self, words: usize, start: Instant) {
        self.words.fetch_add(words as u64, Ordering::Relaxed);
        self.ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Adds `words` each of which was waited for since `start`.
    pub(crate) fn add_waits(&self, words: usize, start: Instant) {
        let waited = start.elapsed().as_nanos() as u64;
        self.words.fetch_add(words as u64, Ordering::Relaxed);
        self.ns.fetch_add(waited * words as u64, Ordering::Relaxed);
    }
}

impl Counts {
    /// Counts how an answer ended.
    pub(crate) fn of_answer(&self, is_complete: bool, is_longest: bool, is_unmarked: bool) {
        let told =
            [(&self.complete, is_complete), (&self.longest, is_longest), (&self.unmarked, is_unmarked)];
        for (count, is) in told {
            count.fetch_add(u64::from(is), Ordering::Relaxed);
        }
    }

    /// All counts by their names in facts.
    pub(crate) fn named(&self, weight_bytes: usize, bytes_of_position: usize) -> BTreeMap<String, u64> {
        let held = self.held.load(Ordering::Relaxed) * bytes_of_position as u64;
        let own = [
            (counts::TOKENS_READ, &self.reading.words),
            (counts::READING_NS, &self.reading.ns),
            (counts::FIRST_TOKENS, &self.first.words),
            (counts::FIRST_TOKENS_NS, &self.first.ns),
            (counts::TOKENS_WRITTEN, &self.writing.words),
            (counts::WRITING_NS, &self.writing.ns),
            ("answers cut after their line", &self.complete),
            ("answers cut at the greatest length", &self.longest),
            ("answers without marks", &self.unmarked),
        ];
        let own = own.map(|(name, count)| (name, count.load(Ordering::Relaxed)));
        let bytes = [(counts::WEIGHT_BYTES, weight_bytes as u64), (counts::KEPT_BYTES, held)];
        own.into_iter().chain(bytes).map(|(name, count)| (name.into(), count)).collect()
    }
}
