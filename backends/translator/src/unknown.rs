//! Replacement of unknown words: where the network wrote the unknown word, the source word that it attends to
//! most is copied (Luong et al. 2015, as in Devlin's engine).

use dyno_text::Vocabulary;

use crate::error::{Error, Result};
use crate::search::Found;

/// Refuses vocabularies with pieces of words: only whole words can be copied.
pub(crate) fn refuse_pieces(source: &Vocabulary, target: &Vocabulary) -> Result<()> {
    match (source, target) {
        (Vocabulary::Words(_), Vocabulary::Words(_)) => Ok(()),
        _ => Err(Error::ReplacedPieces),
    }
}

/// Replaces `text` by the words of `found`; unknown words are copied from `line`.
pub(crate) fn write(
    source: &Vocabulary,
    target: &Vocabulary,
    line: &[u8],
    found: &Found<'_>,
    text: &mut String,
) {
    debug_assert!(refuse_pieces(source, target).is_ok());
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let (unknown, end) = (target.unk_id(), target.eos_id());
    text.clear();
    for (at, id) in found.ids.iter().enumerate().filter(|(_, id)| Some(**id) != end) {
        if !text.is_empty() {
            text.push(' ');
        }
        let copied = found.aligned.get(at).and_then(|position| words.get(*position));
        match copied.filter(|_| Some(*id) == unknown) {
            Some(word) => text.push_str(&String::from_utf8_lossy(word)),
            None => text.push_str(&target.piece(*id).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use dyno_text::Format;

    use super::*;

    fn words(list: &str) -> Vocabulary {
        Vocabulary::from_bytes(list.as_bytes(), Format::Text).unwrap()
    }

    /// The text of `ids` for `line`, where each word attends to the source word with the same index.
    fn written(line: &[u8], ids: &[u32], aligned: &[usize]) -> String {
        let (source, target) = (words("</s>\n<unk>\nthe\n"), words("<unk>\n</s>\nder\nHund\n"));
        let mut text = String::from("before");
        write(&source, &target, line, &Found { ids, aligned, score: None }, &mut text);
        text
    }

    #[test]
    fn an_unknown_word_becomes_the_source_word_that_it_looked_at() {
        assert_eq!(written(b"the Xylophon the", &[2, 0, 3, 1], &[0, 1, 2, 3]), "der Xylophon Hund");
        assert_eq!(written(b"the Xylophon", &[0, 0], &[1, 0]), "Xylophon the");
    }

    #[test]
    fn words_are_counted_as_the_vocabulary_counts_them() {
        // Several spaces are one separator, a tab is part of a word, and invalid UTF-8 is a word as well.
        assert_eq!(written(b"  the   a\tb ", &[0], &[1]), "a\tb");
        assert_eq!(written(b"the \xFFx", &[0], &[1]), "\u{FFFD}x");
        let (source, line) = (words("</s>\n<unk>\nthe\n"), b"  the   a\tb \xFFx ");
        let mut ids = Vec::new();
        source.encode_into(line, &mut dyno_text::Scratch::default(), &mut ids);
        assert_eq!(ids.len(), 3);
    }

    #[test]
    fn what_looked_at_no_word_stays_unknown() {
        assert_eq!(written(b"the", &[0, 2], &[7, 0]), "<unk> der");
    }

    #[test]
    fn pieces_of_words_are_refused() {
        let pieces = include_bytes!("../../text/tests/goldens/word.spm");
        let pieces = Vocabulary::from_bytes(pieces, Format::SentencePiece).unwrap();
        assert!(
            refuse_pieces(&words("</s>\n<unk>\n"), &pieces).unwrap_err().to_string().contains("whole words")
        );
    }
}
