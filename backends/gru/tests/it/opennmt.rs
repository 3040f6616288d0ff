//! The engine against OpenNMT-py, on its checkpoints as they are and converted. `ci/opennmt-goldens.py` makes
//! the goldens.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_formats::{ConvertOptions, ModelDir, Precision, Recipe, convert, generate};
use dyno_gru::ENGINE;
use dyno_nn::math::Kernels;
use dyno_nn::{Params, Request, Row, Scratch, Sentence, Step, Wanted};
use dyno_parity::Goldens;
use dyno_translator::Switches;
use serde_json::{Value, json};

/// Each kind of cell, encoder, attention and input.
const KINDS: [&str; 5] = ["gru-general", "gru-mlp-unfed", "lstm-dot-tied", "lstm-general", "lstm-mlp-apart"];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/opennmt")
}

fn goldens() -> Goldens {
    Goldens { input: home().join("lines.en"), vocabulary: PathBuf::new(), shortlist: None }
}

/// OpenNMT-py's translations with their scores.
fn expected(name: &str, way: &str) -> Vec<(String, f32)> {
    let text = fs::read_to_string(home().join(name).join(format!("{way}.tsv"))).unwrap();
    let line = |line: &str| {
        let (text, score) = line.split_once('\t').unwrap();
        (text.to_owned(), score.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn translate(model: &Path, settings: &Value, batch: usize) -> Vec<Vec<(String, Option<f32>)>> {
    goldens().translate(&ENGINE, &[model.to_path_buf()], settings, batch)
}

/// Checks that each model translates as OpenNMT-py did in this way, and as it scored.
fn check(way: &str, settings: &Value) {
    for name in KINDS {
        let expected = expected(name, way);
        for batch in [1, usize::MAX] {
            let found = translate(&home().join(name), settings, batch);
            assert_eq!(found.len(), expected.len(), "{name}");
            for (at, (found, (text, score))) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found[0].0, *text, "{name} {way}, line {}", at + 1);
                let off = found[0].1.map_or(0.0, |found| (found - score).abs());
                assert!(off < 1e-3, "{name} {way}, line {}: {:?} not {score}", at + 1, found[0].1);
            }
        }
    }
}

#[test]
fn models_of_opennmt_translate_greedily_as_by_opennmt() {
    check("greedy", &json!({ "beam": 1 }));
}

#[test]
fn beams_translate_and_score_as_by_opennmt() {
    check("beam", &json!({ "beam": 4 }));
    check("plain", &json!({ "beam": 4, "normalize": 0 }));
}

#[test]
fn integers_translate_nearly_as_by_opennmt() {
    for (precision, least) in [("int16", 0.95), ("int8", 0.6)] {
        for name in KINDS {
            let found = translate(&home().join(name), &json!({ "beam": 1, "precision": precision }), 8);
            let (mut same, mut words) = (0u32, 0u32);
            for (found, (expected, _)) in found.iter().zip(expected(name, "greedy")) {
                let pairs = found[0].0.split(' ').zip(expected.split(' '));
                same += pairs.filter(|(one, other)| one == other).count() as u32;
                words += expected.split(' ').count() as u32;
            }
            let share = f64::from(same) / f64::from(words);
            assert!(share > least, "{name} in {precision}: {share}");
        }
    }
}

#[test]
fn a_converted_checkpoint_translates_as_the_original() {
    for name in KINDS {
        let scratch = tempfile::tempdir().unwrap();
        let to = scratch.path().join("model");
        let source = ModelDir::open(home().join(name)).unwrap();
        let precisions = vec![Precision::F32, Precision::Int8];
        convert(&source, &to, &ConvertOptions { precisions, ..ConvertOptions::default() }).unwrap();
        let converted = ModelDir::open(&to).unwrap();
        converted.verify().unwrap();
        assert_eq!(source.spec().unwrap().network, converted.spec().unwrap().network, "{name}");
        assert_eq!(source.shares_vocabulary(), converted.shares_vocabulary(), "{name}");
        for precision in ["f32", "int8"] {
            let settings = json!({ "beam": 3, "precision": precision });
            assert_eq!(translate(&to, &settings, 64), translate(&home().join(name), &settings, 64), "{name}");
        }
    }
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone_by_opennmt() {
    for (seed, name) in KINDS.into_iter().enumerate() {
        for (beam, precision) in [(1, "f32"), (3, "f32"), (3, "int8")] {
            let settings = json!({ "beam": beam, "n-best": beam > 1, "precision": precision });
            goldens().check_joining_by(&ENGINE, &[home().join(name)], &settings, seed as u64);
        }
    }
}

#[test]
fn a_worker_that_is_warm_allocates_nothing() {
    for name in KINDS {
        let model = ModelDir::open(home().join(name)).unwrap();
        let weights = model.load(Precision::F32).unwrap();
        let switches = Switches::defaults(ENGINE.customs.switches);
        let params = Params::new(&weights, Kernels::best());
        let network = (ENGINE.load)(&model.spec().unwrap(), params, &switches).unwrap();
        let (mut decoder, mut scratch, mut step) = (network.decoder(), Scratch::default(), Step::default());
        let request = Request { wanted: Wanted::LogProbabilities, suppressed: &[], attention: true };
        let row = |sentence| Row { previous: Some(5), sentence, position: 0, barred: None };
        let mut run = || {
            let sentence = |ids| Sentence { ids, candidates: None };
            decoder.admit(&[sentence(&[4, 5, 6]), sentence(&[7])], &[0, 1], &mut scratch);
            decoder.step(&[row(0), row(1)], &request, &mut scratch, &mut step);
            decoder.reorder(&[0, 0, 1]);
            for _ in 0..4 {
                decoder.step(&[row(0), row(0), row(1)], &request, &mut scratch, &mut step);
                decoder.reorder(&[1, 0, 2]);
            }
            decoder.reorder(&[]);
        };
        (0..3).for_each(|_| run()); // buffers that take turns grow in turn
        let counted = allocation_counter::measure(run);
        assert_eq!(counted.count_total, 0, "{name}");
    }
}

#[test]
fn an_unknown_word_is_replaced_by_the_source_word_that_it_looked_at() {
    let settings = json!({ "beam": 4, "replace-unknown": true });
    let plain = translate(&home().join("lstm-general"), &json!({ "beam": 4 }), 8);
    let replaced = translate(&home().join("lstm-general"), &settings, 8);
    let unknown = |lists: &[Vec<(String, Option<f32>)>]| {
        lists.iter().flat_map(|list| list[0].0.split(' ')).filter(|word| *word == "<unk>").count()
    };
    assert!(unknown(&plain) > 0 && unknown(&replaced) == 0, "{} {}", unknown(&plain), unknown(&replaced));
}

#[test]
fn drawn_networks_have_the_tensors_that_the_engine_reads() {
    let scratch = tempfile::tempdir().unwrap();
    for (at, keys) in [
        "",
        "enc-type = \"rnn\"\ncell = \"lstm\"\nattention = \"mlp\"\ninput-feed = false",
        "enc-type = \"brnn-sum\"\nattention = \"dot\"\ndim-emb-target = 8\ntied-embeddings = true",
    ]
    .into_iter()
    .enumerate()
    {
        let table = format!(
            "words = 40\n[opennmt]\ndim-emb = 6\ndim-state = 8\nenc-depth = 2\ndec-depth = 1\n{keys}"
        );
        let recipe = Recipe::of(toml::from_str(&table).unwrap(), scratch.path()).unwrap();
        let model = scratch.path().join(at.to_string());
        generate(&recipe, &model).unwrap();
        let weights = ModelDir::open(&model).unwrap().load(Precision::F32).unwrap();
        assert_eq!(weights.parameters(), recipe.parameters());
        for precision in ["f32", "int16", "int8"] {
            let settings = json!({ "beam": 2, "max-length-factor": 1, "precision": precision });
            assert_eq!(translate(&model, &settings, 8).len(), 43, "{keys}");
        }
    }
}

#[test]
fn a_directory_of_checkpoints_is_asked_for_one() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["model_step_1.pt", "model_step_2.pt"] {
        fs::copy(home().join("lstm-general/model.pt"), scratch.path().join(name)).unwrap();
    }
    let told = ModelDir::open(scratch.path()).unwrap_err().to_string();
    assert!(told.contains("has 2 checkpoints; name one of them"), "{told}");
    assert!(ModelDir::open(scratch.path().join("model_step_2.pt")).is_ok());
}

#[test]
fn damaged_and_foreign_checkpoints_are_told_by_file_and_fault() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("model.pt");
    let sound = fs::read(home().join("lstm-general/model.pt")).unwrap();
    let told = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        ModelDir::open(scratch.path()).unwrap_err().to_string()
    };
    let mut flipped = sound.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for (bytes, fault) in [
        (&flipped[..], "fails its checksum"),
        (&sound[..sound.len() - 30], "no end of a zip archive"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "this form of a checkpoint is not supported"),
    ] {
        let told = told(bytes);
        assert!(told.contains("model.pt") && told.contains(fault), "{told}");
    }
}

