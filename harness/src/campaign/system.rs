//! A system: what competes, and the command that starts it. A built-in one is this very program, so that
//! there is no privileged way in for our own engines; a plugin is loaded by that process, never by the bench.

use std::path::{Path, PathBuf};

use dyno_api::Settings;
use serde::Serialize;

use crate::registry;
use crate::rules::Track;

/// What competes under one name.
#[derive(Clone, Debug, Serialize)]
pub struct System {
    /// Its name in tables.
    pub name: String,
    /// How it is started.
    pub launch: Launch,
    /// Its models: several are an ensemble.
    pub models: Vec<PathBuf>,
    /// Variables of its environment, beside those that all systems get.
    pub environment: Vec<(String, String)>,
    /// Whether it declares that its answers are drawn at random.
    pub sampling: bool,
    /// Whose second entry it is: the same system again, to learn how far apart equal things come out.
    pub twin_of: Option<String>,
}

/// How a system is started.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launch {
    /// A backend of this program.
    BuiltIn {
        /// Its name in the registry.
        backend: String,
        /// Its settings.
        settings: Settings,
        /// How many words it translates together in the throughput tracks, if that isn't left to dyno.
        #[serde(skip_serializing_if = "Option::is_none")]
        batch: Option<usize>,
    },
    /// A backend in a shared library.
    Plugin {
        /// Its file.
        library: PathBuf,
        /// Its settings.
        settings: Settings,
        /// How many words it translates together in the throughput tracks, if that isn't left to dyno.
        #[serde(skip_serializing_if = "Option::is_none")]
        batch: Option<usize>,
    },
    /// Any program that answers each line of its standard input by a line on its standard output.
    Foreign {
        /// Program and arguments, with placeholders.
        command: Vec<String>,
        /// The folder that it is started in: the campaign's.
        folder: PathBuf,
    },
}

/// What a foreign command may ask for, with its meaning.
pub const PLACEHOLDERS: [(&str, &str); 4] = [
    ("cores", "how many cores it may use"),
    ("core-list", "which, such as 2,3"),
    ("track", "latency, throughput-1 or throughput-all"),
    ("model", "path of its model, as given by `model`"),
];

impl System {
    /// The same system under another name.
    pub fn twin(&self) -> Self {
        Self { name: format!("{} (twin)", self.name), twin_of: Some(self.name.clone()), ..self.clone() }
    }

    /// Program and arguments under `track` on `cores`. `facts` is where a hosted system leaves its facts.
    pub fn command(&self, track: Track, cores: &[usize], facts: &Path) -> std::io::Result<Vec<String>> {
        match &self.launch {
            Launch::BuiltIn { backend, settings, batch } => {
                self.own_command(["--backend", backend], settings, *batch, (track, cores), facts)
            }
            Launch::Plugin { library, settings, batch } => {
                let library = library.display().to_string();
                self.own_command(["--plugin", &library], settings, *batch, (track, cores), facts)
            }
            Launch::Foreign { command, .. } => {
                let value = |name: &str| self.placeholder(name, track, cores);
                Ok(command.iter().map(|argument| fill(argument, &value)).collect())
            }
        }
    }

    /// Its name, or that of the system whose second entry it is.
    pub fn original(&self) -> &str {
        self.twin_of.as_ref().unwrap_or(&self.name)
    }

    /// The name of its backend, if it is built in.
    pub fn backend(&self) -> Option<&str> {
        match &self.launch {
            Launch::BuiltIn { backend, .. } => Some(backend),
            Launch::Plugin { .. } | Launch::Foreign { .. } => None,
        }
    }

    /// Whether its answers are text: an encoder's vectors have no length to judge.
    pub fn translates(&self) -> bool {
        let backend = self.backend().and_then(|name| registry::find(name).ok());
        backend.is_none_or(|backend| backend.task() == dyno_api::Task::Translate)
    }

    /// Whether this program's `translate` hosts it.
    pub fn is_hosted(&self) -> bool {
        !matches!(self.launch, Launch::Foreign { .. })
    }

    /// Whether it is one of our engines on a model, and no tuning was chosen for it.
    pub fn is_tunable(&self) -> bool {
        let chosen = ["tuning", "tune"].iter().any(|name| self.setting(name).is_some());
        self.backend().is_some() && !self.models.is_empty() && !chosen
    }

