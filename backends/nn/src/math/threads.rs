//! Threads that share the work on one line.
//!
//! A session owns its threads and hands them down to every layer, with its other buffers
//! ([`Scratch`](crate::Scratch)). Work within a share of work has buffers of its own, whose threads are one alone.
//! So what is shared can't be shared again.
//!
//! Threads share columns of a product, rows of a softmax, and queries of an attention, but never a sum. The
//! results are the same bits for any number of threads.

use dyno_kernels::{Crew, Input, Kernels, RowsPart, ScaledRows, ScaledTask, Task};

use crate::Error;
use crate::watch::Operator;

/// Bytes of operands from which threads share work. A region costs 0.2 to 1 µs on two cores of Zen 5, which the
/// kernels' example `crew` prints for a host. With 32 to 128 KiB `models/small` and `models/teacher` take the same
/// time within 2 % in their best lines. With 256 KiB `small` takes 9 % longer, with 512 KiB 31 %.
const WORTH_SHARING: usize = 128 << 10;

/// Bytes of a product whose time is that of normalising or quantising a byte of values.
const OF_VALUES: usize = 2;

/// Threads of a session; one alone by default.
#[derive(Debug, Default)]
pub struct Threads(Crew);

impl Threads {
    /// So many threads, the caller among them.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(count: usize) -> Result<Self, Error> {
        Crew::new(count).map(Self).map_err(|source| Error::Threads { source })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.0.threads()
    }

    /// Number of threads that share work with operands of so many bytes.
    pub(crate) fn sharing(&self, bytes: usize) -> usize {
        if bytes < WORTH_SHARING { 1 } else { self.count() }
    }

    /// The crew, if it has several threads and so many bytes are worth sharing.
    fn crew(&mut self, bytes: usize) -> Option<&mut Crew> {
        (self.sharing(bytes) > 1).then_some(&mut self.0)
    }

    /// Computes products that read the same rows.
    ///
    /// # Errors
    /// When an operand has another shape or form than the weights expect.
    pub fn multiply(&mut self, input: Input<'_>, tasks: &mut [Task<'_>]) -> dyno_kernels::Result<()> {
        let _product = Operator::Product.span();
        match self.crew(tasks.iter().map(Task::bytes).sum()) {
            Some(crew) => crew.multiply(input, tasks),
            None => tasks.iter_mut().try_for_each(|task| task.multiply(input)),
        }
    }

    /// Computes products with scaled weights that read the same rows. Threads always share them: those of a
    /// language model are large.
    ///
    /// # Errors
    /// When an operand has another shape than the weights expect.
    pub fn multiply_scaled(
        &mut self,
        kernels: Kernels,
        rows: &ScaledRows,
        tasks: &mut [ScaledTask<'_>],
    ) -> dyno_kernels::Result<()> {
        let _product = Operator::Product.span();
        self.0.multiply_scaled(kernels, rows, tasks)
    }

    /// Does `work` on each part of `len` values, with the part's number. The operands of all parts have so many
    /// `bytes`.
    pub(crate) fn each_chunk<T: Send>(
        &mut self,
        bytes: usize,
        values: &mut [T],
        len: usize,
        work: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let mut none = vec![(); self.sharing(bytes)];
        self.each_chunk_with(bytes, &mut none, values, len, |(), at, part| work(at, part));
    }

    /// Does `work` on each of `parts`, with a state for each thread, such as its buffers. The operands of all parts
    /// have so many `bytes`.
    ///
    /// # Panics
    /// When there are fewer states than threads, or `work` panics.
    pub fn each_with<S: Send, T: Send>(
        &mut self,
        bytes: usize,
        states: &mut [S],
        parts: &mut [T],
        work: impl Fn(&mut S, &mut T) + Sync,
    ) {
        self.each_chunk_with(bytes, states, parts, 1, |state, _, part| {
            part.iter_mut().for_each(|part| work(state, part))
        });
    }

    /// Does `work` on all rows of `width`, some by each thread, with the number of its first row.
    pub fn each_rows(&mut self, rows: &mut [f32], width: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
        let (bytes, width) = (OF_VALUES * size_of_val(rows), width.max(1));
        let some = self.share(rows.len() / width, bytes);
        self.each_chunk(bytes, rows, some * width, |at, rows| work(at * some, rows));
    }

    /// Does `work` on all rows of `part`, some by each thread, with their values in `x`.
    ///
    /// # Errors
    /// When `x` holds other rows, or `work` fails.
    pub(crate) fn each_part(
        &mut self,
        mut part: RowsPart<'_>,
        x: &[f32],
        work: impl Fn(&mut RowsPart<'_>, &[f32]) -> dyno_kernels::Result<()> + Sync,
    ) -> dyno_kernels::Result<()> {
        let (bytes, rows) = (OF_VALUES * size_of_val(x), part.range().len());
        let some = self.share(rows, bytes);
        if some >= rows {
            return work(&mut part, x);
        }
        let parts = part.chunks(some).zip(x.chunks(x.len() / rows * some));
        let mut parts: Vec<_> = parts.map(|(part, x)| (part, x, Ok(()))).collect();
        self.each_chunk(bytes, &mut parts, 1, |_, parts| {
            parts.iter_mut().for_each(|(part, x, done)| *done = work(part, x));
        });
        parts.into_iter().try_for_each(|(.., done)| done)
    }

    /// Rows of each share, if there are so many rows, whose work has so many bytes.
    fn share(&self, rows: usize, bytes: usize) -> usize {
        rows.div_ceil(self.sharing(bytes)).max(1)
    }

    /// As [`each_chunk`](Self::each_chunk), with a state for each of the threads that are
    /// [`sharing`](Self::sharing) the work.
    fn each_chunk_with<S: Send, T: Send>(
        &mut self,
        bytes: usize,
        states: &mut [S],
        values: &mut [T],
        len: usize,
        work: impl Fn(&mut S, usize, &mut [T]) + Sync,
    ) {
        match self.crew(bytes) {
            Some(crew) => crew.each_chunk(states, values, len, work),
            None => values.chunks_mut(len).enumerate().for_each(|(at, part)| work(&mut states[0], at, part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use dyno_kernels::{Kernels, Precision};

    use super::*;

    /// One thread alone, and some.
    fn both(count: usize) -> [Threads; 2] {
        [Threads::default(), Threads::new(count).unwrap()]
    }

    #[test]
    fn work_is_shared_where_it_is_worth_it() {
        let sharers =
            |threads: Threads| [WORTH_SHARING - 1, WORTH_SHARING].map(|bytes| threads.sharing(bytes));
        assert_eq!(both(3).map(sharers), [[1, 1], [1, 3]]);
        assert_eq!(sharers(Threads::new(1).unwrap()), [1, 1]);
    }

    #[test]
    fn threads_work_on_after_a_panic() {
        let mut threads = Threads::new(2).unwrap();
        let mut parts = [0; 5];
        let mut all = |work: fn(usize, &mut [usize])| threads.each_chunk(WORTH_SHARING, &mut parts, 1, work);
        assert!(catch_unwind(AssertUnwindSafe(|| all(|_, _| panic!("on purpose")))).is_err());
        all(|at, part| part.fill(at));
        assert_eq!(parts, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn work_within_shared_work_is_done_alone() {
        let mut alone = [Threads::default(), Threads::default()];
        let mut sharers = [(0, 0); 5];
        let mut threads = Threads::new(2).unwrap();
        threads.each_with(WORTH_SHARING, &mut alone, &mut sharers, |threads, part| {
            let mut within = [0; 3];
            threads.each_chunk(WORTH_SHARING, &mut within, 1, |at, part| part.fill(at));
            *part = (threads.sharing(WORTH_SHARING), within.iter().sum());
        });
        assert_eq!(sharers, [(1, 3); 5]);
    }

    /// Rows of an odd number, so that the last share is smaller, and of values that are worth sharing or not.
    #[test]
    fn rows_are_the_same_with_threads_and_without() {
        for (rows, width) in [(0, 3), (1, 3), (7, 3), (7, WORTH_SHARING / 8), (1, WORTH_SHARING)] {
            let numbered = |mut threads: Threads| {
                let mut values = vec![0.0; rows * width];
                threads.each_rows(&mut values, width, |first, rows| {
                    for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                        row.fill((first + at) as f32);
                    }
                });
                values
            };
            let expected: Vec<f32> = (0..rows * width).map(|at| (at / width) as f32).collect();
            assert_eq!(both(3).map(numbered), [expected.clone(), expected]);
        }
    }

    #[test]
    fn rows_are_quantised_alike_with_threads_and_without() {
        let (rows, k) = (7, WORTH_SHARING / 8);
        let x: Vec<f32> = (0..rows * k).map(|at| (at as f32 * 0.7).sin() * at as f32).collect();
        let [alone, shared] = both(3).map(|mut threads| {
            let mut buffer = Kernels::best().rows(Precision::Int8, rows, k);
            threads.each_part(buffer.whole(rows).unwrap(), &x, |part, x| part.quantise(x)).unwrap();
            format!("{:?}", buffer.view())
        });
        assert_eq!(alone, shared);
    }

    #[test]
    fn chunks_are_the_same_with_threads_and_without() {
        for bytes in [0, WORTH_SHARING] {
            let chunks = both(2).map(|mut threads| {
                let mut values = [0; 7];
                threads.each_chunk(bytes, &mut values, 2, |at, part| part.fill(at));
                values
            });
            assert_eq!(chunks, [[0, 0, 1, 1, 2, 2, 3]; 2]);
        }
    }
}
