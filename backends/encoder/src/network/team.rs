//! The threads of a worker, and the one rule by which they share work.

use dyno_kernels::{Crew, Input, Task};

use crate::{Error, Result};

/// Multiply-accumulates from which threads share work. It is a choice between two costs, which the kernels'
/// examples `crew` (a region) and `roofline` (products) print for a host.
const WORTH_SHARING: usize = 200_000;

/// Rows for each thread from which threads share rows instead of columns of products. From 24 rows on, both
/// take about as long on cores that share a cache. On others, rows win.
const ROWS_OF_A_THREAD: usize = 24;

/// Amount of work, by which threads decide whether to share it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Multiply-accumulates of products.
    Products(usize),
    /// Values that are normalised or quantised.
    Values(usize),
    /// Rows that each thread takes through several products and norms.
    Rows(usize),
}

impl Work {
    /// Whether so many threads share it. A value is read, reduced, scaled and rounded: about a dozen operations.
    fn is_worth_sharing(self, threads: usize) -> bool {
        match self {
            Self::Products(count) => count >= WORTH_SHARING,
            Self::Values(count) => count >= WORTH_SHARING / 12,
            Self::Rows(count) => count >= ROWS_OF_A_THREAD * threads,
        }
    }
}

/// Threads of a worker.
#[derive(Debug)]
pub(super) struct Team(Crew);

impl Team {
    /// A team of `threads` threads, the caller among them.
    pub(super) fn new(threads: usize) -> Result<Self> {
        Crew::new(threads).map(Self).map_err(|source| Error::Threads { source })
    }

    /// Number of threads that share `work`.
    pub(super) fn sharing(&self, work: Work) -> usize {
        let threads = self.0.threads();
        if work.is_worth_sharing(threads) { threads } else { 1 }
    }

    /// Computes products, which are `work`, for the same rows.
    pub(super) fn multiply(&mut self, work: Work, input: Input<'_>, tasks: &mut [Task<'_>]) {
        let done = match self.sharing(work) {
            1 => tasks.iter_mut().try_for_each(|task| task.multiply(input)),
            _ => self.0.multiply(input, tasks),
        };
        done.expect("rows are whole, and as wide as the weights");
    }

    /// Does `each` on all parts of `work`.
    pub(super) fn each<T: Send>(&mut self, work: Work, parts: &mut [T], each: impl Fn(&mut T) + Sync) {
        let mut none = vec![(); self.0.threads()];
        self.each_with(work, &mut none, parts, |(), part| each(part));
    }

    /// As [`Team::each`], with a state for each thread, such as its buffers.
    pub(super) fn each_with<S: Send, T: Send>(
        &mut self,
        work: Work,
        states: &mut [S],
        parts: &mut [T],
        each: impl Fn(&mut S, &mut T) + Sync,
    ) {
        if self.sharing(work) == 1 {
            parts.iter_mut().for_each(|part| each(&mut states[0], part));
        } else {
            self.0.each_with(states, parts, each);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    /// Number of threads that take part in `work`, which has three parts.
    fn threads(work: Work) -> usize {
        let seen = Mutex::new(BTreeSet::new());
        let mut team = Team::new(3).unwrap();
        team.each(work, &mut [(); 3], |()| {
            seen.lock().unwrap().insert(format!("{:?}", thread::current().id()));
        });
        seen.into_inner().unwrap().len()
    }

    #[test]
    fn small_work_wakes_no_thread_whatever_its_number_of_parts() {
        for (work, expected) in [
            (Work::Products(WORTH_SHARING - 1), 1),
            (Work::Products(WORTH_SHARING), 3),
            (Work::Values(100), 1),
            (Work::Values(WORTH_SHARING), 3),
            (Work::Rows(3 * ROWS_OF_A_THREAD - 1), 1),
            (Work::Rows(3 * ROWS_OF_A_THREAD), 3),
        ] {
            assert_eq!(threads(work), expected, "{work:?}");
        }
    }
}
