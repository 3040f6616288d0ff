//! The subject of a launch: a system, and the conditions of its start.

use std::path::{Path, PathBuf};
use std::time::Duration;

use dyno_record::rules::limits::{LONGEST_VECTOR, MOST_OUTPUT_BYTES, MOST_OUTPUT_GROWTH};
use dyno_record::{Limits, Track};

use super::turns::Slot;
use crate::energy::Meter;
use crate::sandbox::{BWRAP, Sandbox, SandboxFault};
use crate::system::System;

/// Most bytes of output for so many bytes of input, where so many of the answers are vectors; more is a flood.
pub fn most_output(input: u64, vectors: usize) -> u64 {
    MOST_OUTPUT_BYTES.max(input * MOST_OUTPUT_GROWTH) + LONGEST_VECTOR * vectors as u64
}

/// A system to start, and the conditions of its start.
#[derive(Clone)]
pub struct Subject<'a> {
    /// System to start.
    pub system: &'a System,
    /// Protocol of the launch.
    pub track: Track,
    /// Cores that the system may use.
    pub cores: &'a [usize],
    /// Limits beyond which the system is given up.
    pub limits: Limits,
    /// Folder for the files of this system's launches.
    pub scratch: PathBuf,
    /// File for the breakdown of a hosted system, if it is asked for one.
    pub breakdown: Option<&'a Path>,
    /// Whether the system gets a network namespace of its own.
    pub isolated: bool,
    /// Sandbox of the bench, if it has one.
    pub sandbox: Option<&'a Sandbox>,
    /// Meter of the energy that timed launches take.
    pub meter: Option<&'a Meter>,
    /// Whether the page cache gives up the model before the launch.
    pub cold: bool,
    /// Slot in the turns of a group; `None` for a system that is measured alone.
    pub slot: Option<&'a Slot<'a>>,
}

impl Subject<'_> {
    /// Program and arguments.
    pub fn command(&self) -> Vec<String> {
        let mut command = self.system.command(self.track, self.cores, &self.facts());
        if let Some(path) = self.breakdown.filter(|_| self.system.hosted) {
            command.extend(["--breakdown".into(), path.display().to_string()]);
        }
        command
    }

    /// File for the facts of a system that reports.
    pub fn facts(&self) -> PathBuf {
        self.scratch.join("facts.json")
    }

    /// Sandbox of this system: none if the system needs none, or if the host allows none.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.filter(|sandbox| self.system.sandboxed && sandbox.fault.is_none())
    }

    /// State of the sandbox, if this system should have one: "bwrap", or why there is none.
    pub fn sandbox_state(&self) -> Option<String> {
        let wanted = self.sandbox.filter(|_| self.system.sandboxed)?;
        let state = |fault: &SandboxFault| format!("{fault}: {}", fault.remedy());
        Some(wanted.fault.as_ref().map_or_else(|| BWRAP.to_owned(), state))
    }

    /// Time for a system to end after its last answer.
    pub fn exit_patience(&self) -> Duration {
        // Ten seconds free the largest model. A smaller limit for a line also holds for the end.
        Duration::from_secs_f64(self.limits.line_seconds.min(10.0))
    }
}
