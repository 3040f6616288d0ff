//! A recording of arrivals: the instants at which lines of real use came. The track server replays them.
//!
//! Users come in bursts and by the hour, which no random process with one rate has. A recording holds
//! instants alone; the lines are those of the test set, so that nothing of what users wrote is in it.

use std::path::Path;

use dyno_record::hash_of;

use crate::{Error, Result, split_lines};

/// Most arrivals: the most lines of a run, whose answers are held in memory.
const MOST_ARRIVALS: usize = 1 << 20;

/// Least rate of arrival in lines a second: a line in eleven days.
pub const LEAST_RATE: f64 = 1e-6;

/// Remedy for a line that is no instant.
const SECONDS: &str = "; expected a number of seconds on each line, none below the one before";

/// Instants of recorded arrivals.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Instants from the first arrival on, in units of their mean gap.
    units: Vec<f64>,
    /// Arrivals a second.
    pub rate: f64,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl Recording {
    /// Reads a file of instants: a number of seconds on each line, none below the one before.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes =
            dyno_api::files::read(path).map_err(|source| Error::Unreadable { path: path.into(), source })?;
        let mut seconds: Vec<f64> = Vec::new();
        for (number, line) in split_lines(&bytes).enumerate() {
            let instant = std::str::from_utf8(line).ok().and_then(|text| text.trim().parse::<f64>().ok());
            let follows = |at: &f64| at.is_finite() && seconds.last().is_none_or(|last| at >= last);
            let fault = || format!("line {} is no instant that may follow", number + 1);
            seconds.push(instant.filter(follows).ok_or_else(|| Error::file(path, fault(), SECONDS))?);
        }
        let fault = || format!("no recording of up to {MOST_ARRIVALS} arrivals");
        let remedy = "; expected two instants at least, which differ";
        Self::of(&seconds, hash_of(&bytes)).ok_or_else(|| Error::file(path, fault(), remedy))
    }

    /// The recording of these instants; `None` without a gap, or of too many.
    fn of(seconds: &[f64], sha256: String) -> Option<Self> {
        let (first, last) = (seconds.first()?, seconds.last()?);
        let rate = (seconds.len() - 1) as f64 / (last - first);
        let fits = rate.is_finite() && rate >= LEAST_RATE && seconds.len() <= MOST_ARRIVALS;
        let units = seconds.iter().map(|at| (at - first) * rate).collect();
        fits.then_some(Self { units, rate, sha256 })
    }

    /// Number of arrivals.
    pub fn arrivals(&self) -> usize {
        self.units.len()
    }

    /// Instants of `count` arrivals with mean gap 1. A mean gap after the last one the recording begins anew.
    pub fn unit_instants(&self, count: usize) -> Vec<f64> {
        let arrivals = self.arrivals();
        (0..count).map(|i| self.units[i % arrivals] + (i / arrivals * arrivals) as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Result<Recording> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arrivals.txt");
        fs::write(&path, text).unwrap();
        Recording::read(&path)
    }

    #[test]
    fn instants_at_the_recordings_own_rate_are_those_of_the_file() {
        let recording = read("1764230400.25\n1764230400.5\n1764230400.5\n1764230403.25\n").unwrap();
        assert_eq!((recording.arrivals(), recording.rate), (4, 1.0));
        assert_eq!(recording.unit_instants(4), [0.0, 0.25, 0.25, 3.0]);
        assert_eq!(
            recording.unit_instants(6)[4..],
            [4.0, 4.25],
            "once more, a mean gap after its last arrival"
        );
        let quick = read("0\n0.001\n0.004").unwrap();
        let seconds = quick.unit_instants(3).into_iter().map(|unit| unit / quick.rate);
        assert!(seconds.zip([0.0, 0.001, 0.004]).all(|(found, told)| (found - told).abs() < 1e-12));
    }

    #[test]
    fn what_is_no_ascending_list_of_seconds_is_refused_with_its_line() {
        let told = |text: &str| read(text).unwrap_err().to_string();
        for (text, line) in
            [("0\n1\nsoon\n", 3), ("0\n2\n1\n", 3), ("inf\n", 1), ("0\n\n1\n", 2), ("0\nNaN\n", 2)]
        {
            assert!(told(text).contains(&format!("line {line} ")), "{text:?}: {}", told(text));
        }
        for text in ["", "5\n", "5\n5\n"] {
            assert!(told(text).contains("two instants at least"), "{text:?}: {}", told(text));
        }
    }
}
