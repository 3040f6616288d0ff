//! The rounds of a run: probes before them, their faults, the remaining time.
//!
//! A cell that a probe or a round found INVALID is measured no more, and its fault is said once.

use std::collections::BTreeSet;
use std::time::Instant;

use dyno_measure::noise::repeats::often_repeated;
use dyno_measure::{Code, Plan, Record, Round, Track};

use super::measurement::Runner;
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
    runner: &mut Runner,
    stop: &Stop,
) -> Outcome<()> {
    let mut groups = plan.groups(&campaign.protocol());
    groups.retain(|group| campaign.measures(&group[0].test_set.name, group[0].track));
    let (store, run) = runner.kept.as_ref().expect("this runner keeps its rounds");
    let all = groups.iter().map(Vec::len).sum();
    let todo: Vec<Vec<Round<'_>>> = groups
        .into_iter()
        .map(|group| group.into_iter().filter(|round| !run.has(round)).collect::<Vec<_>>())
        .filter(|group| !group.is_empty())
        .collect();
    let done = all - todo.iter().map(Vec::len).sum::<usize>();
    let progress = Progress::new(all, done);
    if done > 0 {
        progress.note(&format!("resuming {}: {done} of {all} rounds are there", store.folder().display()));
    }
    let mut findings =
        SystemFindings::new(campaign, plan, (&progress, stop), Some(store).filter(|_| done > 0))?;
    let systems = todo.iter().flatten().map(|round| round.system).filter(|system| !findings.has(system));
    let systems = systems.map(|system| system.original().to_owned()).collect();
    let mut pace = Pace::new(forecast, &todo, systems);
    let mut told = BTreeSet::new();
    runner.measure_pipe_floor()?;
    runner.measure_sandbox()?;
    for group in todo {
        if stop.is_wanted() {
            break;
        }
        let records = one_group(&group, runner, &mut findings, &mut pace, (&progress, stop))?;
        for record in &records {
            report_faults(record, &mut told, &progress);
            progress.advance();
        }
    }
    report_repeats(runner, &progress);
    progress.finish();
    stop.begin("the run", None);
    Ok(())
}

/// Records of a group: measured ones, and refused ones of cells that are INVALID already. Fewer if the user
/// stops the probes before them.
fn one_group(
    group: &[Round<'_>],
    runner: &mut Runner,
    findings: &mut SystemFindings<'_>,
    pace: &mut Pace<'_>,
    (progress, stop): (&Progress, &Stop),
) -> Outcome<Vec<Record>> {
    let (mut records, mut open) = (Vec::new(), Vec::new());
    for round in group {
        match examined(round, runner, findings, pace)? {
            None => return Ok(records),
            Some(Some(refused)) => {
                pace.refused(round);
                records.push(refused);
            }
            Some(None) => open.push(*round),
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
    let measured = runner.rounds(&open)?;
    pace.measured(&open, begin.elapsed());
    records.extend(measured.into_iter().map(|measured| measured.record));
    Ok(records)
}

/// Asks the probes that are due before `round`. Gives the record of the round if it is refused, because its
/// cell is INVALID. `None` if the user stops the probes.
fn examined(
    round: &Round<'_>,
    runner: &mut Runner,
    findings: &mut SystemFindings<'_>,
    pace: &mut Pace<'_>,
) -> Outcome<Option<Option<Record>>> {
    let Some(mut examined) = findings.first(round, runner, pace)? else { return Ok(None) };
    runner.know(round.system, examined.clone());
    if let Some(refused) = runner.refuse(round)? {
        return Ok(Some(Some(refused)));
    }
    let Some(again) = findings.last(round, runner, pace)? else { return Ok(None) };
    examined.extend(again);
    runner.know(round.system, examined);
    Ok(Some(runner.refuse(round)?))
}

/// Reports the systems of the whole run whose rounds were repeated far more often than those of the others.
fn report_repeats(runner: &Runner, progress: &Progress) {
    let records = runner.kept.iter().flat_map(|(_, run)| &run.records);
    let attempts = records.filter(|record| !record.refused);
    for often in often_repeated(attempts.map(|record| (record.system.as_str(), record.noise.len()))) {
        progress.note(&often.to_string());
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
