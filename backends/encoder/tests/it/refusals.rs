//! What the engine can't honour is refused by name.

use std::fs;
use std::path::Path;

use dyno_api::Backend;
use dyno_encoder::ENGINE;
use serde_json::{Value, json};

use crate::support::{KINDS, encoded, folder, open, refusal, with};

#[test]
fn settings_that_an_encoder_lacks_are_refused_with_the_reason() {
    for (settings, said) in [
        (json!({ "precision": "int16" }), "int8 keeps their quality in half the memory of int16"),
        (json!({ "precision": "f16" }), "it must be f32, bf16 or int8"),
        (json!({ "threads": 0 }), "a whole number from 1 to 1024"),
        (json!({ "pooling": "last" }), "it must be one of cls, max, mean"),
        (json!({ "pooling": "tokens", "normalise": true }), "a vector for each token"),
        (json!({ "max-length": 2 }), "a whole number from 3"),
        (json!({ "beam": 4 }), "encoder has no setting `beam`"),
    ] {
        let told = refusal(&folder("bert"), settings.clone());
        assert!(told.contains(said), "{settings}: {told}");
    }
}

#[test]
fn only_directories_of_known_encoders_suit() {
    for kind in KINDS {
        assert!(ENGINE.suits(&folder(kind)), "{kind}");
    }
    let other = tempfile::tempdir().unwrap();
    assert!(!ENGINE.suits(other.path()));
    fs::write(other.path().join("config.json"), r#"{"model_type": "marian"}"#).unwrap();
    assert!(!ENGINE.suits(other.path()));
}

/// Why a copy of the golden BERT, changed, isn't opened.
fn changed(change: impl Fn(&Path)) -> String {
    let copy = with("bert", &[]);
    change(copy.path());
    refusal(copy.path(), json!({}))
}

#[test]
fn tokenisers_that_would_give_other_ids_are_refused_by_name() {
    let class = |name: &str| json!({ "tokenizer_class": name });
    let nothing = || json!({});
    for (kind, file, value, said) in [
        (
            "bert",
            "tokenizer_config.json",
            class("BertJapaneseTokenizer"),
            "\"BertJapaneseTokenizer\" isn't supported",
        ),
        (
            "xlm-roberta",
            "tokenizer_config.json",
            class("CamembertTokenizer"),
            "\"CamembertTokenizer\" isn't supported",
        ),
        ("xlm-roberta", "tokenizer_config.json", class("BertTokenizer"), "vocab.txt is missing"),
        (
            "bert",
            "tokenizer_config.json",
            class("XLMRobertaTokenizerFast"),
            "sentencepiece.bpe.model is missing",
        ),
        ("bert", "tokenizer_config.json", json!({ "do_basic_tokenize": false }), "`do_basic_tokenize`"),
        (
            "xlm-roberta",
            "tokenizer_config.json",
            json!({ "split_special_tokens": true }),
            "`split_special_tokens` isn't supported",
        ),
        ("bert", "tokenizer_config.json", json!({ "cls_token": "[START]" }), "`cls_token` is \"[START]\""),
        (
            "bert",
            "tokenizer_config.json",
            json!({ "additional_special_tokens": ["[ENT]"] }),
            "added word \"[ENT]\"",
        ),
        ("bert", "special_tokens_map.json", json!({ "cls_token": "[START]" }), "`cls_token` is \"[START]\""),
        ("roberta", "added_tokens.json", json!({ "<ent>": 600 }), "added word \"<ent>\""),
        ("bert", "vocab.txt", Value::Null, "vocab.txt is missing"),
    ] {
        let told = refusal(with(kind, &[(file, value.clone())]).path(), nothing());
        assert!(told.contains(said), "{kind} {file} {value}: {told}");
    }
    let usual = json!({
        "cls_token": "[CLS]", "mask_token": { "content": "[MASK]", "lstrip": false }, "do_basic_tokenize": true,
        "added_tokens_decoder": { "0": { "content": "[PAD]" } }, "additional_special_tokens": [],
    });
    let copy = with("bert", &[("tokenizer_config.json", usual)]);
    assert_eq!(encoded(copy.path(), b"a dog"), encoded(&folder("bert"), b"a dog"));
    let whole = fs::read_to_string(folder("whole/bert.json")).unwrap();
    let whole: Value = serde_json::from_str(&whole).unwrap();
    let with_class = |name: &str| {
        with("bert", &[("tokenizer.json", whole.clone()), ("tokenizer_config.json", class(name))])
    };
    let told = refusal(with_class("BertJapaneseTokenizer").path(), nothing());
    assert!(told.contains("it does more than tokenizer.json says"), "{told}");
    for name in ["PreTrainedTokenizerFast", "BertTokenizer", "TokenizersBackend"] {
        assert_eq!(encoded(with_class(name).path(), b"a dog"), encoded(&folder("bert"), b"a dog"), "{name}");
    }
}

#[test]
fn weights_that_are_not_finite_are_refused_wherever_they_stand() {
    for (name, value) in [
        ("embeddings.word_embeddings.weight", f32::NAN),
        ("embeddings.position_embeddings.weight", f32::INFINITY),
        ("encoder.layer.1.output.LayerNorm.bias", f32::NEG_INFINITY),
    ] {
        let told = changed(|path| {
            let file = path.join("model.safetensors");
            let mut bytes = fs::read(&file).unwrap();
            let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
            let tensors: Value = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
            let last = 8 + header + tensors[name]["data_offsets"][1].as_u64().unwrap() as usize;
            bytes[last - 4..last].copy_from_slice(&value.to_le_bytes());
            fs::write(file, bytes).unwrap();
        });
        assert!(told.contains(name) && told.contains("weights are finite"), "{told}");
    }
}

#[test]
fn facts_count_all_parameters_that_are_read_and_all_files() {
    for kind in KINDS {
        let bytes = fs::read(folder(kind).join("model.safetensors")).unwrap();
        let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let tensors: Value = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
        let size = |shape: &Value| -> u64 {
            shape.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).product()
        };
        let count = |left_out: &[&str]| -> u64 {
            let counted = tensors.as_object().unwrap().iter().filter(|(name, _)| *name != "__metadata__");
            let counted = counted.filter(|(name, _)| !left_out.iter().any(|part| name.contains(part)));
            counted.map(|(_, tensor)| size(&tensor["shape"])).sum()
        };
        let facts = |settings: Value| open(&folder(kind), settings).facts();
        assert_eq!(facts(json!({})).parameters, Some(count(&["pooler", "cls."])), "{kind}");
        if kind != "distilbert" {
            let pooler = facts(json!({ "pooling": "pooler", "precision": "int8" }));
            assert_eq!(pooler.parameters, Some(count(&["cls."])), "{kind}");
        }
        let mut named: Vec<_> = facts(json!({})).files.into_iter().map(|file| file.path).collect();
        named.retain(|path| !path.ends_with("tokenizer_config.json") && !path.ends_with("config.json"));
        let files = if kind.contains("roberta") && kind != "xlm-roberta" { 3 } else { 2 };
        assert_eq!(named.len(), files, "{kind}: weights and the tokeniser's own files: {named:?}");
    }
}

