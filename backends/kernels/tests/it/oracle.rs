//! What the tests share: the instruction sets present, seeded values, and products by plain loops.

use dyno_kernels::{Isa, Kernels};
use std::io::Write;
use std::sync::Once;

/// The kernels of each instruction set present; says once which are not.
#[allow(clippy::explicit_write)] // `eprintln!` would be captured with the test's output
pub fn present() -> Vec<Kernels> {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
            writeln!(std::io::stderr(), "skipped: {isa} is not on this processor").unwrap();
        }
    });
    Isa::ALL.into_iter().filter_map(|isa| Kernels::forced(isa).ok()).collect()
}

/// Numbers that look random and are the same in every run (xorshift64*).
pub struct Seeded(pub u64);

impl Seeded {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    /// From -1 to 1.
    pub fn f32(&mut self) -> f32 {
        self.next() as f32 / (u32::MAX / 2) as f32 - 1.0
    }

    pub fn f32s(&mut self, n: usize, scale: f32) -> Vec<f32> {
        (0..n).map(|_| self.f32() * scale).collect()
    }

    /// In -limit..=limit, the ends often.
    pub fn whole(&mut self, limit: i32) -> i32 {
        match self.next() % 4 {
            0 => limit,
            1 => -limit,
            _ => (self.next() % (2 * limit as u32 + 1)) as i32 - limit,
        }
    }
}

/// [m, k] by [k, n], in whole numbers.
pub fn whole_product(a: &[i32], b: &[i32], (m, k, n): (usize, usize, usize)) -> Vec<i64> {
    let dot = |i: usize, j: usize| (0..k).map(|p| i64::from(a[i * k + p]) * i64::from(b[p * n + j])).sum();
    (0..m * n).map(|at| dot(at / n, at % n)).collect()
}

pub fn bits(x: &[f32]) -> Vec<u32> {
    // All NaNs are one: no result depends on their sign or payload.
    x.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}
