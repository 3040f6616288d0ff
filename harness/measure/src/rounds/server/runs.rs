//! The runs of a round of the server track: their lengths, and how long they last, usually and at most.
//!
//! The greatest cost is found by the search itself, over imaginary systems that keep the limit up to a rate of
//! their own. The slowest line that has a rate takes as long as the limit, so that the first guess has a floor.

use std::convert::Infallible;

use dyno_record::{LatencyLimit, Limits, Profile, Purpose};

use super::search::greatest_rate;
use crate::constants::{LEAST_UNKNOWN, UNKNOWN_RATE, UNKNOWN_RUNS};
use crate::unknown::script::whole_set;
use crate::{Protocol, Recording};

/// Shares of the greatest rate at which the curve is measured, the lowest first.
pub(super) const CURVE: [f64; 3] = [0.5, 0.7, 0.9];
/// Duration of a short and of a long run in multiples of the limit: the queue must have the time to grow.
const SHORT_LIMITS: f64 = 8.0;
const LONG_LIMITS: f64 = 40.0;
/// Most lines of a run, whose answers are held in memory.
const MOST_LINES: usize = 1 << 20;
/// Usual numbers of runs: doublings and bisection, with those of the curve; confirmations. Queues of lines alike,
/// of 1 to 60 ms, take these on average, where a run that misses the limit counts as far as it goes (see the test).
const USUAL_RUNS: (f64, f64) = (14.0, 4.2);
/// Standard errors by which the gaps of a run may be longer than their mean: one run in a thousand exceeds it.
const LONGER: f64 = 3.0;
/// Rates of imaginary systems, as powers of this ratio around the guess.
const RATIO: f64 = 1.05;
const POWERS: std::ops::RangeInclusive<i32> = -60..=60;

/// Length and purpose of a round's runs: what decides their duration beside the rate.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Profile, which decides the misses behind the percentile.
    pub profile: Profile,
    /// Latency limit.
    pub limit: LatencyLimit,
    /// Number of lines of the test set.
    pub set: usize,
    /// Number of runs with clients.
    pub closed: usize,
    /// Number of recorded arrivals, if they are replayed.
    pub recorded: Option<usize>,
}

impl Runs {
    /// The runs that `protocol` asks for, over a set of so many lines.
    pub fn of(protocol: &Protocol, set: usize) -> Self {
        let Protocol { profile, load, ref clients, ref arrivals, .. } = *protocol;
        let recorded = arrivals.as_ref().map(Recording::arrivals);
        Self { profile, limit: load, set, closed: clients.len(), recorded }
    }

    /// First guess of the greatest rate, if a single line takes `line_ms`: half of what one line at a time
    /// allows. A system whose usual line is within the limit is given a rate that such lines allow.
    pub(super) fn guess(&self, line_ms: f64) -> f64 {
        0.5e3 / line_ms.min(self.limit.limit_ms).max(1e-3)
    }

    /// Number of lines of a run: the one that confirms is long, the others are short. The long one replays a recording
    /// whole, and again as long as the set has more lines.
    pub(super) fn lines(&self, purpose: Purpose, rate: f64) -> usize {
        let is_long = purpose == Purpose::Confirm;
        if is_long && let Some(recorded) = self.recorded {
            return recorded.max(whole_set(self.set));
        }
        let (misses, limits, least) = match is_long {
            false => (self.profile.search_misses(), SHORT_LIMITS, 4 * LEAST_UNKNOWN),
            true => (self.profile.confirm_misses(), LONG_LIMITS, whole_set(self.set)),
        };
        let for_percentile = misses as f64 / (1.0 - self.limit.percentile / 100.0);
        let lines = for_percentile.max(rate * limits * self.limit.limit_ms / 1e3).ceil();
        (lines.min(MOST_LINES as f64) as usize).max(least)
    }

    fn seconds(&self, purpose: Purpose, rate: f64) -> f64 {
        self.lines(purpose, rate) as f64 / rate
    }

    /// Seconds of a run whose gaps are long by chance, or by a recording, any part of which may take its
    /// whole time.
    fn long_seconds(&self, purpose: Purpose, rate: f64) -> f64 {
        if let Some(recorded) = self.recorded {
            return self.lines(purpose, rate).next_multiple_of(recorded) as f64 / rate;
        }
        self.seconds(purpose, rate) * (1.0 + LONGER / (self.lines(purpose, rate) as f64).sqrt())
    }

