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
use dyno_record::{Code, FreshLaunch, Launches};
use dyno_stats::Random;

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::constants::{LEAST_UNKNOWN, MOST_CONFIRMING_TIME, OVER_THE_SET, RECOGNITION_PAIRS, unknown_of};
use crate::judge::launches::{Standing, Turn, judge, share_of_other, standing};
use crate::judge::{Counted, Judgement, Sample};
use crate::os::fresh_seed;
use crate::process::failed::{Asked, sound};
use crate::unknown::altered::AlterableLines;
use crate::unknown::odd_answer::{odd, strange};
use crate::unknown::triples::Triples;
use crate::unknown::turns::turn;
use crate::{split_lines, words};

/// Compares the round's launches with a launch over fresh lines, which is added to them.
pub(super) fn compare(context: &RoundContext<'_>, input: &LaunchInput, observed: &mut Observed) -> Asked<()> {
    let source = &context.round.test_set.source;
    let count = unknown_of(input.lines);
    let Some((text, fresh)) = reference(source, count, input.repeats_set()) else { return Ok(()) };
    let pass = observed.launch_untimed(context, &text)?;
    if let Some(fresh) = &fresh
        && strange(odd_answers(fresh, &pass.answers(), &observed.answers), Counted::default()).is_some()
    {
        confirm_strange_answers(context, observed)?;
    }
    let words = text.iter().map(|line| words(line)).sum();
    let once = FreshLaunch { lines: text.len(), words, ns: pass.ending.wall_ns() };
    let share = share(input.words, &observed.launches, &once);
    observed.launches.fresh = Some(once);
    let Some(share) = share.filter(|share| *share < COALESCED_RATIO) else { return Ok(()) };
    let Some(turns) = confirm(context, input, share, observed)? else { return Ok(()) };
    let code = match fresh.is_some() && knows_the_set(context, input, &turns, observed)? {
        true => Code::Recognises,
        false => Code::Coalesced,
    };
    match judge(&turns, COALESCED_RATIO, code, ["in the round a word", "a word of fresh lines"]) {
        Judgement { reason, certain: true, .. } => sound((), reason),
        Judgement { reason, .. } => {
            observed.by_clock.extend(reason);
            Ok(())
        }
    }
}

/// Two copies of a line of the set, which differ from it, and from each other, in the same words.
#[derive(Debug, PartialEq)]
struct Fresh {
    /// Number of the line.
    of: usize,
    copies: [Vec<u8>; 2],
}

/// About `count` copies, two of each line that is drawn. The lines are of any length, since short lines may
/// cost more a word.
fn fresh_pairs(source: &[Vec<u8>], count: usize) -> Vec<Fresh> {
    let mut random = Random::new(fresh_seed(), "fresh lines");
    let mut alterable = AlterableLines::of(source, 0, Random::new(random.draw(), "words"));
    let (mut fresh, pairs) = (Vec::new(), count.div_ceil(2));
    while fresh.len() < pairs {
        let before = fresh.len();
        let mut order = random.permutation(source.len());
        order.truncate(pairs - before);
        let lines: Vec<Vec<u8>> = order.iter().map(|&line| source[line].clone()).collect();
        let [first, second] = alterable.two_copies(&lines);
        for ((of, one), other) in order.into_iter().zip(first).zip(second) {
            if one.matches(&other) {
                fresh.push(Fresh { of, copies: [one.line, other.line] });
            }
        }
        if fresh.len() == before {
            break; // no line of the set has copies
        }
    }
    fresh
}

/// All copies, the first ones first.
fn text(fresh: &[Fresh]) -> Vec<Vec<u8>> {
    let copies = |number: usize| fresh.iter().map(move |pair| pair.copies[number].clone());
    copies(0).chain(copies(1)).collect()
}

/// `scored` answers that are the odd ones beside the `answers` to copies of their lines. A line counts once, however
/// many copies it has: their answers are not independent.
fn odd_answers(fresh: &[Fresh], answers: &[Vec<u8>], scored: &[Vec<u8>]) -> Counted {
    let (first, second) = answers.split_at(fresh.len());
    let mut seen = HashSet::new();
    let pairs = fresh.iter().zip(first).zip(second).filter(|((pair, _), _)| seen.insert(pair.of));
    odd(pairs.map(|((pair, first), second)| [&scored[pair.of], first, second].map(Vec::as_slice)))
}

/// Lines that a round is compared with, and the pairs that they come from, if they are fresh.
type Reference = (Vec<Vec<u8>>, Option<Vec<Fresh>>);

/// Fresh copies, else the set once if the launch repeats it.
fn reference(source: &[Vec<u8>], count: usize, repeats_set: bool) -> Option<Reference> {
    let (mut fresh, mut seen) = (fresh_pairs(source, count), HashSet::new());
    fresh.retain(|pair| pair.copies.each_ref().map(|copy| seen.insert(copy.clone())) == [true; 2]);
    let text = text(&fresh);
    match text.len() < LEAST_UNKNOWN {
        true => repeats_set.then(|| (source.to_vec(), None)),
        false => Some((text, Some(fresh))),
    }
}

