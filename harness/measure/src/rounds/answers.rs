//! The answers of a round, compared with the source, the references, and the answers of earlier rounds.

use dyno_record::{Reason, Severity};

use super::filling::LaunchInput;
use super::observed::{Observed, RoundContext};
use crate::judge::answers::{Comparison, invalid_utf8};
use crate::judge::length::judge_round;
use crate::system::System;
use crate::unknown::again::{Again, changed, junk};
use crate::vectors;

/// Judges the answers of a round that broke no rule so far.
pub(super) fn check_answers(
    context: &RoundContext<'_>,
    input: Option<&LaunchInput>,
    observed: &mut Observed,
) {
    if !observed.reasons.is_empty() {
        return;
    }
    let (set, system) = (context.round.test_set, context.round.system);
    let Observed { answers, reasons, warnings, .. } = observed;
    reasons.extend(invalid_utf8(&set.source, answers));
    if system.translates {
        let factor = context.bench.protocol.limits.runaway_factor();
        let is_forbidden = |reason: &Reason| reason.code.severity(context.round.track) == Severity::Invalid;
        let (bad, odd): (Vec<_>, Vec<_>) =
            judge_round(set, answers, factor).into_iter().partition(is_forbidden);
        reasons.extend(bad);
        warnings.extend(odd);
    } else {
        reasons.extend(vectors::fault(answers));
    }
    if let Some(before) = context.earlier.answers(context.round) {
        reasons.extend(fault_between_rounds(system, input, &set.source, before, answers));
    }
    if let Some(other) = context.earlier.answers_of_another_track(context.round) {
        let comparison = Comparison::of_system(system, &set.source, other, answers);
        reasons.extend(comparison.misplaced());
        warnings.extend(comparison.tracks_differ());
    }
}

/// Fault if the answers differ from those of an earlier round. If the set follows itself in a launch, each round has
/// other orders, and its lines have other neighbours.
fn fault_between_rounds(
    system: &System,
    input: Option<&LaunchInput>,
    source: &[Vec<u8>],
    before: &[Vec<u8>],
    now: &[Vec<u8>],
) -> Option<Reason> {
    let comparison = Comparison::of_system(system, source, before, now);
    let again = source.iter().zip(before).zip(now).map(|((line, one), other)| [line.as_slice(), one, other]);
    let again: Vec<Again<'_>> = again.collect();
    let changed = || match input.is_some_and(LaunchInput::repeats_set) {
        true => changed(&again, system.translates, "from round to round"),
        false => comparison.changed(),
    };
    let junk = || junk(&again, system.sampling).filter(|_| input.is_some() && system.translates);
    comparison.misplaced().or_else(|| changed().filter(|_| !system.sampling)).or_else(junk)
}

#[cfg(test)]
mod tests {
    use dyno_record::Code;

    use super::*;

    #[test]
    fn with_other_neighbours_a_fifth_may_differ_from_round_to_round() {
        let numbered = |what| (0..1000).map(|i| format!("{what} number {i}").into_bytes()).collect();
        let [source, lines]: [Vec<Vec<u8>>; 2] = ["line", "answer"].map(numbered);
        let alone = LaunchInput::around(&lines, &[], &[]);
        let mut repeated = LaunchInput::around(&lines, &[], &[&lines[0]]);
        repeated.repeats = vec![0];
        let fault = |input: &LaunchInput, now: &[Vec<u8>], sampling| {
            let system = System { sampling, ..System::of_command("it", ["it"]) };
            let fault = fault_between_rounds(&system, Some(input), &source, &lines, now);
            fault.map(|reason| reason.code)
        };
        let code = |input: &LaunchInput, changed: usize, sampling| {
            let mut now = lines.clone();
            now[..changed].iter_mut().for_each(|line| line.push(b'!'));
            fault(input, &now, sampling)
        };
        // What Marian's shortlist of a batch changes: 68 to 81 lines of 1,000 in each round.
        assert_eq!(code(&repeated, 78, false), None);
        assert_eq!(code(&alone, 78, false), Some(Code::Nondeterministic), "nothing else has changed");
        assert_eq!(code(&repeated, 300, false), Some(Code::Nondeterministic));
        assert_eq!(code(&repeated, 300, true), None);
        let mut swapped = lines.clone();
        swapped.swap(3, 4);
        assert_eq!(fault(&repeated, &swapped, true), Some(Code::Order));
    }
}
