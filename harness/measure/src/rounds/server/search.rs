//! The search for the greatest rate that keeps the limit: doubling, bisection over short runs, then a long run
//! that confirms the rate, or a lower one.

use std::ops::RangeInclusive;

use dyno_record::Purpose;

/// Ratio of two rates between which the bisection ends. The short runs' own chance is larger.
const PRECISION: f64 = 1.02;
/// Factor between two rates of the confirmation: the figure is exact to 2 %.
const STEP: f64 = 0.98;
/// Least share of the guess that is tried. There lines hardly ever meet, so that lower rates change nothing.
const LEAST_SHARE: f64 = 1.0 / 8.0;
/// Most doublings from the guess.
const MOST_DOUBLINGS: i32 = 24;

/// Greatest rate that keeps the limit, from a first guess; `None` if none does. `keeps` runs the system at a
/// rate, and tells whether it keeps the limit there: in short runs that narrow the search, then in long ones that
/// confirm.
pub fn greatest_rate<E>(
    guess: f64,
    mut keeps: impl FnMut(f64, Purpose) -> Result<bool, E>,
) -> Result<Option<f64>, E> {
    let rates = guess * LEAST_SHARE..=guess * 2_f64.powi(MOST_DOUBLINGS);
    match edge(guess, &rates, Purpose::Search, &mut keeps)? {
        Some(kept) => edge(kept, &rates, Purpose::Confirm, &mut keeps),
        None => Ok(None),
    }
}

/// Greatest rate that keeps the limit in runs of one purpose, from `start`. Short runs double or halve it until the
/// answer changes. They may have been lucky or unlucky, so that long runs go up or down from there, in growing steps.
/// Bisection follows.
fn edge<E>(
    start: f64,
    rates: &RangeInclusive<f64>,
    purpose: Purpose,
    keeps: &mut impl FnMut(f64, Purpose) -> Result<bool, E>,
) -> Result<Option<f64>, E> {
    let is_long = purpose == Purpose::Confirm;
    let (down, precision) = if is_long { (STEP, 1.001 / STEP) } else { (0.5, PRECISION) };
    let first = keeps(start, purpose)?;
    let (mut near, mut step) = (start, if first { 1.0 / down } else { down });
    let mut far = near * step;
    loop {
        if !rates.contains(&far) {
            return Ok(first.then_some(near));
        }
        if keeps(far, purpose)? != first {
            break;
        }
        if is_long {
            step *= step.clamp(0.5, 2.0); // 0.98, 0.96, 0.92, 0.85, 0.72: soon far away, since long runs cost time
        }
        (near, far) = (far, far * step);
    }
    let (mut kept, mut missed) = if first { (near, far) } else { (far, near) };
    while missed / kept > precision {
        let middle = (kept * missed).sqrt();
        match keeps(middle, purpose)? {
            true => kept = middle,
            false => missed = middle,
        }
    }
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::arrivals::unit_instants;
    use super::*;

    fn found(guess: f64, keeps: impl Fn(f64, Purpose) -> bool) -> Option<f64> {
        let answer = |rate, purpose| Ok::<_, Infallible>(keeps(rate, purpose));
        let Ok(rate) = greatest_rate(guess, answer);
        rate
    }

    #[test]
    fn a_sharp_limit_is_found_from_any_guess() {
        for guess in [1.0, 7.0, 90.0, 110.0, 750.0] {
            let rate = found(guess, |rate, _| rate <= 100.0).unwrap();
            assert!((97.0..=100.0).contains(&rate), "{guess}: {rate}");
        }
    }

    #[test]
    fn a_long_run_that_fails_steps_down_and_a_lucky_one_steps_up() {
        let limit = |purpose| if purpose == Purpose::Search { 100.0 } else { 90.0 };
        let down = found(50.0, |rate, purpose| rate <= limit(purpose)).unwrap();
        assert!((85.0..=90.0).contains(&down), "{down}");
        let limit = |purpose| if purpose == Purpose::Search { 90.0 } else { 100.0 };
        let up = found(50.0, |rate, purpose| rate <= limit(purpose)).unwrap();
        assert!((97.0..=100.0).contains(&up), "{up}");
    }

    #[test]
    fn a_limit_that_no_rate_keeps_gives_no_rate() {
        assert_eq!(found(10.0, |_, _| false), None);
        assert_eq!(found(10.0, |_, purpose| purpose == Purpose::Search), None);
    }

    /// Share of lines that wait longer than `limit` service times: the queue's own recursion (Lindley 1952).
    fn missed_share(instants: &[f64], load: f64, limit: f64) -> f64 {
        let (mut free, mut missed) = (0.0_f64, 0);
        for instant in instants {
            let arrival = instant / load;
            free = free.max(arrival) + 1.0;
            missed += usize::from(free - arrival > limit);
        }
        missed as f64 / instants.len() as f64
    }

    /// P(wait > t) of M/D/1 at `load`, with t in service times (Erlang 1909; Crommelin's form):
    /// P(W ≤ t) = (1 − ρ) Σ (ρ(j − t))ʲ / j! · e^(−ρ(j − t)), j from 0 to ⌊t⌋.
    fn waits_longer(load: f64, t: f64) -> f64 {
        let term = |j: i32| {
            let x = load * (f64::from(j) - t);
            (1..=j).fold((-x).exp(), |product, k| product * x / f64::from(k))
        };
        1.0 - (1.0 - load) * (0..=t.floor() as i32).map(term).sum::<f64>()
    }

    #[test]
    fn the_greatest_rate_of_a_queue_is_that_of_theory() {
        for limit in [3.0, 5.0, 10.0] {
            // The load at which 1 % of the lines take longer: their wait is over limit − 1.
            let (mut low, mut high) = (0.01, 0.99);
            for _ in 0..50 {
                let middle = (low + high) / 2.0;
                if waits_longer(middle, limit - 1.0) < 0.01 { low = middle } else { high = middle }
            }
            let (short, long) = (unit_instants(1, "search", 20_000), unit_instants(1, "confirm", 400_000));
            let found = found(0.1, |load, purpose| {
                let instants = if purpose == Purpose::Search { &short } else { &long };
                missed_share(instants, load, limit) <= 0.01
            });
            let ratio = found.unwrap() / low;
            assert!((0.97..=1.01).contains(&ratio), "limit {limit}: {ratio} of {low}");
        }
    }
}
