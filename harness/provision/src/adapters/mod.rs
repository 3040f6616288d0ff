//! Adapters: small programs that run other projects' engines under the contract of the bench.
//!
//! An adapter is a folder, `backends/adapters/NAME`: a description (`adapter.toml`), a program, its pinned
//! Python packages, and a README. A new one needs no Rust.

mod description;
mod environment;
mod folders;
mod system;

pub use description::Description;
pub use environment::megabytes;
pub use folders::{Adapter, all, find};
pub use system::{AdaptedSystem, options};
