//! A build without engines measures programs and plugins, and refuses what only engines know.
//!
//! Each function has its description in `engines`.

#![expect(missing_docs, reason = "as in `engines`")]

use std::collections::BTreeMap;
use std::path::Path;

use dyno_formats::{Cut, ModelDir, Shortlist};

use crate::error::{Error, Result};
use crate::facts::{Coverage, Product, Tokenise};

pub use std::alloc::System as Allocator;

pub fn tokeniser(_: &Path) -> Result<Tokenise> {
    Err(Error::NoEngines)
}

pub fn vocabulary(_: &Path) -> Result<Tokenise> {
    Err(Error::NoEngines)
}

pub fn shortlist(_: &ModelDir, _: &Path, _: Cut) -> Result<Shortlist> {
    Err(Error::NoEngines)
}

pub fn coverage(
    _: &ModelDir,
    _: usize,
    _: &mut dyn Iterator<Item = (&[u8], &str)>,
) -> Result<Option<Coverage>> {
    Err(Error::NoEngines)
}

pub fn product_speeds(_: &[Product], _: usize) -> Result<Vec<Vec<f64>>> {
    Err(Error::NoEngines)
}

pub fn explain_tuning(_: &Path) -> Result<String> {
    Err(Error::NoEngines)
}

pub fn activation_scales(_: &Path) -> Result<BTreeMap<String, f32>> {
    Err(Error::NoEngines)
}
