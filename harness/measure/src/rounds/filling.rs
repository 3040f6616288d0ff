//! What a throughput launch reads: the test set, made long enough for the profile's minimum time.
//!
//! A launch of a fraction of a second measures loading and the clock. So distinct filler lines are put around
//! the scored ones, half before and half after, where the campaign names a file of them. Else the set follows
//! itself in other orders, but only for a system that has shown that it translates equal lines anew. Else the
//! set stands as it is, and the round takes more launches.

use super::seen::Run;
use crate::error::Result;
use crate::process::whole_file::{Pass, whole_file};
use crate::rules::{Code, Probe, Reason, Verdict};
use crate::system::System;
use crate::text::{as_text, split_lines, words};
use crate::verify::sameness::Comparison;
use crate::verify::{Examined, invalid_utf8, length};
use dyno_stats::Random;

/// With other neighbours in its batch a line's sums are rounded otherwise, and a batch's shortlist is another. That changes
/// up to 8 % of 1,000 lines in Marian's int8 (three models, batches of 32 and 128), up to 0.4 % in its f32.
pub const MOST_CHANGED: f64 = 0.2;
/// Of a few lines chance alone may take more: so many standard deviations are granted.
pub const GRANTED: f64 = 3.0;
/// Filler lines that are asked in a file of their own.
const MOST_ALONE: usize = 100;

/// The input of a launch.
pub struct Filling {
    /// Itself.
    pub text: Vec<u8>,
    /// Its lines.
    pub lines: usize,
    /// Its words.
    pub words: usize,
    /// Where the scored lines begin.
    first: usize,
    /// How many they are.
    scored: usize,
    /// Where the set is repeated behind itself: which scored line each further one is.
    repeats: Vec<usize>,
}

impl Filling {
    /// The input of `run`'s cell: the same in all its rounds.
    pub(super) fn of(run: &Run<'_>) -> Result<Self> {
        let source = &run.round.test_set.source;
        if run.bench.protocol.filler.is_none() && !may_repeat(&run.earlier.examined) {
            return Ok(Self::around(source, &[], &[]));
        }
        let further = wanted_lines(run)?.saturating_sub(source.len());
        if let Some(filler) = &run.bench.protocol.filler {
            let lines: Vec<&[u8]> = filler.around(run.round.test_set).take(further).collect();
            let (before, after) = lines.split_at(lines.len() / 2);
            return Ok(Self::around(source, before, after));
        }
        let repeats = repeats(run, further);
        let after: Vec<&[u8]> = repeats.iter().map(|&line| source[line].as_slice()).collect();
        Ok(Self { repeats, ..Self::around(source, &[], &after) })
    }

    fn around(scored: &[Vec<u8>], before: &[&[u8]], after: &[&[u8]]) -> Self {
        let scored_lines = scored.iter().map(Vec::as_slice);
        let lines: Vec<&[u8]> =
            before.iter().copied().chain(scored_lines).chain(after.iter().copied()).collect();
        Self {
            text: as_text(&lines),
            lines: lines.len(),
            words: lines.iter().map(|line| words(line)).sum(),
            first: before.len(),
            scored: scored.len(),
            repeats: Vec::new(),
        }
    }

    /// The answers that count for quality.
    pub fn scored(&self, pass: &Pass) -> Vec<Vec<u8>> {
        pass.answers().into_iter().skip(self.first).take(self.scored).collect()
    }

    /// What is wrong with the answers that aren't scored: they are timed as well.
    pub fn faults(&self, pass: &Pass, system: &System) -> Option<Reason> {
        let lines = self.around_the_scored(split_lines(&self.text));
        let answers = self.around_the_scored(split_lines(&pass.text));
        let missing = || length::missing(&lines, &answers).filter(|_| system.translates);
        let changed = || self.changed(&self.scored(pass), &answers).filter(|_| !system.sampling);
        invalid_utf8(&lines, &answers).or_else(missing).or_else(changed)
    }

    /// Whether repeated lines have other answers than at first.
    fn changed(&self, scored: &[Vec<u8>], again: &[Vec<u8>]) -> Option<Reason> {
        let differs =
            |(line, answer): &(&usize, &Vec<u8>)| scored.get(**line).is_none_or(|first| first != *answer);
        let differing = self.repeats.iter().zip(again).filter(differs).count();
        too_many_differ(differing, again.len(), "when they come again")
    }

    /// What is wrong where the scored answers differ so from those of an earlier round: if the set follows itself, each round
    /// has it in other orders, and its lines have had other neighbours.
    pub fn fault_between_rounds(&self, comparison: &Comparison, sampling: bool) -> Option<Reason> {
        if self.repeats.is_empty() {
            return comparison.fault(sampling);
        }
        let (differing, lines) = (comparison.differing, comparison.lines);
        let changed = || too_many_differ(differing, lines, "from round to round").filter(|_| !sampling);
        comparison.misplaced().or_else(changed)
    }

