//! How a system in a campaign file is started: by one of the keys `backend`, `plugin`, `command` and `adapter`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use dyno_api::Task;
use dyno_host::registry;
use dyno_measure::check_command;
use dyno_provision::adapters::{self, AdaptedSystem};
use toml::Spanned;

use super::source::Source;
use super::system::WireSystem;
use crate::campaign::entry::Launch;
use crate::exit::Outcome;

/// Launch of the system whose keys stand at `span`. Sizes of batches come later, as a system for each.
pub(super) fn launch(
    source: &Source<'_>,
    wire: &WireSystem,
    span: Range<usize>,
    models: &[PathBuf],
) -> Outcome<Launch> {
    let settings = wire.settings.clone();
    match (&wire.backend, &wire.plugin, &wire.command, &wire.adapter) {
        (Some(name), None, None, None) => {
            let known = |name: String| registry::find(&name).map(|_| name);
            let backend = source.check(name.clone(), known)?;
            Ok(Launch::BuiltIn { backend, settings, batch: None })
        }
        (None, Some(path), None, None) => {
            let library = wire.path(source, path.span(), path.get_ref(), "plugin")?;
            Ok(Launch::Plugin { library, settings, batch: None })
        }
        (None, None, Some(words), None) => command(source, wire, words),
        (None, None, None, Some(name)) => {
            let folder = source.folder()?;
            let adapted = |name: String| AdaptedSystem::new(adapters::find(&name)?, settings, folder, models);
            Ok(Launch::Adapter(source.check(name.clone(), adapted)?))
        }
        _ => {
            let needed = "`backend`, `plugin`, `command`, `adapter` and `submission`";
            let message = format!("system {:?} needs one of {needed}", wire.name.get_ref());
            Err(source.error_at(span, message))
        }
    }
}

fn command(source: &Source<'_>, wire: &WireSystem, words: &Spanned<Vec<String>>) -> Outcome<Launch> {
    if !wire.settings.is_empty() || wire.batch.is_some() || wire.batch_lines.is_some() {
        let message = "`settings` and `batch` need a backend, a plugin or an adapter: put the options of a command into the command";
        return Err(source.error_at(words.span(), message));
    }
    let folder = source.resolve(Path::new("."));
    let refuse = |fault| source.error_at(words.span(), format!("system {:?}: {fault}", wire.name.get_ref()));
    check_command(words.get_ref(), &folder).map_err(refuse)?;
    Ok(Launch::Foreign { command: words.get_ref().clone(), folder })
}

/// Task that the campaign gives a system; backends and adapters have theirs already.
pub(super) fn task(source: &Source<'_>, wire: &WireSystem, launch: &Launch) -> Outcome<Option<Task>> {
    let Some(task) = &wire.task else { return Ok(None) };
    let message = match launch {
        Launch::BuiltIn { backend, .. } => {
            format!("backend {backend} itself says what its task is: leave `task` out")
        }
        Launch::Adapter(_) => "an adapter translates: leave `task` out".into(),
        Launch::Plugin { .. } | Launch::Foreign { .. } | Launch::Submission(_) => {
            return Ok(Some(*task.get_ref()));
        }
    };
    Err(source.error_at(task.span(), message))
}
