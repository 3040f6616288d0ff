//! Matrix products with packed weights, and vector maths, for each instruction set that matters.
//!
//! The crate owns all code that knows a processor's instructions. [`Kernels`] stands for an instruction set
//! that this processor has. It packs [`Weights`], quantises [`Rows`] of activations for them, and offers
//! vector maths as methods.
//!
//! # One result everywhere
//! An int8 or int16 product is the same integer on every instruction set. Every float after it, in products and vector
//! maths alike, comes from the same operations in the same order. The plain code is the specification, and the tests
//! compare the bits of all other code with it; only sums of bf16 products below the smallest normal number, 1.2e-38,
//! may differ. So a translation doesn't depend on the processor, and a row's result doesn't depend on the rows beside
//! it.
//!
//! # A product
//! 1. `weights` checks weights [K, N] and puts them into blocks of sixteen columns ([`Weights`]).
//! 2. [`Rows`] quantises activations [M, K], a scale for each row; f32 activations need no buffer
//!    ([`Input::f32`]).
//! 3. [`Weights::multiply`] computes panel by panel, tile by tile, and applies bias, activation and residual
//!    while the sums are in registers. An [`Output`] is f32 values, int8 for the next product, or the best
//!    column of each row.
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
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `lanes` | sixteen lanes of 32 bits: what the vectors of all instruction sets have in common |
//! | `memory` | memory that begins at cache lines: [`WholeLines`], blocks of packed weights, bytes of other owners |
//! | `tile` | the loop nest of a product over tiles in registers, views of matrices, blockings |
//! | `scaled` | the loop nest of a product with weights whose short blocks have a scale each, and its operands |
//! | `vector`, `vector_methods` | vector maths as macro bodies over the lanes, and as methods with checks |
//! | `look_up` | tables of the logistic function and the hyperbolic tangent |
//! | `isa` | a path for each instruction set: its lanes and steps, the macro bodies over them, its table of functions |
//! | `kernels` | [`Kernels`]: an instruction set of this processor as a value |
//! | `tuning` | the fastest blocking of each shape, as data |
//! | `weights` | packing of weights with its checks, their products with rows, candidates of a shortlist, the tuner |
//! | `attention` | attention within sentences, as products |
//! | `clock` | ticks around single products |
//! | `crew` | [`Crew`]: threads that share the parts of one computation |
//!
//! A module imports only modules above it in this order: `lanes`, `memory`, `tile`, `scaled`, `vector`, `isa`,
//! `tuning`, `kernels`, `crew`, `weights`, `attention`. Code for instructions that a processor may lack is in `isa`
//! alone.
//!
//! # What it leaves out
//! Models and files. [`Crew::multiply`] shares the columns of products among threads; whether that is worth it
//! is for the caller to say. The names and the detection of instruction sets are [`Isa`] of `dyno-api`.

// unsafe code: intrinsics that read memory, pointers to code for one instruction set, and views that threads
// share, and the allocator
#![allow(unsafe_code)]

mod attention;
mod clock;
mod crew;
mod error;
mod isa;
mod kernels;
mod lanes;
mod look_up;
mod memory;
mod precision;
mod scaled;
mod tile;
mod tuning;
mod vector;
mod vector_methods;
mod weights;

pub use attention::SelfAttention;
pub use clock::ticks;
pub use crew::Crew;
pub use dyno_api::{Isa, UnknownIsa};
pub use error::{Error, Result};
pub use kernels::Kernels;
pub use memory::{SharedBytes, WholeLines};
pub use precision::{Precision, from_f16};
pub use scaled::{ScaledForm, ScaledRow, ScaledRows, ScaledWeights, in_half};
pub use tile::{Activation, Best, Blocking, Mask, Mat, MatMut, Output};
pub use tuning::Tuning;
pub use vector::KeyValues;
pub use weights::{Candidates, Input, Layout, Rows, RowsPart, ScaledTask, Task, Weights};
