//! Messages between bench and supervisor.

use std::ffi::OsString;
use std::path::PathBuf;

use dyno_record::Usage;
use serde::{Deserialize, Serialize};

use crate::sandbox::LAYERS;

/// System to start, and the conditions of its start.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Folder to start in; the bench's own if absent.
    pub folder: Option<PathBuf>,
    /// Cores that the system may use.
    pub cores: Vec<usize>,
    /// Whole environment of the system.
    pub environment: Vec<(String, String)>,
    /// Whether the system gets a network namespace of its own.
    pub isolated: bool,
    /// Files and folders that the system declares as its model or names in its command, without links.
    pub named: Vec<PathBuf>,
    /// Places of parts that the system brings, as it sees them.
    pub parts: Vec<PathBuf>,
    /// Bytes of memory that all processes together may hold, if there is a cap.
    pub memory_cap_bytes: Option<u64>,
    /// Arguments of bubblewrap before the system's command, if the system has a sandbox.
    pub sandbox: Option<Vec<String>>,
}

impl Spec {
    pub(crate) fn layers(&self) -> usize {
        if self.sandbox.is_some() { LAYERS } else { 0 }
    }
}

/// First message: the system runs, or could not be started.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Launched {
    /// Monotonic time just before the start.
    pub at_ns: u64,
    /// Why the system could not be started.
    pub error: Option<String>,
    /// State of the network if isolation was wanted: "isolated", or why the system shares the host's.
    pub network: Option<String>,
}

/// Last message: the system's end, its usage, and what it read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Usage of the system, as records keep it.
    pub usage: Usage,
    /// Large files that the system read; a record judges but doesn't keep them.
    pub read_files: Vec<SeenFile>,
}

/// A large file that a system had open or mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Path of the file, as the system saw it. Names of files needn't be UTF-8, which a [`PathBuf`] must be here.
    pub path: OsString,
    /// Length in bytes.
    pub bytes: u64,
}
