//! The bench: protocol, cores and scratch files of a measurement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_record::{Host, Track, hash_of};

use crate::energy::Meter;
use crate::error::{During, Error, Result};
use crate::floor::pipe_floor_ns;
use crate::host;
use crate::process::subject::Subject;
use crate::{Placement, Protocol, Sandbox, System};

/// Conditions of a measurement, the same for all systems.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Parameters of the measurement.
    pub protocol: Protocol,
    /// Cores of the systems and of the bench.
    pub placement: Placement,
    /// Folder for files that needn't outlive the measurement. Absolute, since systems start in other folders.
    pub scratch: PathBuf,
    /// Median time of a line between two processes that do nothing else, once measured.
    pub pipe_floor_ns: Option<u64>,
    /// Sandbox of the systems that ask for one.
    pub sandbox: Option<Sandbox>,
    /// Meter of the host's energy, if there is one.
    pub meter: Option<Arc<Meter>>,
}

impl Bench {
    /// A bench on `host`, where throughput-all may use the highest `cores`, or all.
    pub fn new(host: &Host, cores: Option<usize>, protocol: Protocol, scratch: &Path) -> Result<Self> {
        let placement = Placement::new(&host.cores, cores, host::siblings);
        let scratch = std::path::absolute(scratch).during("looking for the scratch folder")?;
        Ok(Self { protocol, placement, scratch, pipe_floor_ns: None, sandbox: None, meter: None })
    }

    /// Measures the floor beneath every latency here: a line between two processes that do nothing else.
    pub fn measure_pipe_floor(&mut self) -> Result<()> {
        self.pipe_floor_ns = Some(pipe_floor_ns(self.placement.one_core())?);
        Ok(())
    }

    /// Subject of launches of `system` under `track`: measured alone, and without a meter.
    pub fn subject<'a>(&'a self, system: &'a System, track: Track) -> Subject<'a> {
        Subject {
            system,
            track,
            cores: self.placement.cores_of(system, track),
            limits: self.protocol.limits,
            scratch: self.scratch_of(system),
            breakdown: None,
            isolated: self.protocol.profile.isolates(),
            sandbox: self.sandbox.as_ref(),
            meter: None,
            cold: false,
            slot: None,
        }
    }

    /// Folder for the files of one system's launches. Systems run side by side, so each has its own; its name
    /// tells nothing.
    fn scratch_of(&self, system: &System) -> PathBuf {
        self.scratch.join(&hash_of(system.name.as_bytes())[..16])
    }

    /// Checks that a failure of the system was not the bench's lack of space: writes a block to the disk.
    pub(crate) fn check_writable(&self) -> Result<()> {
        let path = self.scratch.join("probe");
        let write = || -> std::io::Result<()> {
            use std::io::Write;
            let mut file = std::fs::File::create(&path)?;
            file.write_all(&[0; 64 * 1024])?;
            file.sync_data()
        };
        let written = write();
        let _ = std::fs::remove_file(&path);
        written.map_err(|source| Error::NoRoom { folder: self.scratch.clone(), source })
    }
}
