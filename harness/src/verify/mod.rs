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
pub mod length;
mod lines;
pub mod recognition;
pub mod sameness;
pub mod timing;

use std::time::Instant;

use serde::{Deserialize, Serialize};

pub use conformance::invalid_utf8;
pub use examinee::Examinee;
pub use lines::{Changeable, Copy};
pub use sameness::Comparison;

use crate::exit::Outcome;
use crate::noise::Watch;
use crate::random::fresh_seed;
use crate::rules::{Code, Probe, Reason, Severity, Track, Verdict};

impl Probe {
    /// What stands out by its time is asked again, and the second answer counts: once in a while the host is to blame.
    /// Asked with other lines: who keeps on the disk what it was asked knows the first ones. What stays undecided is left
    /// open only where the host was restless meanwhile.
    fn ask_again_if_it_stands_out(self, examinee: &mut Examinee<'_>) -> Outcome<Heard> {
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

    fn ask(self, examinee: &Examinee<'_>) -> Outcome<Heard> {
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

/// A reason, and the track in which it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Where it was seen.
    pub track: Track,
    /// What was wrong.
    #[serde(flatten)]
    pub reason: Reason,
}

impl Finding {
    /// Whether the track in which it was seen forbids it.
    pub fn is_forbidden(&self) -> bool {
        self.reason.code.severity(self.track) == Severity::Invalid
    }

    /// Whether it says something about `track`. How a system reads and writes belongs to one track; what it
    /// does to speed (a cache, a table of sentences) taints all.
    pub fn concerns(&self, track: Track) -> bool {
        self.track == track || matches!(self.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
    }
}

/// What a probe heard.
#[derive(Debug, Default)]
pub struct Heard {
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// What was seen, in a few words; the same place as a reason's figure.
    pub figure: String,
    /// Whether a timed probe saw something, but not clearly enough to say so.
    pub undecided: bool,
    /// Whether a timed probe saw nothing because the system is too quick for it.
    pub too_quick: bool,
}

impl Heard {
    fn note(figure: impl Into<String>) -> Self {
        Self { figure: figure.into(), ..Self::default() }
    }

    /// A probe that ended because the system failed.
    fn failed(track: Track, reasons: Vec<Reason>) -> Self {
        let mut heard = Self::default();
        heard.add(track, reasons);
        heard
    }

    /// Whether something was seen by its time, surely or not.
    fn stands_out(&self) -> bool {
        let is_timed = |finding: &Finding| {
            matches!(finding.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
        };
        self.undecided || self.findings.iter().any(is_timed)
    }

    fn add(&mut self, track: Track, reasons: impl IntoIterator<Item = Reason>) {
        self.findings.extend(reasons.into_iter().map(|reason| Finding { track, reason }));
    }
}

/// A probe's result, as it is stored and printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// Which probe.
    pub probe: Probe,
    /// VALID, NOISY (it could not be decided on this host) or INVALID.
    pub verdict: Verdict,
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// What was seen.
    pub figure: String,
    /// How long it took.
    pub seconds: f64,
    /// Whether the system was too quick for a timed judgement: VALID, but nothing was shown.
    #[serde(default)]
    pub too_quick: bool,
}

/// Asks each of `probes`. A track in which the system doesn't get through is not asked about again.
pub fn examine(examinee: &mut Examinee<'_>, probes: &[Probe]) -> Outcome<Vec<Examined>> {
    let mut all = Vec::new();
    for &probe in Probe::ALL.iter().filter(|probe| probes.contains(probe)) {
        if examinee.tracks.is_empty() {
            break;
        }
        let begin = Instant::now();
        let heard = probe.ask_again_if_it_stands_out(examinee)?;
        let lost =
            |track: &Track| heard.findings.iter().any(|finding| finding.track == *track && is_fatal(finding));
        examinee.tracks.retain(|track| !lost(track));
        all.push(Examined {
            probe,
            verdict: verdict_of(&heard),
            findings: heard.findings,
            figure: heard.figure,
            too_quick: heard.too_quick,
            seconds: begin.elapsed().as_secs_f64(),
        });
    }
    Ok(all)
}

/// Whether a system with this fault can't be asked further questions in the same track.
fn is_fatal(finding: &Finding) -> bool {
    use Code::{
        BlockBuffered, Crashed, ExitedEarly, ExtraOutput, Flood, Hung, LineCount, ReadsAhead, WaitsForEof,
    };
    let fatal =
        [Crashed, ExitedEarly, Hung, BlockBuffered, ReadsAhead, WaitsForEof, LineCount, ExtraOutput, Flood];
    fatal.contains(&finding.reason.code)
}

fn verdict_of(heard: &Heard) -> Verdict {
    match () {
        () if heard.findings.iter().any(Finding::is_forbidden) => Verdict::Invalid,
        () if heard.undecided => Verdict::Noisy,
        () => Verdict::Valid,
    }
}

/// The verdict on a system: of its worst probe.
pub fn verdict(examined: &[Examined]) -> Verdict {
    examined.iter().map(|probe| probe.verdict).max().unwrap_or(Verdict::Valid)
}
