//! The latency track: the whole set in lock-step, in this round's order, with some unknown lines in between.
//!
//! The unknown lines are copies of lines of the set with other words, at random places. A table of sentences
//! may avoid the probes, by waiting for the order of a round. The copies reveal such a table: they are timed
//! as the lines are, but don't count.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::observed::{Observed, RoundContext};
use super::sitting::Sitting;
use crate::error::Result;
use crate::process::lockstep::{Conversation, Lockstep, converse};
use crate::process::turns::Seat;
use dyno_record::Reason;
use dyno_stats::{Random, mean};

use crate::os::fresh_seed;
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

/// One sitting of lock-step: its part of the set, block by block if other systems take turns. Adds to what the
/// round has `observed`.
pub(super) fn run(context: &RoundContext<'_>, sitting: Sitting, observed: &mut Observed) -> Result<()> {
    let source = &context.round.test_set.source;
    let order = order(context);
    let order = &order[sitting.part(order.len())];
    let warm_up = context.bench.protocol.profile.warm_up_lines();
    let copies = sitting.share((source.len() / LINES_A_COPY).max(LEAST_COPIES));
    let random = Random::new(fresh_seed(), "copies in a round");
    let mut script = Script::begin(source, order, warm_up, copies, random);
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
    observed.take(&replies.ending);
    observed.tree.after_ns += replies.after_ns;
    observed.start_ns.extend(replies.start_ns);
    observed.waited += replies.waited;
    if !replies.reasons.is_empty() {
        observed.reasons.extend(replies.reasons);
        observed.forget_answers();
        return Ok(());
    }
    observed.metered_words += script.asked[warm_up..].iter().map(|line| words(line)).sum::<usize>();
    observed.turn_ns.extend(script.turn_ns(&replies.latency_ns));
    observed.pairs.extend(script.samples(&replies));
    script.keep(replies, observed);
    if sitting.is_last() {
        observed.by_clock.extend(recognised(&observed.pairs));
    }
    Ok(())
}

/// Reason if the timings suggest memorised lines.
fn recognised(pairs: &[[Sample; 2]]) -> Option<Reason> {
    let (set, copies): (Vec<Sample>, Vec<Sample>) = pairs.iter().map(|&[line, copy]| (line, copy)).unzip();
    recognises(&set, &copies, SIGNIFICANT_IN_A_ROUND).reason
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

/// Lines of a sitting in the order of the questions.
struct Script<'a> {
    source: &'a [Vec<u8>],
    /// Numbers of the set's lines that the sitting asks, in the order of the questions.
    order: &'a [usize],
    alterable: AlterableLines,
    random: Random,
    /// All lines in turn, from the first of the warm-up.
    asked: Vec<Vec<u8>>,
    /// Lines of `asked` in each block, the copies at its start included.
    blocks: Vec<Range<usize>>,
    /// Place of each line of the set that the sitting asks, in the set's order.
    places: Vec<usize>,
    /// Places of a line and of its copy.
    pairs: Vec<(usize, usize)>,
}

