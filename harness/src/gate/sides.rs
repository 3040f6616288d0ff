//! What a candidate is held against: another system, another program, or a run that was measured before.

use std::path::{Path, PathBuf};

use crate::campaign::{Campaign, Launch, System, TestSet, check_command};

use crate::exit::{Exit, Outcome, bad_input, no_answer};
use crate::host::Host;
use crate::rules::Track;
use crate::store::{MeasuredCell, Run};

/// The other side of the gate.
#[derive(Debug)]
pub enum Baseline {
    /// One system for every candidate.
    System(Box<System>),
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
        let name = "baseline".into();
        let (models, environment) = (Vec::new(), Vec::new());
        let system = System { name, launch, models, environment, sampling: false, twin_of: None };
        Ok(Self::System(Box::new(system)))
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
    pub fn beside(&self, candidate: &System) -> Outcome<Option<System>> {
        match self {
            Self::System(system) => Ok(Some(system.as_ref().clone())),
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

fn on_another_dyno(candidate: &System, program: &Path) -> Outcome<System> {
    let mut command: Vec<String> = vec![program.display().to_string(), "translate".into()];
    let (settings, batch) = match &candidate.launch {
        Launch::BuiltIn { backend, settings, batch } => {
            command.extend(["--backend".into(), backend.clone()]);
            (settings, batch)
        }
        Launch::Plugin { library, settings, batch } => {
            command.extend(["--plugin".into(), std::path::absolute(library)?.display().to_string()]);
            (settings, batch)
        }
        Launch::Foreign { .. } => {
            let (name, remedy) = (&candidate.name, "name its baseline with --baseline");
            return Err(bad_input(format!(
                "{name} is not built in, so that no other dyno runs it: {remedy}"
            )));
        }
    };
    command.extend(["--track", "{track}", "--cores", "{cores}"].map(String::from));
    if let Some(words) = batch {
        command.extend(["--batch".into(), words.to_string()]);
    }
    for model in &candidate.models {
        command.extend(["--model".into(), std::path::absolute(model)?.display().to_string()]);
    }
    for (name, value) in settings {
        command.extend(["--set".into(), format!("{name}={value}")]);
    }
    let launch = Launch::Foreign { command, folder: std::env::current_dir()? };
    Ok(System { name: format!("{} (baseline)", candidate.name), launch, ..candidate.clone() })
}