/// Gives the encoder of a converted model a second stack, which runs backward and is added up with the first:
/// one of them has the model's weights and the other is zero, and so are its outputs.
fn add_stack(model: &Path, backward: bool) {
    let manifest = fs::read_to_string(model.join("model.toml")).unwrap();
    let summed = manifest.replace("enc-type = \"rnn\"", "enc-type = \"brnn-sum\"");
    assert_ne!(manifest, summed);
    fs::write(model.join("model.toml"), summed).unwrap();
    let file = model.join("weights.f32.safetensors");
    let bytes = fs::read(&file).unwrap();
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let (mut header, mut data): (Value, Vec<u8>) = (serde_json::from_slice(header).unwrap(), data.to_vec());
    for (name, tensor) in header.as_object().unwrap().clone() {
        let Some((layer, part)) = name.split_once("_forward_") else { continue };
        let span = tensor["data_offsets"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap() as usize);
        let [from, to] = span.collect::<Vec<_>>()[..] else { panic!("two ends") };
        let (own, end) = (data[from..to].to_vec(), data.len());
        data.resize(end + own.len(), 0);
        if backward {
            data[end..].copy_from_slice(&own);
            data[from..to].fill(0);
        }
        let mut second = tensor.clone();
        second["data_offsets"] = json!([end, data.len()]);
        header[format!("{layer}_backward_{part}")] = second;
    }
    let header = header.to_string();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(&file, [&length[..], header.as_bytes(), &data].concat()).unwrap();
}