impl<'a> Script<'a> {
    /// The warm-up of a script with the lines in `order`. It asks copies of the last lines, so that no scored
    /// line has been seen. A last line that can't be altered is asked as it is.
    fn begin(
        source: &'a [Vec<u8>],
        order: &'a [usize],
        warm_up: usize,
        copies: usize,
        mut random: Random,
    ) -> Self {
        // A copy must not be any line of the set, so all lines are known to the one who makes it.
        let mut alterable = AlterableLines::of(source, source.len(), Random::new(random.draw(), "words"));
        let own: HashSet<&[u8]> = order.iter().map(|&line| source[line].as_slice()).collect();
        alterable.lines.retain(|line| own.contains(line.as_slice()));
        alterable.lines.truncate(copies);
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

    /// Adds the sitting's lines of the set, in `blocks` blocks of equal size. The same lines are in a block of every
    /// system. Copies open each block where other systems were asked before it: caches that these have
    /// emptied must not cost the first lines.
    fn extend(&mut self, blocks: usize, opening_copies: usize) {
        let mut between = self.between().into_iter().peekable();
        let mut copied = Vec::new();
        let start = |block: usize| block * self.order.len() / blocks;
        for (from, to) in (0..blocks).map(|block| (start(block), start(block + 1))).collect::<Vec<_>>() {
            let begin = self.asked.len();
            let opening: Vec<usize> =
                (0..opening_copies).map(|_| self.order[self.random.below(self.order.len())]).collect();
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
        let mut scored: Vec<usize> = self.order.iter().map(|&line| self.places[line]).collect();
        scored.sort_unstable();
        let of_block = |block: &Range<usize>| {
            let first = scored.partition_point(|place| *place < block.start);
            let places = scored[first..].iter().take_while(|place| **place < block.end);
            places.map(|&place| latency_ns[place]).sum()
        };
        self.blocks.iter().map(of_block).collect()
    }

    /// The lines that have copies, and the copies, as they were answered.
    fn samples(&self, replies: &Lockstep) -> impl Iterator<Item = [Sample; 2]> {
        let sample = |place: usize| sample(&replies.answers[place], replies.latency_ns[place]);
        self.pairs.iter().map(move |&(line, copy)| [sample(line), sample(copy)])
    }

    /// Puts answers and times of the set's lines where they belong in the round.
    fn keep(&self, mut replies: Lockstep, observed: &mut Observed) {
        observed.answers.resize(self.source.len(), Vec::new());
        observed.latency_ns.resize(self.source.len(), 0);
        for &line in self.order {
            let place = self.places[line];
            observed.answers[line] = std::mem::take(&mut replies.answers[place]);
            observed.latency_ns[line] = replies.latency_ns[place];
        }
    }

    /// A copy of each alterable line, sorted by its random place.
    fn between(&mut self) -> Vec<InsertedCopy> {
        let of: HashMap<&[u8], usize> =
            self.order.iter().map(|&line| (self.source[line].as_slice(), line)).collect();
        let originals = self.alterable.lines.clone();
        let copies = originals.iter().zip(self.alterable.copies(&originals));
        let inserted = |(line, copy): (&Vec<u8>, AlteredLine)| InsertedCopy {
            before: self.random.below(self.order.len()),
            of: of[line.as_slice()],
            line: copy.line,
        };
        let mut inserted: Vec<InsertedCopy> = copies.map(inserted).collect();
        inserted.sort_by_key(|inserted| inserted.before);
        inserted
    }
}

/// A copy between the lines of the set.
struct InsertedCopy {
    /// Place in the sitting's order before which the copy stands.
    before: usize,
    /// Number of the original in the set's order.
    of: usize,
    /// Text of the copy.
    line: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_record::Profile;
    use dyno_record::rules::Track;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    fn order(source: &[Vec<u8>]) -> Vec<usize> {
        Random::new(1, "order").permutation(source.len())
    }

    fn judged(script: &Script<'_>, replies: &Lockstep) -> Option<Reason> {
        recognised(&script.samples(replies).collect::<Vec<_>>())
    }

    fn script<'a>(source: &'a [Vec<u8>], order: &'a [usize], blocks: usize) -> Script<'a> {
        let mut script =
            Script::begin(source, order, 20, (source.len() / 20).max(24), Random::new(2, "copies"));
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
    fn a_sitting_asks_its_own_lines_and_keeps_their_answers_in_their_places() {
        let source = lines(400);
        let order = order(&source);
        let mut observed = Observed::default();
        for sitting in Sitting::all(Track::Latency, Profile::Standard, 400) {
            let mut script =
                Script::begin(&source, &order[sitting.part(400)], 20, 6, Random::new(3, "copies"));
            script.extend(3, OPENING_COPIES);
            let known = script.asked.iter().filter(|line| source.contains(line)).count();
            assert_eq!((known, script.pairs.len()), (100, 6));
            let latency_ns = vec![7; script.asked.len()];
            let replies = Lockstep { answers: script.asked.clone(), latency_ns, ..Lockstep::default() };
            assert!(script.samples(&replies).all(|[line, copy]| line.ns == copy.ns));
            script.keep(replies, &mut observed);
        }
        assert_eq!((observed.answers, observed.latency_ns), (source, vec![7; 400]));
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
        let figure = judged(&script, &replies(20_000)).expect("caught").figure;
        assert!(figure.starts_with("a line of the set takes 0.01 of a changed copy's"), "{figure}");
        assert_eq!(judged(&script, &replies(3_000_000)), None);
    }

    #[test]
    fn a_set_without_words_to_change_is_asked_as_it_is() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        let order = order(&source);
        let script = script(&source, &order, 1);
        assert_eq!((script.asked.len(), script.pairs.len()), (50, 0));
        assert_eq!(judged(&script, &Lockstep { answers: source.clone(), ..Lockstep::default() }), None);
    }
}
