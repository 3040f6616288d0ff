//! Parts that the tests share: the instruction sets present, seeded values, and products by plain loops.

use dyno_kernels::{Isa, Kernels, Layout, Weights};
use std::io::Write;
use std::sync::Once;

/// The kernels of each instruction set present; the absent sets are reported once.
#[allow(clippy::explicit_write)] // `eprintln!` would be captured with the test's output
pub fn present() -> Vec<Kernels> {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_present()) {
            writeln!(std::io::stderr(), "skipped: {isa} is not on this processor").unwrap();
        }
    });
    Isa::ALL.into_iter().filter_map(|isa| Kernels::forced(isa).ok()).collect()
}

/// Seeded numbers that are the same in every run (xorshift64*).
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

    /// A whole number in -limit..=limit; the extremes are frequent.
    pub fn whole(&mut self, limit: i32) -> i32 {
        match self.next() % 4 {
            0 => limit,
            1 => -limit,
            _ => (self.next() % (2 * limit as u32 + 1)) as i32 - limit,
        }
    }
}

/// [m, k] times [k, n] in whole numbers.
pub fn whole_product(a: &[i32], b: &[i32], (m, k, n): (usize, usize, usize)) -> Vec<i64> {
    let mut y = vec![0; m * n];
    for (i, p) in (0..m).flat_map(|i| (0..k).map(move |p| (i, p))) {
        let (a, b) = (i64::from(a[i * k + p]), &b[p * n..][..n]);
        y[i * n..][..n].iter_mut().zip(b).for_each(|(y, &b)| *y += a * i64::from(b));
    }
    y
}

pub fn bits(x: &[f32]) -> Vec<u32> {
    // All NaNs count as one: no result depends on their sign or payload.
    x.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}

/// Runs `f` on every instruction set present, and checks that all give the bits of the plain code. Gives
/// those results.
pub fn same_bits(x: &[f32], f: impl Fn(Kernels, &mut Vec<f32>)) -> Vec<f32> {
    let mut specified: Option<Vec<f32>> = None;
    for kernels in present() {
        let mut y = x.to_vec();
        f(kernels, &mut y);
        let specified = specified.get_or_insert_with(|| y.clone());
        let differs = bits(&y).iter().zip(bits(specified)).position(|(a, b)| *a != b);
        assert_eq!(differs.map(|at| (x.get(at), y[at], specified[at])), None, "{}", kernels.isa());
    }
    specified.unwrap()
}

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Lengths around the lanes, and some of engines.
pub const LENGTHS: [usize; 10] = [1, 2, 15, 16, 17, 31, 33, 64, 256, 1000];

pub fn close(what: &str, found: &[f32], exact: &[f64]) {
    for (found, exact) in found.iter().zip(exact) {
        assert!(
            (f64::from(*found) - exact).abs() <= 1e-5 * exact.abs().max(1.0),
            "{what}: {found}, not {exact}"
        );
    }
}

pub fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

/// Weights [k, n] in int8 by plain rules: the greatest magnitude of each column becomes 127.
pub fn packed_int8(kernels: Kernels, x: &[f32], (k, n): (usize, usize), layout: Layout) -> Weights {
    let column = |at: usize| if layout == Layout::Kn { at % n } else { at / k };
    let mut most = vec![0.0f32; n];
    x.iter().enumerate().for_each(|(at, x)| most[column(at)] = x.abs().max(most[column(at)]));
    let whole = |(at, x): (usize, &f32)| (x * (127.0 / most[column(at)])).round_ties_even() as i8;
    let whole: Vec<i8> = x.iter().enumerate().map(whole).collect();
    let scales: Vec<f32> = most.iter().map(|most| most / 127.0).collect();
    kernels.pack_int8(&whole, k, n, layout).unwrap().with_scales(&scales).unwrap()
}

/// The nearest bfloat16, which has seven bits of fraction; halves to even.
pub fn bf16(x: f32) -> f32 {
    let x = f64::from(x);
    let unit = x.abs().log2().floor().exp2() / 128.0;
    if x == 0.0 { 0.0 } else { ((x / unit).round_ties_even() * unit) as f32 }
}

/// The value of a number in half precision: ten bits of fraction, in units of 2^-24 at least.
pub fn f16(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = if exponent == 0 { fraction } else { (1024.0 + fraction) * 2f32.powi(exponent - 1) };
    magnitude * if bits >> 15 == 1 { -1.0 } else { 1.0 } / 2f32.powi(24)
}

/// Weights [k, n], of magnitudes up to 1, in int16 and units of 1/128.
pub fn packed_int16(kernels: Kernels, x: &[f32], (k, n): (usize, usize), layout: Layout) -> Weights {
    let whole: Vec<i16> = x.iter().map(|x| (x * 128.0).round_ties_even() as i16).collect();
    kernels.pack_int16(&whole, k, n, layout, 32767).unwrap().with_scales(&[1.0 / 128.0]).unwrap()
}
