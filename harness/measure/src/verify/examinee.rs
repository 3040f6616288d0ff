//! Who is examined, on what, and the two ways to put questions.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::finding::Heard;
use crate::error::Result;
use crate::plan::Placement;
use crate::process::lockstep::{Lockstep, lockstep, lockstep_for};
use crate::process::subject::Subject;
use crate::process::whole_file::{Pass, whole_file};
use crate::protocol::Limits;
use crate::rules::Track;
use crate::system::System;
use crate::test_set::TestSet;
use crate::text::words;
use dyno_stats::Random;

/// A system before its probes.
pub struct Examinee<'a> {
    /// Who.
    pub system: &'a System,
    /// The tracks to be judged, less those in which it has failed already.
    pub tracks: Vec<Track>,
    /// What it will be measured on.
    pub test_set: &'a TestSet,
    /// Where it runs.
    pub placement: &'a Placement,
    /// When it is given up.
    pub limits: Limits,
    /// A folder for files that needn't outlive the probes.
    pub scratch: &'a Path,
    /// Whether it is cut off from the network.
    pub isolated: bool,
    /// Fixes the choice of lines and of exchanged words.
    pub seed: u64,
    /// Seconds a word, once they are known.
    pub pace: Cell<Option<f64>>,
}

/// What a pass of a probe that needs no certain number of lines may take: a slow system is asked fewer.
pub const BUDGET: Duration = Duration::from_secs(1);
/// But so many always.
const LEAST_LINES: usize = 16;
/// The same for a timed probe in lock-step, which needs many lines to be sure.
const TIMED_BUDGET: Duration = Duration::from_secs(20);
/// But so many pairs always: with 24 on either side a cache shows beyond the probes' p, if it answers at once.
pub const LEAST_PAIRS: usize = 24;

impl Examinee<'_> {
    /// As many of `lines` as the system answers within the budget.
    pub fn affordable(&self, mut lines: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let mut left = BUDGET.as_secs_f64() / self.pace(&lines)?.max(f64::MIN_POSITIVE);
        let mut count = 0;
        lines.retain(|line| {
            left -= words(line) as f64;
            count += 1;
            left > 0.0 || count <= LEAST_LINES
        });
        Ok(lines)
    }

    /// How many pairs of lines like these a timed probe may ask in lock-step: `most`, but fewer of a slow system.
    pub fn affordable_pairs(&self, lines: &[Vec<u8>], most: usize) -> Result<usize> {
        let words = lines.iter().map(|line| words(line)).sum::<usize>() as f64 / lines.len().max(1) as f64;
        let pair = 2.0 * words * self.pace(lines)?;
        Ok(((TIMED_BUDGET.as_secs_f64() / pair) as usize).clamp(LEAST_PAIRS.min(most), most))
    }

    /// Seconds a word, measured on some of `lines` where it isn't known yet.
    fn pace(&self, lines: &[Vec<u8>]) -> Result<f64> {
        let pace = match self.pace.get() {
            Some(pace) => pace,
            None => self.measure_pace(lines)?,
        };
        self.pace.set(Some(pace));
        Ok(pace)
    }

    /// Seconds a word: in lock-step where that is judged, since it is the slower way; else of a small file.
    fn measure_pace(&self, lines: &[Vec<u8>]) -> Result<f64> {
        let few = &lines[..lines.len().min(LEAST_LINES)];
        let seconds = if self.answers_lines() {
            self.ask(few)?.latency_ns.iter().skip(1).sum::<u64>() as f64 / 1e9
        } else {
            let Some(track) = self.file_track() else { return Ok(0.0) };
            let (mut all, mut one) = (u64::MAX, u64::MAX);
            // The quicker of two: a launch may have been held up by others.
            for _ in 0..2 {
                all = all.min(self.pass(track, few)?.ending.wall_ns());
                one = one.min(self.pass(track, &few[..1])?.ending.wall_ns());
            }
            all.saturating_sub(one) as f64 / 1e9
        };
        Ok(seconds / few.iter().skip(1).map(|line| words(line)).sum::<usize>().max(1) as f64)
    }

    /// Asks a fresh process in lock-step, until the budget is used up.
    pub fn ask_a_while(&self, lines: &[Vec<u8>]) -> Result<Lockstep> {
        lockstep_for(&self.subject(Track::Latency, &self.facts()), lines, BUDGET)
    }

    /// Asks a fresh process in lock-step.
    pub fn ask(&self, lines: &[Vec<u8>]) -> Result<Lockstep> {
        lockstep(&self.subject(Track::Latency, &self.facts()), lines)
    }

    /// Where a round leaves them, too: a system could see the difference.
    fn facts(&self) -> PathBuf {
        self.scratch.join("facts.json")
    }

    /// Gives a fresh process the lines as a file, each ended by a line feed.
    pub fn pass(&self, track: Track, lines: &[Vec<u8>]) -> Result<Pass> {
        let mut text = lines.join(&b'\n');
        text.push(b'\n');
        self.pass_text(track, &text, lines.len())
    }

    /// Gives a fresh process `text`, which counts as `lines` lines.
    pub fn pass_text(&self, track: Track, text: &[u8], lines: usize) -> Result<Pass> {
        whole_file(&self.subject(track, &self.facts()), text, lines, self.scratch)
    }

    /// The answers to `lines` under `track`, or what went wrong.
    pub fn answers(
        &self,
        track: Track,
        lines: &[Vec<u8>],
    ) -> Result<std::result::Result<Vec<Vec<u8>>, Heard>> {
        let (answers, reasons) = match track {
            Track::Latency => {
                let told = self.ask(lines)?;
                (told.answers, told.reasons)
            }
            _ => {
                let pass = self.pass(track, lines)?;
                (pass.answers(), pass.reasons)
            }
        };
        Ok(if reasons.is_empty() { Ok(answers) } else { Err(Heard::failed(track, reasons)) })
    }

    fn subject<'b>(&'b self, track: Track, facts: &'b Path) -> Subject<'b> {
        Subject {
            system: self.system,
            track,
            cores: self.placement.system(track),
            limits: Limits { launch_seconds: self.patience(track), ..self.limits },
            facts,
            breakdown: None,
            isolated: self.isolated,
        }
    }

    /// A whole launch: in lock-step each line's own patience is enough, and the slow are asked fewer lines.
    fn patience(&self, track: Track) -> f64 {
        match track {
            Track::Latency => f64::MAX,
            Track::Throughput1 | Track::ThroughputAll => self.limits.launch_seconds,
        }
    }

    /// Whether the latency track is judged.
    pub fn answers_lines(&self) -> bool {
        self.tracks.contains(&Track::Latency)
    }

    /// The judged track in which whole files are passed, if any: one core where that is among them.
    pub fn file_track(&self) -> Option<Track> {
        self.tracks.iter().copied().find(|&track| track != Track::Latency)
    }

    /// Whether its answers are text: an encoder's vectors have no length to judge.
    pub fn translates(&self) -> bool {
        self.system.translates
    }

    /// Randomness for one purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::new(self.seed, purpose)
    }
}
