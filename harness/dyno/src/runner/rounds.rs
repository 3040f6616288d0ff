//! The rounds of a run: probes before them, their faults, the remaining time.
//!
//! A cell that a probe or a round found INVALID is measured no more, and its fault is said once.

use std::collections::BTreeSet;
use std::time::Instant;

use dyno_measure::noise::repeats::often_repeated;
use dyno_measure::{Code, Plan, Record, Round, Track};

use super::keeper::Keeper;
use super::pace::Pace;
use super::probes::SystemFindings;
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::forecast::Forecast;
use crate::interrupt::Stop;
use crate::progress::Progress;

/// Measures all rounds that the run lacks, until the user stops it.
pub(super) fn measure_all(
    campaign: &Campaign,
    forecast: Forecast<'_>,
    plan: &Plan,
    keeper: &mut Keeper,
    stop: &Stop,
) -> Outcome<()> {
    let mut groups = plan.groups(&campaign.protocol);
    groups.retain(|group| campaign.measures(&group[0].test_set.name, group[0].track));
    let all = groups.iter().map(Vec::len).sum();
    let todo: Vec<Vec<Round<'_>>> = groups
        .into_iter()
        .map(|group| group.into_iter().filter(|round| !keeper.run.has(round)).collect::<Vec<_>>())
        .filter(|group| !group.is_empty())
        .collect();
    let done = all - todo.iter().map(Vec::len).sum::<usize>();
    let progress = Progress::new(all, done);
    if done > 0 {
        let folder = keeper.store.folder().display();
        progress.note(&format!("resuming {folder}: {done} of {all} rounds are there"));
    }
    let resumed = Some(&keeper.store).filter(|_| done > 0);
    let mut findings = SystemFindings::new(campaign, plan, (&progress, stop), resumed)?;
    let systems = todo.iter().flatten().map(|round| round.system).filter(|system| !findings.has(system));
    let systems = systems.map(|system| system.original().to_owned()).collect();
    let mut pace = Pace::new(forecast, &todo, systems);
    let mut told = BTreeSet::new();
    keeper.runner.measure_pipe_floor()?;
    keeper.runner.measure_sandbox()?;
    for group in todo {
        if stop.is_wanted() {
            break;
        }
        let records = one_group(&group, keeper, &mut findings, &mut pace, (&progress, stop))?;
        for record in &records {
            report_faults(record, &mut told, &progress);
            progress.advance();
        }
    }
    report_repeats(&keeper.run.records, &progress);
    progress.finish();
    stop.begin("the run", None);
    Ok(())
}

/// Records of a group: measured ones, and refused ones of cells that are INVALID already. Fewer if the user
/// stops the probes before them.
fn one_group(
    group: &[Round<'_>],
    keeper: &mut Keeper,
    findings: &mut SystemFindings<'_>,
    pace: &mut Pace<'_>,
    (progress, stop): (&Progress, &Stop),
) -> Outcome<Vec<Record>> {
    let (mut records, mut open) = (Vec::new(), Vec::new());
    for round in group {
        match probe(round, keeper, findings, pace)? {
            Next::Stopped => return Ok(records),
            Next::Refused(record) => {
                pace.refused(round);
                records.push(*record);
            }
            Next::Measured => open.push(*round),
        }
    }
    let Some(first) = open.first() else { return Ok(records) };
    let systems = match &open[..] {
        [alone] => alone.system.name.clone(),
        _ => format!("{} systems in turns", open.len()),
    };
    progress.show(&format!("{systems} · {} · {}", first.track, first.test_set.name), pace.left());
    stop.begin("this round", Some(pace.of_group(&open)));
    let begin = Instant::now();
    let measured = keeper.rounds(&open)?;
    pace.measured(&open, begin.elapsed());
    records.extend(measured.into_iter().map(|measured| measured.record));
    Ok(records)
}

/// What comes after the probes before a round.
enum Next {
    /// Nothing: the user stopped the probes.
    Stopped,
    /// The round isn't run, because its cell is INVALID.
    Refused(Box<Record>),
    /// The round is measured.
    Measured,
}

/// Asks the probes that are due before `round`.
fn probe(
    round: &Round<'_>,
    keeper: &mut Keeper,
    findings: &mut SystemFindings<'_>,
    pace: &mut Pace<'_>,
) -> Outcome<Next> {
    let Some(mut examined) = findings.first(round, keeper, pace)? else { return Ok(Next::Stopped) };
    keeper.runner.know(round.system, examined.clone());
    if let Some(refused) = keeper.refuse(round)? {
        return Ok(Next::Refused(refused.into()));
    }
    let Some(again) = findings.last(round, keeper, pace)? else { return Ok(Next::Stopped) };
    examined.extend(again);
    keeper.runner.know(round.system, examined);
    Ok(keeper.refuse(round)?.map_or(Next::Measured, |refused| Next::Refused(refused.into())))
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
