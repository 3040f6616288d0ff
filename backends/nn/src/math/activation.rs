//! Functions of single numbers, over rows.

use dyno_kernels::Kernels;

use crate::watch::Operator;

/// An activation by Marian's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x·σ(x).
    Swish,
    /// x·Φ(x), the exact form of Marian 1.12.
    Gelu,
    /// σ(x).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    /// By its name in configurations.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "relu" => Some(Self::Relu),
            "swish" => Some(Self::Swish),
            "gelu" => Some(Self::Gelu),
            "sigmoid" => Some(Self::Sigmoid),
            _ => None,
        }
    }

    /// Applies it to each element.
    pub fn apply(self, kernels: Kernels, row: &mut [f32]) {
        let _activation = Operator::Activation.span();
        match self.of_kernels() {
            Some(activation) => kernels.activate(activation, row),
            None => row.iter_mut().for_each(|x| *x *= normal_cdf(*x)),
        }
    }

    /// What a product's epilogue does of it, and what is left to be done after.
    pub(super) fn split(activation: Option<Self>) -> (dyno_kernels::Activation, Option<Self>) {
        let Some(activation) = activation else { return (dyno_kernels::Activation::None, None) };
        match activation.of_kernels() {
            Some(fused) => (fused, None),
            None => (dyno_kernels::Activation::None, Some(activation)),
        }
    }

    fn of_kernels(self) -> Option<dyno_kernels::Activation> {
        match self {
            Self::Relu => Some(dyno_kernels::Activation::Relu),
            Self::Swish => Some(dyno_kernels::Activation::Swish),
            Self::Sigmoid => Some(dyno_kernels::Activation::Sigmoid),
            Self::Tanh => Some(dyno_kernels::Activation::Tanh),
            Self::Gelu => None,
        }
    }
}

/// Φ(x) = (1 + erf(x/√2))/2.
fn normal_cdf(x: f32) -> f32 {
    (0.5 * (1.0 + erf(f64::from(x) * std::f64::consts::FRAC_1_SQRT_2))) as f32
}

/// The error function, to 1.5e-7: below f32's own rounding of the sums around it.
fn erf(x: f64) -> f64 {
    // Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
    const P: f64 = 0.327_591_1;
    const A: [f64; 5] = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let t = 1.0 / (1.0 + P * x.abs());
    let polynomial = A.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    (1.0 - polynomial * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_9), (-1.0, -0.842_700_8), (3.0, 0.999_977_9)] {
            assert!((erf(x) - expected).abs() < 2e-7, "{x}");
        }
        let mut row = [-1.0, 0.0, 2.0];
        Activation::Gelu.apply(Kernels::best(), &mut row);
        assert!((row[0] + 0.158_655_3).abs() < 1e-6 && (row[2] - 1.954_499_7).abs() < 1e-6);
    }
}
