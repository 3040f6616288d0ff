//! The questions of a round in lock-step or of the server: the set's lines or pages, with unknown copies in
//! between.
//!
//! A table of sentences may avoid the probes, by waiting for the order of a round. A server may store answers. No
//! system knows the copies, which are new each time: their times beside those of their lines show either.

use std::collections::HashSet;
use std::ops::Range;

use dyno_record::Reason;
use dyno_stats::Random;

use super::altered::AlterableLines;
use crate::constants::{LEAST_UNKNOWN, LINES_AN_UNKNOWN, unknown_of};
use crate::judge::Sample;
use crate::judge::lines::{SIGNIFICANT_IN_A_ROUND, recognises};

/// Number of lines of a run that has each line of a set of `lines` lines at least once.
pub fn whole_set(lines: usize) -> usize {
    // A block has a copy and, beside it, its original once more; the other lines are the set's in their order.
    let blocks = lines.div_ceil(LINES_AN_UNKNOWN - 2);
    (lines + 2 * LEAST_UNKNOWN).max(blocks * LINES_AN_UNKNOWN).max(4 * LEAST_UNKNOWN)
}

/// What a round asks at once: a line, or a page of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Text of the line; of a page its lines, with line feeds between them.
    pub line: Vec<u8>,
    /// Number of the line or page in the set; `None` for a copy.
    pub of: Option<usize>,
    /// Number of the pair, for a copy and for its original.
    pub pair: Option<usize>,
}

/// Source of a round's questions.
pub struct Script<'a> {
    source: &'a [Vec<u8>],
    /// What is asked at once, as ranges of the source: single lines, or pages. Their numbers are those of
    /// `order`.
    units: Vec<Range<usize>>,
    /// Numbers of the set's lines or pages, in the order in which they are asked.
    order: Vec<usize>,
    /// Place in the order from which the next lines come, so that a line comes again as late as possible.
    next: usize,
    alterable: AlterableLines,
    /// Places in the order whose lines can be altered.
    alterables: Vec<usize>,
    /// Places of copies.
    places: Random,
}

impl<'a> Script<'a> {
    /// A script over the `units` of `source` in this order: its lines or pages. `places` draws the places of
    /// copies, `words` their words. A copy is no line of the whole source.
    pub fn of(
        source: &'a [Vec<u8>],
        units: Vec<Range<usize>>,
        order: Vec<usize>,
        places: Random,
        words: Random,
    ) -> Self {
        let alterable = AlterableLines::of(source, usize::MAX, words);
        let can_be: HashSet<&[u8]> = alterable.lines.iter().map(Vec::as_slice).collect();
        // Where most lines of a page are new, a table saves little of the copy and all of the page.
        let is_alterable = |place: &usize| {
            let lines = &source[units[order[*place]].clone()];
            2 * lines.iter().filter(|line| can_be.contains(line.as_slice())).count() > lines.len()
        };
        let alterables = (0..order.len()).filter(is_alterable).collect();
        Self { source, units, order, next: 0, alterable, alterables, places }
    }

    /// The next `count` lines or pages of the set.
    pub fn known(&mut self, count: usize) -> Vec<Question> {
        let next = |at: usize| self.order[at % self.order.len()];
        let known = (self.next..self.next + count).map(|at| self.unit(next(at), None)).collect();
        self.next += count;
        known
    }

    /// New copies of `count` random lines or pages.
    pub fn unknown(&mut self, count: usize) -> Vec<Question> {
        let lines = (0..count).map(|_| self.order[self.places.below(self.order.len())]);
        let lines: Vec<usize> = lines.collect();
        self.copies(&lines)
    }

