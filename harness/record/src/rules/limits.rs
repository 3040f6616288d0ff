//! Limits of the rules. Detectors judge by them, reasons quote them, docs/DETECTORS.md lists them.
//!
//! Each limit leaves room for what honest systems do.

use std::time::Duration;

/// Least time per word of repeated lines, as a share of fresh lines' time per word.
pub const CACHED_RATIO: f64 = 0.85;
/// Least time per word of a file whose lines come again, as a share of that of other lines with the same words. A
/// batch shortlist honestly gets smaller with repeated lines, by about 20 % on Marian.
pub const COALESCED_RATIO: f64 = 0.60;
/// Least time per word of lines of the set, as a share of the time of their altered copies, and the other way
/// round.
pub const RECOGNISED_RATIO: f64 = 0.90;
/// Share of copies that may have their line's own answer: a translator overlooks a content word now and then.
pub const SAME_ANSWERS: f64 = 0.90;
/// Largest share of lines whose answer may be unlike those to two changed copies of the line, while these two are like
/// each other. For nine translators on three sets it was 0.28 to 0.35, as for any three sentences. A table of a better
/// system's answers beside one of them had 0.45 to 0.98.
pub const MOST_STRANGE: f64 = 0.4;
/// Largest share of lines that may differ between two launches: more is no rounding of sums.
pub const MOST_DIFFERING: f64 = 0.01;
/// Largest difference in quality between the rounds' texts, in halves of the 95 % interval that the paired bootstrap
/// gives it. Five standard deviations: of a hundred thousand cells whose answers are drawn at random, nine rounds
/// each, some four go beyond it.
pub const MOST_UNLIKE: f64 = 2.5;
/// Largest share of lines whose answers, when the lines come again, are no translations. In another batch
/// int8 gives up to 8 % of lines another translation, and hardly any line something else.
pub const MOST_JUNK: f64 = 0.01;
/// Least cosine of two vectors that count as the same answer of an encoder. Sums in another order change a
/// vector of f32 by far less; int8 products of a batch with shared scales change it by as much.
pub const SAME_COSINE: f64 = 0.9999;
/// Largest share of ordinary lines with an empty answer, beside what chance adds to few lines.
pub const EMPTY_SHARE: f64 = 0.01;
/// Most words of an ordinary line.
pub const LONGEST_ORDINARY: usize = 150;
/// Bytes for which the time limit of a line holds; an over-long line has that limit for each such number of bytes. The
/// longest ordinary lines have about as many.
pub const LONG_LINE_BYTES: usize = 1024;
/// Characters out for each character in, above which an answer runs away, unless the campaign sets its own.
pub const RUNAWAY_FACTOR: usize = 2;
/// Share of lines with runaway answers from which on the system gets the warning.
pub const RUNAWAY_SHARE: f64 = 0.01;
/// Tolerated difference between the characters of all answers and those of the references.
pub const LENGTH_TOLERANCE: f64 = 0.10;
/// Tolerated CPU time above wall time on the allowed cores: the two clocks are read at different times.
pub const CPU_SHARE_TOLERANCE: f64 = 0.02;
/// Bytes of an output that is a flood, if [`MOST_OUTPUT_GROWTH`] is exceeded too.
pub const MOST_OUTPUT_BYTES: u64 = 64 << 20;
/// Bytes of output for each byte of input, above which the output is a flood.
pub const MOST_OUTPUT_GROWTH: u64 = 64;
/// Bytes that each vector may have beside that: a vector is longer than its line.
pub const LONGEST_VECTOR: u64 = 1 << 20;
/// Bytes of standard error that are a flood: no log of a test set is as long.
pub const MOST_STDERR_BYTES: u64 = 64 << 20;
/// Time for a system's helpers to see its end and exit: workers of a pool need a few milliseconds.
pub const GRACE: Duration = Duration::from_secs(1);
/// Share of answers that equal a reference from which on the quality is doubted: two people agree in far
/// fewer.
pub const MOST_REFERENCES: f64 = 0.5;
/// Bytes from which on a file, or memory beside that of the processes, counts as hidden: libraries' own are smaller.
pub const HIDDEN_BYTES: u64 = 1 << 20;
/// Factor by which a process's peak at a look may exceed the kernel's account of it at the end; an excess of
/// less than [`HIDDEN_BYTES`] proves nothing. Unless a process lowers its peak, the two differ only by roundings of the
/// counters on each core.
pub const LOWERED_PEAK: f64 = 1.25;
/// Largest size of files that a system neither declares nor names, as a share of its declared model: a
/// tokenizer's files are small beside a model.
pub const HIDDEN_SHARE: f64 = 0.5;
/// Share of a core that a system may use while it isn't asked, from `CLEAN_UP` in `dyno_measure::process::idle`
/// after its answer on: timers of runtimes take less.
pub const BUSY_IDLE: f64 = 0.01;
/// Share of the moments at which the bench pauses a system, in slices of whole files, that may find it waiting for
/// something other than its cores. Engines that read a model or write a file wait at far fewer.
pub const MOST_WAITING: f64 = 0.2;
/// Least share of a declared model that a system must be seen to read. Files too small to be seen, such as
/// vocabularies, make the rest.
pub const SEEN_SHARE: f64 = 0.8;
/// Share of a round's core time that other processes may take, or processes that no parent waits for.
pub const FOREIGN_LIMIT: f64 = 0.02;
