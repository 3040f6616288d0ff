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

macro_rules! refused {
    ($($name:ident($($question:ty),*) -> $answer:ty;)*) => { $(
        pub fn $name($(_: $question),*) -> Result<$answer> {
            Err(Error::NoEngines)
        }
    )* };
}

refused! {
    tokeniser(&Path) -> Tokenise;
    vocabulary(&Path) -> Tokenise;
    shortlist(&ModelDir, &Path, Cut) -> Shortlist;
    coverage(&ModelDir, usize, &mut dyn Iterator<Item = (&[u8], &str)>) -> Option<Coverage>;
    product_speeds(&[Product], usize) -> Vec<Vec<f64>>;
    explain_tuning(&Path) -> String;
    activation_scales(&Path) -> BTreeMap<String, f32>;
}
