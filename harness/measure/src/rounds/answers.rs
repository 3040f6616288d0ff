//! The answers of a round, compared with the source, the references, and the answers of earlier rounds.

use dyno_record::{Reason, Severity};

use super::filling::LaunchInput;
use super::junk::junk;
use super::observed::{Observed, RoundContext};
use crate::vectors;
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
    let system = context.subject.system;
    let compare = |a: &[Vec<u8>], b: &[Vec<u8>]| Comparison::of_system(system, a, b);
    observed.reasons.extend((!system.translates).then(|| vectors::fault(&observed.answers)).flatten());
    if system.translates {
        let factor = context.bench.protocol.limits.runaway_factor();
        let is_forbidden = |reason: &Reason| reason.code.severity(context.round.track) == Severity::Invalid;
        let (bad, odd): (Vec<_>, Vec<_>) =
            length::judge_round(set, &observed.answers, factor).into_iter().partition(is_forbidden);
        observed.reasons.extend(bad);
        observed.warnings.extend(odd);
    }
    if let Some(before) = context.earlier.answers(context.round) {
        let (comparison, sampling) = (compare(before, &observed.answers), context.subject.system.sampling);
        observed.reasons.extend(match input {
            Some(input) => {
                let answers = set.source.iter().zip(before).zip(&observed.answers);
                let again =
                    answers.map(|((line, one), other)| (line.as_slice(), one.as_slice(), other.as_slice()));
                let junk =
                    || junk(again, set.source.len(), sampling).filter(|_| context.subject.system.translates);
                input.fault_between_rounds(&comparison, sampling).or_else(junk)
            }
            None => comparison.fault(sampling),
        });
    }
    if let Some(other) = context.earlier.answers_of_another_track(context.round) {
        let comparison = compare(other, &observed.answers);
        observed.reasons.extend(comparison.misplaced());
        observed.warnings.extend(comparison.tracks_differ());
    }
}
