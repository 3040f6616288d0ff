//! Baselines of the gate: another system, another build of dyno, or a stored run.

use std::path::{Path, PathBuf};

use dyno_measure::{System, TestSet, check_command, host};
use dyno_provision::did_you_mean;
use dyno_record::{Identity, Track};
use dyno_results::compare::Changes;
use dyno_results::{MeasuredCell, Run};

use super::cell::PROFILE;
use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::{Exit, Outcome, no_answer};

#[derive(Debug)]
pub enum Baseline {
    /// One system, for all candidates.
    System(Box<Entry>),
    /// The built-in candidates themselves, run by another dyno, such as the last release.
    Dyno(PathBuf),
    /// Rounds of an earlier run, for systems that no longer run.
    Run(Box<Run>),
}

const COMMAND: &str = "baseline";

impl Baseline {
    /// Baseline that `what` names: the folder of a run, a system of the campaign, or a command.
    pub fn named(what: &str, campaign: &Campaign) -> Outcome<Self> {
        if Path::new(what).join("run.json").is_file() {
            return Self::stored(Path::new(what));
        }
        if let Some(system) = campaign.systems.iter().find(|system| system.name == what) {
            return Ok(Self::System(Box::new(system.clone())));
        }
        let (program, folder) =
            (shlex::Shlex::new(what).next().unwrap_or_default(), std::env::current_dir()?);
        if let Err(fault) = check_command(&[program], &folder) {
            let names: Vec<_> = campaign.systems.iter().map(|system| system.name.as_str()).collect();
            let (hint, there_are) = (did_you_mean(what, names.iter().copied()), names.join(", "));
            let fault = fault.to_string();
            let fault = fault.split("; ").next().unwrap_or_default(); // its remedy would be one too many
            refuse!(
                "--baseline {what:?} is no folder of a run, no system of the campaign{hint} and no command ({fault}); \
                 name a system of the campaign: {there_are}"
            );
        }
        // A shell understands quotes. `exec` replaces it, so that the bench measures the program alone.
        let command = vec!["sh".into(), "-c".into(), format!("exec {what}")];
        let launch = Launch::Foreign { command, folder };
        if campaign.systems.iter().any(|system| system.name == COMMAND) {
            refuse!(
                "the command {what:?} would be measured as {COMMAND:?}, which is a system of the campaign: rename that \
                 system"
            );
        }
        Ok(Self::System(Box::new(Entry::new(COMMAND, launch, Vec::new()))))
    }

    /// Baseline for built-in candidates: the dyno `program`.
    pub fn dyno(program: &Path) -> Outcome<Self> {
        if !program.is_file() {
            refuse!("no program at {}; give the path of another dyno", program.display());
        }
        Ok(Self::Dyno(std::path::absolute(program)?))
    }

    fn stored(folder: &Path) -> Outcome<Self> {
        let run = Run::read(folder)?;
        let differences = host::detect()?.differences(&run.identity.host);
        if !differences.is_empty() {
            let (folder, differences) = (folder.display(), differences.join(", "));
            let remedy = "choose a baseline that runs here";
            let message =
                format!("the run in {folder} was measured on another host ({differences}): {remedy}");
            return Err(no_answer(Exit::HostsDiffer, message));
        }
        Ok(Self::Run(Box::new(run)))
    }

    /// Entry and system to run next to `candidate`; `None` for a stored run.
    pub fn beside(&self, candidate: &Entry) -> Outcome<Option<(Entry, System)>> {
        match self {
            Self::System(entry) => Ok(Some((entry.as_ref().clone(), entry.system(PROFILE)?))),
            Self::Dyno(program) => {
                let system = candidate.on_another_dyno(program, PROFILE)?;
                Ok(Some((Entry { name: system.name.clone(), ..candidate.clone() }, system)))
            }
            Self::Run(_) => Ok(None),
        }
    }

    pub fn is(&self, name: &str) -> bool {
        matches!(self, Self::System(system) if system.name == name)
    }

    pub fn about(&self) -> String {
        match self {
            Self::System(system) => system.name.clone(),
            Self::Dyno(program) => program.display().to_string(),
            Self::Run(run) => format!("{}-{}", run.identity.campaign, run.identity.key),
        }
    }

    /// Changes from the baseline to `candidate`. `sides` describes the systems that run beside each other.
    pub fn changes(&self, candidate: &str, beside: Option<&str>, sides: &Identity) -> Option<Changes> {
        let before = match self {
            Self::Run(run) => (&run.identity, candidate),
            Self::System(_) | Self::Dyno(_) => (sides, beside?),
        };
        Changes::between(before, (sides, candidate))
    }

    /// Stored answers of `system` to the whole of `set`.
    pub fn stored_answers(&self, system: &str, set: &TestSet, track: Track) -> Option<Vec<String>> {
        let Self::Run(run) = self else { return None };
        let mut cells = self.stored_cells(system, set, track).into_iter();
        let cell = cells.find(|cell| cell.test_set.sha256 == set.sha256)?;
        run.outputs.get(run.scored_output(&cell)?).cloned()
    }

    /// Stored cell of `system` on `set` with the most rounds. A gate keeps the rounds of the set's first
    /// lines, beside a single round of the whole set.
    pub fn stored_cell(&self, system: &str, set: &TestSet, track: Track) -> Option<MeasuredCell<'_>> {
        let size = |cell: &MeasuredCell<'_>| (cell.records.len(), cell.test_set.source.len());
        self.stored_cells(system, set, track).into_iter().max_by_key(size)
    }

    /// Stored cells of `system` on `set` or on its first lines.
    fn stored_cells(&self, system: &str, set: &TestSet, track: Track) -> Vec<MeasuredCell<'_>> {
        let Self::Run(run) = self else { return Vec::new() };
        let is_part = |part: &TestSet| set.first(part.source.len()).sha256 == part.sha256;
        let fits =
            |cell: &MeasuredCell<'_>| cell.system == system && cell.track == track && is_part(cell.test_set);
        run.cells().into_iter().filter(fits).collect()
    }
}
