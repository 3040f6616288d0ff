//! Lookup tables of the logistic function and the hyperbolic tangent. The plain code computes them once, so
//! that they are the same on every instruction set.

use crate::vector::STEPS;
use std::sync::LazyLock;

/// A function for positive arguments, in steps of 1/[`STEPS`].
pub(crate) struct LookUp {
    pub(crate) values: Vec<f32>,
    /// Growth of the function per step.
    pub(crate) slopes: Vec<f32>,
    /// Value of the function at 0, around which it is odd.
    pub(crate) middle: f32,
}

impl LookUp {
    /// Tabulates up to `end`, from which on the function must be constant.
    fn new(end: f32, middle: f32, value: impl Fn(f32) -> f32, slope: impl Fn(f32) -> f32) -> Self {
        let positions = || (0..=(end * STEPS) as usize).map(|i| value(i as f32 / STEPS));
        let slopes = positions().map(|y| slope(y) / STEPS).collect();
        Self { values: positions().collect(), slopes, middle }
    }
}

/// tanh, which is 1 in f32 from 9.02 on.
pub(crate) static TANH: LazyLock<LookUp> = LazyLock::new(|| {
    let tanh = |x| crate::isa::scalar::tanh([x; 16])[0];
    LookUp::new(9.25, 0.0, tanh, |y| 1.0 - y * y)
});

/// The logistic function, which is 1 in f32 from 16.7 on.
pub(crate) static SIGMOID: LazyLock<LookUp> = LazyLock::new(|| {
    let sigmoid = |x| crate::isa::scalar::sigmoid([x; 16])[0];
    LookUp::new(17.0, 0.5, sigmoid, |y| y * (1.0 - y))
});
