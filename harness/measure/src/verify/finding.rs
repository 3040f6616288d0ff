//! Findings of the probes: the outcome of one probe, and the result that is stored and printed.

use dyno_record::{Code, Probe, Reason, Severity, Track, Verdict};
use itertools::Itertools;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::judge::Judgement;
use crate::process::failed::{Asked, broken};

/// A broken rule, with the track in which a probe found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Track of the finding.
    pub track: Track,
    /// Broken rule, with its figure.
    #[serde(flatten)]
    pub reason: Reason,
}

impl Finding {
    /// Whether the track of the finding forbids it.
    pub fn is_forbidden(&self) -> bool {
        self.reason.code.severity(self.track) == Severity::Invalid
    }

    /// Whether the finding counts for `track`. A fault of reading or writing belongs to one track. A fault
    /// that makes a system quicker (a cache, a table of sentences) counts for all tracks.
    pub fn concerns(&self, track: Track) -> bool {
        self.track == track || self.is_of_times()
    }

    /// Whether the times of a probe show it; another asking must confirm it then.
    fn is_of_times(&self) -> bool {
        matches!(self.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
    }
}

/// Outcome of one probe.
#[derive(Debug, Default)]
pub struct ProbeOutcome {
    /// Broken rules.
    pub findings: Vec<Finding>,
    /// Broken rules by the clock alone, which counts what other programs take from the system.
    pub by_clock: Vec<Finding>,
    /// Figure of the probe, in a few words.
    pub figure: String,
    /// Whether a timed probe saw a difference that is not significant.
    pub undecided: bool,
    /// Whether a timed probe saw nothing because the system is too quick for it.
    pub too_quick: bool,
}

impl ProbeOutcome {
    pub(super) fn note(figure: impl Into<String>) -> Self {
        Self { figure: figure.into(), ..Self::default() }
    }

    /// Asks about each of `tracks`, and joins their figures; `none` is said where there is no such track. A system that
    /// fails in one track is asked about the others. A probe with one figure for all tracks sets it afterwards.
    pub(super) fn in_each(
        tracks: impl IntoIterator<Item = Track>,
        none: &str,
        mut ask: impl FnMut(Track, &mut Self) -> Asked<()>,
    ) -> Result<Self> {
        let (mut all, mut figures) = (Self::default(), Vec::new());
        for track in tracks {
            let ((), reasons) = broken(ask(track, &mut all))?;
            all.add(track, reasons);
            figures.push(std::mem::take(&mut all.figure));
        }
        all.figure = if figures.is_empty() { none.into() } else { figures.join("; ") };
        Ok(all)
    }

    pub(super) fn judge(&mut self, track: Track, judgement: Judgement) {
        let Judgement { figure, reason, certain, undecided, too_quick } = judgement;
        self.figure = figure;
        self.undecided |= undecided;
        self.too_quick |= too_quick;
        let findings = if certain { &mut self.findings } else { &mut self.by_clock };
        findings.extend(reason.map(|reason| Finding { track, reason }));
    }

    /// Decides about what the clock alone has found: it counts if the host was quiet, else it is undecided.
    pub(super) fn settle(&mut self, was_disturbed: bool) {
        let by_clock = std::mem::take(&mut self.by_clock);
        match was_disturbed {
            true => self.undecided |= !by_clock.is_empty(),
            false => self.findings.extend(by_clock),
        }
    }

    pub(super) fn accuses(&self) -> bool {
        self.findings.iter().any(Finding::is_of_times)
    }

    pub(super) fn stands_out(&self) -> bool {
        self.undecided || self.accuses()
    }

    /// Withdraws what no other asking has confirmed.
    pub(super) fn leave_open(&mut self, undecided: bool) {
        self.findings.retain(|finding| !finding.is_of_times());
        self.undecided = undecided;
    }

    pub(super) fn add(&mut self, track: Track, reasons: impl IntoIterator<Item = Reason>) {
        self.findings.extend(reasons.into_iter().map(|reason| Finding { track, reason }));
    }

    pub(super) fn verdict(&self) -> Verdict {
        match () {
            () if self.findings.iter().any(Finding::is_forbidden) => Verdict::Invalid,
            () if self.undecided => Verdict::Noisy,
            () => Verdict::Valid,
        }
    }

    pub(super) fn is_forbidden_in(&self, track: Track) -> bool {
        self.findings.iter().any(|finding| finding.is_forbidden() && finding.concerns(track))
    }

