//! Both sides of the C ABI in `backends/api/include/dyno_backend.h`.
//!
//! The host's side is [`Plugin`]: a shared library, loaded and checked, that is a [`Backend`](dyno_api::Backend) like
//! any other. It believes nothing that it can check: version, sizes, functions that are missing, texts that aren't
//! UTF-8, lines answered twice or not at all. What can't be checked (a pointer into nowhere) ends the process, and
//! the bench, which is another one, writes that down.
//!
//! The plugin's side is [`export!`]: one line makes a `cdylib` of any Rust backend.
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//! ```
//! ```text
//! dyno_plugin::export!(my_engine::ENGINE);
//! ```

#![allow(unsafe_code)] // calling, and being called, through C function pointers

pub mod abi;
mod error;
pub mod export;
mod intake;
mod library;
mod plugin;

pub use error::{Error, Fault};
pub use plugin::Plugin;
