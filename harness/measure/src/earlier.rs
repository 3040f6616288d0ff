//! Results of earlier parts of a run: findings of the probes, and the answers that later rounds are compared
//! with.

use std::collections::BTreeMap;

use dyno_record::{Probe, Reason, Record, Verdict};

use crate::{Examined, Round, System};

/// Knowledge from before a round.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Findings of the probes, by system.
    examined: BTreeMap<String, Vec<Examined>>,
    /// Rounds, with their answers in source order; without any if the system failed.
    rounds: Vec<(Record, Vec<Vec<u8>>)>,
}

impl Earlier {
    /// Sets what the probes have found about `system`, or about the system whose twin it is.
    pub fn know(&mut self, system: &System, examined: Vec<Examined>) {
        self.examined.insert(system.name.clone(), examined);
    }

    /// Whether the set may be repeated within one launch. The system must have shown in the coalescing probe that
    /// it works on every line, also on one that it has seen.
    pub(crate) fn may_repeat(&self, round: &Round<'_>) -> bool {
        let mut examined = self.examined(round).iter();
        let coalescing = examined.find(|examined| examined.probe == Probe::Coalescing);
        coalescing.is_some_and(|examined| examined.verdict == Verdict::Valid && !examined.too_quick)
    }

    fn examined(&self, round: &Round<'_>) -> &[Examined] {
        self.examined.get(&round.system.name).map_or(&[], Vec::as_slice)
    }

    /// Adds a round. Only the first answers of a cell are kept, since later rounds are compared with those.
    pub fn add(&mut self, record: &Record, answers: &[Vec<u8>]) {
        let covers = |(known, earlier): &(Record, Vec<Vec<u8>>)| {
            (&known.system, &known.test_set, known.track) == (&record.system, &record.test_set, record.track)
                && known.reasons.is_empty() == record.reasons.is_empty()
                && (!earlier.is_empty() || answers.is_empty())
                && (timed_lines(known).is_some() || timed_lines(record).is_none())
        };
        if !self.rounds.iter().any(covers) {
            self.rounds.push((record.clone(), answers.to_vec()));
        }
    }

    pub(crate) fn answers(&self, round: &Round<'_>) -> Option<&[Vec<u8>]> {
        self.first_answers(|known| round.has(known))
    }

    /// Answers of the first round of the same system and test set under another track, if that round may be
    /// quoted.
    pub(crate) fn answers_of_another_track(&self, round: &Round<'_>) -> Option<&[Vec<u8>]> {
        let is_of_system = |known: &Record| (Round { track: known.track, ..*round }).has(known);
        self.first_answers(|known| {
            is_of_system(known) && known.track != round.track && known.reasons.is_empty()
        })
    }

    fn first_answers(&self, fits: impl Fn(&Record) -> bool) -> Option<&[Vec<u8>]> {
        let mut fitting = self.rounds.iter().filter(|(known, answers)| fits(known) && !answers.is_empty());
        fitting.next().map(|(_, answers)| answers.as_slice())
    }

    pub(crate) fn timed_lines(&self, round: &Round<'_>) -> Option<usize> {
        self.rounds.iter().filter(|(known, _)| round.has(known)).find_map(|(known, _)| timed_lines(known))
    }

    /// Broken rules that have decided about the cell of `round`: those that the probes found, else those of an
    /// earlier round. One INVALID round makes a cell INVALID, so no later round can change that.
    pub(crate) fn faults(&self, round: &Round<'_>) -> Vec<Reason> {
        let of_probes = self.found(round, true);
        let broken = |(known, _): &&(Record, _)| round.has(known) && !known.reasons.is_empty();
        match self.rounds.iter().find(broken) {
            Some((known, _)) if of_probes.is_empty() => known.reasons.clone(),
            _ => of_probes,
        }
    }

    /// Findings that count for `round`: the forbidden ones, or those that only deserve a warning.
    pub(crate) fn found(&self, round: &Round<'_>, forbidden: bool) -> Vec<Reason> {
        let findings = self.examined(round).iter().flat_map(|examined| &examined.findings);
        let wanted =
            findings.filter(|finding| finding.concerns(round.track) && finding.is_forbidden() == forbidden);
        wanted.map(|finding| finding.reason.clone()).collect()
    }
}

fn timed_lines(record: &Record) -> Option<usize> {
    record.launches()?.lines
}
