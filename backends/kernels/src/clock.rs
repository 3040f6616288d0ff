//! A clock cheap enough to be read around single products.

/// Ticks since some moment: the processor's time-stamp counter where it has one (some eight nanoseconds a reading, a third
/// of the system's clock), which runs at one rate whatever the core does; elsewhere nanoseconds. Only shares of a
/// whole that was measured with both clocks mean anything.
#[inline]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the counter; Linux lets programs read it unless they forbid it to themselves.
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
