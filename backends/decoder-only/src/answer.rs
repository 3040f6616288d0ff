//! The answer to a line: which part of what the model says it is, and where it ends.
//!
//! An answer is one line whatever the model says: the first line with text, or what stands between the
//! campaign's marks. The rest is counted.

use std::borrow::Cow;

/// Rule by which a text becomes an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    /// Texts before and after the answer; its first line with text counts where they are absent.
    pub(crate) marks: Option<[String; 2]>,
}

impl Rule {
    /// Whether `said` holds the whole answer. Its last `added` bytes are new.
    pub(crate) fn is_complete(&self, said: &[u8], added: usize) -> bool {
        match &self.marks {
            Some(marks) => between(marks, said).is_some(),
            None => {
                let text = said.iter().position(|byte| !byte.is_ascii_whitespace());
                let new = said.len() - added;
                text.is_some_and(|text| said[text.max(new)..].contains(&b'\n'))
            }
        }
    }

    /// The answer within `said`, as one line. Where marks are missing, it is the first line with text.
    pub(crate) fn answer<'a>(&self, said: &'a [u8]) -> Cow<'a, str> {
        match self.marked(said) {
            Some(marked) => marked.split_whitespace().collect::<Vec<_>>().join(" ").into(),
            None => first_line(String::from_utf8_lossy(said)),
        }
    }

    /// Text between the marks. What the greatest length cut off has no mark after it.
    fn marked<'a>(&self, said: &'a [u8]) -> Option<Cow<'a, str>> {
        let marks = self.marks.as_ref()?;
        let cut = || find(said, &marks[0]).map(|at| &said[at + marks[0].len()..]);
        between(marks, said).or_else(cut).map(String::from_utf8_lossy)
    }

    /// Whether `said` lacks a mark that the rule wants.
    pub(crate) fn lacks_marks(&self, said: &[u8]) -> bool {
        self.marks.as_ref().is_some_and(|marks| between(marks, said).is_none())
    }
}

fn first_line(text: Cow<'_, str>) -> Cow<'_, str> {
    let first = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::len);
    let length = first(&text).unwrap_or(0);
    let start = text.len() - text.trim_start().len();
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..start + length]),
        Cow::Owned(text) => Cow::Owned(text[start..start + length].into()),
    }
}

fn between<'a>([before, after]: &[String; 2], said: &'a [u8]) -> Option<&'a [u8]> {
    let from = find(said, before)? + before.len();
    Some(&said[from..from + find(&said[from..], after)?])
}

fn find(text: &[u8], part: &str) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Rule {
        Rule { marks: Some(["<t>".into(), "</t>".into()]) }
    }

    #[test]
    fn without_marks_the_answer_is_the_first_line_with_text_and_ends_with_it() {
        let rule = Rule::default();
        for (said, added, complete, answer) in [
            ("", 0, false, ""),
            ("\n\n", 2, false, ""),
            ("\n Ein Hund", 9, false, "Ein Hund"),
            ("\n Ein Hund \n", 1, true, "Ein Hund"),
            (" Ein Hund\nund", 4, true, "Ein Hund"),
            ("Ein\u{2028}Hund", 10, false, "Ein\u{2028}Hund"),
        ] {
            let told = (rule.is_complete(said.as_bytes(), added), rule.answer(said.as_bytes()));
            assert_eq!(told, (complete, Cow::Borrowed(answer)), "{said:?}");
            assert!(!rule.lacks_marks(said.as_bytes()));
        }
        assert_eq!(rule.answer(b" a\xff \nb"), "a\u{fffd}");
    }

    #[test]
    fn between_marks_stands_one_line_and_without_them_the_first_one_counts() {
        for (said, complete, answer) in [
            ("Sure!\n<t>Ein\nHund</t> Anything else?", true, "Ein Hund"),
            ("<t></t>", true, ""),
            ("Here: <t> Ein Hund", false, "Ein Hund"),
            ("\nEin Hund\nthat is all", false, "Ein Hund"),
            ("</t> Ein Hund", false, "</t> Ein Hund"),
        ] {
            let rule = marks();
            assert_eq!(rule.is_complete(said.as_bytes(), 1), complete, "{said:?}");
            assert_eq!(rule.answer(said.as_bytes()), answer, "{said:?}");
            assert_eq!(rule.lacks_marks(said.as_bytes()), !complete, "{said:?}");
        }
    }
}
