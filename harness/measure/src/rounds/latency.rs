//! The latency track: the whole set in lock-step, in this round's order, with some unknown lines in between.
//!
//! The unknown lines are copies of lines of the set with other words, at random places. They are timed as the
//! lines are, but don't count.

use std::ops::Range;

use super::observed::{Observed, RoundContext};
use super::part::Part;
use crate::constants::{LEAST_UNKNOWN, LINES_AN_UNKNOWN};
use crate::error::Result;
use crate::os::fresh_seed;
use crate::process::lockstep::{Conversation, Lockstep, converse};
use crate::process::turns::Slot;
use crate::unknown::script::{Question, Script, pairs, recognised};
use dyno_stats::{Random, mean};

/// Unscored copies at the start of a block, because the other systems have emptied the caches. Five systems took
/// turns on one core (Zen 3): a first line took 5 to 38 % longer than the fifth and later ones, a fourth 2 to 5 %.
pub const OPENING_COPIES: usize = 3;

/// One part of lock-step: its range of the set, block by block if other systems take turns. Adds to what the
/// round has `observed`.
pub(super) fn run(context: &RoundContext<'_>, part: Part, observed: &mut Observed) -> Result<()> {
    let source = &context.round.test_set.source;
    let order = &order(context)[part.range(source.len())];
    let copies = part.share((source.len() / LINES_AN_UNKNOWN).max(LEAST_UNKNOWN));
    let [places, new] = ["places of copies", "their words"].map(|what| Random::new(fresh_seed(), what));
    let mut script = Script::of(source, order.to_vec(), places, new);
    // The warm-up asks copies of the last lines, so that no scored line has been seen.
    let last = order.len().saturating_sub(context.bench.protocol.profile.warm_up_lines());
    let mut questions = Questions::new(script.copies(&order[last..]));
    let mut lines = script.once(copies);
    if context.subject.slot.is_none() {
        // Before the launch, since the conversation runs on the system's own core.
        questions.add(&mut script, std::mem::take(&mut lines), 1, 0);
    }
    let replies = converse(&context.subject, |conversation| {
        for question in &questions.asked[..questions.warm_up] {
            conversation.ask(&question.line)?;
        }
        if let Some(slot) = context.subject.slot {
            questions.add(&mut script, lines, blocks(slot, conversation), OPENING_COPIES);
        }
        conversation.begin_work();
        conversation.meter_energy();
        for (number, block) in questions.blocks.iter().enumerate() {
            if number > 0 {
                conversation.pass_turn();
            }
            for question in &questions.asked[block.clone()] {
                conversation.ask(&question.line)?;
            }
        }
        Ok(())
    })?;
    observed.take_work(&replies);
    observed.waited += replies.waited;
    if !replies.reasons.is_empty() {
        observed.reasons.extend(replies.reasons);
        observed.forget_answers();
        return Ok(());
    }
    questions.keep(replies, source.len(), observed);
    if part.is_last() {
        observed.by_clock.extend(recognised(&observed.pairs));
    }
    Ok(())
}

/// Number of blocks of a round, once all systems of the group are warm.
fn blocks(slot: &Slot<'_>, conversation: &mut Conversation<'_, '_>) -> usize {
    // The first answer's time is mostly loading.
    let answers: Vec<f64> = conversation.latency_ns().iter().skip(1).map(|&ns| ns as f64).collect();
    slot.tell_line_ns(mean(&answers).unwrap_or(0.0));
    conversation.pass_turn();
    slot.blocks()
}

