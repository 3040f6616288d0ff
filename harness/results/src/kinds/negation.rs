//! Words that negate, English into German alone. A lost "not" turns a sentence round, and costs no score
//! much.

use super::kept::Kept;
use super::line::Line;
use super::text::{Pattern, regex};

static ENGLISH: Pattern = Pattern::new(|| {
    regex(r"(?i)\b(?:not|cannot|no|never|none|nobody|nothing|nowhere|neither|nor|without)\b|n['’]t\b")
});
/// German cues. Words with "un-" that commonly stand for "not" with an adjective count, and the "oder?" that
/// stands for "isn't it?".
static GERMAN: Pattern = Pattern::new(|| {
    regex(concat!(
        r"(?i)\b(?:nichts?|nie|niemals|nimmer|kein(?:e[mnrs]?|erlei)?|niemand(?:e[mns]|s)?|nirgend\w*|weder|ohne|nein)\b",
        r"|\bun(?:möglich|fähig|nötig|bekannt|gern|wahr|glücklich|zufrieden|klar|sicher|gesund|höflich|verheiratet)\w*",
        r"|\baußerstande\b|\boder\?$",
    ))
});

/// Words of the source that negate, and as many as the answer has. "Neither … nor" is one.
pub fn count(line: &Line<'_>) -> Kept {
    if !line.is_english_german() {
        return Kept::default();
    }
    let cues: Vec<String> =
        ENGLISH.find_iter(&line.plain_source).map(|cue| cue.as_str().to_lowercase()).collect();
    let paired = cues.iter().any(|cue| cue == "neither");
    let found = cues.iter().filter(|cue| !(paired && *cue == "nor")).count();
    Kept::of(found, GERMAN.find_iter(line.plain_answer.trim_end()).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn cues_are_counted_on_both_sides() {
        let kept = |source, answer| count(&Line::new(source, answer, [], Languages::EnglishGerman));
        assert_eq!(kept("No, I don't.", "Nein, ich will."), Kept { found: 2, kept: 1 });
        assert_eq!(
            kept("Neither he nor she can’t.", "Weder er noch sie können nicht."),
            Kept { found: 2, kept: 2 }
        );
        assert_eq!(kept("It isn't possible.", "Das ist unmöglich."), Kept { found: 1, kept: 1 });
        assert_eq!(kept("Nobody noticed Norway.", "Jemand sah Norwegen."), Kept { found: 1, kept: 0 });
        assert_eq!(kept("He came, didn't he?", "Er kam, oder?"), Kept { found: 1, kept: 1 });
    }
}
