//! Systems as a campaign describes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::source::{Source, checked_name};
use crate::campaign::{Launch, System, system};
use crate::exit::Outcome;
use crate::registry;

/// One of `backend`, `plugin` and `command`, and what belongs to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WireSystem {
    name: Spanned<String>,
    backend: Option<Spanned<String>>,
    plugin: Option<Spanned<PathBuf>>,
    command: Option<Spanned<Vec<String>>>,
    model: Option<Spanned<PathBuf>>,
    #[serde(default)]
    models: Vec<Spanned<PathBuf>>,
    #[serde(default)]
    settings: dyno_api::Settings,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    sampling: bool,
}

/// The systems, checked.
pub(super) fn systems(source: &Source<'_>, wire: Vec<Spanned<WireSystem>>) -> Outcome<Vec<System>> {
    let mut systems: Vec<System> = Vec::new();
    for entry in wire {
        let name_span = entry.get_ref().name.span();
        let system = system(source, entry)?;
        if systems.iter().any(|other| other.name == system.name) {
            return Err(source.complaint(name_span, format!("a second system named {:?}", system.name)));
        }
        systems.push(system);
    }
    Ok(systems)
}

fn system(source: &Source<'_>, entry: Spanned<WireSystem>) -> Outcome<System> {
    let span = entry.span();
    let wire = entry.into_inner();
    let name = checked_name(source, &wire.name)?;
    let models = models(source, wire.model, wire.models)?;
    let launch = match (wire.backend, wire.plugin, wire.command) {
        (Some(backend), None, None) => {
            registry::find(backend.get_ref()).map_err(|m| source.complaint(backend.span(), m))?;
            Launch::BuiltIn { backend: backend.into_inner(), settings: wire.settings }
        }
        (None, Some(plugin), None) => {
            Launch::Plugin { library: existing(source, &plugin, "plugin")?, settings: wire.settings }
        }
        (None, None, Some(command)) if wire.settings.is_empty() => {
            let folder = source.resolve(Path::new("."));
            system::check_command(command.get_ref(), &folder)
                .map_err(|m| source.complaint(command.span(), format!("system {name:?}: {m}")))?;
            Launch::Foreign { command: command.into_inner(), folder }
        }
        (None, None, Some(command)) => {
            let message = "settings belong to backends: write a command's options into the command";
            return Err(source.complaint(command.span(), message));
        }
        _ => {
            let message = format!("system {name:?} needs one of `backend`, `plugin` and `command`");
            return Err(source.complaint(span, message));
        }
    };
    let environment = wire.environment.into_iter().collect();
    Ok(System { name, launch, models, environment, sampling: wire.sampling, twin_of: None })
}

/// A system that no campaign holds: one backend or one shell command, as `dyno verify` is asked about.
pub fn own_system(name: &str, launch: Launch, models: Vec<PathBuf>) -> System {
    let name = name.into();
    System { name, launch, models, environment: Vec::new(), sampling: false, twin_of: None }
}

fn models(
    source: &Source<'_>,
    model: Option<Spanned<PathBuf>>,
    models: Vec<Spanned<PathBuf>>,
) -> Outcome<Vec<PathBuf>> {
    model.iter().chain(&models).map(|path| existing(source, path, "model")).collect()
}

/// The absolute path of something that is there; `what` names it where it isn't.
fn existing(source: &Source<'_>, path: &Spanned<PathBuf>, what: &str) -> Outcome<PathBuf> {
    let resolved = source.resolve(path.get_ref());
    let found = std::path::absolute(&resolved).ok().filter(|path| path.exists());
    found.ok_or_else(|| {
        source.complaint(
            path.span(),
            format!("no {what} at {}; paths start in the campaign's folder", resolved.display()),
        )
    })
}