    /// Seconds that a round usually takes for a system with this greatest rate. Clients make it work at about that
    /// rate.
    pub fn usual_seconds(&self, rate: f64) -> f64 {
        let closed = self.closed as f64 * self.seconds(Purpose::Clients, self.limit.rate.unwrap_or(rate));
        let open = match self.limit.rate {
            Some(asked) => {
                let after = [CURVE[0], UNKNOWN_RATE].map(|share| self.seconds(Purpose::Curve, share * asked));
                self.seconds(Purpose::Confirm, asked) + after.iter().sum::<f64>()
            }
            None => {
                let (short, long) = USUAL_RUNS;
                short * self.seconds(Purpose::Search, rate) + long * self.seconds(Purpose::Confirm, rate)
            }
        };
        closed + open
    }

    /// Seconds that a round usually takes for the slowest system that has a rate: each line takes the limit.
    pub fn slowest_usual_seconds(&self) -> f64 {
        self.usual_seconds(self.guess(self.limit.limit_ms))
    }

    /// Most seconds of a round. Lines that arrive take their time; all waiting beside that, for clients' answers too,
    /// counts for the limit of a launch. A second launch gets copies again.
    pub fn most_seconds(&self, limits: &Limits) -> f64 {
        let rates = || POWERS.map(|power| RATIO.powi(power));
        let systems = rates().flat_map(|short| rates().map(move |long| (short, long)));
        let arrivals = systems.map(|(short, long)| self.arrivals(short, long)).fold(0.0, f64::max);
        2.0 * (limits.launch_seconds + limits.line_seconds) + arrivals
    }

    /// Seconds of all arrivals for a slow system that keeps the limit in short and in long runs up to these
    /// multiples of the first guess. Runs that miss the limit count whole, although most end early.
    fn arrivals(&self, short: f64, long: f64) -> f64 {
        if let Some(rate) = self.limit.rate {
            return self.long_seconds(Purpose::Confirm, rate) + self.after(rate);
        }
        let guess = self.guess(self.limit.limit_ms);
        let mut seconds = 0.0;
        let keeps = |rate: f64, purpose| {
            seconds += self.long_seconds(purpose, rate);
            Ok::<_, Infallible>(rate <= guess * if purpose == Purpose::Search { short } else { long })
        };
        let Ok(rate) = greatest_rate(guess, keeps);
        seconds + rate.map_or(0.0, |rate| self.after(rate))
    }

