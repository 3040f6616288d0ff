//! Fresh lines beside a throughput round: one launch over altered copies of the set's lines, drawn anew.
//!
//! The lines of a round come again: within a launch that repeats the set, and from round to round. A system
//! may remember them in rounds alone, or only from some occurrence on, and so avoid the probes. No system can
//! know the fresh lines, so their time per word is the price of translating. If the round's launches are far below
//! that price, they are launched again, by turns with as many fresh lines of the same words: longer files may
//! honestly be cheaper, a memory of words has fewer new words there, and other programs may have held up the few
//! fresh lines.
//!
//! The fresh lines are pairs of copies of a line, whose answers are compared with the line's scored answer.

use std::collections::{HashMap, HashSet};

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::os::fresh_seed;
use crate::record::FreshLaunch;
use crate::text::{as_text, split_lines, words};
use crate::verify::altered::AlterableLines;
use crate::verify::alternation::turn;
use crate::verify::kinship::strange;
use crate::verify::timing::{LaunchTime, Standing, Turn, is_certain, median_share, share_of_other, standing};
use dyno_record::rules::limits::COALESCED_RATIO;
use dyno_record::{Code, Reason};
use dyno_stats::Random;

/// Lines of a launch for each fresh line, so that a round gets longer by a twentieth.
pub const LINES_A_FRESH_ONE: usize = 20;
/// Least number of fresh lines, if the set has as many that can be altered: fewer prove nothing.
pub const LEAST_FRESH: usize = 24;
/// Launches over the set once, whose median tells whether the set itself is known.
const OVER_THE_SET: usize = 3;
/// Fresh lines of the launch that must confirm strange answers, at most: two for each line of the probe.
pub const CONFIRMING_LINES: usize = 240;

/// Compares the round's launches with a launch over fresh lines.
pub(super) fn compare(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
) -> Result<()> {
    let source = &context.round.test_set.source;
    let count = (input.lines / LINES_A_FRESH_ONE).max(LEAST_FRESH);
    let Some((lines, has_copies)) = reference(source, count, input.repeats_set()) else { return Ok(()) };
    let Some((fresh, answers)) = launch(context, &lines.text, observed)? else { return Ok(()) };
    let strange = strange_answers(context, input, &lines, &answers, observed)?;
    observed.reasons.extend(strange);
    if !observed.reasons.is_empty() {
        return Ok(());
    }
    let share = share(input, observed, &fresh);
    observed.launches.fresh = Some(fresh);
    if share.is_none_or(|share| share >= COALESCED_RATIO) {
        return Ok(());
    }
    let Some(turns) = confirm(context, input, observed)? else { return Ok(()) };
    let code = match has_copies && knows_the_set(context, input, observed, &turns)? {
        true => Code::Recognises,
        false => Code::Coalesced,
    };
    let share = median_share(&turns, COALESCED_RATIO).unwrap_or(0.0);
    observed.accuse(reason(code, share), is_certain(&turns, COALESCED_RATIO));
    Ok(())
}

/// Reason of a round whose words take this `share` of the time of fresh words.
fn reason(code: Code, share: f64) -> Reason {
    let figure = format!("in the round a word takes {:.0} % of a word of fresh lines", share * 100.0);
    code.reason(figure)
}

/// Fresh lines of a launch.
#[derive(Debug, Default, PartialEq)]
struct FreshLines {
    /// Text of the lines.
    text: Vec<Vec<u8>>,
    /// A line of the set, and the two copies of it.
    pairs: Vec<(usize, [Vec<u8>; 2])>,
}

/// Lines that a round is compared with, and whether they are copies: fresh copies, else the set once if the
/// launch repeats it.
fn reference(source: &[Vec<u8>], count: usize, repeats_set: bool) -> Option<(FreshLines, bool)> {
    let FreshLines { text, pairs } = fresh_lines(source, count);
    let text = distinct(text);
    match text.len() < LEAST_FRESH {
        true => repeats_set.then(|| (FreshLines { text: source.to_vec(), pairs: Vec::new() }, false)),
        false => Some((FreshLines { text, pairs }, true)),
    }
}

