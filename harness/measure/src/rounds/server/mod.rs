//! The server track: lines arrive at random instants, whether or not earlier ones are answered. The figure is
//! the greatest rate of arrival at which a percentile of the lines' times stays within the limit.
//!
//! A campaign may give recorded arrivals: they are replayed at their own rate, and no other rate is looked
//! for.
//!
//! One process serves the whole round: a warm-up, the search, the run that confirms the rate, runs at shares of that
//! rate for the curve, and the closed loop if the campaign names numbers of clients. A share of the rate must hold for
//! lines that the system can't know, too, and a fresh process must translate some of these to the same.
//! Server rounds are never side by side: a system needs its cores whole.

mod arrivals;
mod closed;
mod copies;
mod heard;
mod runs;
mod search;

use std::time::Duration;

use dyno_record::{Code, LatencyLimit, Purpose, ServedRun};
use dyno_stats::{Random, mean, median};

use super::observed::{Observed, RoundContext};
use crate::Result;
use crate::constants::{LEAST_UNKNOWN, UNKNOWN_RATE, UNKNOWN_RUNS};
use crate::os::fresh_seed;
use crate::process::lockstep::{Conversation, Stop, converse};
use crate::process::open_loop::{Allowance, Pace, arrive};
use crate::unknown::script::{Question, Script};
use arrivals::unit_instants;
use closed::steady;
use copies::Copies;
use runs::CURVE;
pub use runs::Runs;
use search::greatest_rate;

/// Share of the limit by which the generator may be late (99th percentile). A later generator would decide
/// the figure.
const MOST_LATE: f64 = 0.1;

/// What the conversation goes on with, or why it ends.
type Flow<T> = std::result::Result<T, Stop>;

/// One round: the greatest rate of one process.
pub(super) fn run(context: &RoundContext<'_>) -> Result<Observed> {
    let mut server = Server::of(context);
    let mut replies = converse(&context.subject, |talk| server.measure(talk))?;
    let copies = std::mem::take(&mut server.copies);
    let mut observed = match replies.reasons.is_empty() {
        true => server.conclude(&replies.answers),
        false => Observed { reasons: std::mem::take(&mut replies.reasons), ..Observed::default() },
    };
    observed.take_work(&replies);
    copies.ask_again(context, &mut observed)?;
    Ok(observed)
}

/// A round under way.
struct Server<'a> {
    context: &'a RoundContext<'a>,
    script: Script<'a>,
    limit: LatencyLimit,
    runs: Vec<ServedRun>,
    rate: Option<f64>,
    /// Answer to each line of the set: the first one, or that of the last run that kept the limit for long. A
    /// system that samples may answer better while little load lies on it.
    answers: Vec<Option<Vec<u8>>>,
    copies: Copies,
    /// Times of single lines, in milliseconds.
    single_ms: Vec<f64>,
    /// Pairs of the run of the lowest load, a run that missed the limit with a late generator, faults.
    observed: Observed,
}

impl<'a> Server<'a> {
    fn of(context: &'a RoundContext<'a>) -> Self {
        let set = context.round.test_set;
        let (round, seed) = (context.round.number, context.bench.protocol.seed);
        let mut places = Random::new(seed, &format!("lines of {} in round {round}", set.name));
        let order = places.permutation(set.source.len());
        let (units, words) = (set.units(context.round.track), Random::new(fresh_seed(), "copies in a round"));
        Self {
            context,
            script: Script::of(&set.source, units, order, places, words),
            limit: context.bench.protocol.load,
            runs: Vec::new(),
            rate: None,
            answers: vec![None; set.source.len()],
            copies: Copies::default(),
            single_ms: Vec::new(),
            observed: Observed::default(),
        }
    }

    fn planned(&self) -> Runs {
        Runs::of(&self.context.bench.protocol, self.context.round.test_set.source.len())
    }

    fn measure(&mut self, talk: &mut Conversation<'_, '_>) -> Flow<()> {
        for copy in self.script.unknown(self.context.bench.protocol.profile.warm_up_lines()) {
            talk.ask(&copy.line)?;
        }
        talk.begin_work();
        if self.limit.rate.is_none() || self.planned().closed > 0 {
            self.ask_single_lines(talk)?;
        }
        match self.limit.rate {
            Some(rate) => self.rate = self.keeps(talk, rate, Purpose::Confirm)?.then_some(rate),
            None => self.search(talk)?,
        }
        match self.rate {
            Some(rate) => self.run_below(talk, rate)?,
            // Without a rate there is still a text.
            None => self.context.round.test_set.source.iter().try_for_each(|line| talk.ask(line))?,
        }
        self.closed_loop(talk)
    }

    /// The runs at shares of the greatest rate: the curve, and lines that the system can't know.
    fn run_below(&mut self, talk: &mut Conversation<'_, '_>, rate: f64) -> Flow<()> {
        // Of a rate that is asked about, the curve is of no interest but for the times of lines and copies.
        let curve = if self.limit.rate.is_some() { &CURVE[..1] } else { &CURVE };
        for share in curve {
            self.run(talk, share * rate, Purpose::Curve)?;
        }
        self.ask_copies(talk, UNKNOWN_RATE * rate)
    }

