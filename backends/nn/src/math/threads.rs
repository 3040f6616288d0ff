//! Threads that share the work on one line.
//!
//! The crew belongs to the thread at work, as the clock of [`watch`](crate::watch) does, instead of being an
//! argument of every layer: a session works on one thread at a time, and a product is the only thing that needs
//! the crew. So every layer and every engine shares its products, without a line of its own.
//!
//! Threads share columns of a product, rows of a softmax, and queries of an attention, but never a sum. The
//! results are the same bits for any number of threads.

use std::cell::RefCell;
use std::io;

use dyno_kernels::{Crew, Input, Result, Task};

use crate::watch::Operator;

/// Bytes of operands from which threads share work. A region costs 0.2 to 1 µs on two cores of Zen 5, which the
/// kernels' example `crew` prints for a host. With 32 to 128 KiB `models/small` and `models/teacher` take the same
/// time within 2 % in their best lines. With 256 KiB `small` takes 9 % longer, with 512 KiB 31 %.
const WORTH_SHARING: usize = 128 << 10;

thread_local! {
    static CREW: RefCell<Option<Crew>> = const { RefCell::new(None) };
}

/// Threads of a session; one alone by default.
#[derive(Debug, Default)]
pub struct Threads(Option<Crew>);

impl Threads {
    /// So many threads, the caller among them.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(count: usize) -> io::Result<Self> {
        Ok(Self(if count > 1 { Some(Crew::new(count)?) } else { None }))
    }

    /// Does `work`, whose products the threads share.
    pub fn share<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let lent = Lent::new(self);
        let done = work();
        drop(lent);
        done
    }
}

/// The thread at work has another crew, or none, in exchange for its own. Dropping this exchanges them back, even
/// when the work panics.
struct Lent<'a>(&'a mut Threads);

impl<'a> Lent<'a> {
    fn new(threads: &'a mut Threads) -> Self {
        CREW.with_borrow_mut(|crew| std::mem::swap(crew, &mut threads.0));
        Self(threads)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        CREW.with_borrow_mut(|crew| std::mem::swap(crew, &mut self.0.0));
    }
}

/// Number of threads that share work with operands of so many bytes.
pub(crate) fn sharing(bytes: usize) -> usize {
    if bytes < WORTH_SHARING { 1 } else { CREW.with_borrow(|crew| crew.as_ref().map_or(1, Crew::threads)) }
}

/// Computes products that read the same rows.
pub(crate) fn multiply(input: Input<'_>, tasks: &mut [Task<'_>]) -> Result<()> {
    let _product = Operator::Product.span();
    let bytes = tasks.iter().map(Task::bytes).sum();
    with_crew(bytes, |crew| match crew {
        Some(crew) => crew.multiply(input, tasks),
        None => tasks.iter_mut().try_for_each(|task| task.multiply(input)),
    })
}

/// Does `work` on each part of `len` values, with the part's number. The operands of all parts have so many
/// `bytes`.
pub(crate) fn each_chunk<T: Send>(
    bytes: usize,
    values: &mut [T],
    len: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let mut none = vec![(); sharing(bytes)];
    each_chunk_with(bytes, &mut none, values, len, |(), at, part| work(at, part));
}

/// As [`each_chunk`], with a state for each of the threads that are [`sharing`] the work.
pub(crate) fn each_chunk_with<S: Send, T: Send>(
    bytes: usize,
    states: &mut [S],
    values: &mut [T],
    len: usize,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    with_crew(bytes, |crew| match crew {
        Some(crew) => crew.each_chunk(states, values, len, work),
        None => values.chunks_mut(len).enumerate().for_each(|(at, part)| work(&mut states[0], at, part)),
    });
}

/// Gives `work` the crew, if there is one and so many bytes are worth sharing. Meanwhile the thread has none: work
/// within a share of work is done alone.
fn with_crew<T>(bytes: usize, work: impl FnOnce(Option<&mut Crew>) -> T) -> T {
    if bytes < WORTH_SHARING {
        return work(None);
    }
    let mut taken = Threads::default();
    let lent = Lent::new(&mut taken);
    work(lent.0.0.as_mut())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn work_is_shared_where_it_is_worth_it_and_while_threads_are_lent() {
        let mut threads = Threads::new(3).unwrap();
        let sharers = || [WORTH_SHARING - 1, WORTH_SHARING].map(sharing);
        assert_eq!((sharers(), threads.share(sharers), sharers()), ([1, 1], [1, 3], [1, 1]));
        assert_eq!(Threads::new(1).unwrap().share(sharers), [1, 1]);
    }

    #[test]
    fn a_panic_gives_the_threads_back() {
        let mut threads = Threads::new(2).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| threads.share(|| panic!("on purpose")))).is_err());
        assert_eq!(sharing(WORTH_SHARING), 1);
        assert_eq!(threads.share(|| sharing(WORTH_SHARING)), 2);
    }

    #[test]
    fn work_within_shared_work_is_done_alone() {
        let mut threads = Threads::new(2).unwrap();
        let mut sharers = [(0, 0); 5];
        threads.share(|| {
            each_chunk(WORTH_SHARING, &mut sharers, 1, |_, part| {
                let mut within = [0; 3];
                each_chunk(WORTH_SHARING, &mut within, 1, |at, part| part.fill(at));
                part.fill((sharing(WORTH_SHARING), within.iter().sum()));
            });
            assert_eq!(sharing(WORTH_SHARING), 2);
        });
        assert_eq!(sharers, [(1, 3); 5]);
    }

    #[test]
    fn chunks_are_the_same_with_threads_and_without() {
        let chunks = |bytes| {
            let mut values = [0; 7];
            each_chunk(bytes, &mut values, 2, |at, part| part.fill(at));
            values
        };
        let mut threads = Threads::new(2).unwrap();
        for bytes in [0, WORTH_SHARING] {
            assert_eq!(
                (chunks(bytes), threads.share(|| chunks(bytes))),
                ([0, 0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2, 3])
            );
        }
    }
}
