//! The kernels of one instruction set, as a value: whoever holds one knows that this processor can run them.

use crate::isa_code::{self, Table};
use crate::product::job::Job;
use crate::{Error, Isa, Precision, Result, Rows, Tuning};
use std::sync::OnceLock;

/// The kernels of an instruction set that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(crate) isa: Isa,
    pub(crate) table: &'static Table,
    pub(crate) tuning: Option<&'static Tuning>,
}

impl Kernels {
    /// The best that this processor has. Looks once per process.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernels> = OnceLock::new();
        *BEST.get_or_init(|| Self::up_to(Isa::Avx512vnni))
    }

    /// The best that is not above a cap.
    #[must_use]
    pub fn up_to(cap: Isa) -> Self {
        let best = Isa::ALL.into_iter().rfind(|isa| *isa <= cap && isa.is_available());
        Self::assume(best.unwrap_or(Isa::Scalar))
    }

    /// Exactly these; an error if this processor lacks them.
    pub fn forced(isa: Isa) -> Result<Self> {
        if !isa.is_available() {
            return Err(Error::MissingIsa { isa, best: Self::best().isa });
        }
        Ok(Self::assume(isa))
    }

    /// Of an instruction set that was found.
    fn assume(isa: Isa) -> Self {
        let table = match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &isa_code::avx2::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::AvxVnni => &isa_code::avxvnni::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512bw => &isa_code::avx512bw::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512vnni => &isa_code::avx512vnni::TABLE,
            _ => &isa_code::scalar::TABLE,
        };
        Self { isa, table, tuning: None }
    }

    /// Whose they are.
    #[must_use]
    pub fn isa(self) -> Isa {
        self.isa
    }

    pub(crate) fn multiply(self, precision: Precision) -> unsafe fn(&mut Job<'_>) {
        match precision {
            Precision::Int8 => self.table.int8,
            Precision::Int16 => self.table.int16,
            Precision::F32 => self.table.f32,
        }
    }

    pub(crate) fn flip(self, precision: Precision) -> u8 {
        if precision == Precision::Int8 { self.table.flip } else { 0 }
    }

    /// A buffer for quantised rows of `k` values, in the form that these kernels multiply, with room for `capacity` of them.
    #[must_use]
    pub fn rows(self, precision: Precision, capacity: usize, k: usize) -> Rows {
        Rows::new(self, precision, capacity, k)
    }
}
