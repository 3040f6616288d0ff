//! What a model's shortlist offers: read for `dyno convert`, and counted for the papers' tables on vocabulary maps.

use std::path::Path;

use dyno_formats::{Cut, ModelDir, Shortlist, Vocabularies};
use dyno_text::{Scratch, Side, Vocabulary};
use dyno_translator::{Words, vocabulary};

use crate::error::{Error, Result};
use crate::facts::Coverage;

/// The shortlist in the file at `path`, for the vocabularies of `model`.
pub fn shortlist(model: &ModelDir, path: &Path, cut: Cut) -> Result<Shortlist> {
    Ok(List::open(model, path, cut)?.list)
}

/// Coverage of references by the candidates of their sources, with the model's own shortlist and n-grams of up to
/// `longest` words; `None` for a model without one.
pub fn coverage(
    model: &ModelDir,
    longest: usize,
    pairs: &mut dyn Iterator<Item = (&[u8], &str)>,
) -> Result<Option<Coverage>> {
    let (Some((path, cut)), [_, _]) = (model.shortlist(), model.vocabularies()) else { return Ok(None) };
    Ok(Some(List::open(model, path, cut)?.up_to(longest).coverage(pairs)))
}

/// A shortlist with its vocabularies.
struct List {
    source: Vocabulary,
    target: Vocabulary,
    list: Shortlist,
}

impl List {
    fn open(model: &ModelDir, path: &Path, cut: Cut) -> Result<Self> {
        let read = |side| vocabulary(model, side)?.ok_or(Error::NoVocabularies);
        let (source, target) = (read(Side::Source)?, read(Side::Target)?);
        let shared = model.shares_vocabulary();
        let vocabularies = Vocabularies { source: &Words(&source), target: &Words(&target), shared };
        let list = Shortlist::open(path, cut, vocabularies)?;
        Ok(Self { source, target, list })
    }

    fn up_to(self, longest: usize) -> Self {
        Self { list: self.list.up_to(longest), ..self }
    }

    fn coverage(&self, pairs: &mut dyn Iterator<Item = (&[u8], &str)>) -> Coverage {
        let (mut scratch, mut selection) = (Scratch::default(), self.list.selection());
        let (mut words, mut offered, mut candidates, mut lines) = (0, 0, 0, 0usize);
        for (source, reference) in pairs {
            let (mut ids, mut wanted) = (Vec::new(), Vec::new());
            self.source.encode_into(source, &mut scratch, &mut ids);
            ids.extend(self.source.eos_id());
            self.target.encode_into(reference.as_bytes(), &mut scratch, &mut wanted);
            let chosen = self.list.select(&ids, &mut selection);
            words += wanted.len();
            offered += wanted.iter().filter(|word| chosen.binary_search(word).is_ok()).count();
            candidates += chosen.len();
            lines += 1;
        }
        Coverage { words, offered, candidates: candidates as f64 / lines.max(1) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use dyno_text::Format;

    use super::*;

    /// A map of two words and of the two together, with 8 and 16 candidates: multiples of 8, to which no word is added.
    fn list(longest: usize) -> List {
        let words = |text: &str| Vocabulary::from_bytes(text.as_bytes(), Format::Text).unwrap();
        let source = words("</s>\n<unk>\nonce\nmore\n");
        let target = words("</s>\n<unk>\neinmal\nmehr\nnoch\nerneut\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n");
        let map = "\ta b c\nonce\teinmal\nmore\tmehr d\nonce more\tnoch e f g h i j k\n";
        let vocabularies = Vocabularies { source: &Words(&source), target: &Words(&target), shared: false };
        let list = Shortlist::from_bytes(map.as_bytes(), Cut::default(), vocabularies).unwrap();
        List { source, target, list }.up_to(longest)
    }

    #[test]
    fn n_grams_cover_what_single_words_miss() {
        let pair = (&b"once more"[..], "noch einmal erneut");
        let covered = |longest| list(longest).coverage(&mut [pair].into_iter());
        // "einmal" of "once", "noch" of both together; nothing has "erneut".
        assert_eq!(covered(1), Coverage { words: 3, offered: 1, candidates: 8.0 });
        assert_eq!(covered(2), Coverage { words: 3, offered: 2, candidates: 16.0 });
    }
}
