//! A system that runs by an adapter: its command, its model, and what must be made before it can start. A model in the
//! engine's own form is made once, and kept in the user's cache by content.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use dyno_api::Settings;
use dyno_measure::Argument;
use dyno_measure::files::{file_hash, files_at};
use dyno_record::hash_of;
use dyno_record::identity::{AdapterLaunch, BatchSize};

use super::folders::Adapter;
use crate::environment::run;
use crate::error::{Result, refused};
use crate::{Listener, cache_folder};

/// An adapter, with the settings and the model of one system.
#[derive(Clone, Debug)]
pub struct AdaptedSystem {
    /// What the run holds of it.
    pub launch: AdapterLaunch,
    /// Folder in which the program starts: the campaign's.
    pub folder: PathBuf,
    adapter: Arc<Adapter>,
    /// Model as the campaign names it.
    named: PathBuf,
    /// Model that the program opens, known once its files have been hashed.
    opened: OnceLock<PathBuf>,
}

impl AdaptedSystem {
    /// The system of `adapter` with `model`; the error says why there is none.
    pub fn new(adapter: Adapter, settings: Settings, folder: PathBuf, models: &[PathBuf]) -> Result<Self> {
        let name = adapter.name.clone();
        if let Some(reason) = &adapter.description.unavailable {
            return Err(refused!("adapter {name} can't be used: {reason}"));
        }
        adapter.description.check(&name, &settings)?;
        let [model] = models else {
            return Err(refused!("adapter {name} needs one `model`; `dyno adapters {name}` has an example"));
        };
        let launch = AdapterLaunch { name, settings, batch: None };
        let (named, adapter, opened) = (model.clone(), Arc::new(adapter), OnceLock::new());
        Ok(Self { launch, folder, adapter, named, opened })
    }

    /// Builds the environment and converts the model, where that is still to be done.
    pub fn provide(&self, say: Listener<'_>) -> Result<()> {
        self.adapter.provide(say)?;
        match self.converted()? {
            Some(folder) if !folder.is_dir() => self.convert(&folder, say),
            _ => Ok(()),
        }
    }

    /// Megabytes of the environment, if it is still to be built.
    pub fn unbuilt_mb(&self) -> Option<u64> {
        (!self.adapter.is_built()).then_some(self.adapter.description.takes_mb)
    }

    /// The model that the program opens: the campaign's, or what was made of it.
    pub fn model(&self) -> Result<&Path> {
        if self.opened.get().is_none() {
            let model = self.converted()?.unwrap_or_else(|| self.named.clone());
            let _ = self.opened.set(model); // a second hash is the same
        }
        Ok(self.opened.get().unwrap_or(&self.named))
    }

    /// Program and arguments.
    pub fn command(&self) -> Result<Vec<Argument>> {
        let python = self.adapter.python()?;
        let fixed = |word: &Path| Argument::Fixed(word.display().to_string());
        let options = options([self.model()?], self.launch.batch, self.values());
        Ok([fixed(&python), fixed(&self.program())].into_iter().chain(options).collect())
    }

    /// Files of the adapter, which decide what the system does.
    pub fn files(&self) -> Vec<PathBuf> {
        let own = ["adapter.py", "convert.py", "library.py", "requirements.txt"]
            .map(|name| self.adapter.folder.join(name));
        own.into_iter().filter(|path| path.is_file()).chain(self.adapter.shared()).collect()
    }

    /// Files and folders that the program needs beside its model: its own, those that adapters share, its packages.
    pub fn parts(&self) -> Result<Vec<PathBuf>> {
        Ok(self.files().into_iter().chain(self.adapter.environment()?).collect())
    }

    /// Whether the program writes facts about itself.
    pub fn reports(&self) -> bool {
        self.adapter.description.reports
    }

    /// Whether the adapter has a setting of that name.
    pub fn has_setting(&self, name: &str) -> bool {
        self.adapter.description.settings.contains_key(name)
    }

    /// A setting as text: the campaign's value, else the default.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.values().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The program that speaks the bench's protocol.
    pub fn program(&self) -> PathBuf {
        self.adapter.folder.join("adapter.py")
    }

    fn values(&self) -> Vec<(&str, String)> {
        self.adapter.description.values(&self.launch.settings)
    }

    /// Folder of the model in the engine's own form, made or not; `None` if the engine reads the model as it is. Its
    /// name has a hash of all that decides the result: the converter, its packages, what adapters share, the settings,
    /// the model's files.
    fn converted(&self) -> Result<Option<PathBuf>> {
        let (adapter, model) = (&self.adapter, &self.named);
        let Some(convert) = &adapter.description.convert else { return Ok(None) };
        if model.join(&convert.unless).exists() {
            return Ok(None);
        }
        let mut facts = self.deciding();
        for program in [self.converter(), adapter.requirements()].into_iter().chain(adapter.shared()) {
            if program.is_file() {
                facts.push(file_hash(&program)?);
            }
        }
        for file in files_at(model)?.iter().filter(|file| file.is_file()) {
            let name = file.strip_prefix(model).unwrap_or(file).display();
            facts.push(format!("{name} {}", file_hash(file)?));
        }
        let name = format!("{}-{}", adapter.name, &hash_of(facts.join("\n").as_bytes())[..16]);
        Ok(Some(cache_folder()?.join("adapters/models").join(name)))
    }

    /// Converts the model into `folder`: aside, then renamed into place.
    fn convert(&self, folder: &Path, say: Listener<'_>) -> Result<()> {
        let (name, model) = (&self.adapter.name, &self.named);
        say(format_args!("adapter {name}: converting {} (once) …", model.display()));
        let parent = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)?;
        let aside = tempfile::Builder::new().prefix("building-").tempdir_in(parent)?;
        let made = aside.path().join("model");
        let mut command = Command::new(self.adapter.python()?);
        command.arg(self.converter()).arg(model).arg(&made).args(self.deciding());
        run(&mut command, &format!("adapter {name}: can't convert {}", model.display()), &mut || ())?;
        match std::fs::rename(&made, folder) {
            Err(_) if folder.is_dir() => Ok(()), // another process was faster
            renamed => Ok(renamed?),
        }
    }

    /// The settings that decide what a conversion makes, as `name=value`.
    fn deciding(&self) -> Vec<String> {
        let deciding = self.adapter.description.convert.iter().flat_map(|convert| &convert.settings);
        let deciding: Vec<&String> = deciding.collect();
        let values = self.values().into_iter().filter(|(name, _)| deciding.iter().any(|known| known == name));
        values.map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The program that makes a model of the engine's own form.
    fn converter(&self) -> PathBuf {
        self.adapter.folder.join("convert.py")
    }
}

/// Options of a program that takes those of `dyno translate`: an adapter's, or dyno itself.
pub fn options<'a>(
    models: impl IntoIterator<Item = &'a Path>,
    batch: Option<BatchSize>,
    settings: impl IntoIterator<Item = (&'a str, String)>,
) -> impl Iterator<Item = Argument> {
    let filled = ["--track", "{track}", "--cores", "{cores}"].map(|word| Argument::Template(word.into()));
    let batch = batch.map(BatchSize::option).map(|(name, most)| [name.into(), most.to_string()]);
    let models = models.into_iter().map(|model| ["--model".into(), model.display().to_string()]);
    let settings = settings.into_iter().map(|(name, value)| ["--set".into(), format!("{name}={value}")]);
    filled.into_iter().chain(batch.into_iter().chain(models).chain(settings).flatten().map(Argument::Fixed))
}
