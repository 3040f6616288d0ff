//! Cutting a long line into sentences, and a long sentence into clauses.
//!
//! Translators learn from single sentences, and a line far beyond their length loses words. The rules read
//! punctuation alone: a mark that ends a sentence, then space, then anything but a small letter. They know the
//! commonest abbreviations of English and German; a wrong cut costs context, and no words.

/// Abbreviations that are followed by a capital letter.
const ABBREVIATIONS: [&str; 16] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "Nr", "vs", "Jan", "Feb", "Aug", "Sept", "Oct", "Nov", "Dec",
];

/// Bytes that count as one word in scripts without spaces.
const BYTES_A_WORD: usize = 8;

/// `line` as one part if it has at most `most` words, else its sentences. A sentence with more words than that
/// is cut after a comma or the like, or after `most` words. A line that is no UTF-8 stays whole, and so does one of
/// spaces alone, which has no sentences: each line has at least one part, or it would never be answered.
pub(crate) fn parts(line: &[u8], most: usize) -> Vec<&[u8]> {
    match std::str::from_utf8(line) {
        Ok(text) if words(text) > most && !text.trim().is_empty() => sentences(text)
            .into_iter()
            .flat_map(|sentence| clauses(sentence, most))
            .map(str::as_bytes)
            .collect(),
        _ => vec![line],
    }
}

/// Number of words, of which scripts without spaces have one for some bytes.
fn words(text: &str) -> usize {
    text.split_whitespace().count().max(text.len() / BYTES_A_WORD)
}

/// Sentences of `text`, without the space between them.
fn sentences(text: &str) -> Vec<&str> {
    let ends = text.char_indices().map(|(at, mark)| at + mark.len_utf8()).filter(|end| ends_at(text, *end));
    let mut start = 0;
    let cuts: Vec<usize> = ends.chain([text.len()]).collect();
    let sentences = cuts.into_iter().map(|end| {
        let sentence = text[start..end].trim();
        start = end;
        sentence
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// Whether a sentence ends before byte `end` of `text`.
fn ends_at(text: &str, end: usize) -> bool {
    let (before, after) = text.split_at(end);
    if before.ends_with(['。', '！', '？']) {
        return !after.starts_with(['」', '』', '”', '。', '！', '？']);
    }
    let marked = before.trim_end_matches(['"', '\'', '”', '’', '“', '»', '«', ')', ']']);
    let goes_on = after.trim_start().chars().next().is_none_or(char::is_lowercase);
    if !marked.ends_with(['.', '!', '?', '…']) || !after.starts_with(char::is_whitespace) || goes_on {
        return false;
    }
    !marked.strip_suffix('.').is_some_and(ends_in_abbreviation)
}

/// Whether the last word of `text` is one that a full stop abbreviates: a letter, a number or a known one.
fn ends_in_abbreviation(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '.' || c == '(').next().unwrap_or(text);
    let is_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.chars().count() == 1 || is_number || ABBREVIATIONS.contains(&word)
}

/// Parts of a sentence with at most `most` words each. They end after a comma or the like where the second half
/// of these words has one.
fn clauses(sentence: &str, most: usize) -> Vec<&str> {
    let (mut rest, mut clauses) = (sentence, Vec::new());
    while words(rest) > most {
        let Some(end) = clause_end(rest, most) else { break };
        let (clause, others) = rest.split_at(end);
        clauses.push(clause.trim_end());
        rest = others.trim_start();
    }
    clauses.push(rest);
    clauses
}

/// End of the first part of `text`; `None` where it has no end before the last byte.
fn clause_end(text: &str, most: usize) -> Option<usize> {
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    let fits: Vec<usize> = spaces.take_while(|end| words(&text[..*end]) <= most).collect();
    let after_mark = |end: &&usize| text[..**end].ends_with([',', ';', ':', '–', '—']);
    let late = fits.iter().rev().take(fits.len().div_ceil(2));
    let end = late.clone().find(after_mark).or(fits.last()).copied();
    end.or_else(|| {
        // No space: a script without them, cut between two letters.
        (1..=most * BYTES_A_WORD).rev().find(|at| text.is_char_boundary(*at))
    })
    .filter(|end| *end < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str, most: usize) -> Vec<&str> {
        parts(line.as_bytes(), most).into_iter().map(|part| std::str::from_utf8(part).unwrap()).collect()
    }

    #[test]
    fn a_short_line_stays_whole_and_a_long_one_becomes_sentences() {
        let line =
            "He came. \"Really?\" She asked Dr. Smith at 5 p.m. whether J. R. knew. On 3. May it ended!";
        assert_eq!(texts(line, 19), [line]);
        let cut = [
            "He came.",
            "\"Really?\"",
            "She asked Dr. Smith at 5 p.m. whether J. R. knew.",
            "On 3. May it ended!",
        ];
        assert_eq!(texts(line, 12), cut);
    }

    #[test]
    fn a_line_of_spaces_alone_is_a_part_however_long() {
        let line = " ".repeat(600);
        assert_eq!(texts(&line, 60), [&*line]);
    }

    #[test]
    fn a_long_sentence_is_cut_after_a_comma_else_between_words() {
        assert_eq!(texts("a b, c d, e f g h", 5), ["a b, c d,", "e f g h"]);
        assert_eq!(
            texts("a, b c d e f g", 4),
            ["a, b c d", "e f g"],
            "a comma in the first half is too early"
        );
        assert_eq!(texts("a b c d e", 1), ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_at_their_full_stops() {
        assert_eq!(texts("今日は雨です。明日は晴れます。", 3), ["今日は雨です。", "明日は晴れます。"]);
        let long = "雨".repeat(20);
        assert_eq!(texts(&long, 2).concat(), long, "no letter is lost");
        assert!(texts(&long, 2).iter().all(|part| part.len() <= 16));
    }

    #[test]
    fn odd_lines_stay_whole() {
        let invalid = [b'a', b' ', 0xff, b'.', b' ', b'B'];
        assert_eq!(parts(&invalid, 1), [&invalid[..]]);
        assert_eq!(texts("", 1), [""]);
        let word = "a".repeat(7);
        assert_eq!(texts(&word, 1), [word.as_str()]);
    }
}