#[test]
fn a_fault_that_quotes_a_line_end_stays_one_line() {
    let text = fs::read_to_string(folder("whole/roberta.json")).unwrap();
    let mut whole: Value = serde_json::from_str(&text).unwrap();
    whole["model"]["merges"][0] = json!(["u\n", "n"]);
    let told = refusal(with("roberta", &[("tokenizer.json", whole)]).path(), json!({}));
    assert!(told.contains("out of vocabulary") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_directory_that_lacks_something_is_refused_with_the_remedy() {
    let told = changed(|path| fs::remove_file(path.join("model.safetensors")).unwrap());
    assert!(told.contains("the weights are missing"), "{told}");
    let told = changed(|path| {
        fs::rename(path.join("model.safetensors"), path.join("pytorch_model.bin")).unwrap();
    });
    assert!(told.contains("save the model as model.safetensors"), "{told}");
    let told = changed(|path| fs::remove_file(path.join("vocab.txt")).unwrap());
    assert!(told.contains("has no tokeniser"), "{told}");
    let told = changed(|path| {
        let config = fs::read_to_string(path.join("config.json")).unwrap();
        let config = config.replace("\"intermediate_size\": 48", "\"intermediate_size\": 40");
        fs::write(path.join("config.json"), config).unwrap();
    });
    assert!(told.contains("intermediate.dense.weight") && told.contains("[40, 32] was expected"), "{told}");
    let told = changed(|path| fs::write(path.join("modules.json"), r#"[{"type": "a.LSTM"}]"#).unwrap());
    assert!(told.contains("\"LSTM\" is not supported"), "{told}");
    let early = r#"[{"type": "a.Transformer"}, {"type": "a.Normalize"}, {"type": "a.Pooling"}]"#;
    let told = changed(|path| fs::write(path.join("modules.json"), early).unwrap());
    assert!(told.contains("Normalize before Pooling"), "{told}");
    for name in ["module_input_name", "module_output_name"] {
        let told = changed(|path| {
            fs::write(
                path.join("modules.json"),
                r#"[{"type": "a.Pooling", "path": "p"}, {"type": "a.Dense", "path": "d"}]"#,
            )
            .unwrap();
            for folder in ["p", "d"] {
                fs::create_dir(path.join(folder)).unwrap();
            }
            fs::write(path.join("p/config.json"), r#"{"pooling_mode": "mean"}"#).unwrap();
            fs::write(path.join("d/config.json"), json!({ name: "token_embeddings" }).to_string()).unwrap();
        });
        assert!(told.contains("a dense layer of \"token_embeddings\""), "{name}: {told}");
    }
}
