//! Directories that the engine can't open are refused in one line, with what to do.

use std::fs;
use std::path::Path;

use dyno_api::Backend;
use dyno_transformer_aan::ENGINE;
use serde_json::{Value, json};

use crate::hugging_face::{change, copy, folder, settings};

/// The refusal of a changed copy of the golden directory `kind`.
fn refusal(kind: &str, change: impl Fn(&Path)) -> String {
    let copy = copy(kind);
    change(copy.path());
    let told = ENGINE.open(&[copy.path().into()], &settings(kind, json!({})));
    let told = told.map(|_| ()).unwrap_err().to_string();
    assert_eq!(told.lines().count(), 1, "{told}");
    told
}

/// Replaces a key of a JSON file.
fn set(folder: &Path, file: &str, key: &str, value: Value) {
    change(folder, file, |json| json[key] = value);
}

#[test]
fn a_missing_file_is_told_with_the_remedy() {
    for (kind, file, told) in [
        ("marian", "model.safetensors", "the weights are missing; a model has model.safetensors"),
        ("marian", "source.spm", "has no source.spm; copy it from the model's origin"),
        ("marian", "target.spm", "has no target.spm"),
        ("marian", "vocab.json", "has no vocab.json"),
        ("marian", "config.json", "has no config.json; copy it from the model's origin"),
        ("marian-apart", "target_vocab.json", "target_vocab.json: is missing, but tokenizer_config.json has"),
        ("m2m", "vocab.json", "has no vocab.json"),
        ("m2m", "sentencepiece.bpe.model", "has no tokenizer.json or sentencepiece.bpe.model"),
    ] {
        let found = refusal(kind, |copy| fs::remove_file(copy.join(file)).unwrap());
        assert!(found.contains(told), "{file}: {found}");
    }
    for file in ["config.json", "generation_config.json", "source.spm", "vocab.json", "tokenizer_config.json"]
    {
        let found = refusal("marian", |copy| {
            fs::remove_file(copy.join(file)).unwrap();
            fs::create_dir(copy.join(file)).unwrap();
        });
        assert!(found.contains(file) && found.contains("not a regular file but a folder"), "{found}");
    }
    let broken = refusal("marian", |copy| fs::write(copy.join("config.json"), "{\"model_type\":").unwrap());
    assert!(
        broken.contains("config.json: EOF while parsing") && broken.contains("copy the file anew"),
        "{broken}"
    );
    let legacy = refusal("nllb", |copy| set(copy, "tokenizer_config.json", "legacy_behaviour", json!(true)));
    assert!(legacy.contains("`legacy_behaviour`"), "{legacy}");
    let pickled = refusal("marian", |copy| {
        fs::rename(copy.join("model.safetensors"), copy.join("pytorch_model.bin")).unwrap();
    });
    assert!(pickled.contains("PyTorch's format alone; save the model as model.safetensors"), "{pickled}");
}

#[test]
fn a_configuration_that_no_engine_runs_is_told_by_its_key() {
    let config = "config.json";
    let generation = "generation_config.json";
    for (file, key, value, told) in [
        (config, "model_type", json!("t5"), "a model of Hugging Face is not supported"),
        (
            config,
            "d_model",
            json!(60),
            "`model.encoder.layers.0.self_attn.q_proj.weight`: has shape [64, 64]",
        ),
        (config, "d_model", json!(0), "`d_model`"),
        (config, "d_model", json!("x"), "copy the file anew"),
        (
            config,
            "encoder_layers",
            json!(3),
            "`model.encoder.layers.2.self_attn.q_proj.weight`: this tensor is missing",
        ),
        (config, "encoder_attention_heads", json!(3), "3 heads don't divide 64"),
        (config, "decoder_attention_heads", json!(7), "7 heads don't divide 64"),
        (config, "decoder_attention_heads", json!(0), "`decoder_attention_heads`: is 0"),
        (config, "decoder_layers", json!(1_000_000), "`decoder_layers`: is 0 or beyond all reason"),
        (
            config,
            "activation_function",
            json!("mish"),
            "the activation `mish` is not supported: there are swish",
        ),
        (config, "normalize_before", json!(true), "`normalize_before`"),
        (config, "decoder_start_token_id", json!(1_000_000), "`decoder_start_token_id`"),
        (generation, "do_sample", json!(true), "`do_sample`"),
        (generation, "no_repeat_ngram_size", json!(3), "`no_repeat_ngram_size`"),
        (generation, "begin_suppress_tokens", json!([3]), "`begin_suppress_tokens`"),
        (generation, "sequence_bias", json!([[[3], 1.5]]), "`sequence_bias`"),
        (generation, "force_words_ids", json!([[5]]), "`force_words_ids`"),
        (generation, "constraints", json!([{}]), "`constraints`"),
        (generation, "guidance_scale", json!(1.5), "`guidance_scale`"),
        (generation, "forced_bos_token_id", json!(1_000_000), "`first-word`: is 1000000, but the vocabulary"),
        (generation, "bad_words_ids", json!([[1, 2]]), "`bad_words_ids`"),
        (generation, "early_stopping", json!("soon"), "`early_stopping`"),
    ] {
        let found = refusal("marian", |copy| set(copy, file, key, value.clone()));
        assert!(found.contains(told), "{key}: {found}");
    }
}

#[test]
fn faulty_vocabularies_are_told_with_their_file() {
    for (text, told) in [
        ("{", "vocab.json: line 1:"),
        ("[]", "vocab.json: line 1:"),
        ("{\"a\": 0}", "the files belong to different models"),
        ("{\"</s>\": 4000000000}", "beyond all reason"),
    ] {
        let found = refusal("marian", |copy| fs::write(copy.join("vocab.json"), text).unwrap());
        assert!(found.contains(told), "{text}: {found}");
    }
    let found = refusal("marian", |copy| fs::write(copy.join("source.spm"), "pieces").unwrap());
    assert!(found.contains("source.spm"), "{found}");
}

#[test]
fn languages_are_asked_for_and_checked() {
    let refused = |kind: &str, settings: Value| {
        let settings = settings.as_object().unwrap().clone();
        ENGINE.open(&[folder(kind)], &settings).map(|_| ()).unwrap_err().to_string()
    };
    for (kind, settings, told) in [
        ("m2m", json!({}), "`source-language` is missing"),
        ("m2m", json!({ "source-language": "en" }), "`target-language` is missing"),
        (
            "m2m",
            json!({ "source-language": "en", "target-language": "tlh" }),
            "tlh, for which this model has no word; set one of its codes: tl, ta, th, tn, tr, af,",
        ),
        ("marian", json!({ "source-language": "en" }), "`source-language` is set, but"),
        (
            "marian",
            json!({ "target-language": "fra" }),
            "fra, for which this model has no word; set one of its codes: deu",
        ),
        ("marian", json!({ "search": "random" }), "\"ctranslate2\" or \"opennmt\""),
    ] {
        let found = refused(kind, settings.clone());
        assert!(found.contains(told), "{kind} {settings}: {found}");
    }
}

#[test]
fn the_target_language_stands_before_lines_of_marian_mt() {
    use crate::hugging_face::translate;
    let set = translate(&folder("marian"), &settings("marian", json!({ "target-language": "deu" })), 64);
    let free = translate(&folder("marian"), &settings("marian", json!({})), 64);
    assert_ne!(set, free, "the word is read");
}
