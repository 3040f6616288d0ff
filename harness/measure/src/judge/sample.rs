//! What a judgement of times takes and gives: samples, and the result. Lines and launches share these types.
//!
//! Each time is known twice: by the clock, and as the CPU time of the system's own processes. The clock counts
//! what other programs take from the system, CPU time doesn't. So the clock accuses, and CPU time tells whether
//! a disturbance could be the cause.

use dyno_record::rules::Reason;

use crate::process::whole_file::Pass;
use crate::text::words;

/// How many times as long as the set's answers those to unknown lines may be, as a rule, and still count in full. An
/// honest system may say more to an odd line, and takes the time for it; a few answers that run away to the length
/// limit change no rule. A table could say what it doesn't know many times over: a word of it would then cost as little
/// as one of a known line.
pub const MOST_LONGER: f64 = 1.5;

/// Time of an answer or of a launch, and its words: the units of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Number of words.
    pub words: usize,
    /// Nanoseconds by the clock.
    pub ns: u64,
    /// CPU time of the system's processes meanwhile; 0 if it wasn't read.
    pub cpu_ns: u64,
}

impl Sample {
    /// Time of an answer. Its own words count, since an odd sentence may honestly get a longer answer.
    pub fn of_answer(answer: &[u8], ns: u64) -> Self {
        Self { words: words(answer), ns, cpu_ns: 0 }
    }

    /// Time of a launch that has ended, with the words that it wrote.
    pub fn of_launch(pass: &Pass) -> Self {
        let usage = &pass.ending.usage;
        let cpu_ns = usage.user_ns + usage.system_ns + usage.unwaited_ns;
        Self { ns: pass.ending.wall_ns(), cpu_ns, words: words(&pass.text) }
    }

    /// The same work, timed by its CPU time.
    pub(super) fn by_cpu(self) -> Self {
        Self { ns: self.cpu_ns, ..self }
    }

    /// Both sides of a comparison, whose second one has answers that are as a rule `longer` by this factor. Answers
    /// beyond [`MOST_LONGER`] count as if they were as long as the others.
    pub fn of_like_lengths([one, other]: [Self; 2], longer: f64) -> [Self; 2] {
        match 1.0 / longer {
            _ if longer > MOST_LONGER => [one, other.shortened(longer)],
            shorter if shorter > MOST_LONGER => [one.shortened(shorter), other],
            _ => [one, other],
        }
    }

    fn shortened(self, times: f64) -> Self {
        Self { words: (self.words as f64 / times).round() as usize, ..self }
    }

    pub(super) fn a_word(self) -> f64 {
        self.ns as f64 / self.words.max(1) as f64
    }
}

/// Result of a comparison between two sides.
#[derive(Debug, Default)]
pub struct Judgement {
    /// Time per word of the suspects, as a share of the others' time.
    pub figure: String,
    /// Broken rule, if any.
    pub reason: Option<Reason>,
    /// Whether CPU time shows the broken rule as well, so that no disturbance is its cause.
    pub certain: bool,
    /// Whether the ratio is beyond its limit but not significant.
    pub undecided: bool,
    /// Whether there was too little time to compare.
    pub too_quick: bool,
}
