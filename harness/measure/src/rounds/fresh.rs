//! Fresh lines beside a throughput round: one launch over altered copies of the set's lines, drawn anew.
//!
//! The lines of a round come again: within a launch that repeats the set, and from round to round. A system
//! may remember them in rounds alone, or only from some occurrence on, and so avoid the probes. No system can
//! know the fresh lines, so their time per word is the price of translating. Launches far below that price
//! are launched again beside more fresh lines, because batches of a longer file may honestly be cheaper.

use std::collections::HashSet;

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::os::fresh_seed;
use crate::record::FreshLaunch;
use crate::rules::limits::COALESCED_RATIO;
use crate::rules::{Code, Reason};
use crate::text::{as_text, words};
use crate::verify::altered::AlterableLines;
use crate::verify::timing::{FileTime, share_of_fresh};
use dyno_stats::Random;

/// Lines of a launch for each fresh line, so that a round gets longer by a twentieth.
pub const LINES_A_FRESH_ONE: usize = 20;
/// Least number of fresh lines, if the set has as many that can be altered: fewer prove nothing.
pub const LEAST_FRESH: usize = 24;
/// Launches over fresh lines that must all agree before a system is accused.
pub const CONFIRMATIONS: usize = 3;

/// Compares the round's launches with a launch over fresh lines.
pub(super) fn compare(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
) -> Result<()> {
    let source = &context.round.test_set.source;
    let count = (input.lines / LINES_A_FRESH_ONE).max(LEAST_FRESH);
    let Some((lines, has_copies)) = reference(source, count, input.repeats_set()) else { return Ok(()) };
    let Some(fresh) = launch(context, &lines, observed)? else { return Ok(()) };
    let share = share(input, observed, &time(&fresh));
    observed.fresh = Some(fresh);
    let Some(share) = share.filter(|&share| share < COALESCED_RATIO) else { return Ok(()) };
    let Some(share) = confirm(context, input, observed, share)? else { return Ok(()) };
    let code = match has_copies && knows_the_set(context, input, observed)? {
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

/// Lines that a round is compared with, and whether they are copies: fresh copies, else the set once if the
/// launch repeats it.
fn reference(source: &[Vec<u8>], count: usize, repeats_set: bool) -> Option<(Vec<Vec<u8>>, bool)> {
    let copies = distinct(fresh_lines(source, count));
    match copies.len() < LEAST_FRESH {
        true => repeats_set.then(|| (source.to_vec(), false)),
        false => Some((copies, true)),
    }
}

/// About `count` altered copies of lines of the set, of any length, since short lines may cost more a word.
fn fresh_lines(source: &[Vec<u8>], count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(fresh_seed(), "fresh lines");
    let mut alterable = AlterableLines::of(source, 0, Random::new(random.draw(), "words"));
    let mut fresh = Vec::new();
    for _ in 0..count.div_ceil(source.len()) {
        let order = random.permutation(source.len());
        let lines: Vec<Vec<u8>> = order.iter().take(count).map(|&line| source[line].clone()).collect();
        let copies = alterable.copies(&lines).into_iter().filter(|copy| copy.exchanged > 0);
        fresh.extend(copies.map(|copy| copy.line));
    }
    fresh.truncate(count);
    fresh
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

/// Largest share that launches of about the round's length show; `None` if one of them clears the system.
fn confirm(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    observed: &mut Observed,
    share_of_few: f64,
) -> Result<Option<f64>> {
    let source = &context.round.test_set.source;
    let wanted = (input.lines as f64 * share_of_few).ceil() as usize;
    let mut largest = share_of_few;
    for _ in 0..CONFIRMATIONS {
        let fresh = match fresh_lines(source, wanted.max(LEAST_FRESH)) {
            none if none.is_empty() => source.clone(),
            fresh => fresh,
        };
        let Some(fresh) = launch(context, &fresh, observed)? else { return Ok(None) };
        match share(input, observed, &time(&fresh)) {
            Some(share) if share < COALESCED_RATIO => largest = largest.max(share),
            _ => return Ok(None),
        }
    }
    Ok(Some(largest))
}

/// Whether the set once is known as well. A system that is quick only where lines come again coalesces.
fn knows_the_set(context: &RoundContext<'_>, input: &LaunchInput, observed: &mut Observed) -> Result<bool> {
    if !input.repeats_set() {
        return Ok(true);
    }
    let mut quickest: Option<FreshLaunch> = None;
    for _ in 0..CONFIRMATIONS {
        let source = &context.round.test_set.source;
        let Some(once) = launch(context, source, observed)? else { return Ok(false) };
        quickest = quickest.filter(|quickest| quickest.ns <= once.ns).or(Some(once));
    }
    let share = |once: &FreshLaunch| {
        share_of_fresh(&observed.one_line_ns, &time(once), &time(observed.fresh.as_ref()?))
    };
    Ok(quickest.as_ref().and_then(share).is_some_and(|share| share < COALESCED_RATIO))
}

/// A launch over `lines`, or `None` if it failed. The reasons are in `observed`.
fn launch(
    context: &RoundContext<'_>,
    lines: &[Vec<u8>],
    observed: &mut Observed,
) -> Result<Option<FreshLaunch>> {
    let pass = observed.launch_untimed(context, &as_text(lines), lines.len())?;
    let words = lines.iter().map(|line| words(line)).sum();
    let launch = FreshLaunch { lines: lines.len(), words, ns: pass.ending.wall_ns() };
    Ok(pass.reasons.is_empty().then_some(launch))
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
        assert!(has_copies && fresh.len() > 150, "{}", fresh.len());
        assert!(fresh.iter().all(|line| !source.contains(line)));
        assert_eq!(distinct(fresh.clone()).len(), fresh.len());
        assert_ne!(reference(&source, 250, true).unwrap().0, fresh, "drawn anew");
    }

    #[test]
    fn a_set_without_words_to_change_is_compared_with_itself_once() {
        let source: Vec<Vec<u8>> = (0..30).map(|i| format!("{i} {i}").into_bytes()).collect();
        assert_eq!(reference(&source, 100, true), Some((source.clone(), false)));
        assert_eq!(reference(&source, 100, false), None, "nothing comes again");
    }
}