/// Order of this round's lines, the same for every system.
fn order(context: &RoundContext<'_>) -> Vec<usize> {
    let (set, round) = (context.round.test_set, context.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(context.bench.protocol.seed, &purpose).permutation(set.source.len())
}

/// Questions of a part, from the first of the warm-up.
struct Questions {
    asked: Vec<Question>,
    /// Number of questions of the warm-up.
    warm_up: usize,
    /// Questions of each block, the copies at its start included.
    blocks: Vec<Range<usize>>,
}

impl Questions {
    fn new(warm_up: Vec<Question>) -> Self {
        Self { warm_up: warm_up.len(), asked: warm_up, blocks: Vec::new() }
    }

    /// Adds these questions, in `blocks` blocks with as many lines of the set. The same lines are in a block of every
    /// system. Copies open each block where other systems were asked before it: caches that these have
    /// emptied must not cost the first lines.
    fn add(&mut self, script: &mut Script<'_>, questions: Vec<Question>, blocks: usize, opening: usize) {
        let lines = questions.iter().filter(|question| question.of.is_some()).count();
        let mut parts: Vec<Vec<Question>> = (0..blocks).map(|_| script.unknown(opening)).collect();
        let mut line = 0;
        for question in questions {
            // Line number `line` is in block b if b lines / blocks ≤ line < (b + 1) lines / blocks, rounded down.
            let block = (((line + 1) * blocks - 1) / lines).min(blocks - 1);
            line += usize::from(question.of.is_some());
            parts[block].push(question);
        }
        for part in parts {
            let begin = self.asked.len();
            self.asked.extend(part);
            self.blocks.push(begin..self.asked.len());
        }
    }

    /// Time of the set's lines in each block, by the times of all questions.
    fn turn_ns(&self, latency_ns: &[u64]) -> Vec<u64> {
        let scored = |&place: &usize| self.asked[place].of.is_some();
        let of_block =
            |block: &Range<usize>| block.clone().filter(scored).map(|place| latency_ns[place]).sum();
        self.blocks.iter().map(of_block).collect()
    }

    /// Puts answers and times of the set's lines where they belong in the round over `lines` lines.
    fn keep(&self, replies: Lockstep, lines: usize, observed: &mut Observed) {
        observed.turn_ns.extend(self.turn_ns(&replies.latency_ns));
        observed.pairs.extend(pairs(&self.asked, &replies.answers, &replies.latency_ns));
        observed.answers.resize(lines, Vec::new());
        observed.latency_ns.resize(lines, 0);
        let answered = self.asked.iter().zip(replies.answers).zip(replies.latency_ns);
        for ((question, answer), ns) in answered {
            if let Some(line) = question.of {
                (observed.answers[line], observed.latency_ns[line]) = (answer, ns);
            }
        }
    }
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

    fn questions(source: &[Vec<u8>], order: &[usize], blocks: usize, copies: usize) -> Questions {
        let mut script =
            Script::of(source, order.to_vec(), Random::new(2, "places"), Random::new(3, "words"));
        let mut questions = Questions::new(script.copies(&order[order.len() - 20..]));
        let lines = script.once(copies);
        questions.add(&mut script, lines, blocks, if blocks > 1 { OPENING_COPIES } else { 0 });
        questions
    }

    fn asked(questions: &Questions) -> Vec<Vec<u8>> {
        questions.asked.iter().map(|question| question.line.clone()).collect()
    }

    #[test]
    fn every_line_of_the_set_is_asked_once_between_unknown_copies() {
        let source = lines(600);
        let questions = questions(&source, &order(&source), 1, 30);
        assert_eq!(questions.asked.len(), 20 + 600 + 30);
        let mut numbers: Vec<usize> = questions.asked.iter().filter_map(|question| question.of).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..600));
        let known = asked(&questions).iter().filter(|line| source.contains(line)).count();
        assert_eq!(known, 600, "not even the warm-up knows lines of the set");
        let is_copy = |place: &usize| questions.asked[*place].of.is_none();
        let copies: Vec<usize> = (20..questions.asked.len()).filter(is_copy).collect();
        let gaps: Vec<usize> = copies.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().any(|&gap| gap < 10) && gaps.iter().any(|&gap| gap > 30), "{gaps:?}");
    }

    #[test]
    fn blocks_hold_the_same_lines_of_every_system_and_open_with_copies() {
        let source = lines(100);
        let order = order(&source);
        let questions = questions(&source, &order, 7, 24);
        assert_eq!(questions.blocks.len(), 7);
        for (number, block) in questions.blocks.iter().enumerate() {
            let asked = &questions.asked[block.clone()];
            assert!(asked[..OPENING_COPIES].iter().all(|question| question.of.is_none()), "block {number}");
            let scored = asked.iter().filter_map(|question| question.of);
            let of_order = &order[number * 100 / 7..(number + 1) * 100 / 7];
            assert!(scored.eq(of_order.iter().copied()), "block {number}");
        }
        let ones = vec![1; questions.asked.len()];
        assert_eq!(questions.turn_ns(&ones), [14, 14, 14, 15, 14, 14, 15], "copies don't count");
    }

    #[test]
    fn a_part_asks_its_own_lines_and_keeps_their_answers_in_their_places() {
        let source = lines(400);
        let order = order(&source);
        let mut observed = Observed::default();
        for (number, part) in Part::all(Track::Latency, Profile::Standard, 400).enumerate() {
            let questions = questions(&source, &order[part.range(400)], 3, 6);
            let answers = asked(&questions);
            assert_eq!(answers.iter().filter(|line| source.contains(line)).count(), 100);
            let latency_ns = vec![7; answers.len()];
            questions.keep(Lockstep { answers, latency_ns, ..Lockstep::default() }, 400, &mut observed);
            assert_eq!(observed.pairs.len(), 6 * (number + 1));
        }
        assert!(observed.pairs.iter().all(|[line, copy]| line.ns == copy.ns));
        assert_eq!((observed.answers, observed.latency_ns), (source, vec![7; 400]));
    }

    /// Figure where each line of the set takes so long, and each copy 3 ms.
    fn judged(source: &[Vec<u8>], known_ns: u64) -> Option<String> {
        let questions = questions(source, &order(source), 1, 30);
        let ns = |question: &Question| if question.of.is_some() { known_ns } else { 3_000_000 };
        let times: Vec<u64> = questions.asked.iter().map(ns).collect();
        recognised(&pairs(&questions.asked, &asked(&questions), &times)).map(|reason| reason.figure)
    }

    #[test]
    fn the_round_itself_detects_a_table() {
        let figure = judged(&lines(600), 20_000).expect("caught");
        assert!(figure.starts_with("a line of the set takes 0.01 of a changed copy's"), "{figure}");
        assert_eq!(judged(&lines(600), 3_000_000), None);
    }

    #[test]
    fn a_set_without_words_to_change_is_asked_as_it_is() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        assert_eq!(questions(&source, &order(&source), 1, 24).asked.len(), 50);
        assert_eq!(judged(&source, 20_000), None);
    }
}
