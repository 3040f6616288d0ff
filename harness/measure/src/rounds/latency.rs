//! The latency track: the whole set in lock-step, in this round's order, with some unknown lines in between.
//!
//! The unknown lines are copies of lines of the set with other words, at random places. A table of sentences
//! may avoid the probes, by waiting for the order of a round. The copies reveal such a table: they are timed
//! as the lines are, but don't count.

use std::collections::HashMap;
use std::ops::Range;

use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::process::lockstep::{Conversation, Lockstep, converse};
use crate::process::turns::Seat;
use dyno_stats::{Random, mean};

use crate::os::fresh_seed;
use crate::rules::Reason;
use crate::text::words;
use crate::verify::altered::{AlterableLines, AlteredLine};
use crate::verify::recognition::sample;
use crate::verify::timing::{SIGNIFICANT_IN_A_ROUND, Sample, recognises};

/// Lines of the set for each copy.
pub const LINES_A_COPY: usize = 20;
/// Least number of copies in a small set, if its lines can be altered: fewer prove nothing.
pub const LEAST_COPIES: usize = 24;

/// Unscored copies at the start of a block, because the other systems have emptied the caches. Five systems took
/// turns on one core (Zen 3): a first line took 5 to 38 % longer than the fifth and later ones, a fourth 2 to 5 %.
pub const OPENING_COPIES: usize = 3;

/// One round of lock-step over the whole set, block by block if other systems take turns.
pub(super) fn run(context: &RoundContext<'_>) -> Result<Observed> {
    let source = &context.round.test_set.source;
    let warm_up = context.bench.protocol.profile.warm_up_lines();
    let order = order(context);
    let mut script = Script::begin(source, &order, warm_up, Random::new(fresh_seed(), "copies in a round"));
    let warm_up = script.asked.len();
    if context.subject.seat.is_none() {
        script.extend(1, 0); // before the launch: the conversation runs on the system's own core
    }
    let replies = converse(&context.subject, |conversation| {
        for line in &script.asked[..warm_up] {
            conversation.ask(line)?;
        }
        if let Some(seat) = context.subject.seat {
            script.extend(blocks(seat, conversation), OPENING_COPIES);
        }
        conversation.meter_energy();
        for (number, block) in script.blocks.iter().cloned().enumerate() {
            if number > 0 {
                conversation.pass_turn();
            }
            for line in &script.asked[block] {
                conversation.ask(line)?;
            }
        }
        Ok(())
    })?;
    let mut observed = Observed { start_ns: replies.start_ns, ..Observed::default() };
    observed.take(&replies.ending);
    observed.tree.after_ns += replies.after_ns;
    if replies.reasons.is_empty() {
        observed.answers = script.places.iter().map(|&place| replies.answers[place].clone()).collect();
        observed.latency_ns = script.places.iter().map(|&place| replies.latency_ns[place]).collect();
        observed.metered_words = script.asked[warm_up..].iter().map(|line| words(line)).sum();
        observed.turn_ns = script.turn_ns(&replies.latency_ns);
        observed.reasons.extend(script.recognised(&replies));
    }
    observed.reasons.extend(replies.reasons);
    Ok(observed)
}

/// Number of blocks of a round, once all systems of the group are warm.
fn blocks(seat: &Seat<'_>, conversation: &mut Conversation<'_, '_>) -> usize {
    // The first answer's time is mostly loading.
    let answers: Vec<f64> = conversation.latency_ns().iter().skip(1).map(|&ns| ns as f64).collect();
    seat.tell_line_ns(mean(&answers).unwrap_or(0.0));
    conversation.pass_turn();
    seat.blocks()
}

/// Order of this round's lines, the same for every system.
fn order(context: &RoundContext<'_>) -> Vec<usize> {
    let (set, round) = (context.round.test_set, context.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(context.bench.protocol.seed, &purpose).permutation(set.source.len())
}

/// Lines of a round in the order of the questions.
struct Script<'a> {
    source: &'a [Vec<u8>],
    /// Numbers of the set's lines in this round's order.
    order: &'a [usize],
    alterable: AlterableLines,
    random: Random,
    /// All lines in turn, from the first of the warm-up.
    asked: Vec<Vec<u8>>,
    /// Lines of `asked` in each block, the copies at its start included.
    blocks: Vec<Range<usize>>,
    /// Place of each line of the set, in the set's order.
    places: Vec<usize>,
    /// Places of a line and of its copy.
    pairs: Vec<(usize, usize)>,
}

