//! A system under examination, which is asked in lock-step or by files.

use std::cell::Cell;
use std::time::Duration;

use crate::constants::LEAST_PAIRS_OF_A_SLOW_SYSTEM;
use crate::judge::Sample;
use crate::judge::answers::Comparison;
use crate::noise::TreeTime;
use crate::os::fresh_seed;
use crate::process::ending::Ending;
use crate::process::failed::{Asked, sound};
use crate::process::lockstep::{Lockstep, converse, lockstep, lockstep_for};
use crate::process::subject::Subject;
use crate::process::whole_file::{Pass, whole_file};
use crate::{Bench, Result, System, TestSet, as_text, words};
use dyno_record::{Code, Limits, Reason, Track};
use dyno_stats::Random;

/// A system under examination.
pub struct Examinee<'a> {
    /// System that the probes ask.
    pub system: &'a System,
    /// Tracks to judge. A track in which the system has failed is removed.
    pub tracks: Vec<Track>,
    /// Test set of the measurement.
    pub test_set: &'a TestSet,
    /// Conditions of the launches.
    pub bench: &'a Bench,
    /// Seed for the choice of lines and of replaced words.
    pub seed: u64,
    /// Whether a track in which the system broke a rule is asked on, as far as the system still answers.
    pub keeps_going: bool,
    /// Seconds for each word, once measured.
    pace: Cell<Option<f64>>,
    /// CPU time of all launches so far.
    pub(super) tree: Cell<TreeTime>,
}

/// Time budget of a probe that needs no fixed number of lines: a slow system gets fewer lines.
pub const BUDGET: Duration = Duration::from_secs(1);
/// Least number of lines, if they fit into [`TIMED_BUDGET`].
pub(super) const LEAST_LINES: usize = 16;
/// Least number of lines, whatever the budget.
pub const FEWEST_LINES: usize = 4;
/// Time budget of a timed probe in lock-step, which needs many lines to be sure.
pub(super) const TIMED_BUDGET: Duration = Duration::from_secs(20);
/// Figure of a probe of single lines where no judged track exchanges them.
pub const NO_LINE_TRACK: &str = "no track of single lines is probed";

impl<'a> Examinee<'a> {
    /// A system that nothing was asked yet.
    pub fn new(bench: &'a Bench, system: &'a System, tracks: Vec<Track>, test_set: &'a TestSet) -> Self {
        let (pace, tree) = Default::default();
        Self { system, tracks, test_set, bench, seed: fresh_seed(), keeps_going: true, pace, tree }
    }

    /// Limits beyond which the system is given up.
    pub fn limits(&self) -> &Limits {
        &self.bench.protocol.limits
    }

    /// As many of `lines` as the system answers within the budget.
    pub fn affordable(&self, mut lines: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let wanted = lines_within_budget(&lines, self.pace(&lines)?);
        lines.truncate(wanted);
        Ok(lines)
    }

    /// Number of pairs of such lines that a timed probe may ask in lock-step: at most `most`, and fewer of a
    /// slow system. Other questions prepare each pair.
    pub fn affordable_pairs(&self, lines: &[Vec<u8>], most: usize) -> Result<usize> {
        let words = lines.iter().map(|line| words(line)).sum::<usize>() as f64 / lines.len().max(1) as f64;
        let pair = 2.0 * words * self.pace(lines)?;
        Ok(((TIMED_BUDGET.as_secs_f64() / pair) as usize).clamp(LEAST_PAIRS_OF_A_SLOW_SYSTEM.min(most), most))
    }

    /// Seconds for each word, measured on some of `lines` if not known yet.
    fn pace(&self, lines: &[Vec<u8>]) -> Result<f64> {
        let pace = match self.pace.get() {
            Some(pace) => pace,
            None => self.measure_pace(lines)?,
        };
        self.pace.set(Some(pace));
        Ok(pace)
    }

