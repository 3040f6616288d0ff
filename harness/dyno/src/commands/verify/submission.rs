//! What an organiser of a shared task asks about a submission: does it start, keep the contract, stay off the
//! network, and fit the memory. One launch in each track answers; the probes ask only those that pass.

use dyno_measure::files::bytes_of;
use dyno_measure::process::ending::Ending;
use dyno_measure::process::hidden::opened_bytes;
use dyno_measure::{System, TestSet};
use dyno_record::{Code, Limits, Reason, Track, Usage};
use dyno_stats::numbers::{counted, mebibytes};
use serde::Serialize;

use crate::exit::Outcome;
use crate::output::print;
use crate::runner::Runner;
use crate::submission::Submission;
use crate::table::grid;

/// Number of lines of a launch: enough for a batch, and few enough for a slow system.
const LINES: usize = 40;

/// An organiser's question, with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    pub check: &'static str,
    pub passed: bool,
    /// What was seen, with a remedy if the submission fails.
    pub said: String,
}

/// A launch in one track: its faults, and how it ended.
struct Trial {
    track: Track,
    reasons: Vec<Reason>,
    ending: Ending,
}

pub fn ask(
    runner: &Runner,
    submission: &Submission,
    system: &System,
    tracks: &[Track],
    (test_set, limits): (&TestSet, &Limits),
) -> Outcome<Vec<Check>> {
    let lines = &test_set.source[..test_set.source.len().min(LINES)];
    let trial = |&track: &Track| {
        let (reasons, ending) = runner.try_out(system, track, lines)?;
        Ok(Trial { track, reasons, ending })
    };
    let trials = tracks.iter().map(trial).collect::<Outcome<Vec<_>>>()?;
    Ok(vec![
        starts(&trials),
        contract(&trials, lines.len()),
        network(&trials),
        memory(&trials, limits),
        size(submission, system, &trials),
    ])
}

/// Whether no launch broke a rule with such a code; `passes` says what was seen where none did.
fn check(name: &'static str, trials: &[Trial], is_wanted: impl Fn(Code) -> bool, passes: String) -> Check {
    let fault = trials.iter().find_map(|trial| told(trial, &is_wanted));
    Check { check: name, passed: fault.is_none(), said: fault.unwrap_or(passes) }
}

fn starts(trials: &[Trial]) -> Check {
    let seconds = trials.iter().map(|trial| trial.ending.wall_ns()).max().unwrap_or(0) as f64 / 1e9;
    let launches = counted(trials.len(), "launch", "launches");
    let said = format!("{launches}, each with exit code 0, in at most {seconds:.1} s");
    check("starts", trials, |code| code == Code::Crashed, said)
}

/// Whether every launch kept the rules of its track.
fn contract(trials: &[Trial], lines: usize) -> Check {
    let is_other = |code| !matches!(code, Code::Crashed | Code::OverMemory);
    let names: Vec<_> = trials.iter().map(|trial| trial.track.name()).collect();
    let answered = format!("{lines} lines answered one for one in {}", names.join(" and "));
    let contract = check("contract", trials, is_other, answered);
    let has_crashed = |trial: &Trial| trial.reasons.iter().any(|reason| reason.code == Code::Crashed);
    let failed = |trial: &Trial| trial.ending.usage.killed || has_crashed(trial);
    match contract.passed && trials.iter().any(failed) {
        true => Check { passed: false, said: "not seen, because a launch failed".into(), ..contract },
        false => contract,
    }
}

/// Whether no launch tried to reach another host.
fn network(trials: &[Trial]) -> Check {
    let mut all = Usage::default();
    trials.iter().for_each(|trial| all.add(&trial.ending.usage));
    let fault = all.network_use().map(|reason| format!("{}; {}", reason.figure, reason.remedy));
    let passes = || "no attempt to reach another host".into();
    Check { check: "off the network", passed: fault.is_none(), said: fault.unwrap_or_else(passes) }
}

/// Whether the memory fits, if there is a cap.
fn memory(trials: &[Trial], limits: &Limits) -> Check {
    let peak = trials.iter().map(|trial| trial.ending.usage.peak_bytes).max().unwrap_or(0);
    let said = match limits.memory_mib {
        Some(cap) => format!("peak {} of {cap} MiB", mib(peak)),
        None => format!("peak {}; no cap is set (--memory)", mib(peak)),
    };
    check("fits the memory", trials, |code| code == Code::OverMemory, said)
}

/// Sizes: of the model that was opened, and of all files.
fn size(submission: &Submission, system: &System, trials: &[Trial]) -> Check {
    let opened = |trial: &Trial| opened_bytes(system, &trial.ending.read_files);
    let all = mib(bytes_of(std::slice::from_ref(&submission.launch.folder)));
    let model = match trials.iter().filter_map(opened).max() {
        None => format!("model {}, as declared", mib(bytes_of(&system.models))),
        Some(bytes) => format!("model {}, as opened", mib(bytes)),
    };
    Check { check: "size", passed: true, said: format!("{model}; {all} in the folder") }
}

/// First fault of `trial` with such a code: its track, figure and remedy.
fn told(trial: &Trial, is_wanted: impl Fn(Code) -> bool) -> Option<String> {
    let reason = trial.reasons.iter().find(|reason| is_wanted(reason.code))?;
    let (code, track) = (reason.code.name(), trial.track);
    Some(format!("{code} ({track}): {}; {}", reason.figure, reason.remedy))
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", mebibytes(bytes))
}

pub fn show(system: &str, submission: &Submission, checks: &[Check]) -> Outcome<()> {
    let row = |Check { check, passed, said }: &Check| {
        [*check, if *passed { "yes" } else { "NO" }, said.as_str()].map(str::to_owned).to_vec()
    };
    let table = grid(&[], checks.iter().map(row).collect(), 0..0);
    let (dialect, folder) = (submission.dialect, submission.launch.folder.display());
    let verdict = if checks.iter().all(|check| check.passed) { "" } else { "INVALID\n" };
    print(&format!("{system}: {dialect} submission in {folder}\n{table}\n{verdict}"))
}

#[cfg(test)]
mod tests {

    use super::*;

    fn trial(usage: Usage, reasons: Vec<Reason>) -> Trial {
        Trial { track: Track::Throughput1, reasons, ending: Ending { usage, ..Ending::default() } }
    }

    #[test]
    fn each_fault_is_told_by_its_own_check() {
        let usage = || Usage { network_attempts: 2, ..Usage::default() };
        let crashed = [trial(usage(), vec![Code::Crashed.reason("exit code 3")])];
        assert_eq!((starts(&crashed).passed, contract(&crashed, 1).passed), (false, false));
        assert!(starts(&crashed).said.contains("crashed (throughput-1): exit code 3; "));
        assert!(contract(&crashed, 1).said.starts_with("not seen"));
        assert!(network(&crashed).said.starts_with("attempts to reach another host: 2; ship all files"));
        let short = [trial(Usage::default(), vec![Code::LineCount.reason("1 lines out for 2 lines in")])];
        assert_eq!((starts(&short).passed, contract(&short, 2).passed), (true, false));
        assert!(network(&short).passed && memory(&short, &Limits::default()).passed);
    }
}
