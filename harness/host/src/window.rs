//! A window of lines, cut into batches of like lengths.
//!
//! Lines of about the same length finish at about the same step, so that no batch ends with steps for a
//! single long line. A window is the part of the input that is sorted at once; its size bounds the memory for
//! endless input.

use std::io::{self, BufRead};
use std::ops::Range;

use dyno_record::identity::BatchSize;

use super::answers::without_end;

/// Bytes that count as one word in scripts without spaces. In languages with spaces, a word with its space
/// has about six bytes.
const BYTES_A_WORD: usize = 8;

/// Lines that are sorted together, and the order of their translation.
pub(super) struct Window {
    /// Number of the first line.
    pub(super) first: usize,
    pub(super) lines: Vec<Vec<u8>>,
    /// Number of words of each line.
    words: Vec<usize>,
    /// Lines, longest first: at the end of a window, when workers run out of batches, only short lines are
    /// left.
    pub(super) order: Vec<usize>,
}

impl Window {
    /// Reads lines for `batches` batches of that size, or until the input ends. `first` is the number of the
    /// first line.
    pub(super) fn read(
        input: &mut impl BufRead,
        first: usize,
        size: BatchSize,
        batches: usize,
    ) -> io::Result<Self> {
        let (mut lines, mut words, mut total) = (Vec::new(), Vec::new(), 0);
        while total < size.most() * batches {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            line.truncate(without_end(&line).len());
            words.push(weight(&line));
            total += size.filled_by(words[words.len() - 1]);
            lines.push(line);
        }
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|line| std::cmp::Reverse(words[*line]));
        Ok(Self { first, lines, words, order })
    }

    /// Words or lines of the window, as the batches count them.
    pub(super) fn filled(&self, size: BatchSize) -> usize {
        self.words.iter().map(|&words| size.filled_by(words)).sum()
    }

    /// Batches of that size, each with at least one line, as ranges of the order.
    pub(super) fn batches(&self, size: BatchSize) -> Vec<Range<usize>> {
        let (mut batches, mut start, mut total) = (Vec::new(), 0, 0);
        for (at, line) in self.order.iter().enumerate() {
            let filled = size.filled_by(self.words[*line]);
            if at > start && total + filled > size.most() {
                batches.push(start..at);
                (start, total) = (at, 0);
            }
            total += filled;
        }
        if start < self.order.len() {
            batches.push(start..self.order.len());
        }
        batches
    }
}

/// Number of words of a line, plus one for the end of sentence that every engine adds.
pub(super) fn weight(line: &[u8]) -> usize {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    1 + words.max(line.len() / BYTES_A_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_each_line_once_longest_first_within_the_limit() {
        let text = b"a b c\nd\r\n\ne f g h i j k l m n\no p\n";
        let window = Window::read(&mut &text[..], 0, BatchSize::Words(1000), 1).unwrap();
        let batches = window.batches(BatchSize::Words(5));
        let numbers: Vec<&[usize]> = batches.into_iter().map(|batch| &window.order[batch]).collect();
        assert_eq!(numbers, [&[3][..], &[0], &[4, 1], &[2]], "the longest is a batch of its own");
        assert_eq!(window.batches(BatchSize::Words(1)).len(), 5, "one at a time");
        let filled = window.filled(BatchSize::Words(1));
        assert_eq!((&window.lines[1][..], filled), (&b"d"[..], 4 + 2 + 1 + 11 + 3));
        let lengths = |size| window.batches(size).into_iter().map(|batch| batch.len()).collect::<Vec<_>>();
        assert_eq!(lengths(BatchSize::of_lines(2)), [2, 2, 1], "two lines each, however long");
    }

    #[test]
    fn a_window_ends_with_the_line_that_fills_it() {
        let mut input = &b"a b\nc d\ne f\n"[..];
        let size = BatchSize::Words(2);
        assert_eq!(Window::read(&mut input, 0, size, 2).unwrap().lines.len(), 2);
        assert_eq!(Window::read(&mut input, 2, size, 2).unwrap().lines[0], b"e f");
        assert!(Window::read(&mut input, 3, size, 2).unwrap().lines.is_empty());
        let lines = Window::read(&mut &b"a b\nc d\ne f\n"[..], 0, BatchSize::of_lines(1), 2).unwrap();
        assert_eq!(lines.lines.len(), 2, "two batches of a line");
    }

    #[test]
    fn scripts_without_spaces_have_words() {
        assert_eq!(weight("漢字仮名交じり文".as_bytes()), 1 + 3);
    }
}
