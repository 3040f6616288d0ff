//! An entry of the campaign: a backend, a plugin or a command, with its models and settings.
//!
//! [`Entry::system`] turns the entry into a [`System`], the command that the bench measures. `dyno-measure`
//! knows commands only.

use std::path::{Path, PathBuf};

use dyno_api::Task;
use dyno_host::registry;
use dyno_measure::{Argument, System};
use dyno_provision::adapters::{AdaptedSystem, options};
use dyno_record::identity::{RunSystem, SandboxChoice};
use dyno_record::{Profile, Track};

use crate::exit::Outcome;
use crate::submission::Submission;

/// System, as a campaign describes it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub launch: Launch,
    /// Models; several are an ensemble.
    pub models: Vec<PathBuf>,
    /// Error about a model that isn't there, with its place in the campaign. A system that a filter excludes may
    /// lack its models.
    pub absent: Option<String>,
    /// Environment variables of the system, besides those of all systems.
    pub environment: Vec<(String, String)>,
    /// Task that the campaign names for a plugin or a foreign program.
    pub task: Option<Task>,
    /// Whether the system declares that it draws its answers at random.
    pub sampling: bool,
    /// Choice of the campaign whether the system runs in a sandbox; the profile's if absent.
    pub sandbox: Option<SandboxChoice>,
    /// Files and folders that the system sees in the sandbox, beside those that it names.
    pub sandbox_paths: Vec<PathBuf>,
    /// Tracks that the system takes part in; all of the campaign if absent.
    pub tracks: Option<Vec<Track>>,
    /// Number of cores in the tracks of several cores, if the system is a part of a sweep.
    pub cores: Option<usize>,
    /// Name of the sweep, if this entry is a part of one.
    pub sweep: Option<String>,
    /// Name of the original, if this entry is a twin. The pair shows the difference between equal systems.
    pub twin_of: Option<String>,
}

/// Ways to start a system, with the adapter or the submission as it was found on this host.
pub type Launch = dyno_record::identity::Launch<AdaptedSystem, Submission>;

/// End of the name of a system's second entry.
pub const TWIN: &str = " (twin)";
/// End of the name of a system on another dyno.
pub const BASELINE: &str = " (baseline)";

impl Entry {
    pub fn new(name: &str, launch: Launch, models: Vec<PathBuf>) -> Self {
        Self {
            name: name.into(),
            launch,
            models,
            absent: None,
            environment: Vec::new(),
            task: None,
            sampling: false,
            sandbox: None,
            sandbox_paths: Vec::new(),
            tracks: None,
            cores: None,
            sweep: None,
            twin_of: None,
        }
    }

    /// Creates the entry of a submission, in the tracks of its dialect.
    pub fn of_submission(name: &str, submission: Submission) -> Self {
        let (model, tracks) = (submission.model().to_owned(), submission.dialect.tracks.clone());
        Self { tracks: Some(tracks), ..Self::new(name, Launch::Submission(submission), vec![model]) }
    }

    pub fn takes_part(&self, track: Track) -> bool {
        self.tracks.as_ref().is_none_or(|tracks| tracks.contains(&track))
    }

    pub fn twin(&self) -> Self {
        Self { name: format!("{}{TWIN}", self.name), twin_of: Some(self.name.clone()), ..self.clone() }
    }

    /// The description of the system that a run's identity holds, without its search.
    pub fn described(&self) -> RunSystem {
        let Self { name, launch, models, environment, sandbox_paths, tracks, sweep, twin_of, .. } =
            self.clone();
        RunSystem {
            name,
            launch: launch.map(|adapter| adapter.launch, |submission| submission.launch),
            models,
            environment,
            task: self.task,
            sampling: self.sampling,
            sandbox: self.sandbox,
            sandbox_paths,
            tracks,
            cores: self.cores,
            sweep,
            twin_of,
            search: None,
        }
    }

    /// The command that the bench starts. A built-in backend or a plugin runs in a process of this program,
    /// never in the bench itself, so that our own engines have no advantage over other programs. The `profile` has a
    /// say in the sandbox.
    pub fn system(&self, profile: Profile) -> Outcome<System> {
        let system = |command, hosted, folder| System {
            name: self.name.clone(),
            command,
            hosted,
            reports: hosted,
            folder,
            environment: self.environment.clone(),
            models: self.models.clone(),
            parts: self.sandbox_paths.clone(),
            tuning: self.setting("tuning").map(PathBuf::from),
            translates: self.translates(),
            sampling: self.sampling,
            sandboxed: self.is_sandboxed(profile),
            tracks: self.tracks.clone(),
            cores: self.cores,
            twin_of: self.twin_of.clone(),
            ..System::default()
        };
        Ok(match &self.launch {
            Launch::Foreign { command, folder } => {
                let command = command.iter().cloned().map(Argument::Template).collect();
                system(command, false, Some(folder.clone()))
            }
            Launch::Adapter(adapter) => System {
                models: vec![adapter.model()?.to_owned()],
                parts: adapter.parts()?.into_iter().chain(self.sandbox_paths.clone()).collect(),
                reports: adapter.reports(),
                ..system(adapter.command()?, false, Some(adapter.folder.clone()))
            },
            Launch::Submission(submission) => submission.adapt(system(Vec::new(), false, None)),
            _ => system(self.own_command(&std::env::current_exe()?), true, None),
        })
    }

