//! Quality by kind: what a translation keeps of its source, counted without a model.
//!
//! A score of a whole text hides what users notice first: a wrong number, a lost tag, a missing "not". Each
//! kind counts what of it stands in the source lines, and how much of that the answers keep. The counts are
//! exact and the same on every host, so that two precisions of one model can be told apart line by line. What
//! an answer adds isn't counted.

mod counts;
mod dates;
mod kept;
mod kind;
mod length;
mod line;
mod markup;
mod names;
mod negation;
mod numbers;
mod pieces;
mod quotes;
mod repetition;
#[cfg(test)]
mod tests;
mod text;
mod untranslated;

pub use counts::{Counter, KeptOfLine, KindCount, Loss};
pub use kept::Kept;
pub use kind::Kind;
pub use line::{Languages, Line};
