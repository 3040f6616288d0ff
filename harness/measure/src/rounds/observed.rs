//! The context of a round, and what the round has observed of its system.

use std::ops::Range;
use std::time::Duration;

use dyno_record::{Audit, CpuUse, EnergyUse, Exchange, Launches, Reason, Served, Slices, Times, Usage};

use crate::judge::Sample;
use crate::noise::TreeTime;
use crate::process::ending::Ending;
use crate::process::failed::Asked;
use crate::process::lockstep::{Lockstep, Reply};
use crate::process::subject::Subject;
use crate::process::whole_file::{Pass, whole_file};
use crate::supervisor::SeenFile;
use crate::{Bench, Earlier, Round, as_text};

/// Context of a round under way.
#[derive(Clone)]
pub struct RoundContext<'a> {
    /// Conditions of the measurement.
    pub bench: &'a Bench,
    /// System and its launch.
    pub subject: Subject<'a>,
    /// Cell and number of the round.
    pub round: &'a Round<'a>,
    /// Knowledge from before the round.
    pub earlier: &'a Earlier,
}

impl<'a> RoundContext<'a> {
    /// Context of `round` alone, without a slot.
    pub fn of(bench: &'a Bench, round: &'a Round<'a>, earlier: &'a Earlier) -> Self {
        let subject = bench.subject(round.system, round.track);
        let cold = bench.protocol.cold_start && round.track.is_lockstep();
        let subject = Subject { meter: bench.meter.as_deref(), cold, ..subject };
        Self { bench, subject, round, earlier }
    }
}

/// Observations of a round. Fields without a description are those of [`Record`](dyno_record::Record) and of
/// [`Lockstep`].
#[derive(Default)]
pub struct Observed {
    pub reasons: Vec<Reason>,
    /// Broken rules by the clock alone, which counts what other programs take from the system.
    pub by_clock: Vec<Reason>,
    /// One answer for each source line, in source order; empty if the round failed before.
    pub answers: Vec<Vec<u8>>,
    /// Lock-step: the reply to each line or page of the set.
    pub replies: Vec<Reply>,
    pub turn_ns: Vec<u64>,
    /// Turns of a round beside other systems, once it is over.
    pub slices: Option<Slices>,
    pub launches: Launches,
    pub served: Option<Served>,
    /// Disturbances that the round itself has noticed.
    pub triggers: Vec<String>,
    /// Time from launch to the first answer, for each process in lock-step.
    pub start_ns: Vec<u64>,
    pub waited: Duration,
    /// Lines of the set and their unknown copies, as they were answered in lock-step.
    pub pairs: Vec<[Sample; 2]>,
    pub warnings: Vec<Reason>,
    pub differing_launches: usize,
    pub joules: Option<f64>,
    /// Source words that were answered while work was counted: energy and CPU time.
    pub worked_words: usize,
    /// Lock-step and server: CPU time of the system for them.
    pub worked: Option<Duration>,
    pub settled_bytes: Option<u64>,
    pub cached_bytes: Option<u64>,
    pub usage: Usage,
    /// CPU time of all launches, timed or not.
    pub tree: TreeTime,
    /// Large files that the timed launches read.
    pub read_files: Vec<SeenFile>,
    pub audit: Audit,
    pub network: Option<String>,
}

impl Observed {
    /// A launch over `lines` whose time is none of the round's.
    pub fn launch_untimed(&mut self, context: &RoundContext<'_>, lines: &[impl AsRef<[u8]>]) -> Asked<Pass> {
        let pass = whole_file(&context.subject, &as_text(lines), lines.len())?;
        self.tree.add(&pass.ending.usage);
        pass.sound()
    }

    /// Decides about what the clock alone has found. It counts if the host was quiet; else it is returned, and the
    /// round is asked again.
    pub fn settle(&mut self, was_disturbed: bool) -> Vec<Reason> {
        let by_clock = std::mem::take(&mut self.by_clock);
        if was_disturbed {
            return by_clock;
        }
        self.reasons.extend(by_clock);
        Vec::new()
    }

