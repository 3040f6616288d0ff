//! The number of lines of a throughput launch, and the order of repeated lines.

use super::observed::RoundContext;
use crate::process::whole_file::whole_file;
use crate::{Result, as_text, words};
use dyno_stats::Random;

/// Most growth of a trial from one launch to the next.
const GROWTH: usize = 10;

/// Number of lines that last as long as the profile wants: the number of the cell's first round, else by
/// trials. A trial that hardly outlasts loading tells little: on a busy host it could make a launch a
/// thousand times too long. Trials therefore grow until the lines take as long as loading.
pub(super) fn wanted_lines(context: &RoundContext<'_>) -> Result<usize> {
    let source = &context.round.test_set.source;
    if let Some(lines) = context.earlier.timed_lines(context.round) {
        return Ok(lines);
    }
    let profile = context.bench.protocol.profile;
    let load = whole_file(&context.subject, &as_text(&source[..1]), 1)?;
    let (set_words, mut count) = (context.round.test_set.words(), source.len());
    loop {
        let lines = trial_lines(context, count);
        let whole = whole_file(&context.subject, &as_text(&lines), lines.len())?;
        // A system that fails here fails in the round as well, which reports the failure.
        if !load.reasons.is_empty() || !whole.reasons.is_empty() {
            return Ok(source.len());
        }
        let times = [load.ending.wall_ns(), whole.ending.wall_ns()];
        let asked = [words(&source[0]), lines.iter().map(|line| words(line)).sum()];
        let wanted = words_for(profile.throughput_minimum_ns(), times, asked);
        let further = wanted.saturating_sub(set_words) as f64 / words_of_a_further_line(context);
        let wanted = (source.len() + further.ceil() as usize).min(profile.throughput_enough_lines());
        if times[1] >= 2 * times[0] || wanted <= count || lines.len() < count {
            return Ok(wanted);
        }
        count = wanted.min(GROWTH * count);
    }
}

/// `count` lines that begin with the set, or all that there are. Filler follows it, else the set itself.
fn trial_lines<'a>(context: &'a RoundContext<'_>, count: usize) -> Vec<&'a [u8]> {
    let set = context.round.test_set;
    let source = set.source.iter().map(Vec::as_slice);
    match &context.bench.protocol.filler {
        Some(filler) => source.chain(filler.around(set)).take(count).collect(),
        None => source.cycle().take(count).collect(),
    }
}

/// Words that take `minimum_ns`. `times_ns` are the times of one line and of the set, with so many words
/// each. A tenth is added, so that a quick round doesn't fall short. The time is counted by words, since
/// filler may have longer lines than the set.
fn words_for(minimum_ns: u64, [one_ns, all_ns]: [u64; 2], [one, all]: [usize; 2]) -> usize {
    let word_ns = all_ns.saturating_sub(one_ns).max(1) as f64 / all.saturating_sub(one).max(1) as f64;
    let left_ns = minimum_ns.saturating_sub(one_ns) as f64;
    (1.1 * left_ns / word_ns).ceil() as usize
}

/// Mean words of the lines that would surround the set.
fn words_of_a_further_line(context: &RoundContext<'_>) -> f64 {
    let set = context.round.test_set;
    let (count, total) = match &context.bench.protocol.filler {
        Some(filler) => {
            filler.around(set).fold((0, 0), |(count, total), line| (count + 1, total + words(line)))
        }
        None => (set.source.len(), set.words()),
    };
    total.max(1) as f64 / f64::from(u32::try_from(count).unwrap_or(u32::MAX).max(1))
}

/// Numbers of the lines that follow the set, in other orders, until there are `further` of them.
pub(super) fn repeats(context: &RoundContext<'_>, further: usize) -> Vec<usize> {
    let (set, lines) = (&context.round.test_set.name, context.round.test_set.source.len());
    let copy = |number| order(context.bench.protocol.seed, set, (context.round.number, number), lines);
    (0..further.div_ceil(lines)).flat_map(copy).collect()
}

/// Order of a round's copy of a set. Each round has other orders, so that the file of an earlier round is of
/// no use.
fn order(seed: u64, set: &str, (round, copy): (usize, usize), lines: usize) -> Vec<usize> {
    Random::new(seed, &format!("copy {copy} of {set} in round {round}")).permutation(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trial_tells_how_many_words_last_long_enough() {
        // 0.1 s of loading, then 1 ms a word: 9.9 s hold 9,900 words, and a tenth more.
        assert_eq!(words_for(10_000_000_000, [101_000_000, 200_000_000], [1, 100]), 10_889);
        assert_eq!(words_for(1_000, [2_000, 3_000], [1, 100]), 0, "loading alone lasts long enough");
    }

    #[test]
    fn each_round_repeats_the_set_in_orders_of_its_own() {
        let orders = [(0, 0), (0, 1), (1, 0), (2, 0)].map(|copy| order(7, "set", copy, 50));
        for (i, one) in orders.iter().enumerate() {
            assert!(orders[..i].iter().all(|other| other != one), "{i}");
            let mut sorted = one.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..50), "every line once");
        }
        assert_eq!(order(7, "set", (1, 0), 50), orders[2], "a round that is measured again has the same");
    }
}
