//! A crew: threads that share the parts of one computation, again and again.
//!
//! A layer of an encoder has some ten regions that threads may share. A short line's regions are so short that
//! a system call at each one would cost more than threads save. So the threads of a crew live as long
//! as the crew, and wait for the next region in a loop that reads one number. When no region comes for a
//! while, they sleep, so that a program that waits for input uses no core.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

/// Looks at the number of the region before a thread sleeps: half a millisecond at the 23 ns of a look on
/// Zen 5. More would keep cores busy after the last line. With fewer, threads would sleep while the owner is
/// late in a region, or reads the next line into tokens: with 2,000 looks 64 tokens take MiniLM 2 to 3 %
/// longer. As many looks at the number of busy threads before the caller yields its core.
const LOOKS: usize = 20_000;

/// The same where threads outnumber cores: the other thread may need this very core. By 20,000 looks four threads on
/// two cores take 15 times as long for lines of `base` (Zen 4).
const LOOKS_ON_SHARED_CORES: usize = 100;

/// Threads that share the parts of computations with their owner, who is alone by default.
#[derive(Debug, Default)]
pub struct Crew {
    shared: Arc<Shared>,
    others: Vec<JoinHandle<()>>,
}

/// State that the owner and the other threads share.
#[derive(Debug, Default)]
struct Shared {
    /// Looks before a thread gives its core away.
    looks: usize,
    /// Number of the last region.
    region: AtomicUsize,
    /// Address of the region's [`Work`], which lives until `busy` is 0.
    work: AtomicUsize,
    /// Other threads that haven't finished the region.
    busy: AtomicUsize,
    ends: AtomicBool,
    panicked: AtomicBool,
}

/// Work of a region: a function of a thread's number.
struct Work<'a>(&'a (dyn Fn(usize) + Sync));

impl Crew {
    /// A crew of `threads` threads, the caller among them.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        if threads <= 1 {
            return Ok(Self::default());
        }
        let have_cores = thread::available_parallelism().map_or(true, |cores| threads <= cores.get());
        let looks = if have_cores { LOOKS } else { LOOKS_ON_SHARED_CORES };
        let mut crew = Self { shared: Arc::new(Shared { looks, ..Shared::default() }), others: Vec::new() };
        for number in 1..threads {
            let shared = Arc::clone(&crew.shared);
            let named = thread::Builder::new().name(format!("crew-{number}"));
            crew.others.push(named.spawn(move || shared.follow(number))?);
        }
        Ok(crew)
    }

    /// Number of threads, the caller among them.
    #[must_use]
    pub fn threads(&self) -> usize {
        1 + self.others.len()
    }

    /// Does `work` on each of `parts`. Thread t takes the parts t, t + threads, … in order.
    ///
    /// # Panics
    /// When `work` panics on some thread.
    pub fn each<T: Send>(&mut self, parts: &mut [T], work: impl Fn(&mut T) + Sync) {
        let mut none = vec![(); self.threads()];
        self.each_with(&mut none, parts, |(), part| work(part));
    }

    /// As [`Crew::each`], with a state for each thread, such as its buffers.
    ///
    /// # Panics
    /// When there are fewer states than threads, or `work` panics on some thread.
    pub fn each_with<S: Send, T: Send>(
        &mut self,
        states: &mut [S],
        parts: &mut [T],
        work: impl Fn(&mut S, &mut T) + Sync,
    ) {
        self.each_chunk(states, parts, 1, |state, _, part| {
            part.iter_mut().for_each(|part| work(state, part))
        });
    }

    /// As [`Crew::each_with`], for parts of `len` values that lie side by side; the last one may have fewer.
    /// `work` gets the part's number as well.
    ///
    /// # Panics
    /// When `len` is 0, there are fewer states than threads, or `work` panics on some thread.
    pub fn each_chunk<S: Send, T: Send>(
        &mut self,
        states: &mut [S],
        values: &mut [T],
        len: usize,
        work: impl Fn(&mut S, usize, &mut [T]) + Sync,
    ) {
        let (threads, parts) = (self.threads(), values.len().div_ceil(len));
        assert!(states.len() >= threads, "a state for each of {threads} threads, not {}", states.len());
        let states = Parts::new(states, 1);
        let values = Parts::new(values, len);
        let some = |thread: usize, step: usize| {
            // SAFETY: there is a state for each thread, and `region` returns only when all have finished.
            let [state] = (unsafe { states.part(thread) }) else { unreachable!("a state is one value") };
            for at in (thread..parts).step_by(step) {
                // SAFETY: each thread takes parts of its own.
                work(state, at, unsafe { values.part(at) });
            }
        };
        if parts <= 1 { some(0, 1) } else { self.region(&|thread| some(thread, threads)) }
    }

    /// Does `work` on all threads, each with its number.
    pub(crate) fn region(&mut self, work: &(dyn Fn(usize) + Sync)) {
        if self.others.is_empty() {
            return work(0);
        }
        let work = Work(work);
        let finished = Finished(&self.shared);
        self.shared.panicked.store(false, Ordering::Relaxed);
        self.shared.work.store((&raw const work).expose_provenance(), Ordering::Relaxed);
        self.shared.busy.store(self.others.len(), Ordering::Relaxed);
        self.shared.region.fetch_add(1, Ordering::Release);
        self.others.iter().for_each(|other| other.thread().unpark());
        (work.0)(0);
        drop(finished);
        assert!(!self.shared.panicked.load(Ordering::Relaxed), "another thread of the crew panicked");
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.shared.region.fetch_add(1, Ordering::Release);
        for other in self.others.drain(..) {
            other.thread().unpark();
            let _ = other.join(); // a thread keeps its panics, so that it ends in order
        }
    }
}

