//! Vocabularies of whole words: YAML or JSON maps from words to ids, and plain lists.
//!
//! The rules are Marian's. The space character alone separates words; a tab is part of a word. OpenNMT-py strips
//! white space of any kind around a line, and takes nothing between two spaces for a word. `</s>` and
//! `<unk>` must be there, except that in a map the ids 0 and 1 serve where they are unused or have Nematus'
//! names. Of two entries for one word, the first counts. Of two words for one id, the one that sorts last is
//! shown. A repeated word in a list is refused, because the ids behind it would be ambiguous.

mod map;

use std::collections::{BTreeMap, HashMap};

use crate::{Error, Result};
use map::{Entries, join_surrogates};

/// The end of a sentence: Marian's name, Nematus' name, and the id at which Nematus' name counts.
const EOS: (&str, &str, u32) = ("</s>", "eos", 0);

/// The unknown word: likewise.
const UNK: (&str, &str, u32) = ("<unk>", "UNK", 1);

/// A vocabulary of whole words.
pub struct WordVocabulary {
    /// All words, one after the other.
    text: String,
    /// By id: range of the word in `text`; empty for ids without a word.
    spans: Vec<(u32, u32)>,
    ids: HashMap<Box<[u8]>, u32>,
    eos: u32,
    unk: u32,
    /// Whether a line is divided as by OpenNMT-py.
    as_opennmt: bool,
}

impl WordVocabulary {
    /// Reads a map from words to ids in YAML, of which JSON is a part.
    ///
    /// # Errors
    /// When the bytes are no such map, or one of the two required words is absent.
    pub fn from_yaml(bytes: &[u8]) -> Result<Self> {
        let mut words = BTreeMap::new();
        let text = join_surrogates(text(bytes)?);
        let mut entries = Entries::open(&text)?;
        while let Some((word, id, line)) = entries.next()? {
            // An entry takes a few bytes, so that more ids than bytes would be mostly gaps, and a small file
            // could ask for much memory.
            if id as usize >= bytes.len() {
                return Err(Error::words(
                    line,
                    format!("id {id} is beyond all reason for a file of this size"),
                ));
            }
            words.entry(word).or_insert(id);
        }
        Self::new(&words, true)
    }

    /// Reads a list with a word in each line; ids count from 0.
    ///
    /// # Errors
    /// When a line is empty or repeated, or one of the two required words is absent.
    pub fn from_text(bytes: &[u8]) -> Result<Self> {
        let text = text(bytes)?;
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
        Self::from_list(lines.map(|line| line.strip_suffix('\r').unwrap_or(line)))
    }

    /// The vocabulary of a list of words; ids count from 0.
    ///
    /// # Errors
    /// When a word is empty or repeated, or one of the two required words is absent.
    pub fn from_list<'a>(list: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut words = BTreeMap::new();
        for (id, word) in list.enumerate() {
            if word.is_empty() {
                return Err(Error::words(id + 1, "an empty line is no word"));
            }
            if words.insert(word.to_owned(), id as u32).is_some() {
                return Err(Error::words(id + 1, format!("`{}` comes twice", word.escape_debug())));
            }
        }
        Self::new(&words, false)
    }

    fn new(words: &BTreeMap<String, u32>, is_map: bool) -> Result<Self> {
        let len = words.values().max().map_or(0, |&last| last as usize + 1);
        let mut spans = vec![(0, 0); len];
        let mut text = String::new();
        let mut ids = HashMap::with_capacity(words.len());
        for (word, &id) in words {
            let start = text.len() as u32;
            text.push_str(word);
            spans[id as usize] = (start, text.len() as u32);
            ids.insert(word.as_bytes().into(), id);
        }
        let mut vocabulary = Self { text, spans, ids, eos: 0, unk: 0, as_opennmt: false };
        vocabulary.eos = vocabulary.required(EOS, is_map)?;
        vocabulary.unk = vocabulary.required(UNK, is_map)?;
        Ok(vocabulary)
    }

    fn required(&self, (name, other_name, other_id): (&str, &str, u32), is_map: bool) -> Result<u32> {
        let other = self.word(other_id).filter(|word| is_map && (word.is_empty() || *word == other_name));
        let found = other.map(|_| other_id).or_else(|| self.lookup(name));
        found.ok_or_else(|| Error::model(name, "this word must be in the vocabulary, but isn't"))
    }

    /// The vocabulary with lines divided as by OpenNMT-py.
    #[must_use]
    pub fn as_opennmt(self) -> Self {
        Self { as_opennmt: true, ..self }
    }

    /// Replaces `ids` by the ids of the words in `line`.
    pub fn encode_into(&self, line: &[u8], ids: &mut Vec<u32>) {
        ids.clear();
        let id = |word: &[u8]| self.ids.get(word).copied().unwrap_or(self.unk);
        if self.as_opennmt {
            let text = String::from_utf8_lossy(line);
            // `strip` and `split(" ")` of Python. An empty line has no words here, as for all engines.
            let text = text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
            ids.extend(text.split(' ').filter(|_| !text.is_empty()).map(|word| id(word.as_bytes())));
        } else {
            ids.extend(line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).map(id));
        }
    }

    /// Replaces `text` by the words of `ids`, separated by spaces, without ends of sentences.
    ///
    /// # Errors
    /// When an id isn't in the vocabulary.
    pub fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        text.clear();
        let mut first = true;
        for &id in ids.iter().filter(|&&id| id != self.eos) {
            if !std::mem::take(&mut first) {
                text.push(' ');
            }
            text.push_str(self.word(id).ok_or(Error::UnknownId { id, len: self.len() })?);
        }
        Ok(())
    }

    /// One more than the highest id.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The word of `id`; empty where the vocabulary has a gap.
    pub fn word(&self, id: u32) -> Option<&str> {
        let &(start, end) = self.spans.get(id as usize)?;
        Some(&self.text[start as usize..end as usize])
    }

    /// The id of exactly this word.
    pub fn lookup(&self, word: &str) -> Option<u32> {
        self.ids.get(word.as_bytes()).copied()
    }

    /// Id of the end of a sentence.
    pub fn eos_id(&self) -> u32 {
        self.eos
    }

    /// Id of the unknown word.
    pub fn unk_id(&self) -> u32 {
        self.unk
    }
}

