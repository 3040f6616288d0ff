//! The counts behind two shares that the paper prints, against counts of our own.

use std::collections::BTreeMap;
use std::fs;

use dyno_api::{Answer, Backend};
use dyno_rnn_fc::{EMBEDDINGS, ENGINE, MERGED};
use serde_json::{Value, json};

use crate::{beam, goldens, home, models, with};

/// Counts of a model that has translated all lines, one by one.
fn counts(settings: Value) -> BTreeMap<String, u64> {
    let model = ENGINE.open(&models(&["s1"]), settings.as_object().unwrap()).unwrap();
    let (text, mut session) = (fs::read(goldens().input).unwrap(), model.session().unwrap());
    for line in text.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n') {
        session.run(&[line], &mut |_: Answer<'_>| ()).unwrap();
    }
    model.facts().counts
}

/// Words of the lines and their ends, and those that are among the first `k` of the vocabulary.
fn words_of_source(k: usize) -> [u64; 2] {
    let read = |name: &str| fs::read_to_string(home().join(name)).unwrap();
    let (text, listed) = (read("input.en"), read("s1/source.txt"));
    let place = |word: &str| listed.lines().position(|other| other == word);
    let end = place("</s>").unwrap();
    let unknown = place("<unk>").unwrap();
    // An empty line has an empty translation, and no search.
    let places = text.lines().filter(|line| !line.trim().is_empty()).flat_map(|line| {
        line.split_whitespace().map(|word| place(word).unwrap_or(unknown)).chain([end]).collect::<Vec<_>>()
    });
    let places: Vec<usize> = places.collect();
    [places.len(), places.iter().filter(|place| **place < k).count()].map(|count| count as u64)
}

#[test]
fn frequent_words_are_the_first_ones_of_the_vocabulary() {
    for k in [0, 50, 1_000_000] {
        let counted = counts(json!({ "beam": 1, EMBEDDINGS: k }));
        assert_eq!([counted["source-words"], counted["frequent-words"]], words_of_source(k), "{k}");
    }
}

#[test]
fn hypotheses_of_one_parent_have_one_state() {
    let greedy = counts(json!({ "beam": 1 }));
    assert_eq!(greedy["states"], greedy["hypotheses"], "each hypothesis has its own parent");
    let [merged, apart] = [true, false].map(|merged| counts(with(beam(), &json!({ MERGED: merged }))));
    assert_eq!(apart["states"], apart["hypotheses"]);
    assert_eq!(merged["hypotheses"], apart["hypotheses"], "merging changes no search");
    // A beam of six has one parent at least, and two steps out of three keep several.
    assert!(merged["states"] < merged["hypotheses"] && merged["states"] * 6 > merged["hypotheses"]);
}
