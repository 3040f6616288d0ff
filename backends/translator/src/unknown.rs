//! Unknown words replaced: where the network wrote the unknown word, the source word that it looked at most is
//! copied (Luong et al. 2015, as in Devlin's engine).

use dyno_text::Vocabulary;

use crate::search::Found;

/// Only whole words can be copied; pieces of words have no unknown worth copying.
pub(crate) fn refuse_pieces(source: &Vocabulary, target: &Vocabulary) -> Result<(), String> {
    match (source, target) {
        (Vocabulary::Words(_), Vocabulary::Words(_)) => Ok(()),
        _ => Err("replace-unknown copies whole words; this model's vocabularies have pieces".into()),
    }
}

/// Replaces `text` by the words of `found`, unknown ones copied from `line`.
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
            None => text.push_str(target.piece(*id).unwrap_or_default()),
        }
    }
}