    /// Whether the system can't be asked further questions in `track`. Where the lines were `odd`, one that breaks the
    /// system or costs it an answer says nothing of ordinary lines.
    pub(super) fn is_fatal_in(&self, track: Track, odd: bool) -> bool {
        use Code::{BlockBuffered, Crashed, ExitedEarly, ExtraOutput, Flood, Hung};
        use Code::{LineCount, OverMemory, ReadsAhead, WaitsForEof};
        self.findings.iter().filter(|finding| finding.track == track).any(|finding| {
            match finding.reason.code {
                Crashed | ExitedEarly | ExtraOutput | LineCount => !odd,
                Hung | BlockBuffered | ReadsAhead | WaitsForEof | Flood | OverMemory => true,
                _ => false,
            }
        })
    }

    /// Figure of the probe: what is wrong where a rule is broken, each fault once.
    pub(super) fn told(&self) -> String {
        let fault = |finding: &Finding| format!("{}: {}", finding.reason.code.name(), finding.reason.figure);
        let forbidden = self.findings.iter().filter(|finding| finding.is_forbidden());
        let faults = forbidden.map(fault).unique().join("; ");
        if faults.is_empty() { self.figure.clone() } else { faults }
    }
}

/// Result of a probe, as stored and printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// Name of the probe.
    pub probe: Probe,
    /// Verdict: VALID, NOISY (undecidable on this host) or INVALID.
    pub verdict: Verdict,
    /// Broken rules.
    pub findings: Vec<Finding>,
    /// Figure of the probe, in a few words; what is wrong, if a rule is broken.
    pub figure: String,
    /// Duration of the probe in seconds.
    pub seconds: f64,
    /// Whether the system was too quick for a timed judgement: VALID, but without evidence.
    #[serde(default)]
    pub too_quick: bool,
}

/// Verdict on a system: the verdict of its worst probe.
pub fn verdict(examined: &[Examined]) -> Verdict {
    examined.iter().map(|probe| probe.verdict).max().unwrap_or(Verdict::Valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(certain: bool, was_disturbed: bool) -> ProbeOutcome {
        let reason = Some(Code::Cached.reason("a figure"));
        let mut outcome = ProbeOutcome::default();
        outcome.judge(Track::Latency, Judgement { reason, certain, ..Judgement::default() });
        outcome.settle(was_disturbed);
        outcome
    }

    fn outcome(codes: &[(Code, Track)]) -> ProbeOutcome {
        let mut outcome = ProbeOutcome::note("19 odd lines answered one for one");
        for &(code, track) in codes {
            outcome.add(track, [code.reason("17 lines out for 18")]);
        }
        outcome
    }

    #[test]
    fn the_clock_alone_accuses_no_system_while_others_disturb_the_host() {
        assert_eq!(judged(false, false).verdict(), Verdict::Invalid);
        assert_eq!(judged(false, true).verdict(), Verdict::Noisy);
        assert_eq!(judged(true, true).verdict(), Verdict::Invalid, "CPU time shows it as well");
        assert!(judged(false, true).stands_out(), "it is asked again");
    }

    #[test]
    fn what_no_other_asking_confirms_is_withdrawn() {
        let mut outcome = judged(true, true);
        outcome.leave_open(true);
        assert_eq!(outcome.verdict(), Verdict::Noisy);
        outcome.leave_open(false);
        assert_eq!(outcome.verdict(), Verdict::Valid);
    }

    #[test]
    fn the_figure_of_a_broken_rule_is_the_fault_and_stands_once() {
        assert_eq!(outcome(&[]).told(), "19 odd lines answered one for one");
        let warned = outcome(&[(Code::SlowLine, Track::Latency)]);
        assert_eq!(warned.told(), "19 odd lines answered one for one", "a warning breaks no rule");
        let broken =
            outcome(&[(Code::LineCount, Track::Throughput1), (Code::LineCount, Track::ThroughputAll)]);
        assert_eq!(broken.told(), "line_count: 17 lines out for 18");
    }

    #[test]
    fn a_line_lost_among_odd_ones_leaves_further_questions() {
        let (lost, hung) =
            (outcome(&[(Code::LineCount, Track::Latency)]), outcome(&[(Code::Hung, Track::Latency)]));
        assert!(!lost.is_fatal_in(Track::Latency, true) && lost.is_fatal_in(Track::Latency, false));
        assert!(hung.is_fatal_in(Track::Latency, true), "each further question would wait as long");
        assert!(!hung.is_fatal_in(Track::Throughput1, false), "another track");
    }
}
