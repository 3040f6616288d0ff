//! The processor's energy counters, as Linux shows them: Documentation/power/powercap/powercap.rst.
//!
//! Each zone is a folder with a `name`, a counter in microjoules and the value at which the counter starts again
//! from 0. Zones overlap: a package holds its cores, and `psys` holds all. So only packages count, and the memory
//! beside them (`dram`), which no package holds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{During, Result};

/// Beginning of the zones' names. The same counters may appear a second time, below `intel-rapl-mmio`.
const ZONES: &str = "intel-rapl:";

/// Counters of all packages and of their memory.
#[derive(Debug)]
pub struct Counters {
    zones: Vec<Zone>,
    /// Microjoules since the first reading.
    sum: u64,
}

/// A zone that counts.
#[derive(Debug)]
struct Zone {
    counter: PathBuf,
    /// Greatest value of the counter, in microjoules.
    range: u64,
    /// Last value of the counter.
    last: u64,
}

impl Counters {
    /// Counters below `folder`; `None` if there are none, or if they can't be read.
    pub fn below(folder: &Path) -> Option<Self> {
        let mut folders: Vec<PathBuf> =
            fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        let mut zones: Vec<Zone> = folders.iter().filter_map(|folder| Zone::of(folder)).collect();
        for zone in &mut zones {
            zone.last = zone.read().ok()?;
        }
        (!zones.is_empty()).then_some(Self { zones, sum: 0 })
    }

    /// Joules since the counters were opened. A counter must be read at least once in its range, which lasts
    /// minutes at full load.
    pub fn joules(&mut self) -> Result<f64> {
        for zone in &mut self.zones {
            let now = zone.read()?;
            let last = std::mem::replace(&mut zone.last, now);
            self.sum += if now < last { (zone.range + 1).saturating_sub(last) + now } else { now - last };
        }
        Ok(self.sum as f64 / 1e6)
    }
}

impl Zone {
    fn of(folder: &Path) -> Option<Self> {
        let is_zone = folder.file_name()?.to_str()?.starts_with(ZONES);
        let name = fs::read_to_string(folder.join("name")).ok()?;
        let counts = is_zone && (name.starts_with("package") || name.trim_end() == "dram");
        let range = number(&folder.join("max_energy_range_uj")).ok()?;
        counts.then(|| Self { counter: folder.join("energy_uj"), range, last: 0 })
    }

    fn read(&self) -> Result<u64> {
        number(&self.counter).during("reading the processor's energy counter")
    }
}

fn number(file: &Path) -> std::io::Result<u64> {
    fs::read_to_string(file)?.trim_end().parse().map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with zones: name of the folder, name of the zone, counter, range.
    fn powercap(zones: &[(&str, &str, u64, u64)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (zone, name, counter, range) in zones {
            let zone = folder.path().join(zone);
            fs::create_dir(&zone).unwrap();
            fs::write(zone.join("name"), format!("{name}\n")).unwrap();
            fs::write(zone.join("energy_uj"), format!("{counter}\n")).unwrap();
            fs::write(zone.join("max_energy_range_uj"), format!("{range}\n")).unwrap();
        }
        folder
    }

    fn set(folder: &Path, zone: &str, counter: u64) {
        fs::write(folder.join(zone).join("energy_uj"), format!("{counter}\n")).unwrap();
    }

    #[test]
    fn packages_and_memory_count_once_and_what_overlaps_them_does_not() {
        let folder = powercap(&[
            ("intel-rapl:0", "package-0", 1_000_000, 1 << 40),
            ("intel-rapl:0:0", "core", 400_000, 1 << 40),
            ("intel-rapl:0:1", "dram", 7_000_000, 1 << 40),
            ("intel-rapl:1", "psys", 9_000_000, 1 << 40),
            ("intel-rapl-mmio:0", "package-0", 1_000_000, 1 << 40),
        ]);
        let mut counters = Counters::below(folder.path()).unwrap();
        assert_eq!(counters.joules().unwrap(), 0.0);
        for zone in ["intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1", "intel-rapl-mmio:0"]
        {
            set(folder.path(), zone, 10_000_000);
        }
        assert_eq!(counters.joules().unwrap(), 9.0 + 3.0);
    }

    #[test]
    fn a_counter_starts_again_at_the_end_of_its_range() {
        let folder = powercap(&[("intel-rapl:0", "package-0", 900_000, 999_999)]);
        let mut counters = Counters::below(folder.path()).unwrap();
        set(folder.path(), "intel-rapl:0", 400_000);
        assert_eq!(counters.joules().unwrap(), 0.5);
        set(folder.path(), "intel-rapl:0", 500_000);
        assert_eq!(counters.joules().unwrap(), 0.6);
    }

    #[test]
    fn a_host_without_readable_counters_has_none() {
        assert!(Counters::below(powercap(&[]).path()).is_none());
        let folder = powercap(&[("intel-rapl:0", "package-0", 1, 2)]);
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert!(Counters::below(folder.path()).is_none());
        assert!(Counters::below(Path::new("/nowhere")).is_none());
    }
}
