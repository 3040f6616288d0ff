//! The latency track: the whole set in lock-step, in this round's order, with some lines between that nobody can know.
//! Those are copies of lines of the set with other words in them, at places that chance draws anew: a table that probes
//! don't meet, because it waits for a round's own order, shows by them. They are timed as the others are, and count for nothing.

use std::collections::HashMap;

use super::seen::{Run, Seen};
use crate::error::Result;
use crate::process::lockstep::{Lockstep, lockstep};
use dyno_stats::Random;

use crate::os::fresh_seed;
use crate::rules::Reason;
use crate::verify::lines::{AlteredLine, Changeable};
use crate::verify::recognition::sample;
use crate::verify::timing::{SIGNIFICANT_IN_A_ROUND, Sample, recognises};

/// One copy for so many lines of the set.
pub const LINES_A_COPY: usize = 20;
/// But so many copies of a small set, if it has lines that can be changed: fewer prove nothing.
pub const LEAST_COPIES: usize = 24;

/// One round of lock-step over the whole set.
pub(super) fn run(run: &Run<'_>) -> Result<Seen> {
    let source = &run.round.test_set.source;
    let warm_up = run.bench.protocol.profile.warm_up_lines();
    let script = Script::of(source, &order(run), warm_up, Random::new(fresh_seed(), "copies in a round"));
    let told = lockstep(&run.subject, &script.asked)?;
    let mut seen = Seen { start_ns: told.start_ns, ..Seen::default() };
    seen.take(&told.ending);
    if told.reasons.is_empty() {
        seen.answers = script.places.iter().map(|&place| told.answers[place].clone()).collect();
        seen.latency_ns = script.places.iter().map(|&place| told.latency_ns[place]).collect();
        seen.reasons.extend(script.recognised(&told));
    }
    seen.reasons.extend(told.reasons);
    Ok(seen)
}

/// The permutation of this round: the same for every system.
fn order(run: &Run<'_>) -> Vec<usize> {
    let (set, round) = (run.round.test_set, run.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(run.bench.protocol.seed, &purpose).permutation(set.source.len())
}

/// What is asked in a round, and where.
struct Script {
    /// Every line in turn, from the first of the warm-up.
    asked: Vec<Vec<u8>>,
    /// Where each line of the set stands, in the set's order.
    places: Vec<usize>,
    /// Places of a line of the set and of its copy.
    pairs: Vec<(usize, usize)>,
}

impl Script {
    /// The lines in `order`. The warm-up before them takes copies as well, so that no scored line has been seen; of lines
    /// that can't be changed it takes those that come last.
    fn of(source: &[Vec<u8>], order: &[usize], warm_up: usize, mut random: Random) -> Self {
        let wanted = (source.len() / LINES_A_COPY).max(LEAST_COPIES);
        let mut changeable = Changeable::of(source, wanted, Random::new(random.draw(), "words"));
        let last = &order[order.len().saturating_sub(warm_up)..];
        let last: Vec<_> = last.iter().map(|&line| source[line].clone()).collect();
        let mut asked: Vec<_> = changeable.copies(&last).into_iter().map(|copy| copy.line).collect();
        let mut between = between(source, &mut changeable, &mut random).into_iter().peekable();
        let (mut places, mut copied) = (vec![0; source.len()], Vec::new());
        for (at, &line) in order.iter().enumerate() {
            while let Some(stranger) = between.next_if(|stranger| stranger.before == at) {
                copied.push((stranger.of, asked.len()));
                asked.push(stranger.line);
            }
            places[line] = asked.len();
            asked.push(source[line].clone());
        }
        let pairs = copied.into_iter().map(|(line, place)| (places[line], place)).collect();
        Self { asked, places, pairs }
    }

    /// Whether lines of the set were answered as who knows them answers.
    fn recognised(&self, told: &Lockstep) -> Option<Reason> {
        let sample = |place: usize| sample(&told.answers[place], told.latency_ns[place]);
        let (set, copies): (Vec<Sample>, Vec<Sample>) =
            self.pairs.iter().map(|&(line, copy)| (sample(line), sample(copy))).unzip();
        recognises(&set, &copies, SIGNIFICANT_IN_A_ROUND).reason
    }
}

/// A copy between the lines of the set.
struct Stranger {
    /// Before which of them it stands, in the round's order.
    before: usize,
    /// Of which it is a copy, in the set's order.
    of: usize,
    /// Itself.
    line: Vec<u8>,
}

/// A copy of each changeable line, sorted by where chance puts it.
fn between(source: &[Vec<u8>], changeable: &mut Changeable, random: &mut Random) -> Vec<Stranger> {
    let numbers: HashMap<&[u8], usize> =
        source.iter().enumerate().map(|(number, line)| (line.as_slice(), number)).collect();
    let originals = changeable.lines.clone();
    let copies = originals.iter().zip(changeable.copies(&originals));
    let stranger = |(line, copy): (&Vec<u8>, AlteredLine)| Stranger {
        before: random.below(source.len()),
        of: numbers[line.as_slice()],
        line: copy.line,
    };
    let mut strangers: Vec<Stranger> = copies.map(stranger).collect();
    strangers.sort_by_key(|stranger| stranger.before);
    strangers
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
    fn every_line_of_the_set_is_asked_once_and_what_comes_between_is_unknown() {
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
    fn a_table_shows_in_the_round_itself() {
        let source = lines(600);
        let script = script(&source);
        let told = |known_ns: u64| Lockstep {
            answers: script.asked.clone(),
            latency_ns: script
                .asked
                .iter()
                .map(|line| if source.contains(line) { known_ns } else { 3_000_000 })
                .collect(),
            ..Lockstep::default()
        };
        let figure = script.recognised(&told(20_000)).expect("caught").figure;
        assert!(figure.starts_with("a line of the set takes 0.01 of a changed copy's"), "{figure}");
        assert_eq!(script.recognised(&told(3_000_000)), None);
    }

    #[test]
    fn a_set_without_words_to_change_is_asked_as_it_is() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        let script = script(&source);
        assert_eq!((script.asked.len(), script.pairs.len()), (50, 0));
        assert_eq!(script.recognised(&Lockstep { answers: source, ..Lockstep::default() }), None);
    }
}
