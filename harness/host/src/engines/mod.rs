//! What commands ask of the crates that engines share, without translating.

pub mod ensemble;
mod products;
mod shortlists;
mod tokenise;

use std::collections::BTreeMap;
use std::path::Path;

pub use dyno_kernels::WholeLines as Allocator;
pub use products::product_speeds;
pub use shortlists::{coverage, shortlist};
pub use tokenise::{tokeniser, vocabulary};

use crate::error::Result;

/// The choices of the tuning in `file`, with their gains.
pub fn explain_tuning(file: &Path) -> Result<String> {
    Ok(dyno_nn::kernel_settings::explain_tuning(file)?)
}

/// The activation scales that a backend wrote into `file`, by the name of the product.
pub fn activation_scales(file: &Path) -> Result<BTreeMap<String, f32>> {
    Ok(dyno_translator::read_multipliers(file)?)
}