/// About `count` altered copies of lines of the set, two of each line that is drawn. The lines are of any
/// length, since short lines may cost more a word.
fn fresh_lines(source: &[Vec<u8>], count: usize) -> FreshLines {
    let mut random = Random::new(fresh_seed(), "fresh lines");
    let mut alterable = AlterableLines::of(source, 0, Random::new(random.draw(), "words"));
    let mut fresh = FreshLines::default();
    let pairs = count.div_ceil(2);
    while fresh.pairs.len() < pairs {
        let mut order = random.permutation(source.len());
        order.truncate(pairs - fresh.pairs.len());
        let lines: Vec<Vec<u8>> = order.iter().map(|&line| source[line].clone()).collect();
        let copies = alterable.copies(&lines).into_iter().zip(alterable.copies(&lines));
        let before = fresh.pairs.len();
        for (of, (one, other)) in order.into_iter().zip(copies) {
            if one.exchanged > 0 && one.exchanged == other.exchanged && one.line != other.line {
                fresh.pairs.push((of, [one.line, other.line]));
            }
        }
        if fresh.pairs.len() == before {
            break; // no line of the set has copies
        }
    }
    let of = |side: usize| fresh.pairs.iter().map(move |(_, copies)| copies[side].clone());
    fresh.text = of(0).chain(of(1)).take(count).collect();
    fresh
}

/// Reason if scored answers are unlike those to these copies, and to more copies in a launch of their own. A round
/// compares a dozen lines at first. Ten of them are the odd ones by chance once in 1,800 rounds of an honest system.
fn strange_answers(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    fresh: &FreshLines,
    answers: &[Vec<u8>],
    observed: &mut Observed,
) -> Result<Option<Reason>> {
    if unlike_copies(fresh, answers, &observed.answers).is_none() {
        return Ok(None);
    }
    let more = fresh_lines(&context.round.test_set.source, input.lines.clamp(LEAST_FRESH, CONFIRMING_LINES));
    let Some((_, answers)) = launch(context, &more.text, observed)? else { return Ok(None) };
    Ok(unlike_copies(&more, &answers, &observed.answers))
}

/// Reason if scored answers come from elsewhere than those to copies of their lines. A line counts once,
/// however many copies it has: their answers are not independent.
fn unlike_copies(fresh: &FreshLines, answers: &[Vec<u8>], scored: &[Vec<u8>]) -> Option<Reason> {
    let answers: HashMap<&[u8], &[u8]> =
        fresh.text.iter().zip(answers).map(|(line, answer)| (line.as_slice(), answer.as_slice())).collect();
    let of = |copy: &Vec<u8>| answers.get(copy.as_slice()).copied();
    let kin = |(line, [one, other]): &(usize, [Vec<u8>; 2])| {
        Some([scored.get(*line)?.as_slice(), of(one)?, of(other)?])
    };
    let mut seen = HashSet::new();
    strange(fresh.pairs.iter().filter(|(line, _)| seen.insert(*line)).filter_map(kin))
}

fn distinct(mut lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    lines
}

/// Time per word of the round's launches as a share of that of `fresh`, if it can be told.
fn share(input: &LaunchInput, observed: &Observed, fresh: &FreshLaunch) -> Option<f64> {
    let launches = observed.launches.ns.len().max(1) as u64;
    let time = |ns, words| LaunchTime { ns, words, cpu_ns: 0 };
    let timed = time(observed.launches.ns.iter().sum::<u64>() / launches, input.words);
    share_of_other(&observed.launches.one_line_ns, &timed, &time(fresh.ns, fresh.words))
}

