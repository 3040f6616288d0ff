//! A session that translates long lines part by part.
//!
//! It stands around another session. Parts join the batch like lines of their own; once all parts of a line
//! are answered, the line is answered with their translations in order. Its score is the sum of theirs.

use std::collections::HashMap;

use dyno_api::{Answer, Session, Sink};

use crate::sentences::parts;

/// A session around another one, which gets the parts of lines.
pub(crate) struct LongLines {
    inner: Box<dyn Session>,
    /// Greatest number of words of a part.
    most_words: usize,
    open: Open,
}

/// Lines that aren't answered yet.
#[derive(Default)]
struct Open {
    /// Number of the next part.
    next: usize,
    /// Line of each part, and the part's place in it.
    owners: HashMap<usize, (usize, usize)>,
    /// Translations of each line's parts, as far as they are there.
    lines: HashMap<usize, Vec<Option<Translation>>>,
}

struct Translation {
    text: String,
    score: Option<f32>,
}

impl LongLines {
    /// A session around `inner` that cuts lines of more than `most_words` words.
    pub(crate) fn new(inner: Box<dyn Session>, most_words: usize) -> Self {
        Self { inner, most_words, open: Open::default() }
    }

    /// The parts of lines, of which the first has the number `first`; and the number of the first part.
    fn cut<'a>(&mut self, first: usize, lines: &[&'a [u8]]) -> (usize, Vec<&'a [u8]>) {
        let (from, mut all) = (self.open.next, Vec::with_capacity(lines.len()));
        for (at, line) in lines.iter().enumerate() {
            let parts = parts(line, self.most_words);
            self.open.lines.insert(first + at, parts.iter().map(|_| None).collect());
            let places = 0..parts.len();
            self.open.owners.extend(places.map(|place| (from + all.len() + place, (first + at, place))));
            all.extend(parts);
        }
        self.open.next += all.len();
        (from, all)
    }

    /// The result of the inner session. After an error no line is open.
    fn ended(&mut self, result: dyno_api::Result<()>) -> dyno_api::Result<()> {
        if result.is_err() {
            self.open = Open::default();
        }
        result
    }
}

impl Open {
    /// Takes the translation of a part. Answers its line if it was the last one that was missing.
    fn take(&mut self, answer: Answer<'_>, sink: &mut dyn Sink) {
        let Some((line, place)) = self.owners.remove(&answer.line) else { return };
        let Some(parts) = self.lines.get_mut(&line) else { return };
        parts[place] = Some(Translation { text: answer.text.to_owned(), score: answer.score });
        if parts.iter().all(Option::is_some) {
            let parts: Vec<Translation> = self.lines.remove(&line).into_iter().flatten().flatten().collect();
            let score = parts.iter().map(|part| part.score).sum();
            sink.answer(Answer { line, rank: 0, text: &joined(&parts), score });
        }
    }
}

/// Translations of a line's parts in order. A space stands between two, but none after the full stops of
/// scripts without spaces.
fn joined(parts: &[Translation]) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        if !text.is_empty() && !text.ends_with(['。', '！', '？']) {
            text.push(' ');
        }
        text.push_str(&part.text);
    }
    text
}

impl Session for LongLines {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let (from, parts) = self.cut(0, lines);
        let open = &mut self.open;
        let mut take = |answer: Answer<'_>| open.take(Answer { line: from + answer.line, ..answer }, sink);
        let done = self.inner.run(&parts, &mut take);
        self.ended(done)
    }

    fn admit(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let (from, parts) = self.cut(first, lines);
        let open = &mut self.open;
        let done = self.inner.admit(from, &parts, &mut |answer: Answer<'_>| open.take(answer, sink));
        self.ended(done)
    }

    fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let open = &mut self.open;
        let done = self.inner.step(&mut |answer: Answer<'_>| open.take(answer, sink));
        self.ended(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers a line a step with its upper-case letters, the last admitted first.
    #[derive(Default)]
    struct Backwards(Vec<(usize, String)>);

    impl Session for Backwards {
        fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
            self.admit(0, lines, sink)?;
            lines.iter().try_for_each(|_| self.step(sink))
        }

        fn admit(&mut self, first: usize, lines: &[&[u8]], _sink: &mut dyn Sink) -> dyno_api::Result<()> {
            let texts = lines.iter().map(|line| String::from_utf8_lossy(line).to_uppercase());
            self.0.extend((first..).zip(texts));
            Ok(())
        }

        fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
            if let Some((line, text)) = self.0.pop() {
                sink.answer(Answer { line, rank: 0, text: &text, score: Some(0.5) });
            }
            Ok(())
        }
    }

    #[test]
    fn a_long_line_is_answered_once_with_its_parts_in_order() {
        let mut session = LongLines::new(Box::new(Backwards::default()), 3);
        for _ in 0..2 {
            let mut answers = Vec::new();
            let mut sink = |answer: Answer<'_>| {
                answers.push((answer.line, answer.text.to_owned(), answer.score));
            };
            session.run(&[b"one two. Three four. Five", b"six"], &mut sink).unwrap();
            let line = "ONE TWO. THREE FOUR. FIVE".to_owned();
            assert_eq!(answers, [(1, "SIX".to_owned(), Some(0.5)), (0, line, Some(1.5))]);
        }
    }

    #[test]
    fn lines_that_join_keep_their_numbers() {
        let mut session = LongLines::new(Box::new(Backwards::default()), 1);
        let mut answers = Vec::new();
        let mut sink = |answer: Answer<'_>| answers.push((answer.line, answer.text.to_owned()));
        session.admit(7, &[b"a b"], &mut sink).unwrap();
        session.step(&mut sink).unwrap();
        session.admit(8, &[b"c"], &mut sink).unwrap();
        (0..2).for_each(|_| session.step(&mut sink).unwrap());
        assert_eq!(answers, [(8, "C".to_owned()), (7, "A B".to_owned())]);
    }
}
