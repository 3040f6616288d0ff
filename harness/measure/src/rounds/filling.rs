//! The input of a throughput launch: the test set, made long enough for the profile's minimum time.
//!
//! A launch of a fraction of a second measures loading and the clock. If the campaign names a file of filler
//! lines, distinct filler lines surround the scored lines: half before, half after. Else the set follows
//! itself in other orders, if the coalescing probe has shown that the system translates equal lines anew.
//! Else the set stands alone, and the round takes more launches. `launch_size` decides how many lines there
//! are.

use super::launch_size::{repeats, wanted_lines};
use super::observed::RoundContext;
use crate::judge::answers::invalid_utf8;
use crate::judge::length;
use crate::process::whole_file::Pass;
use crate::unknown::again::{Again, changed, junk};
use crate::{Result, System, as_text, split_lines, words};
use dyno_record::Reason;
use dyno_stats::Random;

/// Most filler lines that are asked in a file of their own.
const MOST_ALONE: usize = 100;

/// Input of a launch.
pub struct LaunchInput {
    /// Text of all lines.
    pub text: Vec<u8>,
    /// Number of lines.
    pub lines: usize,
    /// Number of words.
    pub words: usize,
    /// Index of the first scored line.
    first: usize,
    /// Number of scored lines.
    scored: usize,
    /// Number of the scored line that each further line repeats, if the set follows itself.
    pub(super) repeats: Vec<usize>,
}

impl LaunchInput {
    /// Input of the cell of `context`, the same in all its rounds.
    pub(super) fn of(context: &RoundContext<'_>) -> Result<Self> {
        let source = &context.round.test_set.source;
        if context.bench.protocol.filler.is_none() && !context.earlier.may_repeat(context.round) {
            return Ok(Self::around(source, &[], &[]));
        }
        let further = wanted_lines(context)?.saturating_sub(source.len());
        if let Some(filler) = &context.bench.protocol.filler {
            let lines: Vec<&[u8]> = filler.around(context.round.test_set).take(further).collect();
            let (before, after) = lines.split_at(lines.len() / 2);
            return Ok(Self::around(source, before, after));
        }
        let repeats = repeats(context, further);
        let after: Vec<&[u8]> = repeats.iter().map(|&line| source[line].as_slice()).collect();
        Ok(Self { repeats, ..Self::around(source, &[], &after) })
    }

