//! The server track: lines arrive at random instants, whether or not earlier ones are answered. The figure is
//! the greatest rate of arrival at which a percentile of the lines' times stays within the limit.
//!
//! One process serves the whole round: a warm-up, the search, the run that confirms the rate, and runs at
//! shares of that rate for the curve. A share of the rate must hold for lines that the system can't know, too.
//! Server rounds are never side by side: a system needs its cores whole.

mod arrivals;
mod runs;
mod script;
mod search;

use std::time::Duration;

use dyno_record::{Code, LatencyLimit, Profile, Reason};
use dyno_stats::numbers::plain;
use dyno_stats::{Random, mean, median};

use super::latency::LEAST_COPIES;
use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::os::fresh_seed;
use crate::process::lockstep::{Conversation, Lockstep, Stop, converse};
use crate::process::open_loop::{Allowance, Arrival, OpenRun, arrive};
use crate::served::{Purpose, Served, ServedRun};
use crate::verify::recognition::sample;
use crate::verify::sameness::Comparison;
use crate::verify::timing::{SIGNIFICANT_IN_A_ROUND, Sample, recognises};
use arrivals::{at_rate, unit_instants};
pub use runs::Runs;
use runs::{CURVE, UNKNOWN, UNKNOWN_RUNS};
use script::Script;
use search::{Length, greatest_rate};

/// Share of the limit by which the generator may be late (99th percentile). A later generator would decide
/// the figure.
const MOST_LATE: f64 = 0.1;

/// One round: the greatest rate of one process.
pub(super) fn run(context: &RoundContext<'_>) -> Result<Observed> {
    let mut server = Server::of(context);
    let replies = converse(&context.subject, |conversation| server.measure(conversation))?;
    let mut observed = Observed { start_ns: replies.start_ns.into_iter().collect(), ..Observed::default() };
    observed.take(&replies.ending);
    observed.tree.after_ns += replies.after_ns;
    if replies.reasons.is_empty() {
        server.conclude(&replies, &mut observed);
    }
    observed.reasons.extend(replies.reasons);
    Ok(observed)
}

/// A round under way.
struct Server<'a> {
    context: &'a RoundContext<'a>,
    script: Script<'a>,
    limit: LatencyLimit,
    runs: Vec<ServedRun>,
    rate: Option<f64>,
    /// Answer to each line of the set: the first one, or that of the last run that kept the limit for long. A system that samples
    /// may answer better while little load lies on it.
    answers: Vec<Option<Vec<u8>>>,
    /// Difference between answers to one line.
    fault: Option<Reason>,
    /// Difference between the times of known lines and of unknown ones.
    by_clock: Option<Reason>,
    /// Samples of lines and of their copies, in the run of the lowest load.
    pairs: Vec<(Sample, Sample)>,
    /// Run that missed the limit with a late generator.
    late: Option<String>,
    /// Times of single lines, in milliseconds.
    single_ms: Vec<f64>,
}

impl<'a> Server<'a> {
    fn of(context: &'a RoundContext<'a>) -> Self {
        let set = context.round.test_set;
        let (round, seed) = (context.round.number, context.bench.protocol.seed);
        let places = Random::new(seed, &format!("lines of {} in round {round}", set.name));
        Self {
            context,
            script: Script::of(&set.source, places, Random::new(fresh_seed(), "copies in a round")),
            limit: context.bench.protocol.load,
            runs: Vec::new(),
            rate: None,
            answers: vec![None; set.source.len()],
            fault: None,
            by_clock: None,
            pairs: Vec::new(),
            late: None,
            single_ms: Vec::new(),
        }
    }

    fn profile(&self) -> Profile {
        self.context.bench.protocol.profile
    }

    fn planned(&self) -> Runs {
        let set = self.context.round.test_set.source.len();
        Runs { profile: self.profile(), limit: self.limit, set }
    }

    fn measure(&mut self, conversation: &mut Conversation<'_, '_>) -> std::result::Result<(), Stop> {
        for line in self.script.copies(self.profile().warm_up_lines()) {
            conversation.ask(&line)?;
        }
        if let Some(rate) = self.limit.rate {
            return self.try_rate(conversation, rate);
        }
        self.single_ms = self.ask_singly(conversation)?;
        if median(&self.single_ms).is_some_and(|ms| ms <= self.limit.limit_ms) {
            let line_ms = mean(&self.single_ms).unwrap_or(1.0);
            let guess = self.planned().guess(line_ms);
            self.rate = greatest_rate(guess, |rate, length| self.keeps(conversation, rate, length))?;
        }
        match self.rate {
            Some(rate) => {
                self.draw_curve(conversation, rate)?;
                self.serve_unknown(conversation, rate)
            }
            None => self.ask_the_set(conversation),
        }
    }