    /// Forgets the answers of a round that failed before its end, and their times.
    pub fn forget_answers(&mut self) {
        (self.answers, self.replies, self.turn_ns) = Default::default();
    }

    /// Energy of the round, if it was metered.
    pub fn energy(&self) -> Option<EnergyUse> {
        let joules = self.joules.filter(|_| self.worked_words > 0)?;
        Some(EnergyUse { joules, words: self.worked_words })
    }

    /// CPU time of the round beside its words, where the usage of whole launches doesn't say it.
    pub fn cpu(&self) -> Option<CpuUse> {
        let worked = self.worked.filter(|_| self.worked_words > 0)?;
        Some(CpuUse { ns: worked.as_nanos() as u64, words: self.worked_words })
    }

    /// Times of `round`, as far as it came; they are taken out.
    pub fn take_times(&mut self, round: &Round<'_>) -> Option<Times> {
        let (launches, replies) = (std::mem::take(&mut self.launches), std::mem::take(&mut self.replies));
        match round.track.exchange() {
            Exchange::Lines => (!replies.is_empty()).then(|| of_lines(&replies)),
            Exchange::Pages => (!replies.is_empty()).then(|| Times::Pages {
                page_lines: round.test_set.pages.iter().map(Range::len).collect(),
                first_line_ns: replies.iter().map(|reply| reply.first_ns).collect(),
                last_line_ns: replies.iter().map(|reply| reply.last_ns).collect(),
            }),
            Exchange::File => (!launches.ns.is_empty()).then_some(Times::Launches(launches)),
            Exchange::Arrivals => self.served.take().map(|served| Times::Server { served }),
        }
    }

    /// Adds a conversation with one of the round's processes: its work and its ending.
    pub fn take_work(&mut self, replies: &Lockstep) {
        self.take(&replies.ending);
        self.tree.after_ns += replies.after_ns();
        self.start_ns.extend(replies.start_ns);
        self.worked_words += replies.worked_words;
        self.worked = replies.worked.map(|worked| self.worked.unwrap_or_default() + worked).or(self.worked);
        self.settled_bytes = self.settled_bytes.max(replies.settled_bytes);
    }

    /// Adds the ending of one of the round's processes. Times add up over the launches; peaks are maxima.
    pub fn take(&mut self, ending: &Ending) {
        self.tree.add(&ending.usage);
        self.joules = ending.joules.map(|joules| self.joules.unwrap_or(0.0) + joules).or(self.joules);
        let new = ending.read_files.iter().filter(|file| !self.read_files.contains(file)).cloned();
        let new: Vec<SeenFile> = new.collect();
        self.read_files.extend(new);
        self.cached_bytes = self.cached_bytes.max(ending.cached_bytes);
        self.usage.add(&ending.usage);
        self.audit.merge(&ending.audit);
        self.network = self.network.take().or_else(|| ending.network.clone());
    }
}

/// Times of lines one at a time, with the pieces of their answers if some answer came in several.
fn of_lines(replies: &[Reply]) -> Times {
    let in_pieces = if replies.iter().any(|reply| reply.pieces > 1) { replies } else { &[] };
    Times::Lockstep {
        latency_ns: replies.iter().map(|reply| reply.last_ns).collect(),
        first_text_ns: in_pieces.iter().map(|reply| reply.first_text_ns).collect(),
        pieces: in_pieces.iter().map(|reply| reply.pieces).collect(),
    }
}

#[cfg(test)]
mod tests {
    use dyno_record::Code;

    use super::*;

    #[test]
    fn what_the_clock_alone_finds_accuses_only_on_a_quiet_host() {
        let accused = |was_disturbed| {
            let reason = Code::Recognises.reason("a word takes 31 %");
            let mut observed = Observed { by_clock: vec![reason], ..Observed::default() };
            let asked_again = observed.settle(was_disturbed).len();
            (observed.reasons.len(), asked_again, observed.by_clock.len())
        };
        assert_eq!(accused(false), (1, 0, 0));
        assert_eq!(accused(true), (0, 1, 0));
    }
}
