//! The kernels of one instruction set, as a value. A value exists only for an instruction set that this
//! processor has.

use crate::isa::table::IsaFunctions;
use crate::isa::{self, is_granted};
use crate::tile::job::Job;
use crate::tuning::Tuning;
use crate::{Error, Isa, Precision, Result};
use std::sync::OnceLock;

/// The kernels of an instruction set that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(crate) isa: Isa,
    pub(crate) table: &'static IsaFunctions,
    pub(crate) tuning: Option<&'static Tuning>,
}

impl Kernels {
    /// The kernels of the best instruction set of this processor, which is detected once per process.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernels> = OnceLock::new();
        *BEST.get_or_init(|| Self::up_to(Isa::best()))
    }

    /// The kernels of the best instruction set up to `cap`.
    #[must_use]
    pub fn up_to(cap: Isa) -> Self {
        Self::assume(Isa::present().rfind(|isa| *isa <= cap && is_granted(*isa)).unwrap_or(Isa::Scalar))
    }

    /// The kernels of the instruction set `isa`.
    ///
    /// # Errors
    /// When this processor lacks the instruction set, or the operating system doesn't grant it.
    pub fn forced(isa: Isa) -> Result<Self> {
        if !isa.is_present() || !is_granted(isa) {
            return Err(Error::MissingIsa { isa, best: Self::best().isa });
        }
        Ok(Self::assume(isa))
    }

    /// The kernels of an instruction set that this processor has.
    fn assume(isa: Isa) -> Self {
        Self { isa, table: isa::functions(isa), tuning: None }
    }

    /// Instruction set of the kernels.
    #[must_use]
    pub fn isa(self) -> Isa {
        self.isa
    }

    pub(crate) fn multiply(self, precision: Precision) -> unsafe fn(&mut Job<'_>) {
        match precision {
            Precision::Int8 => self.table.int8,
            Precision::Int16 => self.table.int16,
            Precision::Bf16 => self.table.bf16,
            Precision::F16 => self.table.f16,
            Precision::F32 => self.table.f32,
        }
    }

    pub(crate) fn flip(self, precision: Precision) -> u8 {
        if precision == Precision::Int8 { self.table.flip } else { 0 }
    }

    /// The same kernels, which pack weights with blockings from `tuning` from now on. A tuning lives as long
    /// as the process: a process has one, and each weight would have to share its ownership.
    ///
    /// # Errors
    /// When the tuning was made on another instruction set.
    pub fn with_tuning(self, tuning: &'static Tuning) -> Result<Self> {
        if tuning.isa() != self.isa {
            return Err(Error::TunedElsewhere { tuned: tuning.isa(), isa: self.isa });
        }
        Ok(Self { tuning: Some(tuning), ..self })
    }
}