    /// A setting as text.
    pub fn setting(&self, name: &str) -> Option<String> {
        match &self.launch {
            Launch::BuiltIn { settings, .. } | Launch::Plugin { settings, .. } => {
                settings.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into))
            }
            Launch::Foreign { .. } => None,
        }
    }

    /// The same system with a path as a setting, where it has settings.
    pub fn with_setting(mut self, name: &str, path: &Path) -> Self {
        if let Launch::BuiltIn { settings, .. } | Launch::Plugin { settings, .. } = &mut self.launch {
            settings.insert(name.into(), path.display().to_string().into());
        }
        self
    }

    /// The files that it runs: of a foreign command its program where it is a path, and arguments that are files.
    pub fn own_files(&self) -> Vec<PathBuf> {
        match &self.launch {
            Launch::BuiltIn { .. } => Vec::new(),
            Launch::Plugin { library, .. } => vec![library.clone()],
            Launch::Foreign { command, folder } => {
                command.iter().map(|argument| folder.join(argument)).filter(|path| path.is_file()).collect()
            }
        }
    }

    /// The folder to start it in, where it matters.
    pub fn folder(&self) -> Option<&Path> {
        match &self.launch {
            Launch::BuiltIn { .. } | Launch::Plugin { .. } => None,
            Launch::Foreign { folder, .. } => Some(folder),
        }
    }

    fn own_command(
        &self,
        which: [&str; 2],
        settings: &Settings,
        batch: Option<usize>,
        (track, cores): (Track, &[usize]),
        facts: &Path,
    ) -> std::io::Result<Vec<String>> {
        let program = std::env::current_exe()?.display().to_string();
        let mut command = vec![program, "translate".into(), which[0].into(), which[1].into()];
        command.extend(["--track".into(), track.name().into()]);
        command.extend(["--cores".into(), cores.len().to_string()]);
        command.extend(["--facts".into(), facts.display().to_string()]);
        if let Some(batch) = batch {
            command.extend(["--batch".into(), batch.to_string()]);
        }
        for model in &self.models {
            command.extend(["--model".into(), model.display().to_string()]);
        }
        for (name, value) in settings {
            command.extend(["--set".into(), format!("{name}={value}")]);
        }
        Ok(command)
    }

    fn placeholder(&self, name: &str, track: Track, cores: &[usize]) -> Option<String> {
        match name {
            "cores" => Some(cores.len().to_string()),
            "core-list" => Some(cores.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
            "track" => Some(track.name().into()),
            "model" => self.models.first().map(|model| model.display().to_string()),
            _ => None,
        }
    }
}

/// Replaces `{name}` where `value` knows the name; other braces stay as they are, since they may be JSON or
/// shell.
fn fill(argument: &str, value: &impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        let close = rest[open..].find('}').map(|length| open + length);
        let known = close.and_then(|close| Some((close, value(&rest[open + 1..close])?)));
        let (text, end) = match known {
            Some((close, text)) => (text, close + 1),
            None => ("{".into(), open + 1),
        };
        filled.push_str(&rest[..open]);
        filled.push_str(&text);
        rest = &rest[end..];
    }
    filled + rest
}

/// Refuses what no process can be handed, and a model that is asked for and isn't there.
pub(super) fn words_fault(system: &System) -> Option<String> {
    let command = match &system.launch {
        Launch::Foreign { command, .. } => command.as_slice(),
        Launch::BuiltIn { .. } | Launch::Plugin { .. } => &[],
    };
    if system.models.is_empty() && command.iter().any(|argument| argument.contains("{model}")) {
        return Some("the command asks for {model}, but there is no `model`".into());
    }
    let odd_name = |(name, _): &&(String, String)| name.is_empty() || name.contains('=');
    if let Some((name, _)) = system.environment.iter().find(odd_name) {
        return Some(format!("{name:?} can't be the name of an environment variable"));
    }
    let variables = system.environment.iter().flat_map(|(name, value)| [name, value]);
    let with_nul = command.iter().chain(variables).find(|word| word.contains('\0'));
    with_nul.map(|word| format!("{word:?} holds a NUL, which no process can be handed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_foreign_braces_stay() {
        let value = |name: &str| (name == "cores").then(|| "2".into());
        for (argument, expected) in [
            ("--cores={cores}", "--cores=2"),
            ("{cores}{cores}", "22"),
            ("${HOME} {cores} {", "${HOME} 2 {"),
            (r#"{"n":{cores}}"#, r#"{"n":2}"#),
        ] {
            assert_eq!(fill(argument, &value), expected);
        }
    }
}
