//! The adjusted clock beside the host's oscillator. All times are of the adjusted clock; a process with the
//! right to it can make this clock slower or faster.

use crate::os;

/// Greatest adjustment that keeping the time needs: adjtimex(2) and NTP allow no greater frequency.
pub const MOST_ADJUSTED: f64 = 500e-6;
/// Difference that proves nothing, in nanoseconds: the two clocks are read one after the other.
pub const CLOCK_SLACK_NS: f64 = 1e6;
/// Readings of which the one with the least time in between counts.
const READINGS: usize = 5;

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    adjusted_ns: u64,
    raw_ns: u64,
}

impl Clocks {
    /// Reads both clocks.
    pub fn now() -> Self {
        let read = |_| {
            let (before, adjusted_ns, after) = (os::raw_ns(), os::monotonic_ns(), os::raw_ns());
            (after.saturating_sub(before), Self { adjusted_ns, raw_ns: before })
        };
        let quickest = (0..READINGS).map(read).min_by_key(|(between, _)| *between);
        quickest.expect("there are readings").1
    }

    /// Share by which the adjusted clock ran faster since `earlier`; zero if keeping the time explains it.
    pub fn skew_since(&self, earlier: Self) -> f64 {
        let adjusted = self.adjusted_ns.saturating_sub(earlier.adjusted_ns) as f64;
        let raw = self.raw_ns.saturating_sub(earlier.raw_ns) as f64;
        let is_explained = (adjusted - raw).abs() <= MOST_ADJUSTED * raw + CLOCK_SLACK_NS;
        if is_explained { 0.0 } else { adjusted / raw.max(1.0) - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_more_than_keeping_the_time_needs_is_a_skew() {
        let start = Clocks { adjusted_ns: 7_000, raw_ns: 900 };
        let skew = |adjusted: u64, raw: u64| {
            let end = Clocks { adjusted_ns: 7_000 + adjusted, raw_ns: 900 + raw };
            (end.skew_since(start) * 1e6).round()
        };
        let second = 1_000_000_000;
        assert_eq!(skew(10 * second, 10 * second), 0.0);
        assert_eq!(skew(10 * second + 5_900_000, 10 * second), 0.0, "500 ppm and a millisecond");
        assert_eq!(skew(10 * second + 6_100_000, 10 * second), 610.0);
        assert_eq!(skew(9 * second, 10 * second), -100_000.0, "a tenth slower: all is a tenth quicker");
        assert_eq!(skew(0, 900_000), 0.0, "too short to tell");
    }
}
