//! Products and vector functions in f32: the only place that does arithmetic over whole rows.
//!
//! Plain Rust that the compiler vectorises. Sums that run along a row are taken in one order, whatever the batch
//! ([`LANES`] partial sums, then pairwise): a row's result never depends on its neighbours. Matrices are row-major.

mod activation;
mod product;
mod reduce;

pub use activation::{Activation, sigmoid, sigmoid_in_place, tanh_in_place};
pub use product::{Linear, add, multiply_add, product};
pub use reduce::{LANES, argmax, dot, layer_norm, log_softmax, rms_norm, softmax};
