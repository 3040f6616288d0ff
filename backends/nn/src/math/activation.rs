//! Activations; the kernels compute them.

use dyno_formats::spec;
use dyno_kernels::Kernels;

use crate::watch::Operator;

/// An activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x·σ(x).
    Swish,
    /// x·σ(x) for results that are quantised.
    SwishNear,
    /// x·Φ(x), the exact form of Marian 1.12.
    Gelu,
    /// x·Φ(x) for results that are quantised.
    GeluNear,
    /// σ(x).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    /// The cheaper form for results that are rounded to 8 bits, which changes them far more.
    #[must_use]
    pub fn before_rounding(self) -> Self {
        match self {
            Self::Swish => Self::SwishNear,
            Self::Gelu => Self::GeluNear,
            exact => exact,
        }
    }

    /// Applies the activation to each element.
    pub fn apply(self, kernels: Kernels, row: &mut [f32]) {
        let _activation = Operator::Activation.span();
        kernels.activate(self.into(), row);
    }
}

impl From<spec::Activation> for Activation {
    fn from(activation: spec::Activation) -> Self {
        match activation {
            spec::Activation::Relu => Self::Relu,
            spec::Activation::Swish => Self::Swish,
            spec::Activation::Gelu => Self::Gelu,
            spec::Activation::Sigmoid => Self::Sigmoid,
        }
    }
}

impl From<Activation> for dyno_kernels::Activation {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Relu => Self::Relu,
            Activation::Swish => Self::Swish,
            Activation::SwishNear => Self::SwishNear,
            Activation::Gelu => Self::Gelu,
            Activation::GeluNear => Self::GeluNear,
            Activation::Sigmoid => Self::Sigmoid,
            Activation::Tanh => Self::Tanh,
        }
    }
}
