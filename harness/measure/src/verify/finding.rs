//! Findings of the probes: what one probe heard, and the result that is stored and printed.

use serde::{Deserialize, Serialize};

use crate::rules::{Code, Probe, Reason, Severity, Track, Verdict};

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
    pub(super) fn note(figure: impl Into<String>) -> Self {
        Self { figure: figure.into(), ..Self::default() }
    }

    /// A probe that ended because the system failed.
    pub(super) fn failed(track: Track, reasons: Vec<Reason>) -> Self {
        let mut heard = Self::default();
        heard.add(track, reasons);
        heard
    }

    /// Whether something was seen by its time, surely or not.
    pub(super) fn stands_out(&self) -> bool {
        let is_timed = |finding: &Finding| {
            matches!(finding.reason.code, Code::Cached | Code::Coalesced | Code::Recognises)
        };
        self.undecided || self.findings.iter().any(is_timed)
    }

    pub(super) fn add(&mut self, track: Track, reasons: impl IntoIterator<Item = Reason>) {
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

impl Heard {
    /// Verdict on what the probe heard.
    pub(super) fn verdict(&self) -> Verdict {
        match () {
            () if self.findings.iter().any(Finding::is_forbidden) => Verdict::Invalid,
            () if self.undecided => Verdict::Noisy,
            () => Verdict::Valid,
        }
    }

    /// Whether the system can't be asked further questions in `track`.
    pub(super) fn is_fatal_in(&self, track: Track) -> bool {
        self.findings.iter().any(|finding| finding.track == track && is_fatal(finding))
    }
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

/// Verdict on a system: the verdict of its worst probe.
pub fn verdict(examined: &[Examined]) -> Verdict {
    examined.iter().map(|probe| probe.verdict).max().unwrap_or(Verdict::Valid)
}
