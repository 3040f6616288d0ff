//! Hidden memory: files in memory that no process ever maps, and what else the processes' own memory lacks.
//!
//! Workers of a pool map a file that another process wrote, later or for moments. What no process has mapped so far
//! therefore counts only in the peak, and is judged at the end of the launch.

use std::collections::{BTreeMap, BTreeSet};

use crate::os::odd_memory::File;

/// Looks that must meet a file before it counts: a file that is passed on may lie there for a moment.
pub const LEAST_LOOKS: u32 = 3;

/// The hidden memory of a launch.
#[derive(Default)]
pub(super) struct Hidden {
    /// What the looks have shown: one entry for all looks in a row that have met the same files.
    shown: Vec<Shown>,
    /// The files that a process had mapped at some look.
    mapped: BTreeSet<File>,
}

/// What some looks in a row have shown.
struct Shown {
    looks: u32,
    /// Most bytes of each file that no process had mapped so far.
    files: BTreeMap<File, u64>,
    /// Most bytes of all else.
    further: u64,
}

impl Hidden {
    /// Adds a look that shows these `files`, those that are `mapped`, and `further` bytes.
    pub fn add(
        &mut self,
        mut files: BTreeMap<File, u64>,
        mapped: impl IntoIterator<Item = File>,
        further: u64,
    ) {
        self.mapped.extend(mapped);
        files.retain(|file, _| !self.mapped.contains(file));
        match self.shown.last_mut().filter(|last| last.files.keys().eq(files.keys())) {
            Some(last) => {
                last.looks += 1;
                last.further = last.further.max(further);
                last.files
                    .values_mut()
                    .zip(files.into_values())
                    .for_each(|(most, now)| *most = now.max(*most));
            }
            None => self.shown.push(Shown { looks: 1, files, further }),
        }
    }

    /// Most bytes that were hidden at a look. Of looks in a row with the same files, the most of each file counts.
    pub fn most_bytes(&self) -> u64 {
        let mut looks = BTreeMap::<File, u32>::new();
        for shown in &self.shown {
            shown.files.keys().for_each(|&file| *looks.entry(file).or_default() += shown.looks);
        }
        let is_hidden = |file: &File| !self.mapped.contains(file) && looks[file] >= LEAST_LOOKS;
        let files = |shown: &Shown| {
            shown.files.iter().filter(|(file, _)| is_hidden(file)).map(|(_, bytes)| bytes).sum::<u64>()
        };
        self.shown.iter().map(|shown| files(shown).saturating_add(shown.further)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: File = (1, 1);
    const B: File = (1, 2);

    /// Bytes of files, the mapped ones, and bytes of all else.
    type Look<'a> = (&'a [(File, u64)], &'a [File], u64);

    /// Most bytes after these looks.
    fn most(looks: &[Look<'_>]) -> u64 {
        let mut hidden = Hidden::default();
        for (files, mapped, further) in looks {
            hidden.add(files.iter().copied().collect(), mapped.iter().copied(), *further);
        }
        hidden.most_bytes()
    }

    #[test]
    fn a_file_counts_unless_it_is_mapped_later() {
        let unmapped: Look<'_> = (&[(A, 20)], &[], 0);
        assert_eq!(most(&[unmapped; 3]), 20);
        assert_eq!(most(&[unmapped, unmapped, unmapped, (&[(A, 20)], &[A], 0)]), 0, "a worker maps it later");
        assert_eq!(most(&[(&[(A, 20)], &[A], 0), unmapped, unmapped, unmapped]), 0, "it was mapped before");
        let other: Look<'_> = (&[(A, 20), (B, 5)], &[A], 0);
        assert_eq!(most(&[other; 3]), 5, "another file is mapped");
        let of = |bytes| -> [(File, u64); 1] { [(A, bytes)] };
        let [small, large] = [of(1), of(20)];
        assert_eq!(most(&[(&small, &[], 0), (&large, &[], 0), (&small, &[], 0)]), 20, "it grows and shrinks");
    }

    #[test]
    fn files_that_are_passed_on_do_not_add_up() {
        let of = |file| -> [(File, u64); 1] { [(file, 20)] };
        let (a, b) = (of(A), of(B));
        assert_eq!(
            most(&[(&a, &[], 0), (&a, &[], 0), (&b, &[], 0), (&b, &[], 0)]),
            0,
            "each lies there for moments"
        );
        assert_eq!(
            most(&[(&a, &[], 0), (&a, &[], 0), (&a, &[], 0), (&b, &[], 0), (&b, &[], 0), (&b, &[], 0)]),
            20
        );
    }

    #[test]
    fn all_else_counts_at_once() {
        assert_eq!(most(&[(&[], &[], 7), (&[], &[], 3)]), 7);
        assert_eq!(most(&[]), 0);
    }
}
