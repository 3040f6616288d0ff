//! The outbox: lines that have arrived but that the system's pipe hasn't taken yet.

use std::collections::VecDeque;

use dyno_record::Reason;

use crate::process::dialogue::Dialogue;

/// Lines in the order of arrival.
#[derive(Default)]
pub(super) struct Outbox {
    lines: VecDeque<Vec<u8>>,
    /// Bytes of the first line that the pipe has taken.
    begun: usize,
}

impl Outbox {
    pub(super) fn push(&mut self, line: &[u8]) {
        self.lines.push_back([line, b"\n"].concat());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Number of lines of which the system has no byte.
    pub(super) fn unbegun(&self) -> usize {
        self.lines.len() - usize::from(self.begun > 0)
    }

    pub(super) fn write(&mut self, dialogue: &mut Dialogue) -> Result<(), Reason> {
        while let Some(line) = self.lines.front() {
            match dialogue.write_some(&line[self.begun..])? {
                0 => break,
                written => self.advance(written),
            }
        }
        Ok(())
    }

    fn advance(&mut self, written: usize) {
        self.begun += written;
        if self.lines.front().is_some_and(|line| line.len() == self.begun) {
            self.lines.pop_front();
            self.begun = 0;
        }
    }

    /// Drops the lines that no byte was written of; returns their number.
    pub(super) fn take_back(&mut self) -> usize {
        let unbegun = self.unbegun();
        self.lines.truncate(self.lines.len() - unbegun);
        unbegun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_line_is_finished_and_the_others_are_taken_back() {
        let mut outbox = Outbox::default();
        ["one", "two", "three"].iter().for_each(|line| outbox.push(line.as_bytes()));
        outbox.advance(4);
        outbox.advance(1);
        assert_eq!((outbox.unbegun(), outbox.take_back(), outbox.lines.len()), (1, 1, 1));
        outbox.advance(3);
        assert!(outbox.is_empty());
        outbox.push(b"four");
        assert_eq!((outbox.take_back(), outbox.is_empty()), (1, true));
    }
}
