//! From the vectors of tokens to the vector of a line, as the files of sentence-transformers say.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{WIDTH, difference, encode, encoded, floats, folder, ids, lines, open, refusal, with};

fn modules(types: &[(&str, &str)]) -> (&'static str, Value) {
    let module = |(path, kind): &(&str, &str)| json!({ "path": path, "type": format!("a.models.{kind}") });
    ("modules.json", types.iter().map(module).collect())
}

/// The vector of the first line.
fn first(path: &Path, settings: Value) -> Vec<f32> {
    let lines = lines();
    encode(open(path, settings).as_ref(), &[lines[0].as_bytes()]).remove(0)
}

/// Vectors of the first line's tokens, by the original implementation.
fn tokens() -> Vec<f32> {
    let all = floats(&folder("bert").join("tokens.f32"));
    all[..ids("bert")[0].len() * WIDTH].to_vec()
}

fn mean() -> Vec<f32> {
    let tokens = tokens();
    let sum = |at: usize| tokens.iter().skip(at).step_by(WIDTH).sum::<f32>();
    (0..WIDTH).map(|at| sum(at) / (tokens.len() / WIDTH) as f32).collect()
}

#[test]
fn a_plain_directory_gets_the_mean_and_settings_choose_other_ways() {
    let bert = folder("bert");
    assert!(difference(&first(&bert, json!({})), &mean()) < 1e-4);
    assert!(difference(&first(&bert, json!({ "pooling": "cls" })), &tokens()[..WIDTH]) < 1e-4);
    let pooler = floats(&bert.join("pooler.f32"));
    assert!(difference(&first(&bert, json!({ "pooling": "pooler" })), &pooler) < 1e-4);
    let unit = first(&bert, json!({ "normalise": true }));
    assert!((unit.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn modules_say_how_to_pool_and_how_long_a_line_may_be() {
    let listed = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")];
    let pooling = json!({ "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true });
    let copy = with(
        "bert",
        &[
            modules(&listed),
            ("1_Pooling/config.json", pooling),
            ("sentence_bert_config.json", json!({ "max_seq_length": 5, "do_lower_case": false })),
        ],
    );
    let vector = first(copy.path(), json!({}));
    assert_eq!(vector.len(), 2 * WIDTH);
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    assert!((length(&vector) - 1.0).abs() < 1e-5);
    let cut = first(copy.path(), json!({ "pooling": "tokens" }));
    assert_eq!(cut.len(), 5 * WIDTH, "cut at the modules' length");
    let longer = first(copy.path(), json!({ "pooling": "tokens", "max-length": 6 }));
    assert_eq!(longer.len(), 6 * WIDTH, "a setting wins");
    let raw = first(copy.path(), json!({ "normalise": false, "max-length": 36 }));
    assert!(difference(&raw[..WIDTH], &tokens()[..WIDTH]) < 1e-4);
    assert!(difference(&raw[WIDTH..], &mean()) < 1e-4);
}

/// The files of a directory with a default prompt.
fn prompted(prompts: Value, pooling: Value) -> TempDir {
    let files = [
        modules(&[("", "Transformer"), ("1_Pooling", "Pooling")]),
        ("1_Pooling/config.json", pooling),
        ("config_sentence_transformers.json", prompts),
    ];
    with("bert", &files)
}

fn vector(path: &Path, line: &str) -> Vec<f32> {
    encode(open(path, json!({})).as_ref(), &[line.as_bytes()]).remove(0)
}

#[test]
fn a_prompt_stands_before_each_line() {
    let ask = json!({ "prompts": { "query": "ask: " }, "default_prompt_name": "query" });
    let copy = prompted(ask, json!({ "pooling_mode": "mean" }));
    assert_eq!(vector(copy.path(), "a dog"), vector(&folder("bert"), "ask: a dog"));
    for unset in [json!({ "default_prompt_name": "query" }), json!({ "prompts": { "query": "ask: " } })] {
        let copy = prompted(unset.clone(), json!({ "pooling_mode": "mean" }));
        assert_eq!(vector(copy.path(), "a dog"), vector(&folder("bert"), "a dog"), "{unset}");
    }
    let missing = json!({ "prompts": { "query": "ask: " }, "default_prompt_name": "ask" });
    let told = refusal(prompted(missing, json!({ "pooling_mode": "mean" })).path(), json!({}));
    assert!(told.contains("the default prompt \"ask\" isn't among the `prompts`"), "{told}");
}

#[test]
fn tokens_of_a_prompt_are_left_out_where_a_file_says_so() {
    // The same files as in ci/encoder-goldens.py, from which sentence-transformers made the vectors.
    let prompts = json!({ "prompts": { "ask": "a fresh lemon: " }, "default_prompt_name": "ask" });
    let all = json!({
        "pooling_mode_cls_token": true, "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true,
        "pooling_mode_mean_sqrt_len_tokens": true, "include_prompt": false,
    });
    let copy = prompted(prompts, all.clone());
    let expected = floats(&folder("prompted.f32"));
    assert_eq!(expected.len(), 3 * 4 * WIDTH);
    for (line, expected) in lines().iter().zip(expected.chunks(4 * WIDTH)) {
        assert!(difference(&vector(copy.path(), line), expected) < 1e-4, "{line}");
    }
    let long = json!({ "prompts": { "ask": "lemon ".repeat(60) }, "default_prompt_name": "ask" });
    let told = refusal(prompted(long, all).path(), json!({}));
    assert!(told.contains("the prompt alone has"), "{told}");
}

#[test]
fn a_line_without_tokens_has_a_vector_of_zeros() {
    let whole = std::fs::read_to_string(folder("whole/bert.json")).unwrap();
    let mut whole: Value = serde_json::from_str(&whole).unwrap();
    whole["post_processor"] = Value::Null;
    let copy = with("bert", &[("tokenizer.json", whole)]);
    assert!(encoded(copy.path(), b"").is_empty());
    for (settings, width) in [
        (json!({}), WIDTH),
        (json!({ "pooling": "cls" }), WIDTH),
        (json!({ "pooling": "max", "normalise": true }), WIDTH),
        (json!({ "pooling": "pooler" }), WIDTH),
        (json!({ "pooling": "tokens" }), 0),
    ] {
        let model = open(copy.path(), settings.clone());
        let vectors = encode(model.as_ref(), &[b"", b"a lemon", b""]);
        assert_eq!((&vectors[0], &vectors[2]), (&vec![0.0; width], &vec![0.0; width]), "{settings}");
        assert!(vectors[1].iter().any(|x| *x != 0.0), "{settings}");
    }
}