/// Fails if scored answers are unlike those to more copies, in launches of their own. A round compares a dozen lines at
/// first. Ten of them are the odd ones by chance once in 1,800 rounds of an honest system.
fn confirm_strange_answers(context: &RoundContext<'_>, observed: &mut Observed) -> Asked<()> {
    let source = &context.round.test_set.source;
    let mut set = AlterableLines::of(source, 0, Random::new(fresh_seed(), "words"));
    let known = some(source, &observed.answers, Random::new(fresh_seed(), "lines"));
    let ask = &mut |lines: &[Vec<u8>]| Ok(observed.launch_untimed(context, lines)?.answers());
    let (random, sampling) = (Random::new(fresh_seed(), "other lines"), context.round.system.sampling);
    sound((), Triples::ask(known, &mut set, ask)?.fault(&mut set, random, sampling, ask)?)
}

/// Some different lines of any length, with their answers.
fn some(source: &[Vec<u8>], answers: &[Vec<u8>], mut random: Random) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut seen = HashSet::new();
    let order = random.permutation(source.len()).into_iter().filter(|&line| seen.insert(&source[line]));
    order.take(RECOGNITION_PAIRS).map(|line| (source[line].clone(), answers[line].clone())).unzip()
}

/// Time per word of launches over `words` words each, as a share of that of `fresh`, if it can be told.
fn share(words: usize, launches: &Launches, fresh: &FreshLaunch) -> Option<f64> {
    let count = launches.ns.len().max(1) as u64;
    let time = |ns, words| Sample { ns, words, cpu_ns: 0 };
    let timed = time(launches.ns.iter().sum::<u64>() / count, words);
    share_of_other(&launches.one_line_ns, &timed, &time(fresh.ns, fresh.words))
}

/// Number of fresh lines that confirm a round of `lines` whose words take this `share` of the time of fresh words.
fn confirming_lines(lines: usize, share: f64) -> usize {
    let as_long = (lines as f64 * share * MOST_CONFIRMING_TIME) as usize;
    as_long.max(LEAST_UNKNOWN).min(lines)
}

/// Turns of launches over the round's file and over fresh lines, if they accuse a system whose words take this `share`.
fn confirm(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    share: f64,
    observed: &mut Observed,
) -> Asked<Option<Vec<Turn>>> {
    let source = &context.round.test_set.source;
    let (file, count): (Vec<Vec<u8>>, _) =
        (split_lines(&input.text).map(<[u8]>::to_vec).collect(), confirming_lines(input.lines, share));
    let launch = &mut |lines: &[Vec<u8>]| observed.launch_untimed(context, lines);
    let mut random = Random::new(fresh_seed(), "turns");
    let mut turns = Vec::new();
    while standing(&turns, COALESCED_RATIO) == Standing::Open {
        let fresh = match text(&fresh_pairs(source, count)) {
            none if none.is_empty() => source.clone(),
            fresh => fresh,
        };
        turns.push(turn([&source[..1], &file, &fresh], &mut random, launch)?);
    }
    Ok((standing(&turns, COALESCED_RATIO) == Standing::Accused).then_some(turns))
}

/// Whether the set once is known as well, beside the fresh lines of `turns`. A system that is quick only where
/// lines come again coalesces.
fn knows_the_set(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    turns: &[Turn],
    observed: &mut Observed,
) -> Asked<bool> {
    if !input.repeats_set() {
        return Ok(true);
    }
    let mut over_the_set =
        |_| Ok(Sample::of_launch(&observed.launch_untimed(context, &context.round.test_set.source)?));
    let mut once = (0..OVER_THE_SET).map(&mut over_the_set).collect::<Asked<Vec<_>>>()?;
    // The median, since a small set takes little longer than loading, whose times scatter.
    once.sort_by_key(|launch| launch.ns);
    let mut prices: Vec<Sample> = turns.iter().map(|&[_, _, fresh]| fresh).collect();
    prices.sort_by_key(|fresh| fresh.ns);
    let one_line: Vec<u64> = turns.iter().map(|[one_line, ..]| one_line.ns).collect();
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
        for Fresh { of, copies } in &fresh {
            for copy in copies {
                let differing = words(copy).iter().zip(words(&source[*of])).filter(|(a, b)| *a != b).count();
                assert_eq!(differing, 1, "one word of the line is another one");
            }
        }
    }

    #[test]
    fn strange_answers_are_confirmed_on_different_lines_of_any_length() {
        let source: Vec<Vec<u8>> =
            (0..300).map(|i| format!("{} dog", i % 150).repeat(80).into_bytes()).collect();
        let answers: Vec<Vec<u8>> = source.iter().map(|line| line.to_ascii_uppercase()).collect();
        let (lines, said) = some(&source, &answers, Random::new(1, "lines"));
        assert_eq!(lines.iter().collect::<HashSet<_>>().len(), RECOGNITION_PAIRS);
        assert!(lines.iter().zip(&said).all(|(line, said)| line.to_ascii_uppercase() == *said));
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
