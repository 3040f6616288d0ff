//! Equality with the reference, id for id and byte for byte. `tests/goldens/README.md` describes the files.

use std::path::Path;

use dyno_text::{Scratch, Vocabulary};

use crate::fixtures::{MODELS, fixture, golden};

/// Longer answers (ids; bytes of text) are stored as checksums.
const LONGEST_IDS: usize = 120;
const LONGEST_TEXT: usize = 480;

#[test]
fn small_models_answer_like_the_reference() {
    for name in MODELS {
        compare(&golden(&format!("{name}.spm")), &format!("{name}.golden"));
    }
}

#[test]
fn a_trained_vocabulary_answers_like_the_reference() {
    if let Some(model) = fixture("vocab.spm", "a_trained_vocabulary_answers_like_the_reference") {
        compare(&model, "fixtures-vocab.golden");
    }
}

#[test]
fn a_trained_vocabulary_survives_a_round_trip() {
    let name = "a_trained_vocabulary_survives_a_round_trip";
    let (Some(model), Some(input)) = (fixture("vocab.spm", name), fixture("input.en", name)) else { return };
    let vocabulary = Vocabulary::from_path(&model).unwrap();
    let (mut ids, mut text, mut again) = (vec![], String::new(), vec![]);
    let mut scratch = Scratch::default();
    for line in std::fs::read(input).unwrap().split(|&byte| byte == b'\n') {
        vocabulary.encode_into(line, &mut scratch, &mut ids);
        vocabulary.decode_into(&ids, &mut text).unwrap();
        if !ids.contains(&vocabulary.unk_id().unwrap()) {
            vocabulary.encode_into(text.as_bytes(), &mut scratch, &mut again);
            assert_eq!(ids, again, "{text}");
        }
    }
}

#[test]
fn pieces_and_ids_find_each_other() {
    let vocabulary = Vocabulary::from_path(&golden("unigram-nmt.spm")).unwrap();
    assert_eq!((vocabulary.eos_id(), vocabulary.unk_id()), (Some(0), Some(1)));
    assert_eq!((vocabulary.piece(0).as_deref(), vocabulary.lookup("<unk>")), (Some("</s>"), Some(1)));
    for id in 0..vocabulary.len() as u32 {
        assert_eq!(vocabulary.lookup(&vocabulary.piece(id).unwrap()), Some(id));
    }
    assert_eq!(vocabulary.piece(vocabulary.len() as u32), None);
    assert_eq!(vocabulary.lookup("no such piece"), None);
}

#[test]
fn workers_can_share_a_vocabulary() {
    fn shared<T: Send + Sync>() {}
    shared::<Vocabulary>();
}

#[test]
fn nothing_of_the_line_before_is_left() {
    let vocabulary = Vocabulary::from_path(&golden("bpe-unused.spm")).unwrap();
    let (mut reused, mut ids, mut fresh) = (Scratch::default(), vec![], vec![]);
    for line in cases() {
        vocabulary.encode_into(&line, &mut reused, &mut ids);
        vocabulary.encode_into(&line, &mut Scratch::default(), &mut fresh);
        assert_eq!(ids, fresh, "{}", line.escape_ascii());
    }
}

#[test]
fn ids_beyond_the_end_are_refused() {
    let vocabulary = Vocabulary::from_path(&golden("char.spm")).unwrap();
    let fault = vocabulary.decode_into(&[0, 70_000], &mut String::new()).unwrap_err();
    assert_eq!(fault.to_string(), format!("there is no id 70000 in a vocabulary of {}", vocabulary.len()));
}

fn compare(model: &Path, answers: &str) {
    let vocabulary = Vocabulary::from_path(model).unwrap();
    let answers = std::fs::read_to_string(golden(answers)).unwrap();
    let (decoding, encoding): (Vec<&str>, Vec<&str>) = answers.lines().partition(|row| row.starts_with("= "));
    let lines = cases();
    assert_eq!(lines.len(), encoding.len(), "{}", model.display());
    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    for (line, row) in lines.iter().zip(encoding) {
        let (expected_ids, expected_text) = row.split_once('\t').unwrap();
        vocabulary.encode_into(line, &mut scratch, &mut ids);
        let shown = line.get(..100).unwrap_or(line).escape_ascii();
        assert_eq!(shown_ids(&ids), expected_ids, "{}: {shown}", model.display());
        assert_eq!(decode(&vocabulary, &ids), unescaped(expected_text), "{}: {shown}", model.display());
    }
    for row in decoding {
        let (asked, expected) = row[2..].split_once('\t').unwrap();
        let ids: Vec<u32> = asked.split(' ').map(|id| id.parse().unwrap()).collect();
        assert_eq!(decode(&vocabulary, &ids), unescaped(expected), "{}: {asked}", model.display());
    }
}

fn cases() -> Vec<Vec<u8>> {
    let cases = std::fs::read_to_string(golden("cases.tsv")).unwrap();
    let case = |row: &str| {
        let (count, unit) = row.split_once('\t').unwrap();
        unescaped(unit).repeat(count.parse().unwrap())
    };
    cases.lines().map(case).collect()
}

fn shown_ids(ids: &[u32]) -> String {
    let shown = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    if ids.len() <= LONGEST_IDS { shown } else { checksum(shown.as_bytes()) }
}

fn decode(vocabulary: &Vocabulary, ids: &[u32]) -> Vec<u8> {
    let mut text = String::from("what was there before");
    vocabulary.decode_into(ids, &mut text).unwrap();
    if text.len() <= LONGEST_TEXT { text.into_bytes() } else { checksum(text.as_bytes()).into_bytes() }
}

fn checksum(bytes: &[u8]) -> String {
    let step = |value: u64, &byte: &u8| (value ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("#{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

fn unescaped(shown: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, part) in shown.split("\\x").enumerate() {
        let (code, text) = if i == 0 { ("", part) } else { part.split_at(2) };
        bytes.extend(u8::from_str_radix(code, 16));
        bytes.extend(text.bytes());
    }
    bytes
}