    /// The same backend, run by the dyno `program`. No dyno hosts a foreign program.
    pub fn on_another_dyno(&self, program: &Path, profile: Profile) -> Outcome<System> {
        if !self.is_hosted() {
            let remedy = "give its baseline with --baseline";
            refuse!("{} isn't built in, so another dyno can't run it; {remedy}", self.name);
        }
        let name = format!("{}{BASELINE}", self.name);
        let (command, folder) = (self.own_command(program), Some(std::env::current_dir()?));
        Ok(System { name, command, hosted: false, reports: false, folder, ..self.system(profile)? })
    }

    /// Name of the built-in backend; `None` for all other systems.
    pub fn backend(&self) -> Option<&str> {
        match &self.launch {
            Launch::BuiltIn { backend, .. } => Some(backend),
            _ => None,
        }
    }

    /// Whether the answers are translations. An encoder's vectors, for example, have no length to judge.
    pub fn translates(&self) -> bool {
        let backend = self.backend().and_then(|name| registry::find(name).ok());
        backend.map_or(self.task.unwrap_or(Task::Translate), |backend| backend.task()) == Task::Translate
    }

    /// Whether the system should run in a sandbox: by the campaign's choice, else every foreign system and
    /// plugin where figures are published. A submission is written for the paths that a sandbox gives it.
    pub fn is_sandboxed(&self, profile: Profile) -> bool {
        match self.sandbox {
            _ if matches!(self.launch, Launch::Submission(_)) => true,
            Some(choice) => choice == SandboxChoice::Bwrap,
            None => profile.sandboxes() && self.backend().is_none(),
        }
    }

    /// Whether `dyno translate` hosts the system.
    pub fn is_hosted(&self) -> bool {
        matches!(self.launch, Launch::BuiltIn { .. } | Launch::Plugin { .. })
    }

    /// Whether the system is a built-in engine with a model and without a tuning of its own.
    pub fn is_tunable(&self) -> bool {
        let chosen = ["tuning", "tune"].iter().any(|name| self.setting(name).is_some());
        self.backend().is_some() && !self.models.is_empty() && !chosen
    }

    pub fn setting(&self, name: &str) -> Option<String> {
        match &self.launch {
            Launch::BuiltIn { settings, .. } | Launch::Plugin { settings, .. } => {
                settings.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into))
            }
            Launch::Adapter(adapter) => adapter.setting(name),
            Launch::Foreign { .. } | Launch::Submission(_) => None,
        }
    }

    /// The same system with `path` as the setting `name`; a foreign program has none and stays
    /// unchanged.
    pub fn with_setting(mut self, name: &str, path: &Path) -> Self {
        if let Launch::BuiltIn { settings, .. } | Launch::Plugin { settings, .. } = &mut self.launch {
            settings.insert(name.into(), path.display().to_string().into());
        }
        self
    }

    /// Files that the run's identity hashes: a plugin's library, an adapter's files, or the files among the words
    /// of a foreign command.
    pub fn own_files(&self) -> Vec<PathBuf> {
        match &self.launch {
            Launch::BuiltIn { .. } => Vec::new(),
            Launch::Plugin { library, .. } => vec![library.clone()],
            Launch::Adapter(adapter) => adapter.files(),
            Launch::Foreign { command, folder } => {
                command.iter().map(|argument| folder.join(argument)).filter(|path| path.is_file()).collect()
            }
            Launch::Submission(submission) => submission.own_files(),
        }
    }

    /// Command `PROGRAM translate` with the options of this entry.
    fn own_command(&self, program: &Path) -> Vec<Argument> {
        let (option, named, settings, batch) = match &self.launch {
            Launch::BuiltIn { backend, settings, batch } => ("--backend", backend.clone(), settings, batch),
            Launch::Plugin { library, settings, batch } => {
                ("--plugin", library.display().to_string(), settings, batch)
            }
            _ => unreachable!("a foreign program has a command of its own"),
        };
        let words = [program.display().to_string(), "translate".into(), option.into(), named];
        let settings = settings.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        let options = options(self.models.iter().map(PathBuf::as_path), *batch, settings);
        words.map(Argument::Fixed).into_iter().chain(options).collect()
    }
}

/// Fault in the words of a command or its environment: a missing model, a bad variable name or a NUL.
pub fn words_fault(system: &Entry) -> Option<String> {
    let command = match &system.launch {
        Launch::Foreign { command, .. } => command.as_slice(),
        _ => &[],
    };
    if system.models.is_empty() && command.iter().any(|argument| argument.contains("{model}")) {
        return Some("the command uses {model}, but there is no `model`: add one".into());
    }
    let odd_name = |(name, _): &&(String, String)| name.is_empty() || name.contains('=');
    if let Some((name, _)) = system.environment.iter().find(odd_name) {
        return Some(format!(
            "{name:?} can't be the name of an environment variable: use another name, without ="
        ));
    }
    let variables = system.environment.iter().flat_map(|(name, value)| [name, value]);
    let with_nul = command.iter().chain(variables).find(|word| word.contains('\0'));
    with_nul.map(|word| format!("{word:?} holds a NUL, which no command or environment may hold: remove it"))
}