    /// Lets copies arrive at `rate`, a share of the greatest one. A system that misses the limit with them, and keeps
    /// it with the set's lines in between, knows the set.
    fn ask_copies(&mut self, talk: &mut Conversation<'_, '_>, rate: f64) -> Flow<()> {
        for number in 1..=UNKNOWN_RUNS {
            let copies = self.run(talk, rate, Purpose::Unknown)?;
            // A miss that the generator's lateness may explain proves nothing.
            if copies.kept || copies.limited_ms <= self.limit.limit_ms + copies.late_ms {
                return Ok(());
            }
            if number < UNKNOWN_RUNS && !self.run(talk, rate, Purpose::Known)?.kept {
                return Ok(());
            }
        }
        let figure =
            format!("lines that it can't know miss the limit at {UNKNOWN_RATE} of the greatest rate");
        self.observed.by_clock.push(Code::Recognises.reason(figure));
        Ok(())
    }

    /// Asks lines one at a time, for the first guess of a rate.
    fn ask_single_lines(&mut self, talk: &mut Conversation<'_, '_>) -> Flow<()> {
        let asked = talk.replies().len();
        for copy in self.script.unknown(LEAST_UNKNOWN) {
            talk.ask(&copy.line)?;
        }
        self.single_ms = talk.replies()[asked..].iter().map(|reply| reply.last_ns as f64 / 1e6).collect();
        Ok(())
    }

    /// Searches for the greatest rate, if single lines keep the limit.
    fn search(&mut self, talk: &mut Conversation<'_, '_>) -> Flow<()> {
        if median(&self.single_ms).is_some_and(|ms| ms <= self.limit.limit_ms) {
            let guess = self.planned().guess(mean(&self.single_ms).unwrap_or(1.0));
            self.rate = greatest_rate(guess, |rate, purpose| self.keeps(talk, rate, purpose))?;
        }
        Ok(())
    }

    /// Whether the system keeps the limit at `rate`. A run that misses it with a late generator proves nothing,
    /// and is run once more.
    fn keeps(&mut self, talk: &mut Conversation<'_, '_>, rate: f64, purpose: Purpose) -> Flow<bool> {
        let mut run = self.run(talk, rate, purpose)?;
        if !run.kept && self.is_late(&run) {
            run = self.run(talk, rate, purpose)?;
            if !run.kept && self.is_late(&run) {
                let ServedRun { late_ms, rate, .. } = run;
                let late = format!("the arrivals were {late_ms:.1} ms late at {rate:.0} lines a second");
                self.observed.triggers = vec![late];
            }
        }
        Ok(run.kept)
    }

    fn is_late(&self, run: &ServedRun) -> bool {
        run.late_ms > MOST_LATE * self.limit.limit_ms
    }

    /// One run: lines arrive at `rate`.
    fn run(&mut self, talk: &mut Conversation<'_, '_>, rate: f64, purpose: Purpose) -> Flow<ServedRun> {
        let count = self.planned().lines(purpose, rate);
        let asked = match purpose {
            Purpose::Unknown => self.script.unknown(count),
            Purpose::Known => self.script.known(count),
            _ => self.script.run(count),
        };
        let protocol = &self.context.bench.protocol;
        let instants = match &protocol.arrivals {
            Some(recording) => recording.unit_instants(count),
            None => unit_instants(protocol.seed, &self.purpose(purpose), count),
        };
        let at_rate = |instant: f64| Duration::from_secs_f64(instant / rate);
        let pace = Pace::Planned(instants.into_iter().map(at_rate).collect());
        let misses = ((1.0 - self.limit.percentile / 100.0) * count as f64 + 1e-9).floor() as usize;
        let limit = Duration::from_secs_f64(self.limit.limit_ms / 1e3);
        let open = arrive(talk, &texts(&asked), &pace, Some(Allowance { limit, misses }))?;
        let late = open.latency_ns.iter().filter(|&&ns| u128::from(ns) > limit.as_nanos()).count();
        let run = ServedRun::of(purpose, rate, &open.latency_ns, &open.late_ns, self.limit.percentile);
        let run = ServedRun { kept: !open.stopped && late <= misses, stopped: open.stopped, ..run };
        self.runs.push(run.clone());
        self.hear(&asked, &open, &run);
        Ok(run)
    }

    /// The closed loop: a run for each number of clients, the fewest first. A run's speed guesses the next one's.
    fn closed_loop(&mut self, talk: &mut Conversation<'_, '_>) -> Flow<()> {
        let mut rate = 1e3 / mean(&self.single_ms).unwrap_or(1.0).max(1e-3);
        for &clients in &self.context.bench.protocol.clients {
            let lines = closed::lines(self.planned().lines(Purpose::Clients, rate), clients);
            let asked = self.script.run(lines);
            let open = arrive(talk, &texts(&asked), &Pace::Clients(clients), None)?;
            let (throughput, window) = steady(&open.answered_ns, clients);
            let (latency_ns, late_ns) = (&open.latency_ns[window.clone()], &open.late_ns[window]);
            let run = ServedRun::of(Purpose::Clients, throughput, latency_ns, late_ns, self.limit.percentile);
            let kept = run.limited_ms <= self.limit.limit_ms;
            let run = ServedRun { clients: Some(clients), kept, ..run };
            rate = throughput;
            self.hear(&asked, &open, &run);
            self.runs.push(run);
        }
        Ok(())
    }

    /// Purpose of the arrivals' random numbers. The confirmation has its own, or else the search would have
    /// chosen a rate that suits them.
    fn purpose(&self, purpose: Purpose) -> String {
        let kind = if purpose == Purpose::Confirm { "confirming" } else { "searching" };
        let (set, round) = (&self.context.round.test_set.name, self.context.round.number);
        format!("{kind} arrivals of {set} in round {round}")
    }
}

fn texts(asked: &[Question]) -> Vec<&[u8]> {
    asked.iter().map(|asked| asked.line.as_slice()).collect()
}
