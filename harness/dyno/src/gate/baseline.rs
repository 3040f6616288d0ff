//! Baselines: another system, another program, or a run that was measured before.

use std::path::{Path, PathBuf};

use dyno_measure::{Host, System, TestSet, Track, check_command};
use dyno_results::{MeasuredCell, Run};

use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::{Exit, Outcome, bad_input, no_answer};

/// The other side of the gate.
#[derive(Debug)]
pub enum Baseline {
    /// One system for every candidate.
    System(Box<Entry>),
    /// Each built-in candidate, run by another dyno: the last release, say.
    Dyno(PathBuf),
    /// Rounds of an earlier run, where its systems can't be run any more.
    Run(Box<Run>),
}

impl Baseline {
    /// What `what` names: a run's folder, a system of the campaign, or a command.
    pub fn named(what: &str, campaign: &Campaign) -> Outcome<Self> {
        if Path::new(what).join("run.json").is_file() {
            return Self::stored(Path::new(what));
        }
        if let Some(system) = campaign.systems.iter().find(|system| system.name == what) {
            return Ok(Self::System(Box::new(system.clone())));
        }
        let program = what.split_whitespace().next().unwrap_or("");
        if !is_program(program) {
            let names: Vec<_> = campaign.systems.iter().map(|system| system.name.as_str()).collect();
            let near = dyno_api::closest(what, names.iter().copied());
            let hint = near.map(|near| format!(" (did you mean {near:?}?)")).unwrap_or_default();
            let there_are = names.join(", ");
            return Err(bad_input(format!(
                "--baseline {what:?} is no run's folder, no system of the campaign{hint} and no command; the \
                 campaign has: {there_are}"
            )));
        }
        let folder = std::env::current_dir()?;
        check_command(&[program.into()], &folder)
            .map_err(|fault| bad_input(format!("--baseline: {fault}")))?;
        let launch = Launch::Foreign { command: shell(what), folder };
        Ok(Self::System(Box::new(Entry::new("baseline", launch, Vec::new()))))
    }

    /// Another dyno, for candidates that are built in.
    pub fn dyno(program: &Path) -> Outcome<Self> {
        if !program.is_file() {
            return Err(bad_input(format!("no program at {}: name another dyno", program.display())));
        }
        Ok(Self::Dyno(std::path::absolute(program)?))
    }

    fn stored(folder: &Path) -> Outcome<Self> {
        let run = Run::read(folder)?;
        let differences = Host::detect()?.differences(&run.identity.host);
        if !differences.is_empty() {
            let message = format!(
                "the run in {} was measured on another host ({}): name a baseline that can run here",
                folder.display(),
                differences.join("; ")
            );
            return Err(no_answer(Exit::HostsDiffer, message));
        }
        Ok(Self::Run(Box::new(run)))
    }

    /// The system to run beside `candidate`; `None` where the rounds are stored.
    pub fn beside(&self, candidate: &Entry) -> Outcome<Option<(Entry, System)>> {
        match self {
            Self::System(entry) => Ok(Some((entry.as_ref().clone(), entry.system()?))),
            Self::Dyno(program) => on_another_dyno(candidate, program).map(Some),
            Self::Run(_) => Ok(None),
        }
    }

    /// Whether this is the system of that name itself.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Self::System(system) if system.name == name)
    }

    /// What it is, where it isn't a system.
    pub fn about(&self) -> String {
        match self {
            Self::System(system) => system.name.clone(),
            Self::Dyno(program) => program.display().to_string(),
            Self::Run(run) => format!("{}-{}", run.identity.campaign, run.identity.key),
        }
    }

    /// What the stored system of that name answered to a set.
    pub fn stored_answers(&self, system: &str, set: &TestSet, track: Track) -> Option<Vec<String>> {
        let Self::Run(run) = self else { return None };
        let cell = self.stored_cell(|cell| {
            cell.system == system && cell.test_set.sha256 == set.sha256 && cell.track == track
        })?;
        let output = cell.valid().into_iter().find_map(|record| record.output.clone())?;
        run.outputs.get(&output).cloned()
    }

    /// The stored cell of a candidate.
    pub fn stored_cell<'a>(&'a self, fits: impl Fn(&MeasuredCell<'a>) -> bool) -> Option<MeasuredCell<'a>> {
        match self {
            Self::Run(run) => run.cells().into_iter().find(fits),
            _ => None,
        }
    }
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = || std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if name.contains('/') { Path::new(name).is_file() } else { !name.is_empty() && in_path() }
}

/// As people type it, quotes and all; `exec`, so that no shell stays between.
fn shell(command: &str) -> Vec<String> {
    vec!["sh".into(), "-c".into(), format!("exec {command}")]
}

/// The candidate as another dyno runs it, also as the entry that a run's identity names.
fn on_another_dyno(candidate: &Entry, program: &Path) -> Outcome<(Entry, System)> {
    let system = candidate.on_another_dyno(program)?.ok_or_else(|| {
        let (name, remedy) = (&candidate.name, "name its baseline with --baseline");
        bad_input(format!("{name} is not built in, so that no other dyno runs it: {remedy}"))
    })?;
    let entry = Entry { name: system.name.clone(), ..candidate.clone() };
    Ok((entry, system))
}
