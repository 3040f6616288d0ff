//! Matrix products with packed weights, and vector maths, for each instruction set that matters.
//!
//! What it owns: all code that knows a processor's instructions. [`Kernels`] is an instruction set that was found; it packs
//! [`Weights`], quantises [`Rows`] for them, and does vector maths. There is no model here, no file, no thread: a
//! caller shares a product out by rows and columns.
//!
//! One result everywhere: an int8 or int16 product is the same integer on every instruction set, and every float after
//! it, in products and vector maths alike, comes from the same operations in the same order. The plain code is the
//! specification, and the tests hold the others to its bits.
//!
//! ```
//! use dyno_kernels::{Activation, Kernels, Layout, MatMut, Output, Precision};
//! # fn main() -> dyno_kernels::Result<()> {
//! let kernels = Kernels::best();
//! let b = kernels.pack_int8(&[1, 2, 3, 4, 5, 6], 2, 3, Layout::Kn)?.with_scales(&[0.5])?;
//! let mut a = kernels.rows(Precision::Int8, 1, 2);
//! a.quantise_fixed(&[1.0, 2.0], 1, 1.0)?;
//! let mut y = [0.0; 3];
//! b.multiply(a.view(), 0..3, Activation::None, None, Output::F32(MatMut::new(&mut y, 1, 3)?))?;
//! assert_eq!(y, [4.5, 6.0, 7.5]);
//! # Ok(())
//! # }
//! ```

// Intrinsics that read memory, function pointers to code for one instruction set, and views that threads share.
#![allow(unsafe_code)]

mod clock;
mod error;
mod isa_code;
mod kernels;
mod lanes;
mod look_up;
mod pack;
mod precision;
mod product;
mod tuner;
mod tuning;
mod vector;
mod vector_methods;

pub use clock::ticks;
pub use dyno_api::{Isa, UnknownIsa};
pub use error::{Error, Result};
pub use kernels::Kernels;
pub use precision::Precision;
#[cfg(feature = "library-products")]
pub use product::library;
pub use product::{
    Activation, Best, Blocking, Candidates, Input, Layout, Mask, Mat, MatMut, Output, Rows, Weights,
};
pub use tuning::Tuning;
pub use vector::KeyValues;
