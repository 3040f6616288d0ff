//! Findings of the probes: the outcome of one probe, and the result that is stored and printed.

use serde::{Deserialize, Serialize};

use super::timing::Judgement;
use crate::error::Result;
use crate::rules::{Code, Probe, Reason, Severity, Track, Verdict};

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
        self.track == track || matches!(self.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
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
    /// An outcome without findings.
    pub(super) fn note(figure: impl Into<String>) -> Self {
        Self { figure: figure.into(), ..Self::default() }
    }

    /// Outcome of a probe that ended because the system failed.
    pub(super) fn failed(track: Track, reasons: Vec<Reason>) -> Self {
        let mut outcome = Self::default();
        outcome.add(track, reasons);
        outcome
    }

    /// Outcome of a probe that asks about each of `tracks` by itself; `none` is said where there is no such track.
    pub(super) fn in_each(
        tracks: impl IntoIterator<Item = Track>,
        none: &str,
        mut ask: impl FnMut(Track) -> Result<Self>,
    ) -> Result<Self> {
        let parts = tracks.into_iter().map(&mut ask).collect::<Result<Vec<_>>>()?;
        let figures: Vec<&str> = parts.iter().map(|part| part.figure.as_str()).collect();
        let figure = if parts.is_empty() { none.into() } else { figures.join("; ") };
        let mut all = Self::note(figure);
        for part in parts {
            all.findings.extend(part.findings);
            all.by_clock.extend(part.by_clock);
            all.undecided |= part.undecided;
            all.too_quick |= part.too_quick;
        }
        Ok(all)
    }

    /// Takes a judgement of times in `track`.
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

    /// Whether a rule is broken that another asking must confirm.
    pub(super) fn accuses(&self) -> bool {
        self.findings.iter().any(is_confirmed_by_another)
    }

    /// Whether another asking is needed.
    pub(super) fn stands_out(&self) -> bool {
        self.undecided || self.accuses()
    }

    /// Withdraws what no other asking has confirmed.
    pub(super) fn leave_open(&mut self, undecided: bool) {
        self.findings.retain(|finding| !is_confirmed_by_another(finding));
        self.undecided = undecided;
    }

    /// Adds findings in `track`.
    pub(super) fn add(&mut self, track: Track, reasons: impl IntoIterator<Item = Reason>) {
        self.findings.extend(reasons.into_iter().map(|reason| Finding { track, reason }));
    }
}

fn is_confirmed_by_another(finding: &Finding) -> bool {
    matches!(finding.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
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
    /// Figure of the probe, in a few words.
    pub figure: String,
    /// Duration of the probe in seconds.
    pub seconds: f64,
    /// Whether the system was too quick for a timed judgement: VALID, but without evidence.
    #[serde(default)]
    pub too_quick: bool,
}

impl ProbeOutcome {
    /// Verdict of the probe.
    pub(super) fn verdict(&self) -> Verdict {
        match () {
            () if self.findings.iter().any(Finding::is_forbidden) => Verdict::Invalid,
            () if self.undecided => Verdict::Noisy,
            () => Verdict::Valid,
        }
    }

    /// Whether a broken rule makes `track` INVALID.
    pub(super) fn is_forbidden_in(&self, track: Track) -> bool {
        self.findings.iter().any(|finding| finding.is_forbidden() && finding.concerns(track))
    }

    /// Whether the system can't be asked further questions in `track`.
    pub(super) fn is_fatal_in(&self, track: Track) -> bool {
        self.findings.iter().any(|finding| finding.track == track && is_fatal(finding))
    }
}

/// Whether a system with this fault can't be asked further questions in the same track.
fn is_fatal(finding: &Finding) -> bool {
    use Code::{
        BlockBuffered, Crashed, ExitedEarly, ExtraOutput, Flood, Hung, LineCount, OverMemory, ReadsAhead,
        WaitsForEof,
    };
    let fatal = [
        Crashed,
        ExitedEarly,
        Hung,
        BlockBuffered,
        ReadsAhead,
        WaitsForEof,
        LineCount,
        ExtraOutput,
        Flood,
        OverMemory,
    ];
    fatal.contains(&finding.reason.code)
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
}
