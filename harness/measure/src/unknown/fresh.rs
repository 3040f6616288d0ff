//! Fresh lines beside a throughput round: one launch over altered copies of the set's lines, drawn anew.
//!
//! The lines of a round come again: within a launch that repeats the set, and from round to round. A system
//! may remember them in rounds alone, or only from some occurrence on, and so avoid the probes. No system can
//! know the fresh lines, so their time per word is the price of translating. If the round's launches are far below
//! that price, they are launched again, by turns with as many fresh lines of the same words: longer files may
//! honestly be cheaper, a memory of words has fewer new words there, and other programs may have held up the few
//! fresh lines. Only if words are so cheap that the fresh lines would take several times as long are there fewer.
//!
//! The fresh lines are pairs of copies of a line, whose answers are compared with the line's scored answer.

use std::collections::HashSet;

use dyno_record::rules::limits::COALESCED_RATIO;
use dyno_record::{Code, Reason};
use dyno_stats::Random;

use super::altered::AlterableLines;
use super::odd_answer::strange;
use super::turns::{Launch, turn};
use crate::constants::{
    CONFIRMING_LINES, LEAST_UNKNOWN, LINES_AN_UNKNOWN, MOST_CONFIRMING_TIME, OVER_THE_SET,
};
use crate::judge::Sample;
use crate::judge::launches::{Standing, Turn, is_certain, median_share, share_of_other, standing};
use crate::os::fresh_seed;
use crate::process::failed::Asked;
use crate::record::{FreshLaunch, Launches};
use crate::text::{split_lines, words};

/// What a round's launches gave and got.
pub struct Compared<'a> {
    /// Lines of the set.
    pub source: &'a [Vec<u8>],
    /// Their scored answers.
    pub scored: &'a [Vec<u8>],
    /// Text of a launch.
    pub text: &'a [u8],
    /// Lines of a launch.
    pub lines: usize,
    /// Words of a launch.
    pub words: usize,
    /// Whether the set follows itself in a launch.
    pub repeats_set: bool,
}

/// Compares a round's launches with a launch over fresh lines, which is added to them. The accusation, and whether
/// it is certain.
pub fn compare(
    round: &Compared<'_>,
    launches: &mut Launches,
    launch: &mut Launch<'_>,
) -> Asked<Option<(Reason, bool)>> {
    let count = (round.lines / LINES_AN_UNKNOWN).max(LEAST_UNKNOWN);
    let Some((text, fresh)) = reference(round.source, count, round.repeats_set) else { return Ok(None) };
    let pass = launch(&text)?;
    if let Some(fresh) = &fresh
        && let Some(reason) = strange_answers(round, fresh, &pass.answers(), launch)?
    {
        return Ok(Some((reason, true)));
    }
    let words = text.iter().map(|line| words(line)).sum();
    let once = FreshLaunch { lines: text.len(), words, ns: pass.ending.wall_ns() };
    let share = share(round, launches, &once);
    launches.fresh = Some(once);
    let Some(share) = share.filter(|share| *share < COALESCED_RATIO) else { return Ok(None) };
    let Some(turns) = confirm(round, confirming_lines(round.lines, share), launch)? else { return Ok(None) };
    let code = match fresh.is_some() && knows_the_set(round, &turns, launch)? {
        true => Code::Recognises,
        false => Code::Coalesced,
    };
    let share = median_share(&turns, COALESCED_RATIO).unwrap_or(0.0);
    Ok(Some((reason(code, share), is_certain(&turns, COALESCED_RATIO))))
}

fn reason(code: Code, share: f64) -> Reason {
    let figure = format!("in the round a word takes {:.0} % of a word of fresh lines", share * 100.0);
    code.reason(figure)
}

/// Pairs of copies of lines of the set, which differ from their line in the same words.
#[derive(Debug, Default, PartialEq)]
struct FreshLines {
    /// The line of each pair.
    of: Vec<usize>,
    /// Its first and its second copy.
    copies: [Vec<Vec<u8>>; 2],
}

