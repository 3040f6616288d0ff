//! Copies that are asked again: a fresh process gets some of those that a round has had, one at a time.
//!
//! Answers to copies are not scored. Under load a system could write anything for lines that it doesn't know, and so
//! keep any rate. An answer to a single line shows what a translation looks like.

use dyno_record::{Purpose, ServedRun};
use dyno_stats::Random;

use crate::Result;
use crate::constants::LEAST_UNKNOWN;
use crate::os::fresh_seed;
use crate::process::lockstep::converse;
use crate::rounds::observed::{Observed, RoundContext};
use crate::unknown::again::{Again, junk};
use crate::unknown::script::Question;

/// Copies of the runs that count, with their answers.
#[derive(Default)]
pub(super) struct Copies(Vec<[Vec<u8>; 2]>);

impl Copies {
    /// Keeps some of the copies of lines of `source` that were `asked` in `run`, if its figures count: those of the
    /// greatest rate so far, of copies alone, and of clients. A line that can't be altered has none.
    pub fn hear(&mut self, source: &[Vec<u8>], asked: &[Question], answers: &[Vec<u8>], run: &ServedRun) {
        match run.purpose {
            Purpose::Confirm if run.kept => self.0.clear(),
            Purpose::Unknown if run.kept => {}
            Purpose::Clients => {}
            _ => return,
        }
        let of_copies = asked.iter().zip(answers).filter(|(asked, _)| asked.of.is_none());
        let mut copies: Vec<[&Vec<u8>; 2]> = of_copies.map(|(asked, answer)| [&asked.line, answer]).collect();
        Random::new(fresh_seed(), "copies that are asked again").shuffle(&mut copies);
        let altered = copies.into_iter().filter(|[line, _]| !source.contains(line));
        self.0.extend(altered.take(LEAST_UNKNOWN).map(|copy| copy.map(Clone::clone)));
    }

    /// Asks a fresh process for the copies, and refuses a system whose answers were no translations. Like other
    /// launches that are not timed, this one counts for nothing else.
    pub fn ask_again(&self, context: &RoundContext<'_>, observed: &mut Observed) -> Result<()> {
        let system = context.subject.system;
        if self.0.is_empty() || !system.translates || !observed.reasons.is_empty() {
            return Ok(());
        }
        let replies =
            converse(&context.subject, |talk| self.0.iter().try_for_each(|[line, _]| talk.ask(line)))?;
        observed.tree.add(&replies.ending.usage);
        let answered = self.0.iter().zip(&replies.answers);
        let again: Vec<Again<'_>> =
            answered.map(|([line, one], other)| [line.as_slice(), one, other]).collect();
        observed.reasons.extend(junk(&again, system.sampling).filter(|_| replies.reasons.is_empty()));
        observed.reasons.extend(replies.reasons);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run number `number` of 80 lines, every other one a copy, and half of these no altered ones.
    fn heard(copies: &mut Copies, purpose: Purpose, kept: bool, number: usize) {
        let question = |i: usize| Question {
            line: format!("{} {i} of {number}", ["line", "copy"][i % 2]).into_bytes(),
            of: i.is_multiple_of(2).then_some(i),
            pair: None,
        };
        let asked: Vec<Question> = (0..80).map(question).collect();
        let answers: Vec<Vec<u8>> = asked.iter().map(|asked| asked.line.to_ascii_uppercase()).collect();
        let run = ServedRun { kept, ..ServedRun::of(purpose, 1.0, &[1; 80], &[0; 80], 50.0) };
        let source: Vec<Vec<u8>> = (1..80).step_by(4).map(|i| asked[i].line.clone()).collect();
        copies.hear(&source, &asked, &answers, &run);
    }

    #[test]
    fn copies_of_the_runs_that_count_are_kept_with_their_answers() {
        let mut copies = Copies::default();
        let runs = [
            (Purpose::Search, true),
            (Purpose::Confirm, true),
            (Purpose::Confirm, true),
            (Purpose::Confirm, false),
            (Purpose::Curve, true),
            (Purpose::Unknown, true),
            (Purpose::Known, true),
            (Purpose::Clients, false),
        ];
        for (number, (purpose, kept)) in runs.into_iter().enumerate() {
            heard(&mut copies, purpose, kept, number);
        }
        let of_run = |number: usize| {
            let end = format!("of {number}");
            copies.0.iter().filter(|[line, _]| line.ends_with(end.as_bytes())).count()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(of_run), [0, 0, 20, 0, 0, 20, 0, 20]);
        let is_right =
            |[line, answer]: &[Vec<u8>; 2]| line.starts_with(b"copy") && *answer == line.to_ascii_uppercase();
        assert!(copies.0.iter().all(is_right), "a line of the set, or another's answer");
    }
}
