//! What the engine can't honour is refused by name.

use std::fs;

use dyno_api::Backend;
use dyno_encoder::ENGINE;
use serde_json::{Value, json};

use crate::support::{KINDS, folder, refusal};

#[test]
fn settings_that_an_encoder_lacks_are_refused_with_the_reason() {
    for (settings, said) in [
        (json!({ "precision": "int16" }), "int8 keeps their quality in half the memory of int16"),
        (json!({ "precision": "f16" }), "it must be f32 or int8"),
        (json!({ "threads": 0 }), "a whole number from 1 to 1024"),
        (json!({ "pooling": "last" }), "it must be one of cls, max, mean"),
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

/// A copy of the golden BERT, changed.
fn changed(change: impl Fn(&std::path::Path)) -> String {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder("bert")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    change(copy.path());
    refusal(copy.path(), Value::Object(Default::default()))
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
}
