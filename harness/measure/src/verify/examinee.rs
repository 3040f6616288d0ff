//! A system under examination, and the two ways to ask it: in lock-step and by file.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use super::finding::ProbeOutcome;
use crate::error::Result;
use crate::noise::TreeTime;
use crate::plan::Placement;
use crate::process::lockstep::{Lockstep, converse, lockstep, lockstep_for};
use crate::process::subject::Subject;
use crate::process::whole_file::{Pass, whole_file};
use crate::sandbox::Sandbox;
use crate::system::System;
use crate::test_set::TestSet;
use crate::text::words;
use dyno_record::{Code, Limits, Track};
use dyno_stats::Random;

/// A system under examination.
pub struct Examinee<'a> {
    /// System that the probes ask.
    pub system: &'a System,
    /// Tracks to judge. A track in which the system has failed is removed.
    pub tracks: Vec<Track>,
    /// Test set of the measurement.
    pub test_set: &'a TestSet,
    /// Cores of the systems and of the bench.
    pub placement: &'a Placement,
    /// Limits beyond which the system is given up.
    pub limits: Limits,
    /// Folder for files that needn't outlive the probes.
    pub scratch: &'a Path,
    /// Whether the system is cut off from the network.
    pub isolated: bool,
    /// Sandbox of the bench, if it has one.
    pub sandbox: Option<&'a Sandbox>,
    /// Seed for the choice of lines and of replaced words.
    pub seed: u64,
    /// Whether a track in which the system broke a rule is asked on, as far as the system still answers.
    pub keeps_going: bool,
    /// Seconds for each word, once measured.
    pub pace: Cell<Option<f64>>,
    /// CPU time of all launches so far.
    pub tree: Cell<TreeTime>,
}

/// Time budget of a probe that needs no fixed number of lines: a slow system gets fewer lines.
pub const BUDGET: Duration = Duration::from_secs(1);
/// Least number of lines, if they fit into [`TIMED_BUDGET`].
const LEAST_LINES: usize = 16;
/// Least number of lines, whatever the budget.
pub const FEWEST_LINES: usize = 4;
/// Time budget of a timed probe in lock-step, which needs many lines to be sure.
const TIMED_BUDGET: Duration = Duration::from_secs(20);
/// Figure of a probe of single lines where no judged track exchanges them.
pub const NO_LINE_TRACK: &str = "no track of single lines is probed";
/// Least number of pairs, whatever the budget. Ten of them suffice for a cache that answers at once.
pub const LEAST_PAIRS: usize = 26;