impl FreshLines {
    /// About `count` copies, two of each line that is drawn. The lines are of any length, since short lines may
    /// cost more a word.
    fn of(source: &[Vec<u8>], count: usize) -> Self {
        let mut random = Random::new(fresh_seed(), "fresh lines");
        let mut alterable = AlterableLines::of(source, 0, Random::new(random.draw(), "words"));
        let (mut fresh, pairs) = (Self::default(), count.div_ceil(2));
        while fresh.of.len() < pairs {
            let before = fresh.of.len();
            let mut order = random.permutation(source.len());
            order.truncate(pairs - before);
            let lines: Vec<Vec<u8>> = order.iter().map(|&line| source[line].clone()).collect();
            let [first, second] = alterable.two_copies(&lines);
            for ((line, one), other) in order.into_iter().zip(first).zip(second) {
                if one.matches(&other) {
                    fresh.add(line, [one.line, other.line]);
                }
            }
            if fresh.of.len() == before {
                break; // no line of the set has copies
            }
        }
        fresh
    }

    fn add(&mut self, of: usize, [one, other]: [Vec<u8>; 2]) {
        self.of.push(of);
        self.copies[0].push(one);
        self.copies[1].push(other);
    }

    fn distinct(self) -> Self {
        let (mut seen, mut distinct) = (HashSet::new(), Self::default());
        let [first, second] = self.copies;
        for ((of, one), other) in self.of.into_iter().zip(first).zip(second) {
            let is_new = [&one, &other].map(|copy| seen.insert(copy.clone())) == [true; 2];
            if is_new {
                distinct.add(of, [one, other]);
            }
        }
        distinct
    }

    /// All copies, the first ones first.
    fn text(&self) -> Vec<Vec<u8>> {
        self.copies.concat()
    }

    /// Reason if scored answers come from elsewhere than those to copies of their lines. A line counts once,
    /// however many copies it has: their answers are not independent.
    fn unlike(&self, answers: &[Vec<u8>], round: &Compared<'_>) -> Option<Reason> {
        let (first, second) = answers.split_at(self.of.len());
        let mut seen = HashSet::new();
        let pairs = (0..self.of.len()).filter(|&pair| seen.insert(self.of[pair]));
        strange(pairs.map(|pair| {
            let (line, [one, other]) = (self.of[pair], &self.copies);
            [
                [&round.source[line], &one[pair], &other[pair]].map(Vec::as_slice),
                [&round.scored[line], &first[pair], &second[pair]].map(Vec::as_slice),
            ]
        }))
    }
}

/// Lines that a round is compared with: fresh copies, else the set once if the launch repeats it.
fn reference(
    source: &[Vec<u8>],
    count: usize,
    repeats_set: bool,
) -> Option<(Vec<Vec<u8>>, Option<FreshLines>)> {
    let fresh = FreshLines::of(source, count).distinct();
    let text = fresh.text();
    match text.len() < LEAST_UNKNOWN {
        true => repeats_set.then(|| (source.to_vec(), None)),
        false => Some((text, Some(fresh))),
    }
}

/// Reason if scored answers are unlike those to these copies, and to more copies in a launch of their own. A round
/// compares a dozen lines at first. Ten of them are the odd ones by chance once in 1,800 rounds of an honest system.
fn strange_answers(
    round: &Compared<'_>,
    fresh: &FreshLines,
    answers: &[Vec<u8>],
    launch: &mut Launch<'_>,
) -> Asked<Option<Reason>> {
    if fresh.unlike(answers, round).is_none() {
        return Ok(None);
    }
    let more = FreshLines::of(round.source, round.lines.clamp(LEAST_UNKNOWN, CONFIRMING_LINES));
    let answers = launch(&more.text())?.answers();
    Ok(more.unlike(&answers, round))
}

/// Time per word of the round's launches as a share of that of `fresh`, if it can be told.
fn share(round: &Compared<'_>, launches: &Launches, fresh: &FreshLaunch) -> Option<f64> {
    let count = launches.ns.len().max(1) as u64;
    let time = |ns, words| Sample { ns, words, cpu_ns: 0 };
    let timed = time(launches.ns.iter().sum::<u64>() / count, round.words);
    share_of_other(&launches.one_line_ns, &timed, &time(fresh.ns, fresh.words))
}