    /// Some filler lines, to be asked in a file of their own that is no longer than the set: who spares itself the work on
    /// long files shows by them. None where the set stands alone or follows itself.
    pub fn some_filler(&self, random: &mut Random) -> Vec<usize> {
        let scored = self.first..self.first + self.scored;
        let mut filler: Vec<usize> = (0..self.lines).filter(|line| !scored.contains(line)).collect();
        random.shuffle(&mut filler);
        filler.truncate(if self.repeats.is_empty() { self.scored.min(MOST_ALONE) } else { 0 });
        filler
    }

    /// Whether `some` filler lines have other answers alone than they had in `pass`.
    pub fn changed_alone(&self, pass: &Pass, some: &[usize], alone: &Pass) -> Option<Reason> {
        let answers = pass.answers();
        let differs = |(line, answer): &(&usize, Vec<u8>)| answers.get(**line) != Some(answer);
        let differing = some.iter().zip(alone.answers()).filter(differs).count();
        too_many_differ(differing, some.len(), "in a file of their own")
    }

    fn around_the_scored<'a>(&self, lines: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
        let scored = self.first..self.first + self.scored;
        let others = lines.enumerate().filter(|(i, _)| !scored.contains(i));
        others.map(|(_, line)| line.to_vec()).collect()
    }
}

fn too_many_differ(differing: usize, lines: usize, when: &str) -> Option<Reason> {
    let total = lines as f64;
    let by_chance = GRANTED * (total * MOST_CHANGED * (1.0 - MOST_CHANGED)).sqrt();
    let figure = || format!("{differing} of {lines} lines differ {when}");
    (differing as f64 > MOST_CHANGED * total + by_chance).then(|| Code::Nondeterministic.reason(figure()))
}

/// Whether repeating the set within one launch is fair to `examined`'s system: it has shown that it works on
/// every line, also on one that it has seen.
fn may_repeat(examined: &[Examined]) -> bool {
    let coalescing = examined.iter().find(|examined| examined.probe == Probe::Coalescing);
    coalescing.is_some_and(|examined| examined.verdict == Verdict::Valid && !examined.too_quick)
}

/// How many lines last as long as the profile wants: as many as in the cell's first round, else by a trial.
fn wanted_lines(run: &Run<'_>) -> Result<usize> {
    let source = &run.round.test_set.source;
    if let Some(lines) = run.earlier.timed_lines(run.round) {
        return Ok(lines);
    }
    let profile = run.bench.protocol.profile;
    let scratch = &run.bench.scratch;
    let load = whole_file(&run.subject, &as_text(&source[..1]), 1, scratch)?;
    let whole = whole_file(&run.subject, &as_text(source), source.len(), scratch)?;
    // A system that fails here fails in the round as well, and is told there.
    if !load.reasons.is_empty() || !whole.reasons.is_empty() {
        return Ok(source.len());
    }
    let times = [load.ending.wall_ns(), whole.ending.wall_ns()];
    let set_words = run.round.test_set.words();
    let wanted = words_for(profile.throughput_minimum_ns(), times, [words(&source[0]), set_words]);
    let further = wanted.saturating_sub(set_words) as f64 / words_of_a_further_line(run);
    Ok((source.len() + further.ceil() as usize).min(profile.throughput_enough_lines()))
}

/// Words that take `minimum_ns`, when one line takes the first of `times_ns` and the set the second, with so many
/// words each; a tenth more, so that a quick round doesn't fall short. Filler may have longer lines than the set: time
/// goes by words.
fn words_for(minimum_ns: u64, [one_ns, all_ns]: [u64; 2], [one, all]: [usize; 2]) -> usize {
    let word_ns = all_ns.saturating_sub(one_ns).max(1) as f64 / all.saturating_sub(one).max(1) as f64;
    let left_ns = minimum_ns.saturating_sub(one_ns) as f64;
    (1.1 * left_ns / word_ns).ceil() as usize
}

/// Mean words of the lines that would be put around the set.
fn words_of_a_further_line(run: &Run<'_>) -> f64 {
    let set = run.round.test_set;
    let (count, total) = match &run.bench.protocol.filler {
        Some(filler) => {
            filler.around(set).fold((0, 0), |(count, total), line| (count + 1, total + words(line)))
        }
        None => (set.source.len(), set.words()),
    };
    total.max(1) as f64 / f64::from(u32::try_from(count).unwrap_or(u32::MAX).max(1))
}

/// Which lines of the set follow it, in other orders, until there are `further` of them.
fn repeats(run: &Run<'_>, further: usize) -> Vec<usize> {
    let (set, lines) = (&run.round.test_set.name, run.round.test_set.source.len());
    let copy = |number| order(run.bench.protocol.seed, set, (run.round.number, number), lines);
    (0..further.div_ceil(lines)).flat_map(copy).collect()
}