/// Turns of launches over the round's file and over as many fresh lines, if they accuse the system.
fn confirm(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
) -> Result<Option<Vec<Turn>>> {
    let source = &context.round.test_set.source;
    let file: Vec<Vec<u8>> = split_lines(&input.text).map(<[u8]>::to_vec).collect();
    let mut random = Random::new(fresh_seed(), "turns");
    let mut turns = Vec::new();
    loop {
        let fresh = match fresh_lines(source, input.lines).text {
            none if none.is_empty() => source.clone(),
            fresh => fresh,
        };
        let launch = |lines: &[Vec<u8>]| observed.launch_untimed(context, &as_text(lines), lines.len());
        let Ok((turn, _)) = turn([&source[..1], &file, &fresh], &mut random, launch)? else {
            return Ok(None);
        };
        turns.push(turn);
        match standing(&turns, COALESCED_RATIO) {
            Standing::Open => {}
            Standing::Cleared => return Ok(None),
            Standing::Accused => return Ok(Some(turns)),
        }
    }
}

/// Whether the set once is known as well, beside the fresh lines of `turns`. A system that is quick only where
/// lines come again coalesces.
fn knows_the_set(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
    turns: &[Turn],
) -> Result<bool> {
    if !input.repeats_set() {
        return Ok(true);
    }
    let mut launches = Vec::with_capacity(OVER_THE_SET);
    for _ in 0..OVER_THE_SET {
        let source = &context.round.test_set.source;
        let pass = observed.launch_untimed(context, &as_text(source), source.len())?;
        if !pass.reasons.is_empty() {
            return Ok(false);
        }
        launches.push(LaunchTime::of(&pass));
    }
    // The median, since a small set takes little longer than loading, whose times scatter.
    launches.sort_by_key(|once| once.ns);
    let mut prices: Vec<LaunchTime> = turns.iter().map(|turn| turn.other).collect();
    prices.sort_by_key(|fresh| fresh.ns);
    let one_line: Vec<u64> = turns.iter().map(|turn| turn.one_line.ns).collect();
    let share = share_of_other(&one_line, &launches[OVER_THE_SET / 2], &prices[prices.len() / 2]);
    Ok(share.is_some_and(|share| share < COALESCED_RATIO))
}

/// A launch over `lines` with its answers, or `None` if it failed. The reasons are in `observed`.
fn launch(
    context: &RoundContext<'_>,
    lines: &[Vec<u8>],
    observed: &mut Observed,
) -> Result<Option<(FreshLaunch, Vec<Vec<u8>>)>> {
    let pass = observed.launch_untimed(context, &as_text(lines), lines.len())?;
    let words = lines.iter().map(|line| words(line)).sum();
    let launch = FreshLaunch { lines: lines.len(), words, ns: pass.ending.wall_ns() };
    Ok(pass.reasons.is_empty().then(|| (launch, pass.answers())))
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
        let (fresh, has_copies) = reference(&source, 250, true).unwrap();
        let text = &fresh.text;
        assert!(has_copies && text.len() > 150, "{}", text.len());
        assert!(text.iter().all(|line| !source.contains(line)));
        assert_eq!(distinct(text.clone()).len(), text.len());
        assert_ne!(&reference(&source, 250, true).unwrap().0.text, text, "drawn anew");
        for (of, copies) in &fresh.pairs {
            let words =
                |line: &[u8]| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect::<Vec<_>>();
            let differing =
                |copy: &Vec<u8>| words(copy).iter().zip(words(&source[*of])).filter(|(a, b)| *a != b).count();
            assert_eq!(copies.each_ref().map(differing), [1, 1], "one word of the line is another one");
        }
    }

    #[test]
    fn a_set_without_words_to_change_is_compared_with_itself_once() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        let itself = FreshLines { text: source.clone(), pairs: Vec::new() };
        assert_eq!(reference(&source, 100, true), Some((itself, false)));
        assert_eq!(reference(&source, 100, false), None, "nothing comes again");
    }
}