    /// Seconds of the runs after the search: those of the curve, and those of unknown lines.
    fn after(&self, rate: f64) -> f64 {
        let unknown = std::iter::repeat_n(UNKNOWN_RATE, 2 * UNKNOWN_RUNS - 1);
        CURVE.into_iter().chain(unknown).map(|share| self.long_seconds(Purpose::Curve, share * rate)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::unit_instants;
    use super::*;

    /// Seconds of a round of a queue whose lines take `line_s` each (Lindley's recursion), and its greatest rate.
    fn of_a_queue(runs: &Runs, line_s: f64, seed: u64) -> (f64, f64) {
        let mut seconds = 0.0;
        let keeps = |rate: f64, purpose: Purpose| {
            let count = runs.lines(purpose, rate);
            let allowed = ((1.0 - runs.limit.percentile / 100.0) * count as f64 + 1e-9) as usize;
            let (mut free, mut late) = (0.0_f64, 0);
            for instant in unit_instants(seed, &format!("{purpose:?}"), count) {
                free = free.max(instant / rate) + line_s;
                late += usize::from(free - instant / rate > runs.limit.limit_ms / 1e3);
                if late > allowed {
                    break; // the run ends early
                }
            }
            seconds += free;
            Ok::<_, Infallible>(late <= allowed)
        };
        let Ok(rate) = greatest_rate(runs.guess(line_s * 1e3), keeps);
        let rate = rate.expect("these lines keep the limit");
        let after =
            CURVE.into_iter().chain([UNKNOWN_RATE]).map(|share| runs.seconds(Purpose::Search, share * rate));
        (seconds + after.sum::<f64>(), rate)
    }

    #[test]
    fn the_usual_time_is_that_of_a_queue_within_a_factor_of_1_3() {
        for (profile, line_ms) in [Profile::Quick, Profile::Standard]
            .into_iter()
            .flat_map(|profile| [1.0, 5.0, 10.0, 30.0, 60.0].map(|line_ms| (profile, line_ms)))
        {
            let runs = Runs { profile, ..runs(250.0) };
            let rounds = (0..15).map(|seed| {
                let (seconds, rate) = of_a_queue(&runs, line_ms / 1e3, seed);
                runs.usual_seconds(rate) / seconds
            });
            let ratio = dyno_stats::median(&rounds.collect::<Vec<_>>()).unwrap();
            assert!((1.0 / 1.3..1.3).contains(&ratio), "{profile}, {line_ms} ms: {ratio}");
        }
    }

    #[test]
    fn a_rate_that_is_asked_about_takes_a_minute_for_three_rounds() {
        let asked = |rate| {
            let slow = runs(250.0);
            Runs { limit: LatencyLimit { rate: Some(rate), ..slow.limit }, ..slow }
        };
        let minutes = 3.0 * asked(50.0).usual_seconds(f64::NAN) / 60.0;
        assert!((0.7..1.5).contains(&minutes), "{minutes}");
        let limits = Limits { line_seconds: 0.0, launch_seconds: 0.0, ..Limits::default() };
        assert!(asked(50.0).most_seconds(&limits) < 4.0 * asked(50.0).usual_seconds(f64::NAN));
    }

    #[test]
    fn a_recording_is_replayed_whole_and_until_each_line_has_come() {
        let limit = LatencyLimit { rate: Some(10.0), ..runs(250.0).limit };
        let replay = |recorded| Runs { limit, recorded: Some(recorded), ..runs(250.0) };
        assert_eq!(replay(5000).lines(Purpose::Confirm, 10.0), 5000);
        assert_eq!(replay(50).lines(Purpose::Confirm, 10.0), whole_set(300));
        assert_eq!(
            replay(5000).lines(Purpose::Search, 10.0),
            200,
            "a part of it is enough for a share of the rate"
        );
        // The first 200 arrivals may lie at the end of a quiet day.
        assert_eq!(replay(5000).long_seconds(Purpose::Search, 10.0), 500.0);
    }

    fn runs(limit_ms: f64) -> Runs {
        let limit = LatencyLimit { limit_ms, percentile: 99.0, rate: None };
        Runs { profile: Profile::Quick, limit, set: 300, closed: 0, recorded: None }
    }

    fn most(limit_ms: f64) -> f64 {
        runs(limit_ms).most_seconds(&Limits { line_seconds: 0.0, launch_seconds: 0.0, ..Limits::default() })
    }

    #[test]
    fn a_run_has_the_lines_that_its_percentile_needs() {
        let slow = runs(250.0);
        assert_eq!((slow.lines(Purpose::Search, 1.0), slow.lines(Purpose::Confirm, 1.0)), (200, 500));
        // 8 and 40 times a quarter of a second.
        assert_eq!((slow.lines(Purpose::Search, 1e3), slow.lines(Purpose::Confirm, 1e3)), (2000, 10_000));
    }

    #[test]
    fn even_chance_is_not_searched_for_much_longer_than_the_ceiling() {
        // Systems that keep the limit by chance, whatever the rate, are searched for longer by a tenth at most.
        let (slow, ceiling) = (runs(250.0), most(250.0));
        let mut random = dyno_stats::Random::new(1, "answers");
        for round in 0..2000 {
            let guess = slow.guess(250.0) * (1 + round % 5) as f64;
            let mut seconds = 0.0;
            let Ok(rate) = greatest_rate(guess, |rate, purpose| {
                seconds += slow.long_seconds(purpose, rate);
                Ok::<_, Infallible>(random.below(3) > round % 3)
            });
            seconds += rate.map_or(0.0, |rate| slow.after(rate));
            assert!(seconds < 1.1 * ceiling, "{seconds} s at {guess}, ceiling {ceiling}");
        }
    }

    #[test]
    fn the_ceiling_is_some_times_the_usual_and_follows_the_limit() {
        let (most_s, usual) = (most(250.0), runs(250.0).slowest_usual_seconds());
        assert!(most_s > 3.0 * usual && most_s < 25.0 * usual, "{most_s} s, usually {usual} s");
        let ratio = most(250.0) / most(25.0);
        assert!((ratio - 10.0).abs() < 0.1, "a tenth of the limit is a tenth of the time: {ratio}");
    }

    #[test]
    fn a_line_slower_than_the_limit_does_not_lower_the_guess() {
        assert_eq!((runs(250.0).guess(10.0), runs(250.0).guess(60_000.0)), (50.0, 2.0));
    }
}
