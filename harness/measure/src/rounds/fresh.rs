//! Fresh lines beside a throughput round: one launch over altered copies of the set's lines, drawn anew.
//!
//! The lines of a round come again: within a launch that repeats the set, and from round to round. A system
//! may remember them in rounds alone, or only from some occurrence on, and so avoid the probes. No system can
//! know the fresh lines, so their time per word is the price of translating. Launches far below that price
//! are launched again beside more fresh lines, because batches of a longer file may honestly be cheaper.
//!
//! The fresh lines are pairs of copies of a line, whose answers are compared with the line's scored answer.

use std::collections::{HashMap, HashSet};

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::os::fresh_seed;
use crate::record::FreshLaunch;
use crate::rules::limits::COALESCED_RATIO;
use crate::rules::{Code, Reason};
use crate::text::{as_text, words};
use crate::verify::altered::AlterableLines;
use crate::verify::kinship::strange;
use crate::verify::timing::{FileTime, share_of_fresh};
use dyno_stats::Random;

/// Lines of a launch for each fresh line, so that a round gets longer by a twentieth.
pub const LINES_A_FRESH_ONE: usize = 20;
/// Least number of fresh lines, if the set has as many that can be altered: fewer prove nothing.
pub const LEAST_FRESH: usize = 24;
/// Launches over fresh lines that must all agree before a system is accused.
pub const CONFIRMATIONS: usize = 3;
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
    let share = share(input, observed, &time(&fresh));
    observed.fresh = Some(fresh);
    let Some(share) = share.filter(|&share| share < COALESCED_RATIO) else { return Ok(()) };
    let Some((share, price)) = confirm(context, input, observed, share)? else { return Ok(()) };
    let code = match has_copies && knows_the_set(context, input, observed, &price)? {
        true => Code::Recognises,
        false => Code::Coalesced,
    };
    observed.reasons.push(reason(code, share));
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
fn share(input: &LaunchInput, observed: &Observed, fresh: &FileTime) -> Option<f64> {
    let launches = observed.launch_ns.len().max(1) as u64;
    let timed = FileTime { ns: observed.launch_ns.iter().sum::<u64>() / launches, words: input.words };
    share_of_fresh(&observed.one_line_ns, &timed, fresh)
}

fn time(launch: &FreshLaunch) -> FileTime {
    FileTime { ns: launch.ns, words: launch.words }
}

/// Largest share that launches of about the round's length show, and the launch that shows it: the host has
/// disturbed it least. `None` if one of the launches clears the system.
fn confirm(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
    share_of_few: f64,
) -> Result<Option<(f64, FileTime)>> {
    let source = &context.round.test_set.source;
    let wanted = (input.lines as f64 * share_of_few).ceil() as usize;
    let mut largest = None;
    for _ in 0..CONFIRMATIONS {
        let fresh = match fresh_lines(source, wanted.max(LEAST_FRESH)).text {
            none if none.is_empty() => source.clone(),
            fresh => fresh,
        };
        let Some((fresh, _)) = launch(context, &fresh, observed)? else { return Ok(None) };
        let price = time(&fresh);
        match share(input, observed, &price) {
            Some(share) if share < COALESCED_RATIO => {
                largest = largest.filter(|(largest, _)| *largest >= share).or(Some((share, price)));
            }
            _ => return Ok(None),
        }
    }
    Ok(largest)
}

/// Whether the set once is known as well, where fresh lines take this `price`. A system that is quick only
/// where lines come again coalesces.
fn knows_the_set(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
    price: &FileTime,
) -> Result<bool> {
    if !input.repeats_set() {
        return Ok(true);
    }
    let mut launches = Vec::with_capacity(CONFIRMATIONS);
    for _ in 0..CONFIRMATIONS {
        let source = &context.round.test_set.source;
        let Some((once, _)) = launch(context, source, observed)? else { return Ok(false) };
        launches.push(time(&once));
    }
    // The median, since a small set takes little longer than loading, whose times scatter.
    launches.sort_by_key(|once| once.ns);
    let share = share_of_fresh(&observed.one_line_ns, &launches[CONFIRMATIONS / 2], price);
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
