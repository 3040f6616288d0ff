//! Models of real size that Marian trained: `DYNO_FIXTURES` names the folder (ssru, selfatt, aan, aan-slim,
//! gru).

use std::fs;

use dyno_formats::{ConvertOptions, Family, ModelDir, Precision, Scales, Weights, convert, shortlist};

use crate::goldens::fixtures;

const MODELS: [&str; 5] = ["aan", "aan-slim", "gru", "selfatt", "ssru"];

#[test]
fn every_model_opens_and_is_supported() {
    let Some(folder) = fixtures() else { return };
    let vocabulary = folder.join("vocab.spm");
    for name in MODELS {
        let model =
            ModelDir::open_weights(&folder.join(name).join("model.npz"), [&vocabulary, &vocabulary], None);
        let spec = model.unwrap().spec().unwrap();
        assert_eq!(spec.words, [4000, 4000]);
        assert_eq!(spec.family() == Family::Recurrent, name == "gru");
    }
}

#[test]
fn npz_and_bin_hold_the_same_tensors() {
    let Some(folder) = fixtures() else { return };
    let npz = Weights::open(folder.join("ssru/model.npz")).unwrap();
    let bin = Weights::open(folder.join("ssru/model.f32.bin")).unwrap();
    assert!(npz.names().eq(bin.names()));
    for tensor in npz.iter().filter(|tensor| tensor.name() != "special:model.yml") {
        let twin = bin.get(tensor.name()).unwrap();
        assert_eq!(
            (tensor.shape(), tensor.f32().unwrap()),
            (twin.shape(), twin.f32().unwrap()),
            "{tensor:?}"
        );
    }
}

#[test]
fn marians_int8_is_within_half_a_step_of_its_float() {
    let Some(folder) = fixtures() else { return };
    let mut quantised = 0;
    for name in MODELS.into_iter().filter(|name| *name != "gru") {
        let npz = Weights::open(folder.join(name).join("model.npz")).unwrap();
        let bin = Weights::open(folder.join(name).join("model.int8.bin")).unwrap();
        for tensor in bin.iter() {
            let Some(Scales::Multiplier(multiplier)) = tensor.scales() else { continue };
            let original = npz.get(tensor.name()).unwrap().to_f32().unwrap();
            for (value, original) in tensor.to_f32().unwrap().iter().zip(original.iter()) {
                assert!((value - original).abs() <= 0.5001 / multiplier, "{name}: {tensor:?}");
            }
            quantised += 1;
        }
    }
    assert!(quantised > 100, "{quantised} quantised tensors");
}

#[test]
fn real_models_convert_and_verify() {
    let Some(folder) = fixtures() else { return };
    let (target, vocabulary) = (tempfile::tempdir().unwrap(), folder.join("vocab.spm"));
    for name in ["gru", "ssru"] {
        let weights = folder.join(name).join("model.npz");
        let source = ModelDir::open_weights(&weights, [&vocabulary, &vocabulary], None).unwrap();
        let options = ConvertOptions { precisions: Precision::ALL.to_vec(), ..ConvertOptions::default() };
        let report = convert(&source, &target.path().join(name), &options).unwrap();
        let model = ModelDir::open(&report.directory).unwrap();
        model.verify().unwrap();
        let bytes = |precision: Precision| report.files[&dyno_formats::weights_name(precision)].bytes;
        assert!(bytes(Precision::Int8) * 3 < bytes(Precision::F32), "{name}");
        let (float, int8) = (model.load(Precision::F32).unwrap(), model.load(Precision::Int8).unwrap());
        assert!(float.names().eq(int8.names()));
    }
}

#[test]
fn a_real_shortlist_is_read() {
    let Some(folder) = fixtures() else { return };
    shortlist::text::check(&fs::read(folder.join("lex.s2t")).unwrap()).unwrap();
}