/// Values that lie side by side, in parts of `len`, of which each thread takes its own.
struct Parts<T> {
    values: *mut T,
    count: usize,
    len: usize,
}

// SAFETY: each part goes to one thread, and may be sent there.
unsafe impl<T: Send> Sync for Parts<T> {}

impl<T> Parts<T> {
    fn new(values: &mut [T], len: usize) -> Self {
        Self { values: values.as_mut_ptr(), count: values.len(), len }
    }

    /// The part `at`.
    ///
    /// # Safety
    /// The values must still be borrowed, and no other reference to this part may live.
    #[allow(clippy::mut_from_ref)] // the caller answers for it
    unsafe fn part(&self, at: usize) -> &mut [T] {
        let from = at * self.len;
        assert!(from < self.count, "part {at} is past the values");
        // SAFETY: the part begins within the values.
        let part = unsafe { self.values.add(from) };
        // SAFETY: it ends within them as well, and the caller says that no other reference to it exists.
        unsafe { std::slice::from_raw_parts_mut(part, self.len.min(self.count - from)) }
    }
}

/// Waits for the other threads when it is dropped, even while the owner panics: they use the owner's values.
struct Finished<'a>(&'a Shared);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        let mut looks = 0;
        while self.0.busy.load(Ordering::Acquire) > 0 {
            looks += 1;
            if looks < self.0.looks { std::hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

impl Shared {
    /// Life of another thread than the owner's.
    fn follow(&self, number: usize) {
        for region in 1.. {
            self.wait_for(region);
            if self.ends.load(Ordering::Relaxed) {
                return;
            }
            let work = std::ptr::with_exposed_provenance::<Work<'_>>(self.work.load(Ordering::Relaxed));
            // SAFETY: the owner keeps the work alive until this thread has counted itself out below.
            let work = unsafe { &*work };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (work.0)(number))) {
                // Dropping it might panic again, and end this thread before it counts itself out.
                std::mem::forget(payload);
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.busy.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits until the region `region` has begun.
    fn wait_for(&self, region: usize) {
        let mut looks = 0;
        while self.region.load(Ordering::Acquire) < region {
            looks += 1;
            if looks < self.looks { std::hint::spin_loop() } else { thread::park() }
        }
    }
}