/// The order of a round's copy of a set. Each round has its own, so that the file of a round before is of no use.
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
    fn what_is_timed_beside_the_scored_lines_is_looked_at_too() {
        let lines = ["one dog", "two dogs", "three dogs"].map(|line| line.as_bytes().to_vec());
        let after: Vec<&[u8]> = [2, 0, 1].map(|line: usize| lines[line].as_slice()).to_vec();
        let filling = Filling { repeats: vec![2, 0, 1], ..Filling::around(&lines, &[], &after) };
        let changed = |text: &str| {
            let pass = Pass { text: text.into(), ..Pass::default() };
            let others = filling.around_the_scored(split_lines(&pass.text));
            filling.changed(&filling.scored(&pass), &others).map(|reason| reason.figure)
        };
        assert_eq!(changed("a\nb\nc\nc\na\nb\n"), None);
        assert_eq!(changed("a\nb\nc\nx\na\nb\n"), None, "rounding");
        assert_eq!(changed("a\nb\nc\nx\nx\nx\n").unwrap(), "3 of 3 lines differ when they come again");
    }

    #[test]
    fn with_other_neighbours_a_fifth_may_differ_from_round_to_round() {
        let lines: Vec<Vec<u8>> = (0..1000).map(|i| format!("line number {i}").into_bytes()).collect();
        let alone = Filling::around(&lines, &[], &[]);
        let repeated = Filling { repeats: vec![0], ..Filling::around(&lines, &[], &[&lines[0]]) };
        let code = |filling: &Filling, changed: usize, sampling| {
            let mut now = lines.clone();
            now[..changed].iter_mut().for_each(|line| line.push(b'!'));
            let fault = filling.fault_between_rounds(&Comparison::of(&lines, &now), sampling);
            fault.map(|reason| reason.code)
        };
        // What Marian's shortlist of a batch changes: 68 to 81 lines of 1,000 in each round.
        assert_eq!(code(&repeated, 78, false), None);
        assert_eq!(code(&alone, 78, false), Some(Code::Nondeterministic), "nothing else has changed");
        assert_eq!(code(&repeated, 300, false), Some(Code::Nondeterministic));
        assert_eq!(code(&repeated, 300, true), None);
        let mut swapped = lines.clone();
        swapped.swap(3, 4);
        let fault = repeated.fault_between_rounds(&Comparison::of(&lines, &swapped), true);
        assert_eq!(fault.map(|reason| reason.code), Some(Code::Order));
    }

    #[test]
    fn no_round_repeats_the_set_as_another_does() {
        let orders = [(0, 0), (0, 1), (1, 0), (2, 0)].map(|copy| order(7, "set", copy, 50));
        for (i, one) in orders.iter().enumerate() {
            assert!(orders[..i].iter().all(|other| other != one), "{i}");
            let mut sorted = one.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..50), "every line once");
        }
        assert_eq!(order(7, "set", (1, 0), 50), orders[2], "a round that is measured again has the same");
    }

    #[test]
    fn a_fifth_may_differ_and_of_few_lines_what_chance_adds() {
        let caught = |differing, lines| too_many_differ(differing, lines, "").is_some();
        assert!(!caught(1084, 5000) && caught(1085, 5000));
        assert!(!caught(32, 100) && caught(33, 100));
        assert!(!caught(5, 10) && caught(6, 10));
    }

    #[test]
    fn filler_has_the_same_answers_in_a_file_of_its_own() {
        let lines: Vec<Vec<u8>> = (0..10).map(|i| format!("line {i}").into_bytes()).collect();
        let filler: Vec<Vec<u8>> = (0..40).map(|i| format!("filler {i}").into_bytes()).collect();
        let around: Vec<&[u8]> = filler.iter().map(Vec::as_slice).collect();
        let filling = Filling::around(&lines, &around[..20], &around[20..]);
        let some = filling.some_filler(&mut Random::new(1, "some"));
        assert_eq!(some.len(), 10, "no more than the set has");
        assert!(some.iter().all(|&line| !(20..30).contains(&line)), "{some:?}");
        let whole: Vec<&[u8]> = split_lines(&filling.text).collect();
        let alone = |wrong: usize| {
            let answer = |(i, &line): (usize, &usize)| if i < wrong { b"x" } else { whole[line] };
            let answers: Vec<&[u8]> = some.iter().enumerate().map(answer).collect();
            let pass = |text: Vec<u8>| Pass { text, ..Pass::default() };
            filling
                .changed_alone(&pass(as_text(&whole)), &some, &pass(as_text(&answers)))
                .map(|reason| reason.figure)
        };
        assert_eq!(alone(2), None, "rounding");
        assert_eq!(alone(6).unwrap(), "6 of 10 lines differ in a file of their own");
    }
}
