//! A plugin as a backend; the harness uses it like an engine.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use dyno_api::{Backend, Breakdown, Facts, Model, Result, Session, Settings, Sink, Task};
use serde::Deserialize;

use crate::abi;
use crate::callbacks::Answers;
use crate::error::{Error, Fault};
use crate::library::Table;

/// A loaded and checked plugin.
pub struct Plugin {
    table: Table,
    description: Description,
    /// Name of the file, with which all messages begin.
    file: Arc<str>,
}

#[derive(Deserialize)]
struct Description {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default = "translate")]
    task: Task,
}

fn translate() -> Task {
    Task::Translate
}

impl Plugin {
    /// Loads the shared library at `path`. Its code runs in this process from now on, so that only a process
    /// that may crash should call this.
    ///
    /// # Errors
    /// When the file isn't a plugin for this version of the interface.
    pub fn load(path: &Path) -> std::result::Result<Self, Error> {
        Self::of_table(path, Table::load(path)?)
    }

    /// The plugin of an entry function that is linked into this program; `path` is its name in messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    ///
    /// # Safety
    /// `entry` and its table fulfil the contract of `dyno_backend.h`.
    pub unsafe fn of_entry(path: &Path, entry: abi::Entry) -> std::result::Result<Self, Error> {
        // SAFETY: by this function's contract.
        Self::of_table(path, unsafe { Table::of_entry(path, entry) }?)
    }

    fn of_table(path: &Path, table: Table) -> std::result::Result<Self, Error> {
        let description = table.describe_backend();
        let description = description.map_err(|fault| Error::Description { path: path.into(), fault })?;
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into();
        Ok(Self { table, description, file })
    }

    fn open_model(&self, models: &[PathBuf], settings: &Settings) -> std::result::Result<PluginModel, Fault> {
        let paths: Vec<abi::Text> =
            models.iter().map(|path| abi::Text::lend(path.as_os_str().as_bytes())).collect();
        let settings = serde_json::to_vec(settings).map_err(|error| Fault::Json("settings", error))?;
        let opening = abi::Opening {
            size: abi::size_of::<abi::Opening>(),
            models: paths.len() as u32, // as many as fit on a command line
            paths: paths.as_ptr(),
            settings: abi::Text::lend(&settings),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: `opening` and what it points to live until the call returns; `handle` can be written.
        let status = unsafe { (self.table.open)(&raw const opening, &raw mut handle) };
        self.table.done("open", status)?;
        if handle.is_null() {
            return Err(Fault::Nothing("open"));
        }
        let opened = Opened { table: self.table, handle, file: Arc::clone(&self.file) };
        let facts = self.table.ask("describe", self.table.describe, handle)?;
        Ok(PluginModel { opened: Arc::new(opened), facts })
    }
}

/// A fault as an error for the harness.
fn failed(file: &str, fault: &Fault) -> dyno_api::Error {
    dyno_api::Error::failed(file, fault)
}

impl Backend for Plugin {
    fn name(&self) -> &str {
        &self.description.name
    }

    fn about(&self) -> &str {
        &self.description.about
    }

    fn task(&self) -> Task {
        self.description.task
    }

    fn watches(&self) -> bool {
        self.table.breakdown.is_some()
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>> {
        let model = self.open_model(models, settings).map_err(|fault| failed(&self.file, &fault))?;
        Ok(Arc::new(model))
    }
}

struct PluginModel {
    opened: Arc<Opened>,
    facts: Facts,
}

/// An open model, which is closed when it and all its sessions are dropped.
struct Opened {
    table: Table,
    handle: *mut abi::Model,
    file: Arc<str>,
}

// SAFETY: the header obliges plugins to allow their models' use on any thread…
unsafe impl Send for Opened {}
// SAFETY: …and on several at the same time.
unsafe impl Sync for Opened {}

impl Opened {
    fn failed(&self, fault: &Fault) -> dyno_api::Error {
        failed(&self.file, fault)
    }

    fn session(&self) -> std::result::Result<*mut abi::Session, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: the model is open; `handle` can be written.
        let status = unsafe { (self.table.open_session)(self.handle, &raw mut handle) };
        self.table.done("open_session", status)?;
        if handle.is_null() { Err(Fault::Nothing("open_session")) } else { Ok(handle) }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: the model is open, and its sessions, which share it, are closed.
        unsafe { (self.table.close)(self.handle) };
    }
}

impl Model for PluginModel {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn session(&self) -> Result<Box<dyn Session>> {
        let handle = self.opened.session().map_err(|fault| self.opened.failed(&fault))?;
        let opened = Arc::clone(&self.opened);
        Ok(Box::new(PluginSession { opened, handle, lines: Vec::new(), answered: Vec::new() }))
    }

    fn breakdown(&self) -> Result<Option<Breakdown>> {
        let Opened { table, handle, .. } = &*self.opened;
        let Some(breakdown) = table.breakdown else { return Ok(None) };
        table.ask("breakdown", breakdown, *handle).map_err(|fault| self.opened.failed(&fault))
    }
}

struct PluginSession {
    opened: Arc<Opened>,
    handle: *mut abi::Session,
    /// Lines of the running call; empty between calls.
    lines: Vec<abi::Text>,
    answered: Vec<bool>,
}

// SAFETY: the header obliges plugins to allow a session's use on any thread, one at a time; the texts are the
// caller's, and there are none between calls.
unsafe impl Send for PluginSession {}

impl Session for PluginSession {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        let table = self.opened.table;
        self.lines.extend(lines.iter().map(|line| abi::Text::lend(line)));
        let mut answers = Answers::new(sink, &mut self.answered, lines.len());
        let (texts, count, data) = (self.lines.as_ptr(), lines.len(), answers.data());
        // SAFETY: the session is open, and no other thread uses it, since it is borrowed; lines and answers
        // live until the call returns.
        let status = unsafe { (table.run)(self.handle, texts, count, Answers::take, data) };
        self.lines.clear();
        let done = table.done("run", status).and_then(|()| answers.complete());
        done.map_err(|fault| self.opened.failed(&fault))
    }
}

impl Drop for PluginSession {
    fn drop(&mut self) {
        // SAFETY: the session is open, and no code uses it after this.
        unsafe { (self.opened.table.close_session)(self.handle) };
    }
}
