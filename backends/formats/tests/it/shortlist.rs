//! Shortlists against Marian's files and rules.

use std::collections::BTreeSet;

use dyno_formats::shortlist::Vocabulary;
use dyno_formats::{Cut, Shortlist, Vocabularies};
use proptest::collection::btree_map;
use proptest::prelude::*;

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
    assert_eq!(from_text.to_binary().unwrap(), bytes("lex.bin"));
    let from_binary = Shortlist::open(&path("lex.bin"), Cut::default(), vocabularies).unwrap();
    assert_eq!(from_binary, from_text);
}

#[test]
fn what_goes_with_a_token_is_selected_wherever_it_stands() {
    let words = Words::of_goldens();
    for (first, shared) in [(0, false), (0, true), (4, false)] {
        let vocabularies = Vocabularies { source: &words, target: &words, shared };
        let cut = Cut { first, best: 2, threshold: 0.0 };
        let shortlist = Shortlist::open(&path("lex.s2t"), cut, vocabularies).unwrap();
        let mut buffer = shortlist.selection();
        for (token, word) in (0..24).flat_map(|token| (0..24).map(move |word| (token, word))) {
            // Filling up to a multiple of eight may select more, but not for every source.
            let mut all = (0..24).map(|other| shortlist.select(&[other, token], &mut buffer).contains(&word));
            assert!(
                !shortlist.goes_with(word, token) || all.all(|has| has),
                "{first} {shared} {token} {word}"
            );
        }
        let with = |token: u32| (0..24).filter(|word| shortlist.goes_with(*word, token)).count();
        let own = (0..24)
            .map(|token| shortlist.candidates(token).iter().filter(|id| **id as usize >= first).count());
        assert!(own.enumerate().all(|(token, own)| with(token as u32) >= first + own));
        assert_eq!(shortlist.goes_with(23, 23), shared || shortlist.candidates(23).contains(&23));
    }
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
    let taken = allocation_counter::measure(|| assert_eq!(shortlist.select(&[5, 0], &mut buffer), fresh));
    assert_eq!(taken.count_total, 0);
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

/// A map's lines, over the goldens' words: of one, two and three words, one of them twice.
const MAP: &str = "\ta b\nc\ti\nc d\tj k\nd\tl\nc d e\tm\ne c\tn\nc d\to\n";

fn map_of(words: &Words, shared: bool) -> Shortlist {
    let vocabularies = Vocabularies { source: words, target: words, shared };
    Shortlist::from_bytes(MAP.as_bytes(), Cut::default(), vocabularies).unwrap()
}

/// What a map offers, from its definition: every line whose n-gram stands in the sentence, and the special
/// words.
fn offered(words: &Words, sentence: &[&str]) -> BTreeSet<u32> {
    let stands = |gram: &[&str]| gram.is_empty() || sentence.windows(gram.len()).any(|window| window == gram);
    let lines = MAP.lines().map(|line| line.split_once('\t').unwrap());
    let lines = lines.filter(|(gram, _)| stands(&gram.split_whitespace().collect::<Vec<_>>()));
    let targets = lines.flat_map(|(_, targets)| targets.split(' ')).chain(["</s>", "<unk>"]);
    targets.map(|word| words.id(word)).collect()
}

#[test]
fn a_map_offers_what_the_sentences_ngrams_become() {
    let words = Words::of_goldens();
    let (map, shared) = (map_of(&words, false), map_of(&words, true));
    for sentence in ["", "c", "d c", "c d", "c d e", "e c d", "c c d d e c", "h g"] {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        let tokens: Vec<u32> = sentence.iter().map(|word| words.id(word)).collect();
        let expected = offered(&words, &sentence);
        let mut buffer = map.selection();
        let selected = map.select(&tokens, &mut buffer);
        assert_eq!(selected.len(), expected.len().next_multiple_of(8), "{sentence:?}");
        // Beside what is offered only what fills it up, from the front.
        let rest = selected.iter().filter(|id| !expected.contains(id)).copied();
        let fill = (0..).filter(|id| !expected.contains(id)).take(selected.len() - expected.len());
        assert!(rest.eq(fill), "{sentence:?}: {selected:?}");
        assert!(expected.iter().all(|id| selected.contains(id)), "{sentence:?}: {selected:?}");
        let mut buffer = shared.selection();
        assert!(tokens.iter().all(|token| shared.select(&tokens, &mut buffer).contains(token)));
    }
}

#[test]
fn a_map_up_to_a_length_is_the_map_of_its_shorter_lines() {
    let words = Words::of_goldens();
    let vocabularies = Vocabularies { source: &words, target: &words, shared: false };
    for longest in 1..4 {
        let ngram = |line: &&str| line.split('\t').next().unwrap().split_whitespace().count() <= longest;
        let short: Vec<&str> = MAP.lines().filter(ngram).collect();
        let short = Shortlist::from_bytes(short.join("\n").as_bytes(), Cut::default(), vocabularies).unwrap();
        let cut = map_of(&words, false).up_to(longest);
        for sentence in ["c d e c", "d e", "h"] {
            let tokens: Vec<u32> = sentence.split(' ').map(|word| words.id(word)).collect();
            let (mut ours, mut theirs) = (cut.selection(), short.selection());
            assert_eq!(
                cut.select(&tokens, &mut ours),
                short.select(&tokens, &mut theirs),
                "{longest}, {sentence}"
            );
        }
    }
}

#[test]
fn a_map_is_told_from_pairs_and_has_no_binary_form() {
    let words = Words::of_goldens();
    assert_eq!(map_of(&words, true).to_binary(), None);
    let vocabularies = Vocabularies { source: &words, target: &words, shared: true };
    let tabs = Shortlist::from_bytes(b"a\tb\t0.5\n", Cut::default(), vocabularies).unwrap();
    assert!(map_of(&words, true).is_map() && !tabs.is_map());
    assert_eq!(tabs.candidates(words.id("b")), [words.id("a")]);
    let fault = Shortlist::from_bytes(b"a\tb\na\tb\tc\n", Cut::default(), vocabularies).unwrap_err();
    assert_eq!(fault.to_string(), "line 2, column 1: an n-gram, a tab and its target words were expected");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Neither the order of lines nor blanks matter, and the best are those that a plain search finds.
    #[test]
    fn lines_give_the_best_of_each_word_in_any_order(
        pairs in btree_map((0usize..24, 0usize..24), 1u8..20, 1..60), best in 1usize..6,
    ) {
        let words = Words::of_goldens();
        let vocabularies = Vocabularies { source: &words, target: &words, shared: false };
        let (probability, threshold) = (|of: u8| f32::from(of) / 20.0, 0.05);
        let read = |text: String| {
            Shortlist::from_bytes(text.as_bytes(), Cut { first: 0, best, threshold }, vocabularies).unwrap()
        };
        let line = |((source, target), of): (&(usize, usize), &u8)| {
            format!("{} {} {}", words.0[*target], words.0[*source], probability(*of))
        };
        let lines: Vec<String> = pairs.iter().map(line).collect();
        let plain = read(lines.join("\n"));
        let blank = |line: &String| format!("\t{}\r\n\n", line.replace(' ', " \t "));
        prop_assert_eq!(&read(lines.iter().rev().map(blank).collect()), &plain);
        for word in 0..24 {
            let of_word = pairs.iter().filter(|((source, _), of)| *source == word && probability(**of) > threshold);
            let mut found: Vec<(u8, usize)> = of_word.map(|((_, target), of)| (*of, *target)).collect();
            found.sort_by(|a, b| b.cmp(a)); // of equal ones those with larger ids
            let kept: BTreeSet<u32> = found.iter().take(best).map(|(_, target)| *target as u32).collect();
            prop_assert_eq!(plain.candidates(word as u32), kept.into_iter().collect::<Vec<_>>());
        }
    }
}
