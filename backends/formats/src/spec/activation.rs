//! Activations of layers.

/// Activation of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x·σ(x).
    Swish,
    /// x·Φ(x), in its exact form.
    Gelu,
    /// σ(x).
    Sigmoid,
}
