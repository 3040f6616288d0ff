//! Results of earlier parts of a run: findings of the probes, and the answers that later rounds are compared
//! with.

use std::collections::BTreeMap;

use dyno_record::{Probe, Reason, Track, Verdict};

use crate::plan::Round;
use crate::record::Record;
use crate::system::System;
use crate::verify::Examined;

/// Knowledge from before a round.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Findings of the probes, by system.
    examined: BTreeMap<String, Vec<Examined>>,
    rounds: Vec<EarlierRound>,
}

#[derive(Clone, Debug)]
struct EarlierRound {
    system: String,
    test_set: String,
    track: Track,
    /// Rules that the round broke.
    faults: Vec<Reason>,
    timed_lines: Option<usize>,
    /// Answers in source order; empty if the system failed.
    answers: Vec<Vec<u8>>,
}

impl EarlierRound {
    fn is_of(&self, round: &Round<'_>) -> bool {
        self.is_of_system(round) && self.track == round.track
    }

    fn is_of_system(&self, round: &Round<'_>) -> bool {
        self.system == round.system.name && self.test_set == round.test_set.name
    }
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

    /// What the probes have found about the system of `round`.
    fn examined(&self, round: &Round<'_>) -> &[Examined] {
        self.examined.get(&round.system.name).map_or(&[], Vec::as_slice)
    }

    /// Adds a round. Only the first answers of a cell are kept, since later rounds are compared with those.
    pub fn add(&mut self, record: &Record, answers: &[Vec<u8>]) {
        let round = EarlierRound {
            system: record.system.clone(),
            test_set: record.test_set.clone(),
            track: record.track,
            faults: record.reasons.clone(),
            timed_lines: record.launches().and_then(|launches| launches.lines),
            answers: answers.to_vec(),
        };
        let covers = |known: &EarlierRound| {
            (&known.system, &known.test_set, known.track) == (&round.system, &round.test_set, round.track)
                && known.faults.is_empty() == round.faults.is_empty()
                && (!known.answers.is_empty() || round.answers.is_empty())
                && (known.timed_lines.is_some() || round.timed_lines.is_none())
        };
        if !self.rounds.iter().any(covers) {
            self.rounds.push(round);
        }
    }

    /// Answers of the first earlier round of the same cell.
    pub(crate) fn answers(&self, round: &Round<'_>) -> Option<&[Vec<u8>]> {
        self.first_answers(|known| known.is_of(round))
    }

    /// Answers of the first round of the same system and test set under another track, if that round may be
    /// quoted.
    pub(crate) fn answers_of_another_track(&self, round: &Round<'_>) -> Option<&[Vec<u8>]> {
        self.first_answers(|known| {
            known.is_of_system(round) && known.track != round.track && known.faults.is_empty()
        })
    }

    fn first_answers(&self, fits: impl Fn(&EarlierRound) -> bool) -> Option<&[Vec<u8>]> {
        let mut fitting = self.rounds.iter().filter(|known| fits(known) && !known.answers.is_empty());
        fitting.next().map(|known| known.answers.as_slice())
    }

    /// Lines of each launch in the first earlier round of the same cell.
    pub(crate) fn timed_lines(&self, round: &Round<'_>) -> Option<usize> {
        self.rounds.iter().filter(|known| known.is_of(round)).find_map(|known| known.timed_lines)
    }

    /// Broken rules that have decided about the cell of `round`: those that the probes found, else those of an
    /// earlier round. One INVALID round makes a cell INVALID, so no later round can change that.
    pub(crate) fn faults(&self, round: &Round<'_>) -> Vec<Reason> {
        let of_probes = self.found(round, true);
        let broken = |known: &&EarlierRound| known.is_of(round) && !known.faults.is_empty();
        match self.rounds.iter().find(broken) {
            Some(known) if of_probes.is_empty() => known.faults.clone(),
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