    /// New copies of these lines or pages of the set. A line that can't be altered is asked as it is.
    pub fn copies(&mut self, units: &[usize]) -> Vec<Question> {
        let lines = units.iter().flat_map(|&unit| self.source[self.units[unit].clone()].iter().cloned());
        let lines: Vec<Vec<u8>> = lines.collect();
        let mut copies = self.alterable.copies(&lines).into_iter().map(|copy| copy.line);
        let mut copy =
            |unit: usize| copies.by_ref().take(self.units[unit].len()).collect::<Vec<_>>().join(&b'\n');
        units.iter().map(|&unit| Question { line: copy(unit), of: None, pair: None }).collect()
    }

    /// Each line or page of the order once, and copies of some of them at random places, `count` if as many
    /// can be altered.
    pub fn once(&mut self, count: usize) -> Vec<Question> {
        let mut asked = self.known(self.order.len());
        let mut places = self.alterables.clone();
        self.places.shuffle(&mut places);
        places.truncate(count);
        let originals: Vec<usize> = places.iter().map(|&place| self.order[place]).collect();
        for (pair, &place) in places.iter().enumerate() {
            asked[place].pair = Some(pair);
        }
        for (pair, copy) in self.copies(&originals).into_iter().enumerate() {
            self.insert(&mut asked, Question { pair: Some(pair), ..copy });
        }
        asked
    }

    /// The lines of a run of `count` lines. Some lines of the set come twice, once beside their copy: at a low load the
    /// times of the two show a store.
    pub fn run(&mut self, count: usize) -> Vec<Question> {
        let pairs = unknown_of(count).min(self.alterables.len()).min(count / 4);
        let mut asked = self.known(count - 2 * pairs);
        let original = |_| self.order[self.alterables[self.places.below(self.alterables.len())]];
        let originals: Vec<usize> = (0..pairs).map(original).collect();
        for (pair, copy) in self.copies(&originals).into_iter().enumerate() {
            let original = self.unit(originals[pair], Some(pair));
            self.insert(&mut asked, original);
            self.insert(&mut asked, Question { pair: Some(pair), ..copy });
        }
        asked
    }

    fn unit(&self, of: usize, pair: Option<usize>) -> Question {
        Question { line: self.source[self.units[of].clone()].join(&b'\n'), of: Some(of), pair }
    }

    fn insert(&mut self, asked: &mut Vec<Question>, question: Question) {
        asked.insert(self.places.below(asked.len() + 1), question);
    }
}

/// Samples of each line and its copy that were both answered.
pub fn pairs(asked: &[Question], answers: &[Vec<u8>], latency_ns: &[u64]) -> Vec<[Sample; 2]> {
    let mut pairs = vec![(None, None); asked.len()];
    for ((question, answer), &ns) in asked.iter().zip(answers).zip(latency_ns) {
        let Some(pair) = question.pair else { continue };
        let sample = Some(Sample::of_answer(answer, ns));
        match question.of {
            Some(_) => pairs[pair].0 = sample,
            None => pairs[pair].1 = sample,
        }
    }
    pairs.into_iter().filter_map(|(line, copy)| Some([line?, copy?])).collect()
}

/// Reason if the times of these pairs in a round suggest memorised lines.
pub fn recognised(pairs: &[[Sample; 2]]) -> Option<Reason> {
    recognises(pairs, SIGNIFICANT_IN_A_ROUND).reason
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    fn script(source: &[Vec<u8>], words: u64) -> Script<'_> {
        let mut places = Random::new(1, "places");
        let order = places.permutation(source.len());
        Script::of(
            source,
            (0..source.len()).map(|line| line..line + 1).collect(),
            order,
            places,
            Random::new(words, "words"),
        )
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
            assert!(copies == originals && (size < 24 || copies >= LEAST_UNKNOWN), "{size}: {copies}");
        }
    }

    #[test]
    fn systems_get_the_same_lines_at_the_same_places_and_copies_of_their_own() {
        let source = lines(600);
        let (mut one, mut other) = (script(&source, 2), script(&source, 3));
        let (one, other) = (one.run(200), other.run(200));
        let places =
            |asked: &[Question]| asked.iter().map(|asked| (asked.of, asked.pair)).collect::<Vec<_>>();
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