impl<'a> Script<'a> {
    /// The warm-up of a script with the lines in `order`. It asks copies of the last lines, so that no scored
    /// line has been seen. A last line that can't be altered is asked as it is.
    fn begin(source: &'a [Vec<u8>], order: &'a [usize], warm_up: usize, mut random: Random) -> Self {
        let wanted = (source.len() / LINES_A_COPY).max(LEAST_COPIES);
        let alterable = AlterableLines::of(source, wanted, Random::new(random.draw(), "words"));
        let (asked, blocks, pairs) = (Vec::new(), Vec::new(), Vec::new());
        let places = vec![0; source.len()];
        let mut script = Self { source, order, alterable, random, asked, blocks, places, pairs };
        script.ask_copies(&order[order.len().saturating_sub(warm_up)..]);
        script
    }

    /// Asks copies of these lines, which don't count.
    fn ask_copies(&mut self, lines: &[usize]) {
        let lines: Vec<_> = lines.iter().map(|&line| self.source[line].clone()).collect();
        self.asked.extend(self.alterable.copies(&lines).into_iter().map(|copy| copy.line));
    }

    /// Adds all lines of the set, in `blocks` blocks of equal size. The same lines are in a block of every
    /// system. Copies open each block where other systems were asked before it: caches that these have
    /// emptied must not cost the first lines.
    fn extend(&mut self, blocks: usize, opening_copies: usize) {
        let mut between = between(self.source, &mut self.alterable, &mut self.random).into_iter().peekable();
        let mut copied = Vec::new();
        let start = |block: usize| block * self.order.len() / blocks;
        for (from, to) in (0..blocks).map(|block| (start(block), start(block + 1))).collect::<Vec<_>>() {
            let begin = self.asked.len();
            let opening: Vec<usize> =
                (0..opening_copies).map(|_| self.random.below(self.source.len())).collect();
            self.ask_copies(&opening);
            for at in from..to {
                while let Some(inserted) = between.next_if(|inserted| inserted.before == at) {
                    copied.push((inserted.of, self.asked.len()));
                    self.asked.push(inserted.line);
                }
                self.places[self.order[at]] = self.asked.len();
                self.asked.push(self.source[self.order[at]].clone());
            }
            self.blocks.push(begin..self.asked.len());
        }
        self.pairs = copied.into_iter().map(|(line, place)| (self.places[line], place)).collect();
    }

    /// Time of the set's lines in each block, by the times of all lines that were asked.
    fn turn_ns(&self, latency_ns: &[u64]) -> Vec<u64> {
        let mut scored: Vec<usize> = self.places.clone();
        scored.sort_unstable();
        let of_block = |block: &Range<usize>| {
            let first = scored.partition_point(|place| *place < block.start);
            let places = scored[first..].iter().take_while(|place| **place < block.end);
            places.map(|&place| latency_ns[place]).sum()
        };
        self.blocks.iter().map(of_block).collect()
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

    fn order(source: &[Vec<u8>]) -> Vec<usize> {
        Random::new(1, "order").permutation(source.len())
    }

    fn script<'a>(source: &'a [Vec<u8>], order: &'a [usize], blocks: usize) -> Script<'a> {
        let mut script = Script::begin(source, order, 20, Random::new(2, "copies"));
        script.extend(blocks, if blocks > 1 { OPENING_COPIES } else { 0 });
        script
    }

    #[test]
    fn every_line_of_the_set_is_asked_once_between_unknown_copies() {
        let source = lines(600);
        let order = order(&source);
        let script = script(&source, &order, 1);
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
    fn blocks_hold_the_same_lines_of_every_system_and_open_with_copies() {
        let source = lines(100);
        let order = order(&source);
        let script = script(&source, &order, 7);
        assert_eq!(script.blocks.len(), 7);
        for (number, block) in script.blocks.iter().enumerate() {
            let asked = &script.asked[block.clone()];
            assert!(asked[..OPENING_COPIES].iter().all(|line| !source.contains(line)), "block {number}");
            let scored: Vec<_> = asked.iter().filter(|line| source.contains(line)).collect();
            let of_order = &order[number * 100 / 7..(number + 1) * 100 / 7];
            assert!(scored.into_iter().eq(of_order.iter().map(|&line| &source[line])), "block {number}");
        }
        let ones = vec![1; script.asked.len()];
        assert_eq!(script.turn_ns(&ones), [14, 14, 14, 15, 14, 14, 15], "copies don't count");
    }

    #[test]
    fn the_round_itself_detects_a_table() {
        let source = lines(600);
        let order = order(&source);
        let script = script(&source, &order, 1);
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
        let order = order(&source);
        let script = script(&source, &order, 1);
        assert_eq!((script.asked.len(), script.pairs.len()), (50, 0));
        assert_eq!(script.recognised(&Lockstep { answers: source.clone(), ..Lockstep::default() }), None);
    }
}
