//! Vector maths: the work of an engine between its products. Each algorithm is written once, over sixteen
//! lanes, and gives the same bits on every instruction set.

mod attention;
mod cells;
mod functions;
mod key_values;
mod slices;
mod transpositions;

pub(crate) use attention::attention;
pub(crate) use cells::cells;
pub(crate) use functions::functions;
pub use key_values::KeyValues;
pub(crate) use slices::slices;
pub(crate) use transpositions::transpositions;

/// Number of sums that are computed side by side: it hides the latency of fused multiply-add on processors
/// with two such units.
pub(crate) const TOGETHER: usize = 4;

/// Table positions per unit. Linear interpolation with the derivatives at the positions has an error below
/// 1e-5.
pub(crate) const STEPS: f32 = 128.0;

/// The natural logarithm of a number of at least 1, to little more than half a unit in the last place. It is
/// 2·artanh((m - 1)/(m + 1)) as a series, for the mantissa m between √½ and √2, where the next term is below
/// 1e-11. Basic operations in one order compute it, because a system's library may give other bits on another
/// processor.
pub(crate) fn ln(x: f32) -> f32 {
    let bits = f64::from(x).to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023; // x is positive
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let series = (0..6).rev().fold(0.0, |sum, i| sum * (s * s) + 1.0 / f64::from(2 * i + 1));
    (2.0 * s * series + exponent as f64 * std::f64::consts::LN_2) as f32
}
