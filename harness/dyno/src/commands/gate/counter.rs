//! Instructions that a system takes for a word: a cost that nothing else on the host changes.
//!
//! The system is launched twice under a counter, over the first lines of a set and over fewer of them. The
//! difference is the cost of the lines in between, without loading. `perf` reads the processor's own counters where
//! these can be read. Elsewhere cachegrind interprets the program, as on a processor without AVX-512.

use std::fs;
use std::path::Path;

use dyno_measure::{Argument, System, TestSet};
use dyno_record::{Host, Track};
use serde::Serialize;

use super::cell::{Fault, interrupted, quick};
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::runner::Runner;

/// Most lines of a launch. The four launches of `small` (9 MB) against itself take 24 s under cachegrind.
const MOST_LINES: usize = 50;
/// Part of them that the shorter launch has: enough to warm up.
const FEWER: usize = 5;

/// Factor on the limits of time. `nano` takes 0.04 s for 300 lines, and 17.6 s under cachegrind.
const SLOWER: f64 = 1000.0;

/// Name of the files that a counter writes.
const FILE: &str = "count";

/// What is counted, by perf's names. Cycles and misses depend on the host, and cachegrind knows none.
const EVENTS: [&str; 3] = ["instructions", "cycles", "cache-misses"];

/// What a launch or a word takes. `None` is an event that isn't counted here.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counts<T> {
    /// Instructions outside of the kernel.
    pub instructions: T,
    /// The processor's cycles for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<T>,
    /// Reads and writes that no cache could serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_misses: Option<T>,
}

impl Counts<u64> {
    /// The part of these counts that is not in `less`, for each of `words`.
    fn beyond(&self, less: &Self, words: usize) -> Counts<f64> {
        let word = |more: u64, less: u64| (more as f64 - less as f64) / words as f64;
        let both = |more: Option<u64>, less: Option<u64>| Some(word(more?, less?));
        Counts {
            instructions: word(self.instructions, less.instructions),
            cycles: both(self.cycles, less.cycles),
            cache_misses: both(self.cache_misses, less.cache_misses),
        }
    }
}

/// A program that counts the instructions of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Counter {
    /// Linux' perf, by the processor's counters.
    Perf,
    /// Valgrind's interpreter.
    Cachegrind,
}

impl Counter {
    /// Words before a command that count its instructions, and those of its children, into files at `file`.
    fn words(self, file: &Path) -> Vec<String> {
        let line = match self {
            // The kernel's events depend on other programs.
            Self::Perf => "perf stat -x , -e instructions:u,cycles:u,cache-misses:u -o",
            Self::Cachegrind => {
                "valgrind --tool=cachegrind --cache-sim=no --trace-children=yes --cachegrind-out-file=/dev/null"
            }
        };
        let own = match self {
            Self::Perf => vec![file.display().to_string(), "--".into()],
            Self::Cachegrind => vec![format!("--log-file={}.%p", file.display())], // a file for each process
        };
        line.split(' ').map(str::to_owned).chain(own).collect()
    }

    /// The number of `event` in a counter's file, if it has one: "1234,,cycles:u,…" or "==7== I refs: 1,234".
    fn number(self, event: &str, text: &str) -> Option<u64> {
        let of_line = |line: &str| match self {
            Self::Perf => {
                let mut fields = line.split(',');
                let (number, name) = (fields.next()?, fields.nth(1)?);
                // A processor with two kinds of cores has a prefix: "cpu_core/cycles/u".
                name.contains(event).then(|| number.to_owned())
            }
            Self::Cachegrind => {
                let (before, after) = line.split_once("refs:")?;
                (event == EVENTS[0] && before.trim_end().ends_with('I')).then(|| after.replace(',', ""))
            }
        };
        text.lines().find_map(of_line)?.trim().parse().ok()
    }

    /// Counts of all processes whose files lie in `folder`.
    fn total(self, folder: &Path) -> Option<Counts<u64>> {
        let files = fs::read_dir(folder).ok()?.flatten();
        let texts: Vec<_> = files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect();
        self.counts(&texts)
    }

    /// Counts of all processes, by the texts of their files; `None` without instructions.
    pub fn counts(self, texts: &[String]) -> Option<Counts<u64>> {
        let [instructions, cycles, cache_misses] = EVENTS.map(|event| {
            let numbers = texts.iter().map(|text| self.number(event, text));
            numbers.flatten().reduce(u64::saturating_add)
        });
        let instructions = instructions.filter(|count| *count > 0)?;
        Some(Counts { instructions, cycles, cache_misses })
    }
}

pub struct Instructions {
    runner: Runner,
    pub counter: Counter,
}