    /// Measures the seconds for each word. In lock-step if a track of single lines is judged, since lock-step is
    /// the slower way; else with a small file, and so for a system that answers no line before the end of input.
    fn measure_pace(&self, lines: &[Vec<u8>]) -> Result<f64> {
        let few = &lines[..lines.len().min(LEAST_LINES)];
        let in_lockstep = match self.line_tracks().next() {
            Some(track) => self.pace_in_lockstep(track, few)?,
            None => None,
        };
        // Of whole files throughput-1, before throughput-all.
        match (in_lockstep, self.tracks.iter().copied().find(|track| !track.answers_lines())) {
            (Some(pace), _) => Ok(pace),
            (None, Some(track)) => self.pace_in_a_file(track, few),
            (None, None) => Ok(f64::INFINITY),
        }
    }

    /// Pace between answers in lock-step, if there are two.
    fn pace_in_lockstep(&self, track: Track, lines: &[Vec<u8>]) -> Result<Option<f64>> {
        let Lockstep { replies, .. } = self.ask_a_while(track, lines)?;
        let words = words_after_first(&lines[..replies.len()]);
        let seconds = replies.iter().skip(1).map(|reply| reply.last_ns).sum::<u64>() as f64 / 1e9;
        Ok((words > 0).then(|| seconds / words as f64))
    }

    /// Pace in a file of `lines`, beyond a file of one line. The shorter of two times counts: other processes may
    /// have held up a launch.
    fn pace_in_a_file(&self, track: Track, lines: &[Vec<u8>]) -> Result<f64> {
        let (mut all, mut one) = (u64::MAX, u64::MAX);
        for _ in 0..2 {
            let pass = self.pass(track, lines)?;
            if let Some(reason) = pass.reasons.first() {
                // A system that hangs gets as few lines as possible. Other faults may need all of them.
                return Ok(if reason.code == Code::Hung { f64::INFINITY } else { 0.0 });
            }
            all = all.min(pass.ending.wall_ns());
            one = one.min(self.pass(track, &lines[..1])?.ending.wall_ns());
        }
        Ok(all.saturating_sub(one) as f64 / 1e9 / words_after_first(lines).max(1) as f64)
    }

    /// Asks a fresh process in lock-step until the budget is used up.
    pub fn ask_a_while(&self, track: Track, lines: &[Vec<u8>]) -> Result<Lockstep> {
        Ok(self.counted(lockstep_for(&self.subject(track), lines, BUDGET)?))
    }

    /// Asks a fresh process in lock-step.
    pub fn ask(&self, track: Track, lines: &[Vec<u8>]) -> Result<Lockstep> {
        Ok(self.counted(lockstep(&self.subject(track), lines)?))
    }

    /// Answers of a fresh process in lock-step, each with its times. No other program adds to CPU time.
    pub fn ask_timed(&self, track: Track, lines: &[Vec<u8>]) -> Asked<(Vec<Vec<u8>>, Vec<Sample>)> {
        let mut cpu_ns = Vec::with_capacity(lines.len());
        let replies = converse(&self.subject(track), |conversation| {
            let mut before = conversation.cpu_ns();
            for line in lines {
                conversation.ask(line)?;
                let now = conversation.cpu_ns();
                cpu_ns.push(now.saturating_sub(before));
                before = now;
            }
            Ok(())
        })?;
        let Lockstep { answers, replies, .. } = self.counted(replies).sound()?;
        let times =
            answers.iter().zip(replies).map(|(answer, reply)| Sample::of_answer(answer, reply.last_ns));
        let times = times.zip(cpu_ns).map(|(time, cpu_ns)| Sample { cpu_ns, ..time }).collect();
        Ok((answers, times))
    }

    fn counted(&self, replies: Lockstep) -> Lockstep {
        self.count(&replies.ending, replies.after_ns());
        replies
    }

    fn count(&self, ending: &Ending, after_ns: u64) {
        let mut tree = self.tree.get();
        tree.add(&ending.usage);
        tree.after_ns += after_ns;
        self.tree.set(tree);
    }

    /// Gives a fresh process `lines` as a file, each ended by a line feed.
    pub fn pass(&self, track: Track, lines: &[Vec<u8>]) -> Result<Pass> {
        self.pass_text(track, &as_text(lines), lines.len())
    }

