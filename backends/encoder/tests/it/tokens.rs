//! Ids equal those of the slow tokenisers, which are written in Python and share no code with the crate that
//! the engine uses.

use std::path::Path;

use dyno_encoder::Directory;
use dyno_text::Scratch;
use serde_json::{Value, json};

use crate::support::{KINDS, encoded, folder, ids, lines, with};

/// Lines whose ids differ from the expected ones, but for those in which the crate and Python `differ`.
fn wrong(path: &Path, kind: &str, differs: impl Fn(&str) -> bool) -> Vec<String> {
    let tokeniser = Directory::open(path).unwrap().tokeniser().unwrap();
    let (lines, expected) = (lines(), ids(kind));
    assert_eq!(lines.len(), expected.len(), "{kind}: ids of each line");
    let (mut found, mut scratch, mut wrong) = (Vec::new(), Scratch::default(), Vec::new());
    for (line, expected) in lines.iter().zip(expected) {
        tokeniser.encode(line.as_bytes(), &mut scratch, &mut found).unwrap();
        if found != expected && !differs(line) {
            wrong.push(format!("{kind}: {line:?}\n   {found:?}\n   {expected:?}"));
        }
    }
    wrong
}

#[test]
fn ids_are_those_of_the_original_tokenisers() {
    let wrong: Vec<_> = KINDS
        .into_iter()
        .flat_map(|kind| wrong(&folder(kind), kind, |line| kind == "bert-cased" && is_composed_first(line)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A copy of a golden model whose tokeniser is tokenizer.json.
fn whole(kind: &str, settings: &Value) -> tempfile::TempDir {
    let text = std::fs::read_to_string(folder(&format!("whole/{kind}.json"))).unwrap();
    let whole = serde_json::from_str(&text).unwrap();
    with(kind, &[("tokenizer.json", whole), ("tokenizer_config.json", settings.clone())])
}

#[test]
fn ids_of_tokenizer_json_are_those_of_the_original_tokenisers() {
    let mut wrong_lines = Vec::new();
    for kind in ["bert", "roberta", "xlm-roberta"] {
        let copy = whole(kind, &json!({ "model_max_length": 36 }));
        // The crate normalises by what a reader takes for a letter, SentencePiece by code points.
        let combines = |line: &str| kind == "xlm-roberta" && line.contains('\u{323}');
        wrong_lines.extend(wrong(copy.path(), kind, combines));
    }
    assert!(wrong_lines.is_empty(), "{}", wrong_lines.join("\n"));
}

#[test]
fn settings_beside_a_tokeniser_are_honoured() {
    let space = json!({ "add_prefix_space": true });
    let plain = folder("roberta");
    assert_ne!(encoded(&plain, b"a dog"), encoded(&plain, b" a dog"), "the space matters");
    for copy in [with("roberta", &[("tokenizer_config.json", space.clone())]), whole("roberta", &space)] {
        assert_eq!(encoded(copy.path(), b"a dog"), encoded(&plain, b" a dog"));
        assert_eq!(encoded(copy.path(), b" a dog"), encoded(&plain, b" a dog"));
    }
    let cased = json!({ "do_lower_case": false, "tokenizer_class": "BertTokenizer" });
    for copy in [with("bert", &[("tokenizer_config.json", cased.clone())]), whole("bert", &cased)] {
        assert_ne!(encoded(copy.path(), b"LEMON"), encoded(&folder("bert"), b"lemon"));
    }
    let lengths = json!({ "max_seq_length": 36, "do_lower_case": true });
    let files =
        [("modules.json", json!([{ "type": "a.Transformer" }])), ("sentence_bert_config.json", lengths)];
    for (kind, upper, lower) in
        [("bert-cased", "A [SEP] LEMON", "a [SEP] lemon"), ("xlm-roberta", "A </s> LEMON", "a </s> lemon")]
    {
        let copy = with(kind, &files);
        assert_eq!(
            encoded(copy.path(), upper.as_bytes()),
            encoded(&folder(kind), lower.as_bytes()),
            "{kind}"
        );
    }
}

/// Whether the slow tokeniser changes a line before it divides it. Where accents stay, it composes characters
/// (NFC). The crate, with which these models are served, leaves them.
fn is_composed_first(line: &str) -> bool {
    line.contains(|c| matches!(c, '\u{300}'..='\u{36f}' | '\u{2126}' | '\u{212a}'))
}

#[test]
fn bytes_that_are_no_text_get_ids_and_lines_are_cut() {
    for kind in KINDS {
        let path = folder(kind);
        let most = Directory::open(&path).unwrap().tokeniser().unwrap().most_tokens();
        assert_eq!(most, 36, "{kind}: the model's length");
        assert_eq!(
            encoded(&path, b"a \xff\xc3 b"),
            encoded(&path, "a \u{fffd}\u{fffd} b".as_bytes()),
            "{kind}"
        );
        assert_eq!(encoded(&path, "long line ".repeat(10_000).as_bytes()).len(), 36, "{kind}");
    }
}

#[test]
fn lines_are_cut_at_the_side_that_a_file_names() {
    let left = json!({ "truncation_side": "left", "model_max_length": 36 });
    let line = format!("{}lemon", "dog ".repeat(40));
    for kind in ["bert", "roberta", "xlm-roberta"] {
        let short = encoded(&folder(kind), b"dog lemon");
        let (start, end) = (short[0], &short[2..]);
        assert!(!encoded(&folder(kind), line.as_bytes()).ends_with(end), "{kind}: cut at the end otherwise");
        for copy in [with(kind, &[("tokenizer_config.json", left.clone())]), whole(kind, &left)] {
            let ids = encoded(copy.path(), line.as_bytes());
            assert!(ids.len() == 36 && ids[0] == start && ids.ends_with(end), "{kind}: {ids:?}");
        }
    }
}

/// A copy of a golden model whose tokenizer.json is changed.
fn changed(kind: &str, settings: &Value, change: impl Fn(&mut Value)) -> tempfile::TempDir {
    let copy = whole(kind, settings);
    let file = copy.path().join("tokenizer.json");
    let mut tokeniser = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    change(&mut tokeniser);
    std::fs::write(file, tokeniser.to_string()).unwrap();
    copy
}

#[test]
fn a_class_has_its_own_defaults_over_tokenizer_json() {
    let cased = |tokeniser: &mut Value| tokeniser["normalizer"]["lowercase"] = json!(false);
    let lowered = encoded(&folder("bert"), b"The bench");
    // By transformers 5.23: these classes put text into lower case unless they are told not to, the others don't.
    for (settings, lowers) in [
        (json!({}), true),
        (json!({ "tokenizer_class": "BertTokenizerFast" }), true),
        (json!({ "do_lower_case": false }), false),
        (json!({ "tokenizer_class": "PreTrainedTokenizerFast" }), false),
        (json!({ "tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true }), false),
    ] {
        let copy = changed("bert", &settings, cased);
        assert_eq!(encoded(copy.path(), b"The bench") == lowered, lowers, "{settings}");
    }
    let spaced = |tokeniser: &mut Value| tokeniser["pre_tokenizer"]["add_prefix_space"] = json!(true);
    let plain = folder("roberta");
    for (settings, line) in [(json!({}), "a dog"), (json!({ "add_prefix_space": true }), " a dog")] {
        let copy = changed("roberta", &settings, spaced);
        assert_eq!(encoded(copy.path(), b"a dog"), encoded(&plain, line.as_bytes()), "{settings}");
    }
}

#[test]
fn words_that_were_added_beside_tokenizer_json_are_found() {
    let settings = json!({
        "added_tokens_decoder": { "500": { "content": "[X]", "lstrip": true, "special": false } },
        "additional_special_tokens": ["[ENT]"],
    });
    let copy = whole("bert", &settings);
    // Ids by transformers 5.23; the network has no vectors for them, so that the tokeniser alone is asked.
    let tokeniser = Directory::open(copy.path()).unwrap().tokeniser().unwrap();
    let mut ids = Vec::new();
    let refusal = tokeniser.encode(b"a [ENT] b [X] c", &mut Scratch::default(), &mut ids).unwrap_err();
    assert_eq!(ids, [2, 29, 501, 30, 500, 31, 3]);
    assert!(refusal.to_string().contains("gives the id 501 to a network of 500 words"), "{refusal}");
    let older = with("bert", &[("added_tokens.json", json!({ "[ENT]": 500 }))]);
    std::fs::copy(folder("whole/bert.json"), older.path().join("tokenizer.json")).unwrap();
    let tokeniser = Directory::open(older.path()).unwrap().tokeniser().unwrap();
    tokeniser.encode(b"a [ENT] b", &mut Scratch::default(), &mut ids).unwrap_err();
    assert_eq!(ids, [2, 29, 500, 30, 3]);
}

#[test]
fn special_words_are_divided_where_a_file_says_so() {
    let settings = json!({ "split_special_tokens": true });
    // Ids by transformers 5.23.
    for (kind, line, expected) in [
        ("bert", "thé Bench [SEP] x", &[2, 146, 210, 88, 142, 1, 211, 97, 1, 52, 3][..]),
        ("roberta", "a </s> b", &[0, 69, 225, 32, 19, 87, 34, 275, 2]),
    ] {
        for copy in [with(kind, &[("tokenizer_config.json", settings.clone())]), whole(kind, &settings)] {
            assert_eq!(encoded(copy.path(), line.as_bytes()), expected, "{kind}");
        }
    }
    let copy = whole("xlm-roberta", &settings);
    assert_eq!(encoded(copy.path(), b"a </s> b"), [0, 16, 4, 2, 73, 2], "the words are pieces, too");
}
