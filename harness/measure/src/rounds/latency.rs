//! The latency track: the whole set in lock-step, in this round's order, with some unknown lines in between.
//!
//! The unknown lines are copies of lines of the set with other words, at random places. A table of sentences
//! may avoid the probes, by waiting for the order of a round. The copies reveal such a table: they are timed
//! as the lines are, but don't count.

use std::collections::HashMap;

use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::process::lockstep::{Lockstep, lockstep};
use dyno_stats::Random;

use crate::os::fresh_seed;
use crate::rules::Reason;
use crate::verify::altered::{AlterableLines, AlteredLine};
use crate::verify::recognition::sample;
use crate::verify::timing::{SIGNIFICANT_IN_A_ROUND, Sample, recognises};

/// Lines of the set for each copy.
pub const LINES_A_COPY: usize = 20;
/// Least number of copies in a small set, if its lines can be altered: fewer prove nothing.
pub const LEAST_COPIES: usize = 24;

/// One round of lock-step over the whole set.
pub(super) fn run(context: &RoundContext<'_>) -> Result<Observed> {
    let source = &context.round.test_set.source;
    let warm_up = context.bench.protocol.profile.warm_up_lines();
    let script = Script::of(source, &order(context), warm_up, Random::new(fresh_seed(), "copies in a round"));
    let replies = lockstep(&context.subject, &script.asked)?;
    let mut observed = Observed { start_ns: replies.start_ns, ..Observed::default() };
    observed.take(&replies.ending);
    observed.tree.after_ns += replies.after_ns;
    if replies.reasons.is_empty() {
        observed.answers = script.places.iter().map(|&place| replies.answers[place].clone()).collect();
        observed.latency_ns = script.places.iter().map(|&place| replies.latency_ns[place]).collect();
        observed.reasons.extend(script.recognised(&replies));
    }
    observed.reasons.extend(replies.reasons);
    Ok(observed)
}

/// Order of this round's lines, the same for every system.
fn order(context: &RoundContext<'_>) -> Vec<usize> {
    let (set, round) = (context.round.test_set, context.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(context.bench.protocol.seed, &purpose).permutation(set.source.len())
}

/// Lines of a round in the order of the questions.
struct Script {
    /// All lines in turn, from the first of the warm-up.
    asked: Vec<Vec<u8>>,
    /// Place of each line of the set, in the set's order.
    places: Vec<usize>,
    /// Places of a line and of its copy.
    pairs: Vec<(usize, usize)>,
}

impl Script {
    /// A script with the lines in `order`. The warm-up before them asks copies of the last lines, so that no
    /// scored line has been seen. A last line that can't be altered is asked as it is.
    fn of(source: &[Vec<u8>], order: &[usize], warm_up: usize, mut random: Random) -> Self {
        let wanted = (source.len() / LINES_A_COPY).max(LEAST_COPIES);
        let mut alterable = AlterableLines::of(source, wanted, Random::new(random.draw(), "words"));
        let last = &order[order.len().saturating_sub(warm_up)..];
        let last: Vec<_> = last.iter().map(|&line| source[line].clone()).collect();
        let mut asked: Vec<_> = alterable.copies(&last).into_iter().map(|copy| copy.line).collect();
        let mut between = between(source, &mut alterable, &mut random).into_iter().peekable();
        let (mut places, mut copied) = (vec![0; source.len()], Vec::new());
        for (at, &line) in order.iter().enumerate() {
            while let Some(inserted) = between.next_if(|inserted| inserted.before == at) {
                copied.push((inserted.of, asked.len()));
                asked.push(inserted.line);
            }
            places[line] = asked.len();
            asked.push(source[line].clone());
        }
        let pairs = copied.into_iter().map(|(line, place)| (places[line], place)).collect();
        Self { asked, places, pairs }
    }

    /// Reason if the timings suggest memorised lines.
    fn recognised(&self, replies: &Lockstep) -> Option<Reason> {
        let sample = |place: usize| sample(&replies.answers[place], replies.latency_ns[place]);
        let (set, copies): (Vec<Sample>, Vec<Sample>) =
            self.pairs.iter().map(|&(line, copy)| (sample(line), sample(copy))).unzip();
        recognises(&set, &copies, SIGNIFICANT_IN_A_ROUND).reason
    }
}

/// A copy between the lines of the set.
struct InsertedCopy {
    /// Place in the round's order before which the copy stands.
    before: usize,
    /// Number of the original in the set's order.
    of: usize,
    /// Text of the copy.
    line: Vec<u8>,
}

/// A copy of each alterable line, sorted by its random place.
fn between(source: &[Vec<u8>], alterable: &mut AlterableLines, random: &mut Random) -> Vec<InsertedCopy> {
    let numbers: HashMap<&[u8], usize> =
        source.iter().enumerate().map(|(number, line)| (line.as_slice(), number)).collect();
    let originals = alterable.lines.clone();
    let copies = originals.iter().zip(alterable.copies(&originals));
    let inserted = |(line, copy): (&Vec<u8>, AlteredLine)| InsertedCopy {
        before: random.below(source.len()),
        of: numbers[line.as_slice()],
        line: copy.line,
    };
    let mut inserted_copies: Vec<InsertedCopy> = copies.map(inserted).collect();
    inserted_copies.sort_by_key(|inserted| inserted.before);
    inserted_copies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    fn script(source: &[Vec<u8>]) -> Script {
        let order = Random::new(1, "order").permutation(source.len());
        Script::of(source, &order, 20, Random::new(2, "copies"))
    }

    #[test]
    fn every_line_of_the_set_is_asked_once_between_unknown_copies() {
        let source = lines(600);
        let script = script(&source);
        assert_eq!(script.asked.len(), 20 + 600 + 30);
        for (line, &place) in source.iter().zip(&script.places) {
            assert_eq!(script.asked[place], *line);
        }
        let known = script.asked.iter().filter(|line| source.contains(line)).count();
        assert_eq!(known, 600, "not even the warm-up knows lines of the set");
        let gaps: Vec<usize> = script.pairs.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
        assert!(gaps.iter().any(|&gap| gap < 10) && gaps.iter().any(|&gap| gap > 30), "{gaps:?}");
    }

    #[test]
    fn the_round_itself_detects_a_table() {
        let source = lines(600);
        let script = script(&source);
        let replies = |known_ns: u64| Lockstep {
            answers: script.asked.clone(),
            latency_ns: script
                .asked
                .iter()
                .map(|line| if source.contains(line) { known_ns } else { 3_000_000 })
                .collect(),
            ..Lockstep::default()
        };
        let figure = script.recognised(&replies(20_000)).expect("caught").figure;
        assert!(figure.starts_with("a line of the set takes 0.01 of a changed copy's"), "{figure}");
        assert_eq!(script.recognised(&replies(3_000_000)), None);
    }

    #[test]
    fn a_set_without_words_to_change_is_asked_as_it_is() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        let script = script(&source);
        assert_eq!((script.asked.len(), script.pairs.len()), (50, 0));
        assert_eq!(script.recognised(&Lockstep { answers: source, ..Lockstep::default() }), None);
    }
}
