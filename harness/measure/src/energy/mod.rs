//! Energy: the joules that the host takes while a system works.
//!
//! A [`Meter`] counts the joules of the whole host. A [`Gauge`] adds up what the meter counts while one system has
//! its turn. The figure therefore holds all that the host takes in that time: memory, the idle part of the
//! processor, and other guests of the same processor where there are some.

mod meter_program;
mod powercap;

use std::path::Path;

use crate::error::Result;
use meter_program::MeterProgram;
use powercap::Counters;

/// Folder of the kernel's energy counters.
const POWERCAP: &str = "/sys/class/powercap";

/// A counter of joules.
#[derive(Debug)]
pub enum Meter {
    /// The processor's own counters (RAPL), for its packages and their memory.
    Counters(Counters),
    /// A program that answers each empty line with the joules so far.
    Program(MeterProgram),
}

impl Meter {
    /// Meter of this host: the processor's counters; `None` where there are none, or where only root may read them.
    pub fn of_host() -> Option<Self> {
        Counters::below(Path::new(POWERCAP)).map(Self::Counters)
    }

    /// Meter that the program `command` is, started in `folder`.
    pub fn of_program(command: &[String], folder: &Path) -> Result<Self> {
        MeterProgram::start(command, folder).map(Self::Program)
    }

    /// Joules since some fixed time.
    fn joules(&self) -> Result<f64> {
        match self {
            Self::Counters(counters) => counters.joules(),
            Self::Program(program) => program.joules(),
        }
    }
}

/// The joules of one system: what a meter counts between [`go`](Self::go) and [`rest`](Self::rest).
#[derive(Debug, Default)]
pub struct Gauge<'a> {
    meter: Option<&'a Meter>,
    /// Reading at the last `go`, while it counts.
    since: Option<f64>,
    /// Sum of the stretches so far; `None` before the first one.
    sum: Option<f64>,
    /// First failure of the meter.
    failure: Option<crate::Error>,
}

impl<'a> Gauge<'a> {
    /// A gauge at rest. Without a meter it counts nothing.
    pub fn new(meter: Option<&'a Meter>) -> Self {
        Self { meter, ..Self::default() }
    }

    /// Counts from now on.
    pub fn go(&mut self) {
        self.since = self.read();
    }

    /// Counts no longer. True if it counted.
    pub fn rest(&mut self) -> bool {
        let Some(since) = self.since.take() else { return false };
        if let Some(now) = self.read() {
            self.sum = Some(self.sum.unwrap_or(0.0) + (now - since));
        }
        true
    }

    /// Joules so far; `None` without a meter, or if it never counted.
    pub fn joules(&mut self) -> Result<Option<f64>> {
        self.rest();
        self.failure.take().map_or(Ok(self.sum), Err)
    }

    fn read(&mut self) -> Option<f64> {
        match self.meter?.joules() {
            Ok(joules) => Some(joules),
            Err(failure) => {
                self.failure.get_or_insert(failure);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_counts_its_own_stretches_alone() {
        let folder = tempfile::tempdir().unwrap();
        let zone = folder.path().join("intel-rapl:0");
        std::fs::create_dir(&zone).unwrap();
        let write = |file: &str, text: &str| std::fs::write(zone.join(file), text).unwrap();
        let counted = |joules: u64| write("energy_uj", &format!("{}\n", joules * 1_000_000));
        write("name", "package-0\n");
        write("max_energy_range_uj", "1000000000\n");
        counted(10);
        let meter = Meter::Counters(Counters::below(folder.path()).unwrap());
        let mut gauge = Gauge::new(Some(&meter));
        assert!(!gauge.rest(), "it rests already");
        counted(15);
        gauge.go();
        counted(18);
        assert!(gauge.rest());
        counted(40); // another system's turn
        gauge.go();
        counted(42);
        assert_eq!(gauge.joules().unwrap(), Some(5.0));
        std::fs::remove_file(zone.join("energy_uj")).unwrap();
        gauge.go();
        assert!(gauge.joules().is_err(), "a meter that fails is no zero");
        assert_eq!(Gauge::new(None).joules().unwrap(), None);
    }
}
