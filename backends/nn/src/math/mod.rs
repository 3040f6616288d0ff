//! Products and vector functions: the only place with arithmetic over whole rows.
//!
//! Products come from `dyno-kernels`, and so do the vector functions of the tuned engines; the rest is plain
//! Rust that the compiler vectorises. A sum along a row has one order in any batch (sixteen partial sums,
//! then pairwise), so that a row's result never depends on its neighbours. Matrices are row-major.

mod ablation;
mod activation;
mod auto_precision;
mod calibration;
mod form;
mod linear;
mod matrix;
mod norm;
mod product;
mod repacked;
mod threads;
mod vectors;

pub use activation::{activate, activation};
pub use calibration::Calibration;
pub use dyno_kernels::{Activation, Best, Error as KernelError, Isa, Kernels, KeyValues, Mat, Tuning};
pub(crate) use form::Form;
pub use form::Operands;
pub(crate) use linear::common_form;
pub use linear::{Linear, together};
pub use matrix::Matrix;
pub(crate) use matrix::{Ablation, InputScale};
pub use norm::Norm;
pub use product::Epilogue;
pub use threads::Threads;
pub use vectors::{add, argmax, dot, multiply_add};