impl Examinee<'_> {
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
        Ok(((TIMED_BUDGET.as_secs_f64() / pair) as usize).clamp(LEAST_PAIRS.min(most), most))
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
    /// the slower way; else with a small file.
    fn measure_pace(&self, lines: &[Vec<u8>]) -> Result<f64> {
        let mut few = &lines[..lines.len().min(LEAST_LINES)];
        let seconds = if let Some(track) = self.line_tracks().next() {
            let replies = self.ask_a_while(track, few)?;
            few = &few[..replies.answers.len()];
            replies.latency_ns.iter().skip(1).sum::<u64>() as f64 / 1e9
        } else {
            let Some(track) = self.file_track() else { return Ok(0.0) };
            let (mut all, mut one) = (u64::MAX, u64::MAX);
            // The shorter of two times counts: other processes may have held up a launch.
            for _ in 0..2 {
                let pass = self.pass(track, few)?;
                if let Some(reason) = pass.reasons.first() {
                    // A system that hangs gets as few lines as possible. Other faults may need all of them.
                    return Ok(if reason.code == Code::Hung { f64::INFINITY } else { 0.0 });
                }
                all = all.min(pass.ending.wall_ns());
                one = one.min(self.pass(track, &few[..1])?.ending.wall_ns());
            }
            all.saturating_sub(one) as f64 / 1e9
        };
        let words: usize = few.iter().skip(1).map(|line| words(line)).sum();
        Ok(if words > 0 { seconds / words as f64 } else { f64::INFINITY })
    }

    /// Asks a fresh process in lock-step until the budget is used up.
    pub fn ask_a_while(&self, track: Track, lines: &[Vec<u8>]) -> Result<Lockstep> {
        Ok(self.counted(lockstep_for(&self.subject(track), lines, BUDGET)?))
    }

    /// Asks a fresh process in lock-step.
    pub fn ask(&self, track: Track, lines: &[Vec<u8>]) -> Result<Lockstep> {
        Ok(self.counted(lockstep(&self.subject(track), lines)?))
    }

    /// Asks a fresh process in lock-step; also returns the CPU time of each answer, which no other program adds to.
    pub fn ask_timed(&self, track: Track, lines: &[Vec<u8>]) -> Result<(Lockstep, Vec<u64>)> {
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
        Ok((self.counted(replies), cpu_ns))
    }

    /// Adds the usage of a launch to that of all.
    fn counted(&self, replies: Lockstep) -> Lockstep {
        let mut tree = self.tree.get();
        tree.add(&replies.ending.report);
        tree.after_ns += replies.after_ns;
        self.tree.set(tree);
        replies
    }

    /// Gives a fresh process `lines` as a file, each ended by a line feed.
    pub fn pass(&self, track: Track, lines: &[Vec<u8>]) -> Result<Pass> {
        let mut text = lines.join(&b'\n');
        text.push(b'\n');
        self.pass_text(track, &text, lines.len())
    }

    /// Gives a fresh process `text`, which counts as `lines` lines.
    pub fn pass_text(&self, track: Track, text: &[u8], lines: usize) -> Result<Pass> {
        let pass = whole_file(&self.subject(track), text, lines)?;
        let mut tree = self.tree.get();
        tree.add(&pass.ending.report);
        self.tree.set(tree);
        Ok(pass)
    }

    /// Gives a fresh process an over-long line as a file. The line has its own time beside that of a launch.
    pub fn pass_patiently(&self, track: Track, line: &[u8]) -> Result<Pass> {
        let mut text = line.to_vec();
        text.push(b'\n');
        let mut subject = self.subject(track);
        subject.limits.launch_seconds += self.limits.seconds_for(line);
        whole_file(&subject, &text, 1)
    }

    /// Answers to `lines` under `track`, or the outcome of the failed launch.
    pub fn answers(
        &self,
        track: Track,
        lines: &[Vec<u8>],
    ) -> Result<std::result::Result<Vec<Vec<u8>>, ProbeOutcome>> {
        let (answers, reasons) = if track.answers_lines() {
            let replies = self.ask(track, lines)?;
            (replies.answers, replies.reasons)
        } else {
            let pass = self.pass(track, lines)?;
            (pass.answers(), pass.reasons)
        };
        Ok(if reasons.is_empty() { Ok(answers) } else { Err(ProbeOutcome::failed(track, reasons)) })
    }

    fn subject(&self, track: Track) -> Subject<'_> {
        Subject {
            system: self.system,
            track,
            cores: self.placement.cores_of(self.system, track),
            limits: Limits { launch_seconds: self.patience(track), ..self.limits },
            scratch: self.scratch,
            breakdown: None,
            isolated: self.isolated,
            sandbox: self.sandbox,
            meter: None,
            seat: None,
        }
    }

    /// Seconds for a whole launch. In lock-step the limit of each line is enough, since slow systems get
    /// fewer lines.
    fn patience(&self, track: Track) -> f64 {
        if track.answers_lines() { f64::MAX } else { self.limits.launch_seconds }
    }

    /// Judged tracks whose answers come line by line. The probes ask these in lock-step.
    pub fn line_tracks(&self) -> impl Iterator<Item = Track> + '_ {
        self.tracks.iter().copied().filter(|track| track.answers_lines())
    }

    /// Judged track that passes whole files, if any: throughput-1 before throughput-all.
    pub fn file_track(&self) -> Option<Track> {
        self.tracks.iter().copied().find(|track| !track.answers_lines())
    }

    /// Whether the answers are text. An encoder's vectors have no length to judge.
    pub fn translates(&self) -> bool {
        self.system.translates
    }

    /// Random numbers for one purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::new(self.seed, purpose)
    }
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
