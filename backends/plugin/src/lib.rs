//! Both sides of the C ABI in `backends/api/include/dyno_backend.h`.
//!
//! # The host's side
//! [`Plugin`] is a loaded and checked shared library that is a [`Backend`](dyno_api::Backend) like any other.
//! It checks everything that can be checked: version, sizes, missing functions, texts that aren't UTF-8, and
//! lines that are answered twice or not at all. A fault that can't be checked, such as an invalid pointer,
//! ends the process. The bench is another process and records the crash.
//!
//! # The plugin's side
//! [`mod@export`] makes a `cdylib` of any Rust backend with one line:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//! ```
//! ```text
//! dyno_plugin::export!(my_engine::ENGINE);
//! ```
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | [`abi`] | the header in Rust, type for type |
//! | `library` | the shared library and its checked table of functions |
//! | `callbacks` | texts and answers that the plugin hands over during a call |
//! | `plugin` | [`Plugin`]: the table as a backend |
//! | [`mod@export`] | the functions of a Rust backend's table |
//! | `error` | [`Error`] of loading, [`Fault`] of a call |
//!
//! # What it leaves out
//! Processes: the harness decides in which process a plugin runs.

#![allow(unsafe_code)] // calling, and being called, through C function pointers

pub mod abi;
mod callbacks;
mod error;
pub mod export;
mod library;
mod plugin;

pub use error::{Error, Fault};
pub use plugin::Plugin;
