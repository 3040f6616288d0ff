//! Who is examined, on what, and the two ways to put questions.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::Heard;
use crate::campaign::{Limits, System, TestSet, Track, words};
use crate::exit::Outcome;
use crate::plan::Placement;
use crate::process::{Lockstep, Pass, Subject, lockstep, lockstep_for, whole_file};
use crate::random::Random;
use crate::registry;

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

impl Examinee<'_> {
    /// As many of `lines` as the system answers within the budget.
    pub fn affordable(&self, mut lines: Vec<Vec<u8>>) -> Outcome<Vec<Vec<u8>>> {
        let pace = match self.pace.get() {
            Some(pace) => pace,
            None => self.measure_pace(&lines)?,
        };
        self.pace.set(Some(pace));
        let mut left = BUDGET.as_secs_f64() / pace.max(f64::MIN_POSITIVE);
        let mut count = 0;
        lines.retain(|line| {
            left -= words(line) as f64;
            count += 1;
            left > 0.0 || count <= LEAST_LINES
        });
        Ok(lines)
    }

    /// Seconds a word: in lock-step where that is judged, since it is the slower way; else of a small file.
    fn measure_pace(&self, lines: &[Vec<u8>]) -> Outcome<f64> {
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
    pub fn ask_a_while(&self, lines: &[Vec<u8>]) -> Outcome<Lockstep> {
        let facts = self.scratch.join("probe-facts.json");
        lockstep_for(&self.subject(Track::Latency, &facts), lines, BUDGET)
    }

    /// Asks a fresh process in lock-step.
    pub fn ask(&self, lines: &[Vec<u8>]) -> Outcome<Lockstep> {
        let facts = self.scratch.join("probe-facts.json");
        lockstep(&self.subject(Track::Latency, &facts), lines)
    }

    /// Gives a fresh process the lines as a file, each ended by a line feed.
    pub fn pass(&self, track: Track, lines: &[Vec<u8>]) -> Outcome<Pass> {
        let mut text = lines.join(&b'\n');
        text.push(b'\n');
        self.pass_text(track, &text, lines.len())
    }

    /// Gives a fresh process `text`, which counts as `lines` lines.
    pub fn pass_text(&self, track: Track, text: &[u8], lines: usize) -> Outcome<Pass> {
        let (input, output) = (self.scratch.join("probe-in.txt"), self.scratch.join("probe-out.txt"));
        fs::write(&input, text)?;
        whole_file(&self.subject(track, &self.scratch.join("probe-facts.json")), &input, lines, &output)
    }

    /// The answers to `lines` under `track`, or what went wrong.
    pub fn answers(&self, track: Track, lines: &[Vec<u8>]) -> Outcome<Result<Vec<Vec<u8>>, Heard>> {
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
            limits: self.limits,
            facts,
            isolated: self.isolated,
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
        let backend = self.system.backend().and_then(|name| registry::find(name).ok());
        backend.is_none_or(|backend| backend.task() == dyno_api::Task::Translate)
    }

    /// Randomness for one purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::new(self.seed, purpose)
    }
}
