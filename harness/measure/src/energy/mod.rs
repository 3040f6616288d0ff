//! Energy: the joules that the host takes while a system works.
//!
//! A [`Meter`] counts the joules of the whole host. A [`Gauge`] adds up what the meter counts while one system has
//! its turn. The figure therefore holds all that the host takes in that time: memory, the idle part of the
//! processor, and other guests of the same processor where there are some.

mod meter_program;
mod powercap;

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::Result;
use meter_program::MeterProgram;
use powercap::Counters;

/// Folder of the kernel's energy counters.
const POWERCAP: &str = "/sys/class/powercap";

/// A counter of joules. A meter that fails is asked no more: the run goes on without energy.
#[derive(Debug)]
pub struct Meter {
    source: Mutex<Source>,
    failure: OnceLock<String>,
}

/// What a meter counts by.
#[derive(Debug)]
enum Source {
    /// The processor's own counters (RAPL), for its packages and their memory.
    Counters(Counters),
    /// A program that answers each empty line with the joules so far.
    Program(MeterProgram),
}

impl Meter {
    /// Meter of this host: the processor's counters; `None` where there are none, or where only root may read them.
    pub fn of_host() -> Option<Self> {
        Counters::below(Path::new(POWERCAP)).map(Source::Counters).map(Self::of)
    }

    /// Meter that the program `command` is, started in `folder`.
    pub fn of_program(command: &[String], folder: &Path) -> Result<Self> {
        MeterProgram::start(command, folder).map(Source::Program).map(Self::of)
    }

    const fn of(source: Source) -> Self {
        Self { source: Mutex::new(source), failure: OnceLock::new() }
    }

    /// First failure of the meter, if it has failed.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Joules since some fixed time; `None` once the meter has failed.
    fn joules(&self) -> Option<f64> {
        if self.failure().is_some() {
            return None;
        }
        let counted = match &mut *self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Counters(counters) => counters.joules(),
            Source::Program(program) => program.joules(),
        };
        counted.map_err(|error| self.failure.get_or_init(|| error.to_string())).ok()
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
}

impl<'a> Gauge<'a> {
    /// A gauge at rest. Without a meter it counts nothing.
    pub fn new(meter: Option<&'a Meter>) -> Self {
        Self { meter, ..Self::default() }
    }

    /// Counts from now on.
    pub fn go(&mut self) {
        self.since = self.meter.and_then(Meter::joules);
    }

    /// Counts no longer. True if it counted.
    pub fn rest(&mut self) -> bool {
        let Some(since) = self.since.take() else { return false };
        if let Some(now) = self.meter.and_then(Meter::joules) {
            self.sum = Some(self.sum.unwrap_or(0.0) + (now - since));
        }
        true
    }

    /// Joules so far; `None` without a meter, if it never counted, or if the meter has failed: a part of the
    /// stretches is no sum.
    pub fn joules(&mut self) -> Option<f64> {
        self.rest();
        self.sum.filter(|_| self.meter.is_some_and(|meter| meter.failure().is_none()))
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
        let meter = Meter::of(Source::Counters(Counters::below(folder.path()).unwrap()));
        let mut gauge = Gauge::new(Some(&meter));
        assert!(!gauge.rest(), "it rests already");
        counted(15);
        gauge.go();
        counted(18);
        assert!(gauge.rest());
        counted(40); // another system's turn
        gauge.go();
        counted(42);
        assert_eq!(gauge.joules(), Some(5.0));
        std::fs::remove_file(zone.join("energy_uj")).unwrap();
        gauge.go();
        assert_eq!(gauge.joules(), None, "a meter that fails has no sum, not even a part of one");
        assert!(meter.failure().unwrap().contains("reading the processor's energy counter"));
        assert_eq!(Gauge::new(None).joules(), None);
    }
}
