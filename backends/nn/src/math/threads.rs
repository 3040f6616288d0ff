//! Threads that share the work on one line.
//!
//! The crew belongs to the thread at work, as the clock of [`watch`](crate::watch) does, instead of being an
//! argument of every layer: a session works on one thread at a time, and a product is the only thing that needs
//! the crew. So every layer and every engine shares its products, without a line of its own.
//!
//! Threads share columns of a product, rows of a softmax, and queries of an attention, but never a sum. The
//! results are the same bits for any number of threads.

use std::cell::RefCell;

use dyno_kernels::{Crew, Input, RowsPart, Task};

use crate::Error;
use crate::watch::Operator;

/// Bytes of operands from which threads share work. A region costs 0.2 to 1 µs on two cores of Zen 5, which the
/// kernels' example `crew` prints for a host. With 32 to 128 KiB `models/small` and `models/teacher` take the same
/// time within 2 % in their best lines. With 256 KiB `small` takes 9 % longer, with 512 KiB 31 %.
const WORTH_SHARING: usize = 128 << 10;

/// Bytes of a product whose time is that of normalising or quantising a byte of values.
const OF_VALUES: usize = 2;

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
    pub fn new(count: usize) -> Result<Self, Error> {
        let crew = (count > 1).then(|| Crew::new(count)).transpose();
        crew.map(Self).map_err(|source| Error::Threads { source })
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

/// Number of threads at work.
pub(crate) fn count() -> usize {
    CREW.with_borrow(|crew| crew.as_ref().map_or(1, Crew::threads))
}

/// Number of threads that share work with operands of so many bytes.
pub(crate) fn sharing(bytes: usize) -> usize {
    if bytes < WORTH_SHARING { 1 } else { count() }
}

/// Computes products that read the same rows.
pub(crate) fn multiply(input: Input<'_>, tasks: &mut [Task<'_>]) -> dyno_kernels::Result<()> {
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

/// Does `work` on each of `parts`, with a state for each thread, such as its buffers. The operands of all parts have
/// so many `bytes`.
///
/// # Panics
/// When there are fewer states than threads, or `work` panics.
pub fn each_with<S: Send, T: Send>(
    bytes: usize,
    states: &mut [S],
    parts: &mut [T],
    work: impl Fn(&mut S, &mut T) + Sync,
) {
    each_chunk_with(bytes, states, parts, 1, |state, _, part| {
        part.iter_mut().for_each(|part| work(state, part))
    });
}

/// Does `work` on all rows of `width`, some by each thread, with the number of its first row.
pub fn each_rows(rows: &mut [f32], width: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let (bytes, width) = (OF_VALUES * size_of_val(rows), width.max(1));
    let some = share(rows.len() / width, bytes);
    each_chunk(bytes, rows, some * width, |at, rows| work(at * some, rows));
}

/// Does `work` on all rows of `part`, some by each thread, with their values in `x`.
///
/// # Errors
/// When `x` holds other rows, or `work` fails.
pub(crate) fn each_part(
    mut part: RowsPart<'_>,
    x: &[f32],
    work: impl Fn(&mut RowsPart<'_>, &[f32]) -> dyno_kernels::Result<()> + Sync,
) -> dyno_kernels::Result<()> {
    let (bytes, rows) = (OF_VALUES * size_of_val(x), part.range().len());
    let some = share(rows, bytes);
    if some >= rows {
        return work(&mut part, x);
    }
    let parts = part.chunks(some).zip(x.chunks(x.len() / rows * some));
    let mut parts: Vec<_> = parts.map(|(part, x)| (part, x, Ok(()))).collect();
    each_chunk(bytes, &mut parts, 1, |_, parts| {
        parts.iter_mut().for_each(|(part, x, done)| *done = work(part, x));
    });
    parts.into_iter().try_for_each(|(.., done)| done)
}

/// Rows of each share, if there are so many rows, whose work has so many bytes.
fn share(rows: usize, bytes: usize) -> usize {
    rows.div_ceil(sharing(bytes)).max(1)
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

    use dyno_kernels::{Kernels, Precision};

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

    /// Rows of an odd number, so that the last share is smaller, and of values that are worth sharing or not.
    #[test]
    fn rows_are_the_same_with_threads_and_without() {
        for (rows, width) in [(0, 3), (1, 3), (7, 3), (7, WORTH_SHARING / 8), (1, WORTH_SHARING)] {
            let numbered = || {
                let mut values = vec![0.0; rows * width];
                each_rows(&mut values, width, |first, rows| {
                    for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                        row.fill((first + at) as f32);
                    }
                });
                values
            };
            let expected: Vec<f32> = (0..rows * width).map(|at| (at / width) as f32).collect();
            assert_eq!((numbered(), Threads::new(3).unwrap().share(numbered)), (expected.clone(), expected));
        }
    }

    #[test]
    fn rows_are_quantised_alike_with_threads_and_without() {
        let (rows, k) = (7, WORTH_SHARING / 8);
        let x: Vec<f32> = (0..rows * k).map(|at| (at as f32 * 0.7).sin() * at as f32).collect();
        let quantised = || {
            let mut buffer = Kernels::best().rows(Precision::Int8, rows, k);
            each_part(buffer.whole(rows).unwrap(), &x, |part, x| part.quantise(x)).unwrap();
            format!("{:?}", buffer.view())
        };
        assert_eq!(quantised(), Threads::new(3).unwrap().share(quantised));
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
