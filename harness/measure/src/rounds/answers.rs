//! The answers of a round, held against the source, the references, and the answers of earlier rounds.

use super::filling::Filling;
use super::seen::{Run, Seen};
use crate::rules::{Code, Probe};
use crate::verify::sameness::Comparison;
use crate::verify::{invalid_utf8, length};

/// Judges the answers of a round that has got through.
pub(super) fn check_answers(run: &Run<'_>, filling: Option<&Filling>, seen: &mut Seen) {
    if !seen.reasons.is_empty() {
        return;
    }
    let set = run.round.test_set;
    seen.reasons.extend(invalid_utf8(&set.source, &seen.answers));
    if run.subject.system.translates {
        let (forbidden, warning) = length::of_round(set, &seen.answers);
        // Long answers gain no time: where the profile doesn't ask about lengths they are no more than odd.
        let asked = run.bench.protocol.probes.contains(&Probe::Length);
        let (odd, bad): (Vec<_>, Vec<_>) =
            forbidden.into_iter().partition(|reason| reason.code == Code::Runaway && !asked);
        seen.reasons.extend(bad);
        seen.warnings.extend(odd.into_iter().chain(warning));
    }
    if let Some(before) = run.earlier.answers(run.round) {
        let (comparison, sampling) = (Comparison::of(before, &seen.answers), run.subject.system.sampling);
        seen.reasons.extend(match filling {
            Some(filling) => filling.fault_between_rounds(&comparison, sampling),
            None => comparison.fault(sampling),
        });
    }
    if let Some(other) = run.earlier.answers_of_another_track(run.round) {
        let comparison = Comparison::of(other, &seen.answers);
        seen.reasons.extend(comparison.misplaced());
        seen.warnings.extend(comparison.tracks_differ());
    }
}
