//! A plugin's shared library, and the checked table of its functions.

use std::path::{Path, PathBuf};
use std::{mem, ptr};

use crate::abi;
use crate::callbacks::Texts;
use crate::error::{Error, Fault};

/// The functions of a loaded plugin, none of which is missing. They stay callable until the process ends.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) describe: abi::Describe,
    pub(crate) open: abi::Open,
    pub(crate) open_session: abi::OpenSession,
    pub(crate) run: abi::Run,
    pub(crate) breakdown: Option<abi::Describe>,
    pub(crate) close_session: abi::CloseSession,
    pub(crate) close: abi::Close,
    last_error: abi::LastError,
}

impl Table {
    /// Loads the library at `path` and checks its exports.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        // The loader would search the system's folders for a bare name.
        let file = std::path::absolute(path).ok().filter(|file| file.is_file());
        let file = file.ok_or_else(|| Error::Missing { path: path.into() })?;
        let entry = entry(path, &file)?;
        // SAFETY: the symbol has the header's name, so that it keeps the header's contract.
        unsafe { Self::of_entry(path, entry) }
    }

    /// The checked table of `entry`; `path` is its name in messages.
    ///
    /// # Safety
    /// `entry` fulfils the header's contract.
    pub(crate) unsafe fn of_entry(path: &Path, entry: abi::Entry) -> Result<Self, Error> {
        // SAFETY: it may be called with any version.
        let table = unsafe { entry(abi::VERSION) };
        if table.is_null() {
            return Err(Error::Refuses { path: path.into(), host: abi::VERSION });
        }
        Self::check(path, table)
    }

    fn check(path: &Path, table: *const abi::Backend) -> Result<Self, Error> {
        let path = || PathBuf::from(path);
        // Its first two fields alone: what follows is as this header says only if they are right.
        // SAFETY: any version of the table begins with two 32-bit numbers.
        let [version, size] = unsafe { table.cast::<[u32; 2]>().read() };
        if version != abi::VERSION {
            return Err(Error::Version { path: path(), found: version, host: abi::VERSION });
        }
        let host = abi::size_of::<abi::Backend>();
        if size != host {
            return Err(Error::Size { path: path(), found: size, host, version });
        }
        // SAFETY: version and size are this header's, and the header promises a table that stays valid.
        let wire = unsafe { table.read() };
        let missing = |function| move || Error::MissingFunction { path: path(), function };
        Ok(Self {
            describe: wire.describe.ok_or_else(missing("describe"))?,
            open: wire.open.ok_or_else(missing("open"))?,
            open_session: wire.open_session.ok_or_else(missing("open_session"))?,
            run: wire.run.ok_or_else(missing("run"))?,
            breakdown: wire.breakdown,
            close_session: wire.close_session.ok_or_else(missing("close_session"))?,
            close: wire.close.ok_or_else(missing("close"))?,
            last_error: wire.last_error.ok_or_else(missing("last_error"))?,
        })
    }

    /// Turns a status into a result, with the plugin's reason for a failure.
    pub(crate) fn done(&self, function: &'static str, status: abi::Status) -> Result<(), Fault> {
        if status == abi::OK {
            return Ok(());
        }
        let mut said = Texts::default();
        // SAFETY: `last_error` asks for a function and what belongs to it, which `said` gives.
        unsafe { (self.last_error)(Texts::take, said.data()) };
        let reason = String::from_utf8_lossy(&said.bytes).trim().replace('\n', "; ");
        Err(if reason.is_empty() { Fault::Silent(function) } else { Fault::Said(reason) })
    }

    /// Calls `describe` or `breakdown` for `model` and parses the resulting JSON.
    pub(crate) fn ask<T: serde::de::DeserializeOwned>(
        &self,
        name: &'static str,
        function: abi::Describe,
        model: *const abi::Model,
    ) -> Result<T, Fault> {
        let mut said = Texts::default();
        // SAFETY: `model` is null or open, which both functions allow; `said` gives what `take` needs.
        let status = unsafe { function(model, Texts::take, said.data()) };
        self.done(name, status)?;
        if said.nowhere {
            return Err(Fault::Text(name));
        }
        serde_json::from_slice(&said.bytes).map_err(|error| Fault::Json(name, error))
    }

    /// The plugin's description of its backend.
    pub(crate) fn describe_backend<T: serde::de::DeserializeOwned>(&self) -> Result<T, Fault> {
        self.ask("describe", self.describe, ptr::null())
    }
}

/// The entry function of the library `file`. The library stays loaded until the process ends: its threads may
/// leave destructors that run at their end.
fn entry(path: &Path, file: &Path) -> Result<abi::Entry, Error> {
    // SAFETY: a library may run code when it is loaded. Whoever names a plugin wants its code run, and the
    // process is there for nothing else.
    let library = unsafe { libloading::Library::new(file) }
        .map_err(|error| Error::NotALibrary { path: path.into(), reason: reason(&error, file) })?;
    // SAFETY: the symbol of this name has this type, by the header.
    let symbol = unsafe { library.get::<abi::Entry>(abi::ENTRY) };
    let entry = *symbol.map_err(|_| Error::NoEntry { path: path.into() })?;
    mem::forget(library);
    Ok(entry)
}

/// The loader's reason, without the path at its beginning.
fn reason(error: &libloading::Error, file: &Path) -> String {
    let said = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    said.trim_start_matches(&*file.to_string_lossy()).trim_start_matches(": ").into()
}
