//! Conformance and probes: whether a system keeps the protocol's rules, asked at process level, so that engine,
//! plugin and foreign program are judged alike.
//!
//! Each probe is a file of its own and stands alone. What is judged by time is judged by pure functions in
//! `timing`, on samples that alternate within one process or one series of launches, so that a drifting host
//! meets both sides alike.

mod audit;
mod buffering;
mod cache;
mod coalescing;
mod conformance;
mod determinism;
pub mod examinee;
mod finding;
pub mod length;
pub(crate) mod lines;
pub mod recognition;
pub mod sameness;
pub mod timing;

use std::time::Instant;

pub use conformance::invalid_utf8;
pub use examinee::Examinee;
use finding::Heard;
pub use finding::{Examined, Finding, verdict};

use crate::error::Result;
use crate::noise::Watch;
use crate::os::fresh_seed;
use crate::rules::Probe;

impl Probe {
    /// What stands out by its time is asked again, and the second answer counts: once in a while the host is to blame.
    /// Asked with other lines: who keeps on the disk what it was asked knows the first ones. What stays undecided is left
    /// open only where the host was restless meanwhile.
    fn ask_again_if_it_stands_out(self, examinee: &mut Examinee<'_>) -> Result<Heard> {
        if !matches!(self, Self::Cache | Self::Coalescing | Self::Recognition) {
            return self.ask(examinee);
        }
        let watch = Watch::begin(examinee.placement.system(examinee.tracks[0]))?;
        let mut heard = self.ask(examinee)?;
        if heard.stands_out() {
            examinee.seed = fresh_seed();
            heard = self.ask(examinee)?;
            heard.undecided &= watch.end(None)?.is_disturbed();
        }
        Ok(heard)
    }

    fn ask(self, examinee: &Examinee<'_>) -> Result<Heard> {
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

/// Asks each of `probes`. A track in which the system doesn't get through is not asked about again.
pub fn examine(examinee: &mut Examinee<'_>, probes: &[Probe]) -> Result<Vec<Examined>> {
    let mut all = Vec::new();
    for &probe in Probe::ALL.iter().filter(|probe| probes.contains(probe)) {
        if examinee.tracks.is_empty() {
            break;
        }
        let begin = Instant::now();
        let heard = probe.ask_again_if_it_stands_out(examinee)?;
        examinee.tracks.retain(|&track| !heard.is_fatal_in(track));
        all.push(Examined {
            probe,
            verdict: heard.verdict(),
            findings: heard.findings,
            figure: heard.figure,
            too_quick: heard.too_quick,
            seconds: begin.elapsed().as_secs_f64(),
        });
    }
    Ok(all)
}