    /// Whether the system holds `rate`, the only one that is tried: a long run, then one of half of the load for the
    /// times of lines and copies, and unknown lines.
    fn try_rate(
        &mut self,
        conversation: &mut Conversation<'_, '_>,
        rate: f64,
    ) -> std::result::Result<(), Stop> {
        if !self.keeps(conversation, rate, Length::Long)? {
            return self.ask_the_set(conversation);
        }
        self.rate = Some(rate);
        self.run(conversation, CURVE[0] * rate, Purpose::Curve)?;
        self.serve_unknown(conversation, rate)
    }

    /// Times of some copies, one at a time.
    fn ask_singly(&mut self, conversation: &mut Conversation<'_, '_>) -> std::result::Result<Vec<f64>, Stop> {
        let asked = conversation.latency_ns().len();
        for line in self.script.copies(LEAST_COPIES) {
            conversation.ask(&line)?;
        }
        Ok(conversation.latency_ns()[asked..].iter().map(|&ns| ns as f64 / 1e6).collect())
    }

    /// Whether the system keeps the limit at `rate`. A run that misses it with a late generator proves nothing,
    /// and is run once more.
    fn keeps(
        &mut self,
        conversation: &mut Conversation<'_, '_>,
        rate: f64,
        length: Length,
    ) -> std::result::Result<bool, Stop> {
        let purpose = if length == Length::Short { Purpose::Search } else { Purpose::Confirm };
        let mut run = self.run(conversation, rate, purpose)?;
        if !run.kept && self.is_late(&run) {
            run = self.run(conversation, rate, purpose)?;
            if !run.kept && self.is_late(&run) {
                let ServedRun { late_ms, rate, .. } = run;
                self.late =
                    Some(format!("the arrivals were {late_ms:.1} ms late at {rate:.0} lines a second"));
            }
        }
        Ok(run.kept)
    }

    fn is_late(&self, run: &ServedRun) -> bool {
        run.late_ms > MOST_LATE * self.limit.limit_ms
    }

