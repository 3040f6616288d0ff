//! What commands ask and learn of models and products, whatever engines a build has.

use dyno_formats::Precision;

/// A product of activations [rows, k] and weights [k, n].
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Number type of both operands.
    pub precision: Precision,
    /// Rows of the activations.
    pub rows: usize,
    /// Inputs of each row.
    pub k: usize,
    /// Outputs of each row.
    pub n: usize,
}

/// References' words that a shortlist offers for their sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Number of words of all references.
    pub words: usize,
    /// Number of those that are among their sentence's candidates.
    pub offered: usize,
    /// Mean number of candidates of a sentence.
    pub candidates: f64,
}

/// Function that replaces ids by those of a line.
pub type Tokenise = Box<dyn FnMut(&[u8], &mut Vec<u32>) -> Result<(), String>>;
