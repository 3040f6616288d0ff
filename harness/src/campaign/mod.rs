//! What is to be measured: the campaign, its systems, test sets and tracks, checked and with every path
//! resolved. `wire` is what the file may say; this is what it means.

mod generated;
mod profile;
mod program;
mod system;
mod testset;
mod unknown;
mod wire;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use generated::Generated;
pub use profile::Profile;
pub use program::check_command;
pub use system::{Launch, PLACEHOLDERS, System};
pub use testset::{Filler, TestSet, hex, split_lines, words};
pub use wire::own_system;

use crate::exit::Outcome;
use crate::rules::{Probe, Track};

/// A system whose plugin isn't there.
#[derive(Clone, Debug)]
pub struct Unbuilt {
    /// Its name.
    pub name: String,
    /// The command that builds it.
    pub build: String,
}

/// A checked campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Its name, part of the run folder's.
    pub name: String,
    /// How thorough.
    pub profile: Profile,
    /// Seed of every random order.
    pub seed: u64,
    /// How many cores throughput-all may use; all that the host allows if absent.
    pub cores: Option<usize>,
    /// Patience and ceilings.
    pub limits: Limits,
    /// What competes.
    pub systems: Vec<System>,
    /// What would compete if it had been built.
    pub unbuilt: Vec<Unbuilt>,
    /// Models that are described, not named.
    pub generated: Vec<Generated>,
    /// On what.
    pub test_sets: Vec<TestSet>,
    /// Under which protocols.
    pub tracks: Vec<Track>,
    /// Lines that lengthen throughput launches.
    pub filler: Option<Filler>,
    /// Which system is entered twice; the first if absent.
    pub twin: Option<String>,
    /// What is probed before the clock, instead of what the profile says.
    pub own_probes: Option<Vec<Probe>>,
}

impl Campaign {
    /// What is probed before the clock.
    pub fn probes(&self) -> &[Probe] {
        self.own_probes.as_deref().unwrap_or(self.profile.probes())
    }

    /// How often a round is measured again because the host disturbed it.
    pub fn noisy_repeats(&self) -> usize {
        self.limits.noisy_repeats.unwrap_or(self.profile.noisy_repeats())
    }

    /// Enters one system a second time, where the profile wants that: after the filters, so that it is one of
    /// those that are measured.
    pub fn enter_twin(&mut self) {
        if !self.profile.has_twin() || self.systems.iter().any(|system| system.twin_of.is_some()) {
            return;
        }
        let named = self.twin.as_ref().and_then(|twin| self.systems.iter().find(|s| s.name == *twin));
        let twin = named.or(self.systems.first()).map(System::twin);
        self.systems.extend(twin);
    }
}

/// When a system is given up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds for one line in the latency track; the first one, which loading comes before, gets more.
    pub line_seconds: f64,
    /// Seconds for one launch in the throughput tracks, and for a whole round in the latency track.
    pub launch_seconds: f64,
    /// How often a round is measured again because the host disturbed it, instead of what the profile says.
    pub noisy_repeats: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        // A minute for a line and an hour for a file: far beyond any honest system on a test set.
        Self { line_seconds: 60.0, launch_seconds: 3600.0, noisy_repeats: None }
    }
}

impl Campaign {
    /// Reads the campaign at `path`; relative paths in it start at its own folder.
    pub fn load(path: &Path) -> Outcome<Self> {
        wire::load(path)
    }
}

/// The campaign that ships with dyno: looked for in the working directory and the folders above it, then in the
/// program's (`target/release/dyno` lies two folders below the checkout).
pub fn starter() -> Option<PathBuf> {
    shipped("starter")
}

/// The campaign of that name that ships with dyno.
pub fn shipped(name: &str) -> Option<PathBuf> {
    let shipped = PathBuf::from(format!("campaigns/{name}.toml"));
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|path| path.ancestors().skip(1).take(4));
    let here = std::env::current_dir().ok();
    let mut folders = here.iter().flat_map(|path| path.ancestors()).chain(above);
    folders.find_map(|folder| Some(folder.join(&shipped)).filter(|path| path.is_file()))
}

/// Whether `name` fits `pattern`, in which `*` stands for any letters and `?` for one. Without either the
/// pattern is the name itself. Going back to the last star alone is enough, and keeps it quadratic at worst.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                // The star takes one letter more.
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, n) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("ssru", "ssru", true),
            ("ssru", "ssru-int8", false),
            ("ssru*", "ssru-int8", true),
            ("*int8", "ssru-int8", true),
            ("s?ru", "ssru", true),
            ("s?ru", "sru", false),
            ("*", "", true),
            ("*ü?", "grün", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b", false),
            (
                "*a*a*a*a*a*a*a*a*a*a*a*a*b",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                false,
            ),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