fn text(bytes: &[u8]) -> Result<&str> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::words(1, "vocabularies of 4 GiB and more can't be read"));
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        let line = 1 + bytes[..fault.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Error::words(line, "this is not UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(vocabulary: &WordVocabulary, line: &[u8]) -> Vec<u32> {
        let mut ids = vec![99];
        vocabulary.encode_into(line, &mut ids);
        ids
    }

    #[test]
    fn a_map_reads_like_marian_writes_it() {
        let yaml = "</s>: 0\n<unk>: 1\nthe: 2\n\"\\\"\": 3\n\"1\": 4\nß: 5\n'': 6\n";
        let words = WordVocabulary::from_yaml(yaml.as_bytes()).unwrap();
        assert_eq!(encode(&words, "the  \" 1 ß\tthe ß \u{A0} \u{FFFD}".as_bytes()), [2, 3, 4, 1, 5, 1, 1]);
        assert_eq!(encode(&words, b"\xFF the"), [1, 2]);
        let mut text = String::new();
        words.decode_into(&[2, 0, 5, 1, 0], &mut text).unwrap();
        assert_eq!(text, "the ß <unk>");
        assert!(words.decode_into(&[7], &mut text).is_err());
        assert_eq!((words.len(), words.lookup("the"), words.lookup("The")), (7, Some(2), None));
    }

    #[test]
    fn lines_are_stripped_and_divided_as_by_opennmt_py() {
        let words = WordVocabulary::from_text(b"</s>\n<unk>\nthe\na\n").unwrap().as_opennmt();
        for (line, ids) in [
            ("the a", &[2, 3][..]),
            ("\tthe a\u{a0}\u{1f} ", &[2, 3]),
            ("the  a", &[2, 1, 3]),
            ("the\ta", &[1]),
            ("", &[]),
            (" \u{3000}\t", &[]),
        ] {
            assert_eq!(encode(&words, line.as_bytes()), ids, "{line:?}");
        }
    }

    #[test]
    fn nematus_names_and_gaps_serve_in_maps() {
        let words = WordVocabulary::from_yaml(br#"{"eos": 0, "UNK": 1, "a": 2}"#).unwrap();
        assert_eq!((words.eos_id(), words.unk_id()), (0, 1));
        let words = WordVocabulary::from_yaml(br#"{"x": 3, "a": 2}"#).unwrap();
        assert_eq!((words.eos_id(), words.unk_id(), words.word(1)), (0, 1, Some("")));
        assert!(WordVocabulary::from_text(b"eos\nUNK\na\n").is_err());
    }

    #[test]
    fn json_may_spell_characters_in_halves() {
        let json = r#"{"eos": 0, "UNK": 1, "\ud83d\ude00!": 2, "\\ud83d": 3, "\u00e9": 4}"#;
        let words = WordVocabulary::from_yaml(json.as_bytes()).unwrap();
        assert_eq!([words.word(2), words.word(3), words.word(4)], [Some("😀!"), Some("\\ud83d"), Some("é")]);
        assert!(WordVocabulary::from_yaml(br#"{"eos": 0, "\ud83d": 1}"#).is_err());
    }

    #[test]
    fn a_list_counts_its_lines() {
        let words = WordVocabulary::from_text(b"a\n<unk>\r\nb\n</s>").unwrap();
        assert_eq!((words.eos_id(), words.unk_id(), words.lookup("b"), words.len()), (3, 1, Some(2), 4));
        let list = ["a", "<unk>", "b", "</s>"].map(str::to_owned);
        let words = WordVocabulary::from_list(list.iter().map(String::as_str)).unwrap();
        assert_eq!((words.eos_id(), words.unk_id(), words.lookup("b"), words.len()), (3, 1, Some(2), 4));
    }

    #[test]
    fn faults_are_named_by_line() {
        let fault = |result: Result<WordVocabulary>| result.map(|_| ()).unwrap_err().to_string();
        assert_eq!(fault(WordVocabulary::from_text(b"a\n\nb")), "line 2: an empty line is no word");
        assert_eq!(fault(WordVocabulary::from_text(b"a\nb\na\n")), "line 3: `a` comes twice");
        assert_eq!(fault(WordVocabulary::from_text(b"a\n\xFF")), "line 2: this is not UTF-8");
        assert_eq!(
            fault(WordVocabulary::from_yaml(b"a: 1\nb: x\n")),
            "line 2: the id of `b` is no whole number"
        );
        assert_eq!(
            fault(WordVocabulary::from_yaml(b"a: 4000000000\n")),
            "line 1: id 4000000000 is beyond all reason for a file of this size"
        );
        assert_eq!(
            fault(WordVocabulary::from_text(b"a\nb\n")),
            "</s>: this word must be in the vocabulary, but isn't"
        );
    }
}
