//! The answers of a round, compared with the source, the references, and the answers of earlier rounds.

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::rules::{Code, Probe};
use crate::verify::sameness::Comparison;
use crate::verify::{invalid_utf8, length};

/// Judges the answers of a round that broke no rule so far.
pub(super) fn check_answers(
    context: &RoundContext<'_>,
    input: Option<&LaunchInput>,
    observed: &mut Observed,
) {
    if !observed.reasons.is_empty() {
        return;
    }
    let set = context.round.test_set;
    observed.reasons.extend(invalid_utf8(&set.source, &observed.answers));
    if context.subject.system.translates {
        let (forbidden, warning) = length::judge_round(set, &observed.answers);
        // Long answers gain no time. If the profile doesn't ask the length probe, they only get a warning.
        let asked = context.bench.protocol.probes.contains(&Probe::Length);
        let (odd, bad): (Vec<_>, Vec<_>) =
            forbidden.into_iter().partition(|reason| reason.code == Code::Runaway && !asked);
        observed.reasons.extend(bad);
        observed.warnings.extend(odd.into_iter().chain(warning));
    }
    if let Some(before) = context.earlier.answers(context.round) {
        let (comparison, sampling) =
            (Comparison::of(before, &observed.answers), context.subject.system.sampling);
        observed.reasons.extend(match input {
            Some(input) => input.fault_between_rounds(&comparison, sampling),
            None => comparison.fault(sampling),
        });
    }
    if let Some(other) = context.earlier.answers_of_another_track(context.round) {
        let comparison = Comparison::of(other, &observed.answers);
        observed.reasons.extend(comparison.misplaced());
        observed.warnings.extend(comparison.tracks_differ());
    }
}
