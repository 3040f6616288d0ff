//! A figure of the paper beside ours, and the names of systems that stand for another with a library's products.

use dyno_stats::Estimate;
use serde::Serialize;

/// End of the names of systems that stand for another, with the gemm crate's products: a stand-in for the
/// papers' libraries, over which nothing is judged.
pub const STAND_IN: &str = " (library)";

/// End of the names of systems whose linear layers are oneDNN's, and the base of their table.
pub const ONEDNN: &str = " (oneDNN)";

/// Figures of the paper and ours, for one row and column.
#[derive(Debug, Default, Serialize)]
pub struct Pair {
    /// Figure as printed.
    pub paper: Option<f64>,
    /// Our figure where the whole instance is paid for, not a core's part of it.
    pub ours_whole: Option<f64>,
    /// Speed over that of the base, in the paper.
    pub paper_factor: Option<f64>,
    /// Our figure in the column's unit; words a second for times of a whole test set.
    pub ours: Option<f64>,
    /// Our speed over that of the base: median of rounds, with the least and the most.
    pub factor: Option<Estimate>,
    /// Our speed over that of the base with the products of the paper's library.
    pub over_library: Option<Estimate>,
    /// Our speed over that of the base with the stand-in's products.
    pub over_stand_in: Option<Estimate>,
}
