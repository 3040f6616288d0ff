//! Coverage of vocabulary maps: how many words of the references stand among the candidates of their sentences
//! (OpenNMT 2018, table 1).
//!
//! Counted from the model's files and the test set alone, so no system runs for it.

use std::collections::BTreeMap;

use dyno_formats::{ModelDir, Shortlist, Vocabularies};
use dyno_papers::reproduction::Coverage;
use dyno_papers::{Quantity, Table};
use dyno_text::{Scratch, Side, Vocabulary};
use dyno_translator::Words;

use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::{OrBadInput, Outcome};

/// Setting of a translator for the greatest length of n-grams.
const NGRAMS: &str = "shortlist-ngrams";

/// Coverage of each system of `campaign` that has a shortlist, if `table` is about it.
pub fn coverage(table: &Table, campaign: &Campaign) -> Outcome<BTreeMap<String, Coverage>> {
    if !table.statements.iter().any(|said| said.of == Some(Quantity::Coverage)) {
        return Ok(BTreeMap::new());
    }
    let Some(set) = campaign.test_sets.first() else { return Ok(BTreeMap::new()) };
    let Some(references) = set.references.first() else { return Ok(BTreeMap::new()) };
    let pairs = || set.source.iter().zip(references);
    let mut found = BTreeMap::new();
    for system in &campaign.systems {
        if let Some(list) = List::of(system)? {
            found.insert(system.name.clone(), list.coverage(pairs()));
        }
    }
    Ok(found)
}

/// A shortlist with its vocabularies.
struct List {
    source: Vocabulary,
    target: Vocabulary,
    list: Shortlist,
}

impl List {
    /// The list by which a built-in system translates; `None` for other systems, and without a list.
    fn of(system: &Entry) -> Outcome<Option<Self>> {
        let (Launch::BuiltIn { settings, .. }, [model]) = (&system.launch, &system.models[..]) else {
            return Ok(None);
        };
        if settings.get("shortlist").is_some_and(|value| *value == false) {
            return Ok(None);
        }
        let model = ModelDir::open(model).or_bad_input()?;
        let (Some((path, cut)), [source, target]) = (model.shortlist(), model.vocabularies()) else {
            return Ok(None);
        };
        let read = |path, side| Vocabulary::open(path, model.tokens(), side).or_bad_input();
        let (source, target) = (read(source, Side::Source)?, read(target, Side::Target)?);
        let shared = model.shares_vocabulary();
        let vocabularies = Vocabularies { source: &Words(&source), target: &Words(&target), shared };
        let longest = settings.get(NGRAMS).and_then(serde_json::Value::as_u64).unwrap_or(u64::MAX);
        let list = Shortlist::open(path, cut, vocabularies).or_bad_input()?;
        Ok(Some(Self { list: list.up_to(usize::try_from(longest).unwrap_or(usize::MAX)), source, target }))
    }

    /// Coverage of references by the candidates of their sources.
    fn coverage<'a>(&self, pairs: impl Iterator<Item = (&'a Vec<u8>, &'a String)>) -> Coverage {
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
    use dyno_formats::Cut;
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
        List { list: list.up_to(longest), source, target }
    }

    #[test]
    fn n_grams_cover_what_single_words_miss() {
        let (source, reference) = (b"once more".to_vec(), "noch einmal erneut".to_owned());
        let covered = |longest| list(longest).coverage([(&source, &reference)].into_iter());
        // "einmal" of "once", "noch" of both together; nothing has "erneut".
        assert_eq!(covered(1), Coverage { words: 3, offered: 1, candidates: 8.0 });
        assert_eq!(covered(2), Coverage { words: 3, offered: 2, candidates: 16.0 });
        assert!((covered(2).percent() - 200.0 / 3.0).abs() < 1e-9);
    }
}
