//! Products and vector functions: the only place that does arithmetic over whole rows.
//!
//! Products, and what stands between them in the engines that are tuned, come from `dyno-kernels`; the rest is plain Rust
//! that the compiler vectorises. Sums that run along a row are taken in one order, whatever the batch
//! (sixteen partial sums, then pairwise): a row's result never depends on its neighbours. Matrices are row-major.

mod activation;
mod auto_precision;
mod calibration;
mod form;
mod linear;
mod matrix;
mod product;
mod vectors;

pub use activation::Activation;
pub use calibration::Calibration;
pub use dyno_kernels::{Best, Error as KernelError, Isa, Kernels, Tuning};
pub(crate) use form::Form;
pub use form::Operands;
pub use linear::{Linear, together};
pub(crate) use matrix::InputScale;
pub use matrix::Matrix;
pub use product::Epilogue;
pub use vectors::{add, argmax, dot, multiply_add};