    /// One run: lines arrive at `rate`.
    fn run(
        &mut self,
        conversation: &mut Conversation<'_, '_>,
        rate: f64,
        purpose: Purpose,
    ) -> std::result::Result<ServedRun, Stop> {
        let length = if purpose == Purpose::Confirm { Length::Long } else { Length::Short };
        let count = self.planned().lines(length, rate);
        let asked = match purpose {
            Purpose::Unknown => self.script.unknown(count),
            Purpose::Known => self.script.known(count),
            _ => self.script.run(count),
        };
        let instants = unit_instants(self.context.bench.protocol.seed, &self.purpose(purpose), count);
        let arrival =
            |(asked, instant): (&'_ script::Asked, f64)| (asked.line.clone(), at_rate(instant, rate));
        let lines: Vec<(Vec<u8>, Duration)> = asked.iter().zip(instants).map(arrival).collect();
        let arrivals: Vec<Arrival<'_>> = lines.iter().map(|(line, at)| Arrival { line, at: *at }).collect();
        let misses = ((1.0 - self.limit.percentile / 100.0) * count as f64 + 1e-9).floor() as usize;
        let limit = Duration::from_secs_f64(self.limit.limit_ms / 1e3);
        let open = arrive(conversation, &arrivals, Allowance { limit, misses })?;
        let late = open.latency_ns.iter().filter(|&&ns| u128::from(ns) > limit.as_nanos()).count();
        let run = ServedRun::of(purpose, rate, &open.latency_ns, &open.late_ns, self.limit.percentile);
        let run = ServedRun { kept: !open.stopped && late <= misses, stopped: open.stopped, ..run };
        self.runs.push(run.clone());
        self.hear(&asked, &open, &run);
        Ok(run)
    }

    /// Purpose of the arrivals' random numbers. The confirmation has its own, or else the search would have
    /// chosen a rate that suits them.
    fn purpose(&self, purpose: Purpose) -> String {
        let kind = if purpose == Purpose::Confirm { "confirming" } else { "searching" };
        let (set, round) = (&self.context.round.test_set.name, self.context.round.number);
        format!("{kind} arrivals of {set} in round {round}")
    }

    /// Keeps an answer to each line, compares later ones with it, and keeps the times of pairs.
    fn hear(&mut self, asked: &[script::Asked], open: &OpenRun, run: &ServedRun) {
        let (mut before, mut now) = (Vec::new(), Vec::new());
        for (asked, answer) in asked.iter().zip(&open.answers) {
            let Some(known) = asked.of.map(|of| &mut self.answers[of]) else { continue };
            match known {
                Some(known) => {
                    before.push(known.clone());
                    now.push(answer.clone());
                    if run.purpose == Purpose::Confirm && run.kept {
                        known.clone_from(answer);
                    }
                }
                None => *known = Some(answer.clone()),
            }
        }
        let system = self.context.subject.system;
        let fault = || Comparison::of_system(system, &before, &now).fault(system.sampling);
        self.fault = self.fault.take().or_else(fault);
        if run.purpose == Purpose::Curve && self.pairs.is_empty() {
            self.pairs = pairs(asked, open);
        }
    }

    fn draw_curve(
        &mut self,
        conversation: &mut Conversation<'_, '_>,
        rate: f64,
    ) -> std::result::Result<(), Stop> {
        for share in CURVE {
            self.run(conversation, share * rate, Purpose::Curve)?;
        }
        Ok(())
    }

    /// Lets copies arrive at a share of the greatest rate. A system that misses the limit with them, and keeps
    /// it with the set's lines in between, knows the set.
    fn serve_unknown(
        &mut self,
        conversation: &mut Conversation<'_, '_>,
        greatest: f64,
    ) -> std::result::Result<(), Stop> {
        let rate = UNKNOWN * greatest;
        for number in 1..=UNKNOWN_RUNS {
            let copies = self.run(conversation, rate, Purpose::Unknown)?;
            // A miss that the generator's lateness may explain proves nothing.
            if copies.kept || copies.limited_ms <= self.limit.limit_ms + copies.late_ms {
                return Ok(());
            }
            if number < UNKNOWN_RUNS && !self.run(conversation, rate, Purpose::Known)?.kept {
                return Ok(());
            }
        }
        let figure = format!("lines that it can't know miss the limit at {UNKNOWN} of the greatest rate");
        self.by_clock = Some(Code::Recognises.reason(figure));
        Ok(())
    }

    /// Asks the set line by line: without a rate there is still a text.
    fn ask_the_set(&mut self, conversation: &mut Conversation<'_, '_>) -> std::result::Result<(), Stop> {
        for line in &self.context.round.test_set.source {
            conversation.ask(line)?;
        }
        Ok(())
    }

    /// The round's observations, once the system has ended well.
    fn conclude(self, replies: &Lockstep, observed: &mut Observed) {
        let Self { limit, rate, runs, fault, by_clock, pairs, late, .. } = self;
        let set = self.context.round.test_set.source.len();
        observed.answers = match rate {
            Some(_) => self.answers.into_iter().flatten().collect(),
            None => replies.answers[replies.answers.len() - set..].to_vec(),
        };
        observed.reasons.extend(fault);
        let (lines, copies): (Vec<Sample>, Vec<Sample>) = pairs.into_iter().unzip();
        observed.by_clock.extend(by_clock.or(recognises(&lines, &copies, SIGNIFICANT_IN_A_ROUND).reason));
        if rate.is_none() {
            let single = median(&self.single_ms).unwrap_or(0.0);
            let figure = match (limit.rate, runs.last()) {
                (Some(rate), Some(run)) => format!(
                    "doesn't hold {} lines a second: p{} {:.0} ms, limit {} ms",
                    plain(rate),
                    limit.percentile,
                    run.limited_ms,
                    limit.limit_ms
                ),
                _ => format!("no rate keeps {} ms; one line at a time takes {single:.0} ms", limit.limit_ms),
            };
            observed.warnings.push(Code::NoRate.reason(figure));
        }
        observed.triggers.extend(late);
        observed.served = Some(Served { limit, rate, runs });
    }
}

/// Samples of each line and its copy that were both answered.
fn pairs(asked: &[script::Asked], open: &OpenRun) -> Vec<(Sample, Sample)> {
    let mut pairs = vec![(None, None); asked.len()];
    for (place, asked) in asked.iter().enumerate().take(open.answers.len()) {
        let Some(pair) = asked.pair else { continue };
        let found = Some(sample(&open.answers[place], open.latency_ns[place]));
        match asked.of {
            Some(_) => pairs[pair].0 = found,
            None => pairs[pair].1 = found,
        }
    }
    pairs.into_iter().filter_map(|(line, copy)| line.zip(copy)).collect()
}