impl Instructions {
    pub fn new(campaign: &Campaign, host: &Host, stop: &Stop) -> Outcome<Self> {
        let mut campaign = quick(campaign, Vec::new(), Vec::new());
        campaign.protocol.limits.line_seconds *= SLOWER;
        campaign.protocol.limits.launch_seconds *= SLOWER;
        let runner = Runner::new(None, &campaign, host, stop)?;
        let mut counting = Self { runner, counter: Counter::Perf };
        let cat = System::of_command("cat", ["cat"]);
        for counter in [Counter::Perf, Counter::Cachegrind] {
            counting.counter = counter;
            if counting.count(&cat, Track::Throughput1, &[b"a".to_vec()])?.is_ok() {
                return Ok(counting);
            }
        }
        Err(bad_input!(
            "nothing here counts instructions: install `valgrind`, or `perf` where the processor's counters can be read"
        ))
    }

    /// What `system` takes for a word of `set` under `track`.
    pub fn of_a_word(
        &self,
        system: &System,
        set: &TestSet,
        track: Track,
    ) -> Outcome<Result<Counts<f64>, Fault>> {
        let most = set.source.len().min(MOST_LINES);
        let [some, all] = [most / FEWER, most].map(|lines| set.first(lines));
        let counts = [&some, &all].into_iter().map(|part| self.count(system, track, &part.source));
        let counts = counts.collect::<Outcome<Result<Vec<_>, Fault>>>()?;
        let words = (all.words() - some.words()).max(1);
        Ok(counts.map(|counts| counts[1].beyond(&counts[0], words)))
    }

    fn count(&self, system: &System, track: Track, lines: &[Vec<u8>]) -> Outcome<Result<Counts<u64>, Fault>> {
        let folder = tempfile::tempdir_in(&self.runner.bench.scratch)?;
        let counted = self.under_counter(system, &folder.path().join(FILE));
        let (reasons, _) = self.runner.try_out(&counted, track, lines)?;
        if self.runner.stop.is_wanted() {
            return Err(interrupted());
        }
        let fault = |reason| Fault { culprit: system.name.clone(), reason };
        Ok(match (reasons.into_iter().next(), self.counter.total(folder.path())) {
            (Some(reason), _) => Err(fault(reason)),
            (None, Some(count)) => Ok(count),
            (None, None) => Err(fault(dyno_record::Code::Crashed.reason("its counter has left no count"))),
        })
    }

    /// The system as an argument of the counter, which needs files that no sandbox shows.
    fn under_counter(&self, system: &System, file: &Path) -> System {
        let counter = self.counter.words(file).into_iter().map(Argument::Fixed);
        let command = counter.chain(system.command.iter().cloned()).collect();
        System { command, hosted: false, sandboxed: false, ..system.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_the_counters_write_them() {
        let perf = "# started on Fri Nov 27 2026\n\n123456,,instructions:u,1000,100.00,,\n\
            61728,,cycles:u,1000,100.00,,\n<not supported>,,cache-misses:u,0,100.00,,\n";
        assert_eq!(
            EVENTS.map(|event| Counter::Perf.number(event, perf)),
            [Some(123_456), Some(61_728), None]
        );
        assert_eq!(Counter::Perf.number(EVENTS[1], "12,,cpu_core/cycles/u,1,100.00,,\n"), Some(12));
        for head in ["I refs:        ", "I   refs:      "] {
            let text = format!("==7== Cachegrind\n==7== {head}1,234,567\n");
            let found = EVENTS.map(|event| Counter::Cachegrind.number(event, &text));
            assert_eq!(found, [Some(1_234_567), None, None]);
        }
        assert_eq!(Counter::Cachegrind.number(EVENTS[0], "==7== D refs: 12\n"), None);
    }

    #[test]
    fn counts_of_processes_add_up_and_those_of_loading_fall_away() {
        let folder = tempfile::tempdir().unwrap();
        for (name, instructions, misses) in [("a", 1000, 7), ("b", 500, 3)] {
            let text =
                format!("{instructions},,instructions:u,1,100.00,,\n{misses},,cache-misses:u,1,100.00,,\n");
            fs::write(folder.path().join(name), text).unwrap();
        }
        let more = Counter::Perf.total(folder.path()).unwrap();
        assert_eq!(more, Counts { instructions: 1500, cycles: None, cache_misses: Some(10) });
        let less = Counts { instructions: 300, cycles: Some(1), cache_misses: Some(4) };
        let word = Counts { instructions: 300.0, cycles: None, cache_misses: Some(1.5) };
        assert_eq!(more.beyond(&less, 4), word);
    }
}
