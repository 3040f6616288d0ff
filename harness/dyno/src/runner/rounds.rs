//! The rounds of a run: probes before them, their faults, the remaining time.
//!
//! A cell that a probe or a round found INVALID is measured no more, and its fault is said once.

use std::collections::BTreeSet;
use std::time::Instant;

use dyno_measure::noise::repeats::often_repeated;
use dyno_measure::{Code, Host, Plan, Record, Round, Track};

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
    host: &Host,
    plan: &Plan,
    runner: &mut Runner,
    stop: &Stop,
) -> Outcome<()> {
    let mut rounds = plan.rounds(&campaign.protocol());
    rounds.retain(|round| campaign.measures(&round.test_set.name, round.track));
    let (store, run) = runner.kept.as_ref().expect("this runner keeps its rounds");
    let todo: Vec<&Round<'_>> = rounds.iter().filter(|round| !run.has(round)).collect();
    let progress = Progress::new(rounds.len(), rounds.len() - todo.len());
    let is_resumed = todo.len() < rounds.len();
    if is_resumed {
        let (done, folder) = (rounds.len() - todo.len(), store.folder().display());
        progress.note(&format!("resuming {folder}: {done} of {} rounds are there", rounds.len()));
    }
    let mut findings =
        SystemFindings::new(campaign, plan, (&progress, stop), Some(store).filter(|_| is_resumed))?;
    let systems = todo.iter().map(|round| round.system).filter(|system| !findings.has(system));
    let systems = systems.map(|system| system.original().to_owned()).collect();
    let mut pace = Pace::new(Forecast::of(campaign, &host.cores)?, &todo, systems);
    let mut told = BTreeSet::new();
    runner.measure_pipe_floor()?;
    runner.measure_sandbox()?;
    for round in todo {
        if stop.is_wanted() {
            break;
        }
        let Some(record) = one_round(round, runner, &mut findings, &mut pace, (&progress, stop))? else {
            break;
        };
        report_faults(&record, &mut told, &progress);
        progress.advance();
    }
    report_repeats(runner, &progress);
    progress.finish();
    stop.begin("the run", None);
    Ok(())
}

/// Record of one round: a measured one, or a refused one if its cell is INVALID already. `None` if the user
/// stops the probes before it.
fn one_round(
    round: &Round<'_>,
    runner: &mut Runner,
    findings: &mut SystemFindings<'_>,
    pace: &mut Pace<'_>,
    (progress, stop): (&Progress, &Stop),
) -> Outcome<Option<Record>> {
    let Some(mut examined) = findings.first(round, runner, pace)? else { return Ok(None) };
    if let Some(refused) = runner.refuse(round, &examined)? {
        pace.refused(round);
        return Ok(Some(refused));
    }
    let Some(again) = findings.last(round, runner, pace)? else { return Ok(None) };
    examined.extend(again);
    if let Some(refused) = runner.refuse(round, &examined)? {
        pace.refused(round);
        return Ok(Some(refused));
    }
    progress.show(&format!("{} · {} · {}", round.system.name, round.track, round.test_set.name), pace.left());
    stop.begin("this round", Some(pace.of(round)));
    let begin = Instant::now();
    let measured = runner.round(round, examined)?;
    pace.measured(round, begin.elapsed());
    Ok(Some(measured.record))
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