    /// Gives a fresh process `text`, which counts as `lines` lines.
    pub fn pass_text(&self, track: Track, text: &[u8], lines: usize) -> Result<Pass> {
        let pass = whole_file(&self.subject(track), text, lines)?;
        self.count(&pass.ending, 0);
        Ok(pass)
    }

    /// Gives a fresh process an over-long line as a file. The line has its own time beside that of a launch.
    pub fn pass_patiently(&self, track: Track, line: &[u8]) -> Result<Pass> {
        let mut subject = self.subject(track);
        subject.limits.launch_seconds += self.limits().seconds_for(line.len());
        whole_file(&subject, &as_text(&[line]), 1)
    }

    /// A launch over `lines` under `track`: answers, broken rules and the ending.
    pub fn launch(&self, track: Track, lines: &[Vec<u8>]) -> Result<(Vec<Vec<u8>>, Vec<Reason>, Ending)> {
        if track.answers_lines() {
            let replies = self.ask(track, lines)?;
            return Ok((replies.answers, replies.reasons, replies.ending));
        }
        let pass = self.pass(track, lines)?;
        Ok((pass.answers(), pass.reasons, pass.ending))
    }

    /// Answers to `lines` under `track`.
    pub fn answers(&self, track: Track, lines: &[Vec<u8>]) -> Asked<Vec<Vec<u8>>> {
        let (answers, reasons, _) = self.launch(track, lines)?;
        sound(answers, reasons)
    }

    /// Compares answers to `lines` with those of another launch over the lines in this order.
    pub fn compare_with_order(&self, track: Track, lines: &[Vec<u8>], order: &[usize]) -> Asked<Comparison> {
        let first = self.answers(track, lines)?;
        let again: Vec<Vec<u8>> = order.iter().map(|&line| lines[line].clone()).collect();
        let second = self.answers(track, &again)?;
        let first: Vec<Vec<u8>> = order.iter().map(|&line| first[line].clone()).collect();
        Ok(Comparison::of_system(self.system, &again, &first, &second))
    }

    /// In lock-step the limit of each line is enough, since slow systems get fewer lines.
    fn subject(&self, track: Track) -> Subject<'_> {
        let mut subject = self.bench.subject(self.system, track);
        if track.answers_lines() {
            subject.limits.launch_seconds = f64::MAX;
        }
        subject
    }

    /// Judged tracks whose answers come line by line. The probes ask these in lock-step.
    pub fn line_tracks(&self) -> impl Iterator<Item = Track> + '_ {
        self.tracks.iter().copied().filter(|track| track.answers_lines())
    }

    /// Random numbers for one purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::new(self.seed, purpose)
    }
}

fn words_after_first(lines: &[Vec<u8>]) -> usize {
    lines.iter().skip(1).map(|line| words(line)).sum()
}

/// Number of `lines` that a system with `pace` seconds for each word answers within the budget.
fn lines_within_budget(lines: &[Vec<u8>], pace: f64) -> usize {
    let mut taken = 0.0;
    let is_affordable = |(asked, line): &(usize, &Vec<u8>)| {
        taken += words(line) as f64 * pace;
        *asked < FEWEST_LINES
            || taken < BUDGET.as_secs_f64()
            || *asked < LEAST_LINES && taken < TIMED_BUDGET.as_secs_f64()
    };
    lines.iter().enumerate().take_while(is_affordable).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_system_gets_fewer_lines() {
        let lines = vec![b"ten words in each of these lines, so to speak".to_vec(); 150];
        let asked = |line_seconds: f64| lines_within_budget(&lines, line_seconds / 10.0);
        assert_eq!(asked(0.001), 150);
        assert_eq!(asked(0.0101), 99, "a second in all");
        assert_eq!(asked(1.0), 16, "seconds in all, for lines enough to compare");
        assert_eq!(asked(3.0), 6, "at most twenty seconds");
        assert_eq!(asked(60.0), FEWEST_LINES);
        assert_eq!(asked(f64::INFINITY), FEWEST_LINES, "it doesn't answer");
    }
}
