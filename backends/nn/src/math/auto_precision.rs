//! Marian's auto-tuner of 2018: a product that has its weights in two precisions and uses the faster one.
//!
//! As in Marian, both precisions are timed in turn while lines are translated. For each class of batch sizes,
//! each precision is timed a hundred times, with the quantisation of rows. From then on the faster one
//! computes the product. So the results depend on timing, and a translation isn't reproducible. Only the
//! setting `auto-precision` turns this on.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::form::Operands;
use super::product::{Epilogue, Product};

/// Number of timed runs of each precision (paper, 4.4).
const RUNS: u64 = 100;

/// Number of classes of rows that are timed apart. Each class has up to twice as many rows as the one before.
const CLASSES: usize = 8;

/// A product in two precisions, and the times of both.
#[derive(Debug)]
pub(super) struct AutoPrecision {
    /// The product in f32.
    exact: Product,
    timings: [Timing; CLASSES],
}

/// Times of both precisions for one class of rows.
#[derive(Debug, Default)]
struct Timing {
    /// Number of timed runs that have begun, of both precisions.
    begun: AtomicU64,
    /// Number of timed runs that have ended, for each precision.
    ended: [AtomicU64; 2],
    /// Sum of the times, for each precision.
    nanoseconds: [AtomicU64; 2],
}

/// The precision of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// This precision, whose run is to be timed.
    Timed(usize),
    /// This precision, which is the faster one.
    Settled(usize),
}

impl AutoPrecision {
    pub(super) fn new(exact: Product) -> Self {
        Self { exact, timings: Default::default() }
    }

    /// Replaces `out` [rows, outputs] by y for each row of `input` [rows, inputs], by `product` or in f32.
    pub(super) fn apply(
        &self,
        product: &Product,
        input: &[f32],
        operands: &mut Operands,
        then: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let (products, timing) =
            ([product, &self.exact], &self.timings[class(input.len() / product.inputs())]);
        match timing.turn() {
            Turn::Settled(precision) => products[precision].apply(input, operands, then, out),
            Turn::Timed(precision) => {
                let begin = Instant::now();
                products[precision].apply(input, operands, then, out);
                timing.note(precision, begin.elapsed());
            }
        }
    }
}

/// The class of a number of rows.
fn class(rows: usize) -> usize {
    let doublings = usize::BITS - rows.saturating_sub(1).leading_zeros();
    (doublings as usize).min(CLASSES - 1)
}

impl Timing {
    fn turn(&self) -> Turn {
        let begun = self.begun.load(Relaxed);
        if begun < 2 * RUNS {
            self.begun.store(begun + 1, Relaxed); // if two workers count one run, one run more is timed
            return Turn::Timed((begun % 2) as usize);
        }
        let mean = |precision: usize| {
            let runs = self.ended[precision].load(Relaxed).max(1);
            self.nanoseconds[precision].load(Relaxed) as f64 / runs as f64
        };
        Turn::Settled(usize::from(mean(1) < mean(0)))
    }

    fn note(&self, precision: usize, took: Duration) {
        self.nanoseconds[precision].fetch_add(took.as_nanos() as u64, Relaxed);
        self.ended[precision].fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_timed_in_turn_and_then_the_faster_one_runs() {
        for (slow, fast) in [(0, 1), (1, 0)] {
            let timing = Timing::default();
            for run in 0..2 * RUNS as usize {
                assert_eq!(timing.turn(), Turn::Timed(run % 2));
                timing.note(run % 2, Duration::from_nanos(if run % 2 == slow { 200 } else { 100 }));
            }
            assert_eq!(timing.turn(), Turn::Settled(fast));
        }
    }

    #[test]
    fn a_class_has_up_to_twice_the_rows_of_the_class_before() {
        assert_eq!([1, 2, 3, 4, 5, 64, 65, 1000].map(class), [0, 1, 2, 2, 3, 6, 7, 7]);
    }
}
