//! The latency track: the whole set in lock-step, in this round's order.

use super::{Run, Seen};
use crate::exit::Outcome;
use crate::process::lockstep;
use crate::random::Random;

/// One round of lock-step over the whole set.
pub(super) fn run(run: &Run<'_>) -> Outcome<Seen> {
    let source = &run.round.test_set.source;
    let order = order(run);
    // The warm-up takes the lines that come last, so that none is asked again soon.
    let warm_up = run.bench.campaign.profile.warm_up_lines().min(order.len());
    let asked = order[order.len() - warm_up..].iter().chain(&order);
    let lines: Vec<Vec<u8>> = asked.map(|&line| source[line].clone()).collect();
    let told = lockstep(&run.subject, &lines)?;
    let mut seen = Seen { start_ns: told.start_ns, ..Seen::default() };
    seen.take(&told.ending);
    if told.reasons.is_empty() {
        seen.answers = in_source_order(&order, &told.answers[warm_up..]);
        seen.latency_ns = in_source_order(&order, &told.latency_ns[warm_up..]);
    }
    Ok(Seen { reasons: told.reasons, ..seen })
}

/// The permutation of this round: the same for every system.
fn order(run: &Run<'_>) -> Vec<usize> {
    let (set, round) = (run.round.test_set, run.round.number);
    let purpose = format!("lines of {} in round {round}", set.name);
    Random::new(run.bench.campaign.seed, &purpose).permutation(set.source.len())
}

fn in_source_order<T: Default + Clone>(order: &[usize], told: &[T]) -> Vec<T> {
    let mut sorted = vec![T::default(); order.len()];
    for (&line, value) in order.iter().zip(told) {
        sorted[line] = value.clone();
    }
    sorted
}
