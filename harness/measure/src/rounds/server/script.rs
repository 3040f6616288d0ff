//! The lines of a run: the test set again and again in this round's order, with unknown copies in between.
//!
//! A server may store answers. The lines of the set come again in each run, but the copies are new. Each run
//! has some lines of the set twice, once beside its copy: at a low load the times of the two show a store.

use std::collections::HashSet;

use dyno_stats::Random;

use crate::rounds::latency::{LEAST_COPIES, LINES_A_COPY};
use crate::verify::altered::AlterableLines;

/// Number of lines of a run that has each line of a set of `lines` lines at least once.
pub(super) fn whole_set(lines: usize) -> usize {
    // Each copy stands beside its original: twice the copies are no lines in turn.
    (lines + 2 * LEAST_COPIES).max(lines.div_ceil(LINES_A_COPY - 2) * LINES_A_COPY).max(4 * LEAST_COPIES)
}

/// A line of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) line: Vec<u8>,
    /// Number of the line in the set; `None` for a copy.
    pub(super) of: Option<usize>,
    /// Number of the pair, for a copy and for its original.
    pub(super) pair: Option<usize>,
}

/// Source of a round's lines.
pub(super) struct Script<'a> {
    source: &'a [Vec<u8>],
    /// Numbers of the set's lines in this round's order.
    order: Vec<usize>,
    /// Place in the order from which the next run goes on, so that a line comes again as late as possible.
    next: usize,
    alterable: AlterableLines,
    /// Numbers of the lines that can be altered.
    alterables: Vec<usize>,
    /// Places of copies, the same for all systems.
    places: Random,
}

impl<'a> Script<'a> {
    /// A script over `source`. `places` is the same for all systems, `words` is fresh.
    pub(super) fn of(source: &'a [Vec<u8>], mut places: Random, words: Random) -> Self {
        let order = places.permutation(source.len());
        let alterable = AlterableLines::of(source, usize::MAX, words);
        let can_be: HashSet<&[u8]> = alterable.lines.iter().map(Vec::as_slice).collect();
        let alterables = (0..source.len()).filter(|&line| can_be.contains(source[line].as_slice())).collect();
        Self { source, order, next: 0, alterable, alterables, places }
    }

    /// New copies of `count` lines, for a warm-up.
    pub(super) fn copies(&mut self, count: usize) -> Vec<Vec<u8>> {
        let lines: Vec<_> =
            (0..count).map(|_| self.source[self.places.below(self.source.len())].clone()).collect();
        self.alterable.copies(&lines).into_iter().map(|copy| copy.line).collect()
    }

    /// Number of copies among `lines` lines.
    fn copies_among(&self, lines: usize) -> usize {
        (lines / LINES_A_COPY).max(LEAST_COPIES).min(self.alterables.len()).min(lines / 4)
    }

    /// The lines of a run of `count` lines.
    pub(super) fn run(&mut self, count: usize) -> Vec<Asked> {
        let pairs = self.copies_among(count);
        let mut asked = self.known(count - 2 * pairs);
        let originals: Vec<usize> =
            (0..pairs).map(|_| self.alterables[self.places.below(self.alterables.len())]).collect();
        let lines: Vec<Vec<u8>> = originals.iter().map(|&of| self.source[of].clone()).collect();
        for (pair, copy) in self.alterable.copies(&lines).into_iter().enumerate() {
            let original = Asked { line: lines[pair].clone(), of: Some(originals[pair]), pair: Some(pair) };
            for one in [original, Asked { line: copy.line, of: None, pair: Some(pair) }] {
                asked.insert(self.places.below(asked.len() + 1), one);
            }
        }
        asked
    }

    /// The lines of a run of `count` copies alone.
    pub(super) fn unknown(&mut self, count: usize) -> Vec<Asked> {
        self.copies(count).into_iter().map(|line| Asked { line, of: None, pair: None }).collect()
    }

    /// The lines of a run of `count` lines of the set alone.
    pub(super) fn known(&mut self, count: usize) -> Vec<Asked> {
        (0..count).map(|_| self.next_of_set()).collect()
    }

    fn next_of_set(&mut self) -> Asked {
        let of = self.order[self.next % self.order.len()];
        self.next += 1;
        Asked { line: self.source[of].clone(), of: Some(of), pair: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    fn script(source: &[Vec<u8>], words: u64) -> Script<'_> {
        Script::of(source, Random::new(1, "places"), Random::new(words, "words"))
    }

    #[test]
    fn a_long_run_has_the_whole_set_and_each_copy_beside_its_original() {
        for size in [1, 30, 600, 3000] {
            let source = lines(size);
            let mut script = script(&source, 2);
            script.run(77); // a run may begin anywhere in the set
            let asked = script.run(whole_set(size));
            let known: HashSet<usize> = asked.iter().filter_map(|asked| asked.of).collect();
            assert_eq!((asked.len(), known.len()), (whole_set(size), size));
            assert!(asked.iter().all(|asked| asked.of.is_none_or(|of| source[of] == asked.line)));
            let copies = asked.iter().filter(|asked| asked.of.is_none()).count();
            let originals = asked.iter().filter(|asked| asked.of.is_some() && asked.pair.is_some()).count();
            assert!(copies == originals && (size < 24 || copies >= LEAST_COPIES), "{size}: {copies}");
        }
    }

    #[test]
    fn systems_get_the_same_lines_at_the_same_places_and_copies_of_their_own() {
        let source = lines(600);
        let (mut one, mut other) = (script(&source, 2), script(&source, 3));
        let (one, other) = (one.run(200), other.run(200));
        let places = |asked: &[Asked]| asked.iter().map(|asked| (asked.of, asked.pair)).collect::<Vec<_>>();
        assert_eq!(places(&one), places(&other));
        assert_ne!(one, other);
    }

    #[test]
    fn a_copy_is_never_a_line_of_the_set() {
        let source = lines(600);
        let mut script = script(&source, 2);
        for _ in 0..5 {
            let asked = script.run(400);
            assert!(
                asked.iter().filter(|asked| asked.of.is_none()).all(|asked| !source.contains(&asked.line))
            );
        }
    }
}