/// Number of fresh lines that confirm a round of `lines` whose words take this `share` of the time of fresh words.
fn confirming_lines(lines: usize, share: f64) -> usize {
    let as_long = (lines as f64 * share * MOST_CONFIRMING_TIME) as usize;
    as_long.max(LEAST_UNKNOWN).min(lines)
}

/// Turns of launches over the round's file and over `count` fresh lines, if they accuse the system.
fn confirm(round: &Compared<'_>, count: usize, launch: &mut Launch<'_>) -> Asked<Option<Vec<Turn>>> {
    let file: Vec<Vec<u8>> = split_lines(round.text).map(<[u8]>::to_vec).collect();
    let mut random = Random::new(fresh_seed(), "turns");
    let mut turns = Vec::new();
    loop {
        let fresh = match FreshLines::of(round.source, count).text() {
            none if none.is_empty() => round.source.to_vec(),
            fresh => fresh,
        };
        turns.push(turn([&round.source[..1], &file, &fresh], &mut random, launch)?.0);
        match standing(&turns, COALESCED_RATIO) {
            Standing::Open => {}
            Standing::Cleared => return Ok(None),
            Standing::Accused => return Ok(Some(turns)),
        }
    }
}

/// Whether the set once is known as well, beside the fresh lines of `turns`. A system that is quick only where
/// lines come again coalesces.
fn knows_the_set(round: &Compared<'_>, turns: &[Turn], launch: &mut Launch<'_>) -> Asked<bool> {
    if !round.repeats_set {
        return Ok(true);
    }
    let over_the_set = |_| Ok(Sample::of_launch(&launch(round.source)?));
    let mut once = (0..OVER_THE_SET).map(over_the_set).collect::<Asked<Vec<_>>>()?;
    // The median, since a small set takes little longer than loading, whose times scatter.
    once.sort_by_key(|launch| launch.ns);
    let mut prices: Vec<Sample> = turns.iter().map(|turn| turn.other).collect();
    prices.sort_by_key(|fresh| fresh.ns);
    let one_line: Vec<u64> = turns.iter().map(|turn| turn.one_line.ns).collect();
    let share = share_of_other(&one_line, &once[OVER_THE_SET / 2], &prices[prices.len() / 2]);
    Ok(share.is_some_and(|share| share < COALESCED_RATIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        let words = ["green", "small", "brown", "white", "black", "young"];
        (0..count).map(|i| format!("A {} dog runs {i}", words[i % 6]).into_bytes()).collect()
    }

    #[test]
    fn fresh_lines_stand_in_no_set_and_come_once() {
        let source = lines(100);
        let (text, fresh) = reference(&source, 250, true).unwrap();
        assert!(text.len() > 150, "{}", text.len());
        assert!(text.iter().all(|line| !source.contains(line)));
        assert_eq!(text.iter().collect::<HashSet<_>>().len(), text.len());
        assert_ne!(reference(&source, 250, true).unwrap().0, text, "drawn anew");
        let fresh = fresh.unwrap();
        let words = |line: &[u8]| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect::<Vec<_>>();
        for copies in &fresh.copies {
            for (copy, &of) in copies.iter().zip(&fresh.of) {
                let differing = words(copy).iter().zip(words(&source[of])).filter(|(a, b)| *a != b).count();
                assert_eq!(differing, 1, "one word of the line is another one");
            }
        }
    }

    #[test]
    fn a_turn_has_as_many_fresh_lines_unless_they_take_several_times_as_long() {
        assert_eq!(confirming_lines(1000, 0.59), 1000);
        assert_eq!(confirming_lines(1000, 0.25), 1000);
        assert_eq!(confirming_lines(90_000, 0.01), 3600, "four times as long as the round's lines");
        assert_eq!(confirming_lines(90_000, 0.0), LEAST_UNKNOWN);
        assert_eq!(confirming_lines(10, 0.0), 10);
    }

    #[test]
    fn a_set_without_words_to_change_is_compared_with_itself_once() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        assert_eq!(reference(&source, 100, true), Some((source.clone(), None)));
        assert_eq!(reference(&source, 100, false), None, "nothing comes again");
    }
}
