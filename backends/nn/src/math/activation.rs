//! Activations by their names in configurations; the kernels compute them.

use dyno_kernels::Kernels;

use crate::watch::Operator;

/// An activation of Marian.
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
    /// The activation with this name in configurations.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "relu" => Some(Self::Relu),
            "swish" => Some(Self::Swish),
            "gelu" => Some(Self::Gelu),
            "sigmoid" => Some(Self::Sigmoid),
            _ => None,
        }
    }

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
