#![doc = ""]
pub mod bin;
mod bytes;
mod config;
mod defaults;
mod error;
pub mod npz;
mod numbers;
mod precision;
pub mod quantise;
pub mod safetensors;
pub mod shortlist;
mod support;
mod tensor;
mod weights;
pub mod yaml;
mod zip;

pub use config::MarianConfig;
pub use error::{Error, Fault, Result};
pub use numbers::DType;
pub use precision::Precision;
pub use shortlist::{Cut, Selection, Shortlist, Vocabularies, Vocabulary};
pub use tensor::{Layout, Scales, Tensor};
pub use weights::Weights;
