//! Shares of a count, and what chance adds to them.

/// Standard deviations that chance may add to a share: it does so once in 700 times.
pub const GRANTED: f64 = 3.0;

/// Whether `count` of `total` is more than `share`, and what chance adds to it.
pub fn is_beyond(count: usize, total: usize, share: f64) -> bool {
    count as f64 > most_by_chance(total, share)
}

/// Greatest count of `total` that `share` and chance explain (normal approximation of the binomial distribution).
pub fn most_by_chance(total: usize, share: f64) -> f64 {
    let total = total as f64;
    share * total + GRANTED * (total * share * (1.0 - share)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_deviations_are_chance() {
        // 100 at 0.4: a deviation is 4.9, so that 54 are chance and 55 are not.
        assert!(!is_beyond(54, 100, 0.4));
        assert!(is_beyond(55, 100, 0.4));
        assert!(!is_beyond(0, 0, 0.4), "nothing shows nothing");
    }
}
