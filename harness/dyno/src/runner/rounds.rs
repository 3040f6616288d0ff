//! The rounds of a run: probes before them, their faults, the remaining time.
//!
//! A cell that a probe or a round found INVALID is measured no more, and its fault is said once.

use std::collections::BTreeSet;
use std::time::Instant;

use dyno_measure::noise::repeats::often_repeated;
use dyno_measure::{Plan, Round};
use dyno_record::{Code, Record, Track};
use dyno_results::Verified;

use super::measurement::Keeper;
use super::pace::Pace;
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::forecast::Forecast;
use crate::progress::Progress;

/// The rounds that a run lacks, with what is known while they are measured.
pub(super) struct Rounds<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) plan: &'a Plan,
    pub(super) keeper: &'a mut Keeper,
    pub(super) progress: Progress,
    pub(super) pace: Pace<'a>,
    /// Findings of the probes, by system. Findings of an interrupted part of the run stay valid.
    pub(super) known: Verified,
}

/// Measures all rounds that the run lacks, until the user stops it.
pub(super) fn measure_all(
    campaign: &Campaign,
    forecast: Forecast<'_>,
    plan: &Plan,
    keeper: &mut Keeper,
) -> Outcome<()> {
    let mut todo = plan.groups(&campaign.protocol);
    todo.retain(|group| campaign.measures(&group[0].test_set.name, group[0].track));
    let all = todo.iter().map(Vec::len).sum();
    todo.iter_mut().for_each(|group| group.retain(|round| !keeper.run.has(round)));
    todo.retain(|group| !group.is_empty());
    let done = all - todo.iter().map(Vec::len).sum::<usize>();
    let progress = Progress::new(all, done);
    if done > 0 {
        let folder = keeper.store.folder().display();
        progress.note(&format!("resuming {folder}: {done} of {all} rounds are there"));
    }
    let known = if done > 0 { Verified::read(keeper.store.folder())? } else { Verified::default() };
    let systems = todo.iter().flatten().map(|round| round.system.original());
    let systems = systems.filter(|system| !known.before_rounds.contains_key(*system));
    let pace = Pace::new(forecast, &todo, systems.map(str::to_owned).collect());
    keeper.runner.measure_pipe_floor()?;
    keeper.runner.measure_sandbox()?;
    let stop = keeper.runner.stop.clone();
    let mut rounds = Rounds { campaign, plan, keeper, progress, pace, known };
    let mut told = BTreeSet::new();
    for group in todo {
        if stop.is_wanted() {
            break;
        }
        for record in &rounds.group(&group)? {
            report_faults(record, &mut told, &rounds.progress);
            rounds.progress.advance();
        }
    }
    report_repeats(&rounds.keeper.run.records, &rounds.progress);
    rounds.progress.finish();
    stop.begin("the run", None);
    Ok(())
}

impl Rounds<'_> {
    /// Records of a group: measured ones, and refused ones of cells that are INVALID already. Fewer if the user
    /// stops the probes before them.
    fn group(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Record>> {
        let (mut records, mut open) = (Vec::new(), Vec::new());
        for round in group {
            if !self.probe_first(round)? {
                return Ok(records);
            }
            let mut refused = self.keeper.refuse(round)?;
            if refused.is_none() {
                if !self.probe_last(round)? {
                    return Ok(records);
                }
                refused = self.keeper.refuse(round)?;
            }
            match refused {
                Some(record) => {
                    self.pace.took(round, 0.0);
                    records.push(record);
                }
                None => open.push(*round),
            }
        }
        let Some(first) = open.first() else { return Ok(records) };
        let systems = match &open[..] {
            [alone] => alone.system.name.clone(),
            _ => format!("{} systems in turns", open.len()),
        };
        let what = format!("{systems} · {} · {}", first.track, first.test_set.name);
        self.progress.show(&what, self.pace.left());
        self.keeper.runner.stop.begin("this round", Some(self.pace.of_group(&open)));
        let begin = Instant::now();
        let measured = self.keeper.rounds(&open)?;
        self.pace.measured(&open, begin.elapsed());
        records.extend(measured.into_iter().map(|measured| measured.record));
        Ok(records)
    }
}

/// Reports the systems of the whole run whose rounds were repeated far more often than those of the others.
fn report_repeats(records: &[Record], progress: &Progress) {
    let attempts = records.iter().filter(|record| !record.refused);
    for often in often_repeated(attempts.map(|record| (record.system.as_str(), record.noise.len()))) {
        progress.note(&often);
    }
}

/// Reports faults of a cell that haven't been `told` yet, and disturbances by the host.
fn report_faults(record: &Record, told: &mut BTreeSet<(String, String, Track, Code)>, progress: &Progress) {
    let (system, set, track) = (&record.system, &record.test_set, record.track);
    for reason in &record.reasons {
        if told.insert((system.clone(), set.clone(), track, reason.code)) {
            let (code, figure, remedy) = (reason.code.name(), &reason.figure, &reason.remedy);
            let told = match record.refused {
                // The probe has told figure and remedy.
                true => format!("not measured, because of {code}; --keep-going measures it nevertheless"),
                false => format!("INVALID {code}: {figure}; {remedy}"),
            };
            progress.note(&format!("{system} · {track} · {set}: {told}"));
        }
    }
    // One remark a cell: a busy host disturbs every round, and the records hold all of them.
    if let Some(noise) = record.noise.last().filter(|noise| noise.is_disturbed() && record.round == 0) {
        progress.remark(&format!("{system} · {track}: NOISY: {}", noise.triggers.join(", ")));
    }
}
