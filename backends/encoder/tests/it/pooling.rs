//! From the vectors of tokens to the vector of a line, as the files of sentence-transformers say.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{WIDTH, difference, encode, floats, folder, ids, lines, open};

/// A copy of the golden BERT with further files.
fn with(files: &[(&str, Value)]) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder("bert")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    for (name, value) in files {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }
    copy
}

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
    let copy = with(&[
        modules(&listed),
        ("1_Pooling/config.json", pooling),
        ("sentence_bert_config.json", json!({ "max_seq_length": 5, "do_lower_case": false })),
    ]);
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

#[test]
fn a_prompt_stands_before_each_line() {
    let prompts = json!({ "prompts": { "query": "ask: " }, "default_prompt_name": "query" });
    let listed = [("", "Transformer")];
    let copy = with(&[modules(&listed), ("config_sentence_transformers.json", prompts)]);
    let vector =
        |path: &Path, line: &str| encode(open(path, json!({})).as_ref(), &[line.as_bytes()]).remove(0);
    assert_eq!(vector(copy.path(), "a dog"), vector(&folder("bert"), "ask: a dog"));
}
