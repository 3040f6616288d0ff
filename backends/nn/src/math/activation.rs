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
    /// x·Φ(x), the exact form of Marian 1.12.
    Gelu,
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
            Activation::Gelu => Self::Gelu,
            Activation::Sigmoid => Self::Sigmoid,
            Activation::Tanh => Self::Tanh,
        }
    }
}
