//! What a judgement of times takes and gives: samples, and the result. Lines and launches share these types.
//!
//! Each time is known twice: by the clock, and as the CPU time of the system's own processes. The clock counts
//! what other programs take from the system, CPU time doesn't. So the clock accuses, and CPU time tells whether
//! a disturbance could be the cause.

use dyno_record::rules::Reason;

use crate::process::whole_file::Pass;
use crate::text::words;

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
