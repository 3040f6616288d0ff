//! A round in lock-step: the whole set, line by line or page by page, in this round's order, with some
//! unknown lines or pages in between.
//!
//! The unknown ones are copies of the set's with other words, at random places. They are timed as these are,
//! but don't count.

use std::ops::Range;

use super::observed::{Observed, RoundContext};
use super::part::Part;
use crate::constants::unknown_of;
use crate::error::Result;
use crate::os::fresh_seed;
use crate::process::lockstep::{Conversation, Lockstep, Reply, converse};
use crate::process::turns::Slot;
use crate::unknown::script::{Question, Script, pairs, recognised};
use dyno_stats::{Random, mean};

/// Unscored copies at the start of a block, because the other systems have emptied the caches. Five systems took
/// turns on one core (Zen 3): a first line took 5 to 38 % longer than the fifth and later ones, a fourth 2 to 5 %.
pub const OPENING_COPIES: usize = 3;

/// One part of lock-step: its range of the set, block by block if other systems take turns. Adds to what the
/// round has `observed`.
pub(super) fn run(context: &RoundContext<'_>, part: Part, observed: &mut Observed) -> Result<()> {
    let (source, units) = (&context.round.test_set.source, context.round.test_set.units(context.round.track));
    let order = &order(context, units.len())[part.range(units.len())];
    let copies = part.share(unknown_of(units.len()));
    let [places, new] = ["places of copies", "their words"].map(|what| Random::new(fresh_seed(), what));
    let mut script = Script::of(source, units.clone(), order.to_vec(), places, new);
    // The warm-up asks copies of the last lines, so that no scored line has been seen.
    let last = warm_up(order, &units, context.bench.protocol.profile.warm_up_lines());
    let mut questions = Questions::new(script.copies(&order[last..]));
    let mut lines = script.once(copies);
    if context.subject.slot.is_none() {
        // Before the launch, since the conversation runs on the system's own core.
        questions.add(&mut script, std::mem::take(&mut lines), 1, 0);
    }
    let told = converse(&context.subject, |conversation| {
        for question in &questions.asked[..questions.warm_up] {
            conversation.ask(&question.line)?;
        }
        if let Some(slot) = context.subject.slot {
            questions.add(&mut script, lines, blocks(slot, conversation), OPENING_COPIES);
        }
        conversation.begin_work();
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
    observed.take_work(&told);
    observed.waited += told.waited;
    if !told.reasons.is_empty() {
        observed.reasons.extend(told.reasons);
        observed.forget_answers();
        return Ok(());
    }
    questions.keep(&told, &units, observed);
    if part.is_last() {
        observed.by_clock.extend(recognised(&observed.pairs));
    }
    Ok(())
}

/// Place in the order from which on the last lines or pages hold at least `lines` lines.
fn warm_up(order: &[usize], units: &[Range<usize>], lines: usize) -> usize {
    let mut held = 0;
    let is_needed = |unit: &&usize| {
        let needed = held < lines;
        held += units[**unit].len();
        needed
    };
    order.len() - order.iter().rev().take_while(is_needed).count()
}

/// Number of blocks of a round, once all systems of the group are warm.
fn blocks(slot: &Slot<'_>, conversation: &mut Conversation<'_, '_>) -> usize {
    // The first answer's time is mostly loading.
    let times: Vec<f64> = conversation.replies().iter().skip(1).map(|reply| reply.last_ns as f64).collect();
    slot.tell_line_ns(mean(&times).unwrap_or(0.0));
    conversation.pass_turn();
    slot.blocks()
}

/// Order of this round's `units` lines or pages, the same for every system.
fn order(context: &RoundContext<'_>, units: usize) -> Vec<usize> {
    let (set, round) = (context.round.test_set, context.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(context.bench.protocol.seed, &purpose).permutation(units)
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

    /// Time of the set's lines in each block, by the replies to all questions.
    fn turn_ns(&self, replies: &[Reply]) -> Vec<u64> {
        let scored = |&place: &usize| self.asked[place].of.is_some();
        let of_block =
            |block: &Range<usize>| block.clone().filter(scored).map(|place| replies[place].last_ns).sum();
        self.blocks.iter().map(of_block).collect()
    }

    /// Puts answers and times of the set's lines where they belong in the round over `units`, its lines or
    /// pages.
    fn keep(&self, told: &Lockstep, units: &[Range<usize>], observed: &mut Observed) {
        let Lockstep { answers, replies, .. } = told;
        observed.turn_ns.extend(self.turn_ns(replies));
        let texts: Vec<Vec<u8>> =
            replies.iter().map(|reply| answers[reply.answers.clone()].join(&b'\n')).collect();
        let last_ns: Vec<u64> = replies.iter().map(|reply| reply.last_ns).collect();
        observed.pairs.extend(pairs(&self.asked, &texts, &last_ns));
        observed.answers.resize(units.last().map_or(0, |unit| unit.end), Vec::new());
        observed.replies.resize(units.len(), Reply::default());
        for (question, reply) in self.asked.iter().zip(replies) {
            if let Some(unit) = question.of {
                observed.answers[units[unit].clone()].clone_from_slice(&answers[reply.answers.clone()]);
                observed.replies[unit] = reply.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_set::TestSet;
    use dyno_record::{Profile, Track};

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    fn single(source: &[Vec<u8>]) -> Vec<Range<usize>> {
        TestSet::from_lines("set", source.to_vec()).units(Track::Latency)
    }

    fn order(units: usize) -> Vec<usize> {
        Random::new(1, "order").permutation(units)
    }

    fn questions(source: &[Vec<u8>], order: &[usize], blocks: usize, copies: usize) -> Questions {
        of_units(source, &single(source), order, blocks, copies)
    }

    fn of_units(
        source: &[Vec<u8>],
        units: &[Range<usize>],
        order: &[usize],
        blocks: usize,
        copies: usize,
    ) -> Questions {
        let [places, words] = [(2, "places"), (3, "words")].map(|(seed, what)| Random::new(seed, what));
        let mut script = Script::of(source, units.to_vec(), order.to_vec(), places, words);
        let mut questions = Questions::new(script.copies(&order[warm_up(order, units, 20)..]));
        let lines = script.once(copies);
        questions.add(&mut script, lines, blocks, if blocks > 1 { OPENING_COPIES } else { 0 });
        questions
    }

    /// Number of lines of a question, and so of the answers to it.
    fn line_count(question: &Question) -> usize {
        question.line.split(|&byte| byte == b'\n').count()
    }

    /// What a system tells that has these answers and takes these times for them, line by line.
    fn told(questions: &Questions, answers: Vec<Vec<u8>>, latency_ns: &[u64]) -> Lockstep {
        let reply = |begin: &mut usize, question: &Question| {
            let answers = *begin..*begin + line_count(question);
            *begin = answers.end;
            let times = &latency_ns[answers.clone()];
            Some(Reply { answers, first_ns: times[0], last_ns: *times.last()?, ..Reply::default() })
        };
        let replies = questions.asked.iter().scan(0, reply).collect();
        Lockstep { answers, replies, ..Lockstep::default() }
    }

    fn asked(questions: &Questions) -> Vec<Vec<u8>> {
        questions.asked.iter().map(|question| question.line.clone()).collect()
    }

    #[test]
    fn every_line_of_the_set_is_asked_once_between_unknown_copies() {
        let source = lines(600);
        let questions = questions(&source, &order(600), 1, 30);
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
        let order = order(100);
        let questions = questions(&source, &order, 7, 24);
        assert_eq!(questions.blocks.len(), 7);
        for (number, block) in questions.blocks.iter().enumerate() {
            let asked = &questions.asked[block.clone()];
            assert!(asked[..OPENING_COPIES].iter().all(|question| question.of.is_none()), "block {number}");
            let scored = asked.iter().filter_map(|question| question.of);
            let of_order = &order[number * 100 / 7..(number + 1) * 100 / 7];
            assert!(scored.eq(of_order.iter().copied()), "block {number}");
        }
        let ones = told(&questions, Vec::new(), &vec![1; questions.asked.len()]);
        assert_eq!(questions.turn_ns(&ones.replies), [14, 14, 14, 15, 14, 14, 15], "copies don't count");
    }

    #[test]
    fn a_part_asks_its_own_lines_and_keeps_their_answers_in_their_places() {
        let source = lines(400);
        let order = order(400);
        let mut observed = Observed::default();
        for (number, part) in Part::all(Track::Latency, Profile::Standard, 400).enumerate() {
            let questions = questions(&source, &order[part.range(400)], 3, 6);
            let answers = asked(&questions);
            assert_eq!(answers.iter().filter(|line| source.contains(line)).count(), 100);
            let latency_ns = vec![7; answers.len()];
            questions.keep(&told(&questions, answers, &latency_ns), &single(&source), &mut observed);
            assert_eq!(observed.pairs.len(), 6 * (number + 1));
        }
        assert!(observed.pairs.iter().all(|[line, copy]| line.ns == copy.ns));
        assert_eq!((observed.answers, last_ns(&observed.replies)), (source, vec![7; 400]));
    }

    fn last_ns(replies: &[Reply]) -> Vec<u64> {
        replies.iter().map(|reply| reply.last_ns).collect()
    }

    /// Times of a system that takes 2 ms a line, as the bench reads them from the start of each page: line by
    /// line, or all answers of a page `together`.
    fn fixed_time(questions: &Questions, together: bool) -> Vec<u64> {
        let of_page =
            |lines: usize| (1..=lines as u64).map(move |line| if together { lines as u64 } else { line });
        questions
            .asked
            .iter()
            .flat_map(|page| of_page(line_count(page)))
            .map(|lines| lines * 2_000_000)
            .collect()
    }

    #[test]
    fn a_page_is_asked_whole_and_its_first_and_last_line_take_what_their_number_says() {
        let source = lines(103);
        let units = TestSet::from_lines("set", source.clone()).with_pages_of(5).pages;
        let questions = of_units(&source, &units, &order(21), 3, 6);
        let scored = questions.asked.iter().filter_map(|page| Some((page.of?, &page.line)));
        assert!(scored.clone().all(|(of, page)| *page == source[units[of].clone()].join(&b'\n')));
        let mut numbers: Vec<usize> = scored.map(|(of, _)| of).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..21));
        let answers: Vec<Vec<u8>> = questions
            .asked
            .iter()
            .flat_map(|page| page.line.split(|&byte| byte == b'\n').map(<[u8]>::to_vec))
            .collect();
        for (together, first_ms) in [(false, 2), (true, 10)] {
            let told = told(&questions, answers.clone(), &fixed_time(&questions, together));
            let mut observed = Observed::default();
            questions.keep(&told, &units, &mut observed);
            assert_eq!(observed.answers, source);
            assert!(observed.replies[..20].iter().all(|reply| reply.first_ns == first_ms * 1_000_000));
            assert_eq!(last_ns(&observed.replies[..20]), [10_000_000; 20]);
            assert_eq!(last_ns(&observed.replies[20..]), [6_000_000], "the last page has three lines");
            assert_eq!(observed.turn_ns.iter().sum::<u64>(), 103 * 2_000_000, "copies don't count");
            assert_eq!(observed.pairs.len(), 6);
        }
    }

    #[test]
    fn copies_of_pages_have_no_line_of_the_set_and_the_warm_up_has_its_number_of_lines() {
        let source = lines(400);
        let units = TestSet::from_lines("set", source.clone()).with_pages_of(8).pages;
        let questions = of_units(&source, &units, &order(50), 1, 24);
        assert_eq!(questions.warm_up, 3, "24 lines of at least 20");
        let copies: Vec<&Question> = questions.asked.iter().filter(|page| page.of.is_none()).collect();
        assert_eq!(copies.len(), 3 + 24);
        let mut lines = copies.iter().flat_map(|page| page.line.split(|&byte| byte == b'\n'));
        assert!(lines.all(|line| !source.iter().any(|own| own == line)));
    }

    /// Figure where each line of the set takes so long, and each copy 3 ms.
    fn judged(source: &[Vec<u8>], known_ns: u64) -> Option<String> {
        let questions = questions(source, &order(source.len()), 1, 30);
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
    fn the_round_itself_detects_a_table_of_pages() {
        let source = lines(400);
        let units = TestSet::from_lines("set", source.clone()).with_pages_of(4).pages;
        let questions = of_units(&source, &units, &order(100), 1, 24);
        let figure = |known_ns: u64| {
            let ns = |page: &Question| {
                vec![if page.of.is_some() { known_ns } else { 9_000_000 }; line_count(page)]
            };
            let latency_ns: Vec<u64> = questions.asked.iter().flat_map(ns).collect();
            let answers =
                asked(&questions).join(&b'\n').split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            let mut observed = Observed::default();
            questions.keep(&told(&questions, answers, &latency_ns), &units, &mut observed);
            recognised(&observed.pairs).map(|reason| reason.code.name())
        };
        assert_eq!((figure(20_000), figure(9_000_000)), (Some("recognises"), None));
    }

    #[test]
    fn a_set_without_words_to_change_is_asked_as_it_is() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        assert_eq!(questions(&source, &order(30), 1, 24).asked.len(), 50);
        assert_eq!(judged(&source, 20_000), None);
    }
}
