//! Vectors equal those of the original implementation, whatever the batch, the threads and the processor.

use dyno_api::Isa;
use serde_json::{Value, json};

use crate::support::{KINDS, cosine, difference, encode, floats, folder, ids, lines, open, size};

/// Vectors of all tokens of the lines, line by line.
fn tokens(kind: &str, settings: Value, lines: &[&[u8]]) -> Vec<Vec<f32>> {
    let mut settings = settings;
    settings["pooling"] = json!("tokens");
    let model = open(&folder(kind), settings);
    lines.iter().flat_map(|line| encode(model.as_ref(), &[line])).collect()
}

#[test]
fn vectors_of_tokens_are_those_of_the_original() {
    for kind in KINDS {
        let expected = floats(&folder(kind).join("tokens.f32"));
        let (lines, mut from, mut seen) = (lines(), 0, 0);
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let exact = tokens(kind, json!({}), &lines);
        let coarse = tokens(kind, json!({ "precision": "int8" }), &lines);
        let width = size(kind, if kind == "distilbert" { "dim" } else { "hidden_size" });
        let all_ids = ids(kind);
        assert_eq!((exact.len(), coarse.len()), (all_ids.len(), all_ids.len()), "{kind}");
        for ((line, coarse), ids) in exact.iter().zip(&coarse).zip(all_ids) {
            if from == expected.len() {
                break;
            }
            assert_eq!(line.len(), ids.len() * width, "{kind}");
            let original = &expected[from..from + line.len()];
            let apart = difference(line, original);
            assert!(apart < 1e-4, "{kind}, line {seen}: {apart}");
            // Random weights are the worst case of quantisation; trained ones lose far less.
            assert!(cosine(coarse, original) > 0.99, "{kind}, line {seen}: {}", cosine(coarse, original));
            (from, seen) = (from + line.len(), seen + 1);
        }
        assert!(seen >= 11 && from == expected.len(), "{kind}: {seen} lines");
    }
}

#[test]
fn poolers_are_those_of_the_original() {
    let poolers = KINDS.into_iter().filter(|kind| folder(kind).join("pooler.f32").exists());
    let mut seen = 0;
    for kind in poolers {
        let model = open(&folder(kind), json!({ "pooling": "pooler" }));
        let vector = encode(model.as_ref(), &[lines()[0].as_bytes()]).remove(0);
        let apart = difference(&vector, &floats(&folder(kind).join("pooler.f32")));
        assert!(apart < 1e-4, "{kind}: {apart}");
        seen += 1;
    }
    assert_eq!(seen, KINDS.len() - 1, "all kinds but DistilBERT");
}

#[test]
fn a_lines_vector_is_the_same_in_any_batch_with_any_threads_on_any_processor() {
    for kind in ["bert", "bert-odd", "roberta-prelayernorm"] {
        let lines = lines();
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        for precision in ["f32", "bf16", "int8"] {
            let plain = open(&folder(kind), json!({ "precision": precision }));
            let alone: Vec<_> =
                lines.iter().flat_map(|line| encode(plain.as_ref(), &[line])).collect::<Vec<_>>();
            assert_eq!(encode(plain.as_ref(), &lines), alone, "{kind} {precision}: one batch");
            let threads = open(&folder(kind), json!({ "precision": precision, "threads": 3 }));
            assert_eq!(encode(threads.as_ref(), &lines), alone, "{kind} {precision}: three threads");
            for isa in Isa::present() {
                let settings = json!({ "precision": precision, "isa": isa.name() });
                let other = open(&folder(kind), settings);
                assert_eq!(encode(other.as_ref(), &lines), alone, "{kind} {precision} {isa}");
            }
        }
    }
}

#[test]
fn the_time_is_divided_among_the_parts_of_an_encoder() {
    let model = open(&folder("bert"), json!({ "breakdown": true }));
    let lines = lines();
    let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    encode(model.as_ref(), &lines);
    let told = model.breakdown().unwrap().unwrap();
    for part in ["tokenise", "embed", "attention", "feedforward", "pooling", "detokenise"] {
        assert!(told.components[part] > 0, "{part}: {told:?}");
    }
    for part in ["product", "attention", "norm"] {
        assert!(told.operators[part] > 0, "{part}: {told:?}");
    }
    assert_eq!(told.operators.values().sum::<u64>(), told.components.values().sum::<u64>());
    assert_eq!(open(&folder("bert"), json!({})).breakdown().unwrap(), None);
}
