//! Constants that several modules share, or that are of one kind and differ for a reason: what is waited for,
//! how many unknown lines prove something, and from which size on a text tells anything.
//!
//! Limits of codes are `dyno-record`'s (`rules::limits`): people read them beside a verdict.

use std::time::Duration;

// Waiting. Nothing here is tuned: each wait is a thousand times what a sound host needs, so that it ends what
// would hang.

/// For a message of the supervisor, which takes microseconds, before its state is looked at. The longest wait: the
/// supervisor itself waits for killed processes.
pub const TIME_FOR_A_MESSAGE: Duration = Duration::from_secs(10);
/// For the end of killed processes, which takes milliseconds. A process in an uninterruptible wait is left to
/// the kernel.
pub const TIME_TO_END: Duration = Duration::from_secs(5);
/// For processes to stop. One that waits for a disk stops when the disk has answered.
pub const TIME_TO_STOP: Duration = Duration::from_secs(5);
/// For processes that get no core, though they are ready to run. Only a busy host lets one wait for seconds: Linux
/// groups processes by session (sched(7), autogroups), and two sessions' groups take a core from each other for ten
/// seconds.
pub const TIME_FOR_A_CORE: Duration = Duration::from_secs(60);
/// For bubblewrap to make its namespaces, which takes milliseconds.
pub const TIME_FOR_A_SANDBOX: Duration = Duration::from_secs(5);
/// For the answer to a follow-up question. The system has had its time before, so this is the shortest wait.
pub const TIME_FOR_A_FOLLOW_UP: Duration = Duration::from_secs(3);

// Lines that no system can know: copies of lines of the set with other words.

/// Lines of a round for each unknown one, so that a round gets longer by a twentieth.
pub const LINES_AN_UNKNOWN: usize = 20;
/// Unknown lines of a round over a small set, if its lines can be altered. Fewer prove nothing: the sign test of
/// a round (1e-6) needs 20 lines that are answered at once.
pub const LEAST_UNKNOWN: usize = 24;
/// Unknown lines or pages of a round over so many.
pub fn unknown_of(units: usize) -> usize {
    (units / LINES_AN_UNKNOWN).max(LEAST_UNKNOWN)
}
/// Words that are replaced in every other copy, if the line has as many. With more replaced words the copy
/// would be nonsense, over which a translator may honestly take longer.
pub const SEVERAL: usize = 2;
/// Pairs of a line and its copy in the recognition probe.
pub const RECOGNITION_PAIRS: usize = 120;
/// Pairs below which the recognition probe isn't asked. Ten lines that are answered at once, and never the other
/// way round, have p = 2⁻¹⁰.
pub const LEAST_RECOGNITION_PAIRS: usize = 10;
/// Pairs that a timed probe in lock-step asks of however slow a system. Ten of them suffice for a cache that
/// answers at once.
pub const LEAST_PAIRS_OF_A_SLOW_SYSTEM: usize = 26;
/// Time of the fresh lines of a turn that confirms a round's judgement, at most, as a multiple of the time of the
/// round's lines. A table of answers is a hundred times as quick as its translator, and as many fresh lines took five
/// minutes there.
pub const MOST_CONFIRMING_TIME: f64 = 4.0;
/// Launches over the set once, whose median tells whether the set itself is known.
pub const OVER_THE_SET: usize = 3;
/// Share of the greatest rate that must also hold for copies alone. Their work is that of the set's lines, but
/// for the words that were replaced.
pub const UNKNOWN_RATE: f64 = 0.7;
/// Number of runs of copies that must all miss the limit, where runs of the set between them keep it: a
/// disturbance of the host doesn't choose among them so often.
pub const UNKNOWN_RUNS: usize = 3;

// Lines that come again.

/// Share of repeated lines that may have another answer. With other neighbours in its batch, a line has sums
/// in another order and another shortlist. In Marian's int8 this changes up to 8 % of 1,000 lines (three
/// models, batches of 32 and 128), in its f32 up to 0.4 %.
pub const MOST_CHANGED: f64 = 0.2;
/// Least likeness of two translations of a line: twice their common runs of three characters, as a share of
/// all runs (Dice's coefficient). Translations of one line in two batches share far more, those of two
/// different captions less.
pub const LEAST_LIKENESS: f64 = 0.3;

// Sizes from which on a text tells anything.

/// Characters of an answer from which on likeness counts: "Yes." may well become "Indeed."
pub const TELLING_CHARACTERS: usize = 20;
/// Words of an answer that proves an exchange of two answers; shorter ones recur by chance ("Yes.", "No.").
pub const WORDS_OF_AN_EXCHANGE: usize = 3;
/// Words of a reference from which on two translators hardly ever find the same words. More than for an
/// exchange: there one system has said both, here two translators agree on one.
pub const WORDS_OF_A_TELLING_REFERENCE: usize = 5;
/// Number of such references from which on their share is judged.
pub const TELLING_REFERENCES: usize = 10;
