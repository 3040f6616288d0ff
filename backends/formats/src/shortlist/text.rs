//! The text form: a line for each pair, `target source probability`.
//!
//! The rules are Marian's. ASCII white space alone separates words; a piece may contain any other white
//! space. A line with the word NULL is skipped, unknown words are the unknown word, and the last of repeated
//! pairs counts. Marian stops silently at the first line that it can't read; this reader reports the line.

use std::cmp::Ordering;

use super::list::{Cut, Shortlist, Vocabularies, Vocabulary};
use crate::Fault;
use crate::error::clip;

/// Word that aligners write for "aligned to nothing".
const NULL: &str = "NULL";

/// Checks whether `bytes` are a shortlist that the reader accepts with any vocabulary.
///
/// # Errors
/// The first fault, with its line.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(bytes, Cut::default(), Scattered::BOTH).map(drop)
}

/// A vocabulary that has every word, for checks.
pub(super) struct Scattered;

impl Scattered {
    pub(super) const BOTH: Vocabularies<'static> =
        Vocabularies { source: &Self, target: &Self, shared: true };
}

impl Vocabulary for Scattered {
    fn words(&self) -> usize {
        1000
    }

    fn id(&self, word: &str) -> u32 {
        word.bytes().fold(7, |sum: u32, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 1000
    }
}

/// A line with its words as ids.
#[derive(Clone, Copy)]
struct Pair {
    source: u32,
    target: u32,
    probability: f32,
}

pub(super) fn parse(bytes: &[u8], cut: Cut, vocabularies: Vocabularies<'_>) -> Result<Shortlist, Fault> {
    let mut pairs = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        pairs.extend(pair(line, vocabularies).map_err(|fault| fault.at(index + 1, 1))?);
    }
    let source_words = vocabularies.source.words();
    let (starts, ids) = prune(pairs, source_words, cut);
    Ok(Shortlist::lexical(cut, vocabularies.target.words(), vocabularies.shared, starts, ids))
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C) // C's isspace, less the line end
}

/// Parses a line; `None` for an empty line and for NULL.
fn pair(line: &[u8], vocabularies: Vocabularies<'_>) -> Result<Option<Pair>, Fault> {
    let line = std::str::from_utf8(line).map_err(crate::bytes::not_utf8)?;
    let mut fields = line
        .split(|c: char| u8::try_from(c).is_ok_and(|byte| is_blank(&byte)))
        .filter(|field| !field.is_empty());
    let (target, source, probability) = match (fields.next(), fields.next(), fields.next(), fields.next()) {
        (None, ..) => return Ok(None),
        (Some(target), Some(source), Some(probability), None) => (target, source, probability),
        _ => return Err("target, source and probability were expected".into()),
    };
    let number = probability.parse().ok().filter(|number: &f32| number.is_finite());
    let probability =
        number.ok_or_else(|| Fault::from(format!("`{}` is no probability", clip(probability))))?;
    if source == NULL || target == NULL {
        return Ok(None);
    }
    let source = looked_up(source, vocabularies.source)?;
    Ok(Some(Pair { source, target: looked_up(target, vocabularies.target)?, probability }))
}

pub(super) fn looked_up(word: &str, vocabulary: &dyn Vocabulary) -> Result<u32, Fault> {
    let id = vocabulary.id(word);
    if (id as usize) < vocabulary.words() {
        return Ok(id);
    }
    Err(format!("`{}` has the id {id} in a vocabulary of {} words", clip(word), vocabulary.words()).into())
}

/// Keeps the best candidates of each source word: the most probable ones, and of equal ones those with larger
/// ids.
fn prune(mut pairs: Vec<Pair>, source_words: usize, cut: Cut) -> (Vec<usize>, Vec<u32>) {
    pairs.sort_by_key(|pair| (pair.source, pair.target)); // stable: repeated pairs keep the file's order
    pairs.dedup_by(|later, earlier| {
        let repeated = (later.source, later.target) == (earlier.source, earlier.target);
        if repeated {
            earlier.probability = later.probability;
        }
        repeated
    });
    pairs.retain(|pair| pair.probability > cut.threshold);
    let (mut starts, mut ids) = (Vec::with_capacity(source_words + 1), Vec::new());
    for group in pairs.chunk_by_mut(|a, b| a.source == b.source) {
        starts.resize(group[0].source as usize + 1, ids.len());
        group.sort_by(better);
        let best = cut.best.min(group.len());
        let kept = &mut group[..best];
        kept.sort_by_key(|pair| pair.target);
        ids.extend(kept.iter().map(|pair| pair.target));
    }
    starts.resize(source_words + 1, ids.len());
    (starts, ids)
}

fn better(a: &Pair, b: &Pair) -> Ordering {
    b.probability.total_cmp(&a.probability).then(b.target.cmp(&a.target))
}
