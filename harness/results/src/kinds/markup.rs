//! Markup, which an answer must hold letter by letter.

use super::kept::{Kept, shared};
use super::line::Line;
use super::pieces::pieces;

/// Pieces of markup, each as often as it stands in the source.
pub fn count(line: &Line<'_>) -> Kept {
    let found = pieces(line.source);
    let kept = shared(&found, pieces(line.answer));
    Kept { found: found.len(), kept }
}
