//! Adapters: small programs that run other projects' engines under the contract of the bench.
//!
//! An adapter is a folder, `backends/adapters/NAME`: a description (`adapter.toml`), a program, its pinned
//! Python packages, and a README. A new one needs no Rust.
//!
//! | module | owns |
//! | --- | --- |
//! | `description` | `adapter.toml`, and the check of a system's settings |
//! | `folders` | folders of adapters: in a checkout, or beside an installed dyno |
//! | `environment` | the private Python of an adapter |
//! | `conversion` | models in the engine's own form, made once in the user's cache |
//! | `system` | the command of a system that runs by an adapter |

mod conversion;
mod description;
mod environment;
mod folders;
mod system;

pub use description::Description;
pub use environment::megabytes;
pub use folders::{Adapter, all, find};
pub use system::{AdaptedSystem, options};
