//! Length against the source: an answer that is far too short has left something out, one that is far too
//! long has made something up.

use super::kept::Kept;
use super::line::Line;

/// Least and greatest number of characters of an answer, as a multiple of the source's. No reference of the
/// everyday set exceeds these bounds, and answers that lack half of a sentence do.
const FACTORS: [f64; 2] = [0.6, 2.0];
/// Characters by which short lines may exceed either bound: a word may well become two.
const SLACK: f64 = 8.0;

/// A line, kept if its answer is neither too short nor too long.
pub fn count(line: &Line<'_>) -> Kept {
    let [source, answer] = [line.source, line.answer].map(|text| text.trim().chars().count() as f64);
    let is_fit = answer >= FACTORS[0] * source - SLACK && answer <= FACTORS[1] * source + SLACK;
    Kept::line(is_fit && (answer > 0.0 || source == 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn bounds_leave_room_for_short_lines_but_not_for_silence() {
        let is_kept = |source: usize, answer: usize| {
            let texts = [source, answer].map(|length| "ä".repeat(length));
            count(&Line::new(&texts[0], &texts[1], [], Languages::Other)).kept == 1
        };
        assert!(is_kept(4, 16) && !is_kept(4, 17), "twice the source and eight more");
        assert!(is_kept(100, 52) && !is_kept(100, 51), "six tenths of the source and eight less");
        assert!(is_kept(0, 0) && is_kept(4, 1) && !is_kept(4, 0));
    }
}
