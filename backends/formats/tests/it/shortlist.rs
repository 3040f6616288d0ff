//! Shortlists against Marian's files and rules.

use dyno_formats::{Cut, Shortlist, Vocabularies};

use crate::goldens::{Words, bytes, expected, ids, path};

fn cut_of(case: &serde_json::Value) -> Cut {
    let count = |key: &str| case[key].as_u64().unwrap() as usize;
    Cut { first: count("first"), best: count("best"), threshold: case["threshold"].as_f64().unwrap() as f32 }
}

#[test]
fn text_is_cut_and_selected_from_as_marian_does() {
    let words = Words::of_goldens();
    for case in expected()["shortlists"].as_array().unwrap() {
        let file = bytes(case["file"].as_str().unwrap());
        for selection in case["selections"].as_array().unwrap() {
            let shared = selection["shared"].as_bool().unwrap();
            let vocabularies = Vocabularies { source: &words, target: &words, shared };
            let shortlist = Shortlist::from_bytes(&file, cut_of(case), vocabularies).unwrap();
            for (source, kept) in case["kept"].as_array().unwrap().iter().enumerate() {
                assert_eq!(shortlist.candidates(source as u32), ids(kept), "source word {source}");
            }
            let mut buffer = shortlist.selection();
            let tokens = ids(&selection["tokens"]);
            assert_eq!(shortlist.select(&tokens, &mut buffer), ids(&selection["ids"]), "{tokens:?}");
        }
    }
}

#[test]
fn our_binary_form_is_marians_byte_for_byte() {
    let words = Words::of_goldens();
    let vocabularies = Vocabularies { source: &words, target: &words, shared: false };
    let cut = Cut { first: 4, best: 3, threshold: 0.0 };
    let from_text = Shortlist::open(&path("lex.s2t"), cut, vocabularies).unwrap();
    assert_eq!(from_text.to_binary(), bytes("lex.bin"));
    let from_binary = Shortlist::open(&path("lex.bin"), Cut::default(), vocabularies).unwrap();
    assert_eq!(from_binary, from_text);
}

#[test]
fn selecting_reuses_its_buffer() {
    let words = Words::of_goldens();
    let vocabularies = Vocabularies { source: &words, target: &words, shared: true };
    let shortlist = Shortlist::open(&path("lex.bin"), Cut::default(), vocabularies).unwrap();
    let mut buffer = shortlist.selection();
    let all: Vec<u32> = (0..40).collect(); // ids beyond the vocabulary too
    assert_eq!(shortlist.select(&all, &mut buffer).len(), 24);
    let fresh = shortlist.select(&[5, 0], &mut shortlist.selection()).to_vec();
    let before = crate::allocations::bytes_so_far();
    assert_eq!(shortlist.select(&[5, 0], &mut buffer), fresh);
    assert_eq!(crate::allocations::bytes_so_far(), before);
    assert_eq!(buffer.ids().len() % 8, 0);
}

#[test]
fn a_faulty_line_is_named() {
    let words = Words::of_goldens();
    let vocabularies = Vocabularies { source: &words, target: &words, shared: true };
    let fault = |text: &str| {
        Shortlist::from_bytes(text.as_bytes(), Cut::default(), vocabularies).unwrap_err().to_string()
    };
    assert_eq!(fault("a b 0.5\na b\n"), "line 2, column 1: target, source and probability were expected");
    assert_eq!(fault("a b c\n"), "line 1, column 1: `c` is no probability");
    assert_eq!(fault("a b nan\n"), "line 1, column 1: `nan` is no probability");
}

#[test]
fn a_binary_shortlist_for_another_vocabulary_is_refused() {
    let mut words = Words::of_goldens();
    words.0.push("w".into());
    let vocabularies = Vocabularies { source: &words, target: &words, shared: false };
    let refusal = Shortlist::open(&path("lex.bin"), Cut::default(), vocabularies).unwrap_err().to_string();
    assert!(refusal.ends_with("lex.bin: is for 24 source words, but the vocabulary has 25"), "{refusal}");
    let mut damaged = bytes("lex.bin");
    *damaged.last_mut().unwrap() ^= 1;
    let words = Words::of_goldens();
    let vocabularies = Vocabularies { source: &words, target: &words, shared: false };
    let refusal = Shortlist::from_bytes(&damaged, Cut::default(), vocabularies).unwrap_err();
    assert_eq!(refusal.to_string(), "fails its checksum: the file is damaged");
}
