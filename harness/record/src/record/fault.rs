//! Contradictions in a record: figures that no measurement can have, so that somebody has changed it.

use super::{CpuUse, EnergyUse, Record, Served, Times};
use crate::{Exchange, Verdict};

/// Most words of a launch's input: a million times the words of the largest test sets.
const MOST_WORDS: usize = 1 << 40;

/// Most rounds of a cell: a thousand times those of the longest profile.
const MOST_ROUNDS: usize = 10_000;

/// Longest time: the longest time limit of a campaign, which is a million seconds.
const MOST_NS: u64 = 1_000_000_000_000_000;

/// Most energy: a kilowatt for the longest time limit of a campaign.
const MOST_JOULES: f64 = 1e9;

impl EnergyUse {
    /// Whether no host has used so much, or nothing at all.
    pub(super) fn is_impossible(self) -> bool {
        !(0.0..=MOST_JOULES).contains(&self.joules) || self.words == 0 || self.words > MOST_WORDS
    }
}

impl CpuUse {
    /// Whether no host has used so much, or for nothing at all.
    pub(super) fn is_impossible(self) -> bool {
        self.ns > MOST_NS || self.words == 0 || self.words > MOST_WORDS
    }
}

impl Record {
    /// Contradiction in a round that counts: the record has been changed.
    pub fn fault(&self) -> Option<&'static str> {
        let words = [self.words, self.words_of_a_pass()];
        match self.track.exchange() {
            _ if self.round >= MOST_ROUNDS => Some("no profile has so many rounds"),
            _ if words.iter().any(|&words| words > MOST_WORDS) => Some("it has more words than any text"),
            _ if self.verdict == Verdict::Invalid => None,
            _ if self.energy.is_some_and(EnergyUse::is_impossible) => Some("it has an energy that can't be"),
            _ if self.cpu.is_some_and(CpuUse::is_impossible) => Some("it has a CPU time that can't be"),
            _ if self.times_ns().iter().any(|ns| !(1..=MOST_NS).contains(ns)) => {
                Some("it has a time that can't be")
            }
            Exchange::Lines if self.latency_ns().len() != self.lines => Some("it has no time for each line"),
            _ if !self.has_whole_pieces() => Some("its pieces of answers can't be"),
            Exchange::Pages if !self.has_whole_pages() => Some("it has no times for the pages of its lines"),
            Exchange::File if self.times_ns().is_empty() => Some("it has no time"),
            Exchange::Arrivals if !self.served().is_some_and(Served::is_honest) => {
                Some("it has no rate that its runs confirm")
            }
            _ => None,
        }
    }

    /// Whether no answer has pieces, or each has some, the first before its end.
    fn has_whole_pieces(&self) -> bool {
        let ((first_ns, counts), whole_ns) = (self.pieces(), self.latency_ns());
        let times = || first_ns.iter().zip(whole_ns);
        first_ns.len() == counts.len()
            && (first_ns.is_empty() || first_ns.len() == whole_ns.len())
            && counts.iter().all(|count| (1..=MOST_WORDS).contains(count))
            && times().all(|(&first, &whole)| 0 < first && first <= whole)
    }

    fn has_whole_pages(&self) -> bool {
        let Some(Times::Pages { page_lines, first_line_ns, last_line_ns }) = &self.times else {
            return false;
        };
        let lines = page_lines.iter().fold(0_usize, |sum, &lines| sum.saturating_add(lines));
        let times = || first_line_ns.iter().zip(last_line_ns);
        lines == self.lines
            && [first_line_ns.len(), last_line_ns.len()] == [page_lines.len(); 2]
            && !page_lines.contains(&0)
            && times().all(|(&first, &last)| 0 < first && first <= last)
    }
}