    /// Scored lines with other lines before and after.
    pub(super) fn around(scored: &[Vec<u8>], before: &[&[u8]], after: &[&[u8]]) -> Self {
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

    pub(super) const fn repeats_set(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Answers that count for quality.
    pub fn scored(&self, pass: &Pass) -> Vec<Vec<u8>> {
        pass.answers().into_iter().skip(self.first).take(self.scored).collect()
    }

    /// The same for a system that samples. Each time that a line comes has the same chance to be the scored one: such a
    /// system may answer it anew each time, and could take care of the first lines of a file alone.
    pub fn scored_at_random(&self, pass: &Pass, random: &mut Random) -> Vec<Vec<u8>> {
        let (mut scored, mut seen) = (self.scored(pass), vec![1; self.scored]);
        let further = split_lines(&pass.text).skip(self.first + self.scored);
        for (&of, answer) in self.repeats.iter().zip(further) {
            seen[of] += 1;
            if random.below(seen[of]) == 0 {
                scored[of] = answer.to_vec();
            }
        }
        scored
    }

    /// Fault of the answers that are not scored. Their lines are timed as well.
    pub fn faults(&self, pass: &Pass, system: &System) -> Option<Reason> {
        let lines = self.around_the_scored(split_lines(&self.text));
        let answers = self.around_the_scored(split_lines(&pass.text));
        let scored = self.scored(pass);
        let repeated = self.repeats.iter().zip(&lines).zip(&answers);
        let again: Vec<Again<'_>> =
            repeated.map(|((&of, line), answer)| [line.as_slice(), &scored[of], answer]).collect();
        let missing = || length::missing(&lines, &answers).filter(|_| system.translates);
        let junk = || junk(&again, system.sampling).filter(|_| system.translates);
        let changed =
            || changed(&again, system.translates, "when they come again").filter(|_| !system.sampling);
        invalid_utf8(&lines, &answers).or_else(missing).or_else(junk).or_else(changed)
    }

    /// Some filler lines, for a file of their own that is no longer than the set. They show a system that
    /// saves work on long files. None if the set stands alone or follows itself.
    pub fn some_filler(&self, random: &mut Random) -> Vec<usize> {
        let scored = self.first..self.first + self.scored;
        let mut filler: Vec<usize> = (0..self.lines).filter(|line| !scored.contains(line)).collect();
        random.shuffle(&mut filler);
        filler.truncate(if self.repeats.is_empty() { self.scored.min(MOST_ALONE) } else { 0 });
        filler
    }

    /// Reason if `some` filler lines have other answers in a file of their own than in `pass`.
    pub fn changed_alone(
        &self,
        pass: &Pass,
        some: &[usize],
        alone: &Pass,
        translates: bool,
    ) -> Option<Reason> {
        let lines: Vec<&[u8]> = split_lines(&self.text).collect();
        let [answers, others] = [pass, alone].map(Pass::answers);
        let again = some.iter().zip(&others).map(|(&at, other)| [lines[at], &answers[at], other]);
        let again: Vec<Again<'_>> = again.collect();
        let junk = || junk(&again, false).filter(|_| translates);
        changed(&again, translates, "in a file of their own").or_else(junk)
    }

    fn around_the_scored<'a>(&self, lines: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
        let scored = self.first..self.first + self.scored;
        let others = lines.enumerate().filter(|(i, _)| !scored.contains(i));
        others.map(|(_, line)| line.to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timed_lines_that_are_not_scored_are_judged_too() {
        let lines = ["one dog", "two dogs", "three dogs"].map(|line| line.as_bytes().to_vec());
        let after: Vec<&[u8]> = [2, 0, 1].map(|line: usize| lines[line].as_slice()).to_vec();
        let input = LaunchInput { repeats: vec![2, 0, 1], ..LaunchInput::around(&lines, &[], &after) };
        let changed = |text: &str| {
            let pass = Pass { text: text.into(), ..Pass::default() };
            let encoder = System { translates: false, ..System::of_command("it", ["it"]) };
            input.faults(&pass, &encoder).map(|reason| reason.figure)
        };
        assert_eq!(changed("a\nb\nc\nc\na\nb\n"), None);
        assert_eq!(changed("a\nb\nc\nx\na\nb\n"), None, "rounding");
        assert_eq!(changed("a\nb\nc\nx\nx\nx\n").unwrap(), "3 of 3 lines differ when they come again");
    }

    #[test]
    fn care_for_the_first_lines_alone_is_scored_as_it_is() {
        let lines: Vec<Vec<u8>> = (0..100).map(|i| format!("line {i}").into_bytes()).collect();
        let repeats: Vec<usize> = (0..9).flat_map(|_| 0..100).collect();
        let after: Vec<&[u8]> = repeats.iter().map(|&line| lines[line].as_slice()).collect();
        let input = LaunchInput { repeats, ..LaunchInput::around(&lines, &[], &after) };
        let answer = |at: usize| format!("{} {}", if at < 100 { "careful" } else { "hasty" }, at % 100);
        let text = (0..1000).map(|at| answer(at) + "\n").collect::<String>().into_bytes();
        let scored =
            input.scored_at_random(&Pass { text, ..Pass::default() }, &mut Random::new(1, "occurrences"));
        let is_hasty = |answer: &&Vec<u8>| answer.starts_with(b"hasty");
        assert!((80..=97).contains(&scored.iter().filter(is_hasty).count()), "nine of ten occurrences");
        assert!((0..100).all(|line| scored[line].ends_with(format!(" {line}").as_bytes())));
        let alone = LaunchInput::around(&lines, &[], &[]);
        let pass = Pass { text: as_text(&lines), ..Pass::default() };
        assert_eq!(alone.scored_at_random(&pass, &mut Random::new(1, "occurrences")), lines);
    }

    #[test]
    fn filler_has_the_same_answers_in_a_file_of_its_own() {
        let lines: Vec<Vec<u8>> = (0..10).map(|i| format!("line {i}").into_bytes()).collect();
        let filler: Vec<Vec<u8>> = (0..40).map(|i| format!("filler {i}").into_bytes()).collect();
        let around: Vec<&[u8]> = filler.iter().map(Vec::as_slice).collect();
        let input = LaunchInput::around(&lines, &around[..20], &around[20..]);
        let some = input.some_filler(&mut Random::new(1, "some"));
        assert_eq!(some.len(), 10, "no more than the set has");
        assert!(some.iter().all(|&line| !(20..30).contains(&line)), "{some:?}");
        let whole: Vec<&[u8]> = split_lines(&input.text).collect();
        let alone = |wrong: usize, translates: bool| {
            let answer = |(i, &line): (usize, &usize)| if i < wrong { b"x" } else { whole[line] };
            let answers: Vec<&[u8]> = some.iter().enumerate().map(answer).collect();
            let pass = |text: Vec<u8>| Pass { text, ..Pass::default() };
            input
                .changed_alone(&pass(as_text(&whole)), &some, &pass(as_text(&answers)), translates)
                .map(|reason| reason.figure)
        };
        assert_eq!(alone(2, false), None, "rounding");
        let junk = "2 of 10 lines have no translation when they come again";
        assert_eq!(alone(2, true).unwrap(), junk);
        assert_eq!(alone(6, true).unwrap(), "6 of 10 lines differ in a file of their own");
    }
}
