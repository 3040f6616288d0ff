//! Conformance and probes: whether a system keeps the protocol's rules. The probes ask processes, so that
//! engine, plugin and foreign program are judged alike.
//!
//! Each probe is a file of its own and stands alone. The judgements of times are pure functions in `timing`.
//! Their samples alternate within one process or one series of launches, so that a drift of the host meets
//! both sides alike.

pub(crate) mod altered;
mod audit;
mod buffering;
mod cache;
mod coalescing;
mod conformance;
mod cost;
mod determinism;
pub mod examinee;
mod finding;
pub mod kinship;
pub mod length;
mod lines;
pub mod recognition;
pub mod sameness;
pub mod timing;

use std::ops::ControlFlow;
use std::time::Instant;

pub use conformance::invalid_utf8;
pub use cost::hanging_seconds;
pub use examinee::Examinee;
use finding::ProbeOutcome;
pub use finding::{Examined, Finding, verdict};

use crate::error::Result;
use crate::noise::Watch;
use crate::os::fresh_seed;
use crate::rules::Probe;

impl Probe {
    /// Asks a timed probe again if its times stand out; the second outcome counts, because the host may cause
    /// the first one. The second time has other lines, since a system that stores questions on the disk knows
    /// the first ones. An undecided outcome stays undecided only if the host was disturbed meanwhile.
    fn ask_again_if_it_stands_out(self, examinee: &mut Examinee<'_>) -> Result<ProbeOutcome> {
        if !matches!(self, Self::Cache | Self::Coalescing | Self::Recognition) {
            return self.ask(examinee);
        }
        let watch = Watch::begin(examinee.placement.system(examinee.tracks[0]))?;
        let mut outcome = self.ask(examinee)?;
        if outcome.stands_out() {
            examinee.seed = fresh_seed();
            outcome = self.ask(examinee)?;
            outcome.undecided &= watch.end(None, true)?.is_disturbed();
        }
        Ok(outcome)
    }

    fn ask(self, examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
        match self {
            Self::Buffering => buffering::ask(examinee),
            Self::Conformance => conformance::ask(examinee),
            Self::Audit => audit::ask(examinee),
            Self::Sameness => sameness::ask(examinee),
            Self::Determinism => determinism::ask(examinee),
            Self::Length => length::ask(examinee),
            Self::Cache => cache::ask(examinee),
            Self::Coalescing => coalescing::ask(examinee),
            Self::Recognition => recognition::ask(examinee),
        }
    }
}

/// Asks each of `probes`; `watch` sees each result at once, and may end the examination. A track in which the
/// system fails is not asked again.
pub fn examine(
    examinee: &mut Examinee<'_>,
    probes: &[Probe],
    watch: &mut dyn FnMut(&Examined) -> ControlFlow<()>,
) -> Result<Vec<Examined>> {
    let mut all = Vec::new();
    for &probe in Probe::ALL.iter().filter(|probe| probes.contains(probe)) {
        if examinee.tracks.is_empty() {
            break;
        }
        let begin = Instant::now();
        let outcome = probe.ask_again_if_it_stands_out(examinee)?;
        let is_done = |track| match examinee.keeps_going {
            true => outcome.is_fatal_in(track, probe == Probe::Conformance),
            false => outcome.is_fatal_in(track, false) || outcome.is_forbidden_in(track),
        };
        examinee.tracks.retain(|&track| !is_done(track));
        let examined = Examined {
            probe,
            verdict: outcome.verdict(),
            figure: outcome.told(),
            findings: outcome.findings,
            too_quick: outcome.too_quick,
            seconds: begin.elapsed().as_secs_f64(),
        };
        let flow = watch(&examined);
        all.push(examined);
        if flow.is_break() {
            break;
        }
    }
    Ok(all)
}
