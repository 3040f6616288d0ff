//! A clock that is cheap enough to be read around single products.

/// Ticks since a fixed moment. On x86-64 they come from the processor's time-stamp counter, which runs at one
/// rate whatever the core's frequency. A reading takes some eight nanoseconds, a third of a reading of the
/// system's clock. On other processors a tick is a nanosecond. Ticks have no unit of their own: only their
/// shares of a whole that the system's clock measured as well mean anything.
#[inline]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the counter; Linux lets programs read it unless they forbid it to
    // themselves.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}
