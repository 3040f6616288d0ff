//! Conformance and probes: whether a system keeps the protocol's rules. The probes ask processes, so that
//! engine, plugin and foreign program are judged alike.
//!
//! Each probe is a file of its own and stands alone; `judge` judges what it sees. Samples of time alternate
//! within one process or one series of launches, so that a drift of the host meets both sides alike.

mod audit;
mod buffering;
pub mod cache;
mod coalescing;
mod conformance;
mod cost;
mod determinism;
pub mod examinee;
mod finding;
mod length;
mod lines;
mod recognition;
mod sameness;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use dyno_record::Probe;

pub use cost::{hanging_seconds, most_seconds, usual_seconds};
pub use examinee::Examinee;
use finding::ProbeOutcome;
pub use finding::{Examined, Finding, verdict};

use crate::error::Result;
use crate::noise::watched;
use crate::os::fresh_seed;

/// Askings that must accuse a system, each with other lines.
pub const ACCUSING_ASKINGS: usize = 2;
/// Askings of a probe whose times stand out, at most.
pub const MOST_ASKINGS: u32 = 4;
/// Rest before a second asking; longer before further ones. Other programs come and go in seconds.
pub const REST: Duration = Duration::from_secs(1);

/// Asks a timed probe again if its times stand out, after a rest: with other lines, since a system that stores
/// questions on the disk knows the first ones, and in other seconds, since the host may be the cause. An asking
/// that finds nothing decides, and so do two that accuse. A probe that never gets so far is undecided if the
/// host was disturbed.
fn ask_until_sure(probe: Probe, examinee: &mut Examinee<'_>) -> Result<ProbeOutcome> {
    if !matches!(probe, Probe::Cache | Probe::Coalescing | Probe::Recognition) {
        return ask(probe, examinee);
    }
    let (mut accusing, mut was_disturbed, mut asking) = (0, false, 1);
    loop {
        let (mut outcome, is_disturbed) = ask_watched(probe, examinee)?;
        was_disturbed |= is_disturbed;
        accusing += usize::from(outcome.accuses());
        if !outcome.stands_out() || accusing == ACCUSING_ASKINGS {
            return Ok(outcome);
        }
        if asking == MOST_ASKINGS {
            outcome.leave_open(was_disturbed);
            return Ok(outcome);
        }
        std::thread::sleep(REST * asking);
        asking += 1;
        examinee.seed = fresh_seed();
    }
}

/// One asking, and whether other programs disturbed the host meanwhile.
fn ask_watched(probe: Probe, examinee: &Examinee<'_>) -> Result<(ProbeOutcome, bool)> {
    let cores = examinee.tracks.iter().map(|&track| examinee.bench.placement.system(track));
    let cores = cores.max_by_key(|cores| cores.len()).unwrap_or_default();
    examinee.tree.take();
    let (mut outcome, noise) = watched(cores, true, || Ok((ask(probe, examinee)?, examinee.tree.get())))?;
    outcome.settle(noise.is_disturbed());
    Ok((outcome, noise.is_disturbed()))
}

fn ask(probe: Probe, examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    match probe {
        Probe::Buffering => buffering::ask(examinee),
        Probe::Conformance => conformance::ask(examinee),
        Probe::Audit => audit::ask(examinee),
        Probe::Sameness => sameness::ask(examinee),
        Probe::Determinism => determinism::ask(examinee),
        Probe::Length => length::ask(examinee),
        Probe::Cache => cache::ask(examinee),
        Probe::Coalescing => coalescing::ask(examinee),
        Probe::Recognition => recognition::ask(examinee),
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
        let outcome = ask_until_sure(probe, examinee)?;
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
