//! What a thread has for itself.

use dyno_kernels::{Kernels, Precision};

use super::attention;
use super::layer::Buffers;
use super::linear::Operand;
use super::team::Team;
use crate::Result;

/// Buffers of a thread. The alignment keeps two threads from writing into one cache line, or into two that
/// the processor fetches as a pair.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Hand {
    /// A team of this thread alone.
    pub(super) alone: Team,
    pub(super) buffers: Buffers,
    pub(super) attention: attention::Buffers,
}

impl Hand {
    pub(super) fn new(kernels: Kernels, precision: Precision) -> Result<Self> {
        Ok(Self {
            alone: Team::new(1)?,
            buffers: Buffers::new(kernels, Operand::new(kernels, precision)),
            attention: attention::Buffers::new(kernels, precision),
        })
    }
}