#[test]
fn stacks_that_are_added_up_translate_as_each_of_them_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let source = ModelDir::open(home().join("lstm-dot-tied")).unwrap();
    let precisions = vec![Precision::F32];
    let options = ConvertOptions { precisions, ..ConvertOptions::default() };
    let settings = json!({ "beam": 3, "n-best": true });
    let [forward, backward] = ["forward", "backward"].map(|name| scratch.path().join(name));
    for (model, is_backward) in [(&forward, false), (&backward, true)] {
        convert(&source, model, &options).unwrap();
        add_stack(model, is_backward);
    }
    let alone = translate(&home().join("lstm-dot-tied"), &settings, 8);
    assert_eq!(translate(&forward, &settings, 8), alone);
    // Backward over turned lines is forward over lines; only sums over the source have another order.
    let lines = fs::read_to_string(home().join("lines.en")).unwrap();
    let turn = |line: &str| line.split(' ').rev().collect::<Vec<_>>().join(" ") + "\n";
    let input = scratch.path().join("turned.en");
    fs::write(&input, lines.lines().map(turn).collect::<String>()).unwrap();
    let turned = Goldens { input, ..goldens() }.translate(&ENGINE, &[backward], &settings, 8);
    for (found, alone) in turned.iter().flatten().zip(alone.iter().flatten()) {
        assert_eq!(found.0, alone.0);
        assert!((found.1.unwrap() - alone.1.unwrap()).abs() < 1e-4, "{found:?} {alone:?}");
    }
}
