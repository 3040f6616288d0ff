//! A line as the kinds read it.
//!
//! Markup is taken out before the other kinds look: a number in a URL is no number of the sentence.

use dyno_measure::TestSet;

use super::pieces;
use super::text::{Pattern, regex};
use crate::scores::Metrics;

/// Languages of a text, as far as kinds need words of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Languages {
    /// English into German: months, negation and words that both languages write alike are known.
    EnglishGerman,
    /// Any other pair: kinds that need words count nothing.
    #[default]
    Other,
}

/// The most frequent words of English that no other language of the shared tasks has among its own.
static ENGLISH: Pattern = Pattern::new(|| regex(r"(?i)\b(?:the|of|and|is|you|what|did|are)\b"));

/// Share of lines with such a word from which on a text is English. Nine of ten lines of talk and news have
/// one; of German, French or Dutch text it is one line in some hundred.
const ENGLISH_SHARE: f64 = 0.25;

impl Languages {
    /// Languages of a set's source and of answers in the target language that `metrics` name for it.
    pub fn of(set: &TestSet, metrics: &Metrics) -> Self {
        let is_english = |line: &&Vec<u8>| ENGLISH.is_match(&String::from_utf8_lossy(line));
        let english = set.source.iter().filter(is_english).count();
        match metrics.targets.get(&set.name).map(String::as_str) {
            Some("de") if english as f64 >= ENGLISH_SHARE * set.source.len() as f64 => Self::EnglishGerman,
            _ => Self::Other,
        }
    }
}

/// A source line with its answer.
pub struct Line<'a> {
    /// Source line, as it is.
    pub source: &'a str,
    /// Answer, as it is.
    pub answer: &'a str,
    /// References, without their markup.
    pub references: Vec<String>,
    /// Source line without its markup.
    pub plain_source: String,
    /// Answer without its markup.
    pub plain_answer: String,
    /// Languages of both.
    pub languages: Languages,
}

impl<'a> Line<'a> {
    /// A line with its answer, and its `references` if there are some.
    pub fn new(
        source: &'a str,
        answer: &'a str,
        references: impl IntoIterator<Item = &'a str>,
        languages: Languages,
    ) -> Self {
        Self {
            source,
            answer,
            references: references.into_iter().map(pieces::without).collect(),
            plain_source: pieces::without(source),
            plain_answer: pieces::without(answer),
            languages,
        }
    }

    /// Whether words of English and German are known.
    pub fn is_english_german(&self) -> bool {
        self.languages == Languages::EnglishGerman
    }
}
