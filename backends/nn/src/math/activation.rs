//! Activations; the kernels compute them.

use dyno_formats::spec;
use dyno_kernels::{Activation, Kernels};

use crate::watch::Operator;

/// Applies an activation to each element.
pub fn activate(kernels: Kernels, activation: Activation, row: &mut [f32]) {
    let _activation = Operator::Activation.span();
    kernels.activate(activation, row);
}

/// The activation that a description asks for.
pub fn activation(asked: spec::Activation) -> Activation {
    match asked {
        spec::Activation::Relu => Activation::Relu,
        spec::Activation::Swish => Activation::Swish,
        spec::Activation::Gelu => Activation::Gelu,
        spec::Activation::GeluTanh => Activation::GeluTanh,
        spec::Activation::Sigmoid => Activation::Sigmoid,
    }
}
