//! The engine against `generate` of Hugging Face's transformers, on directories as they are and converted.
//! `ci/hugging-face-goldens.py` makes the goldens.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Isa, Settings};
use dyno_formats::{ConvertOptions, ModelDir, Precision, Recipe, convert, generate};
use dyno_parity::{Goldens, NARROW};
use dyno_transformer_aan::ENGINE;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Kinds of models among the goldens.
const KINDS: [&str; 5] = ["marian", "marian-apart", "marian-free", "m2m", "nllb"];

/// Greatest difference of scores, which comes from different orders of the same sums.
const TOLERANCE: f32 = 1e-3;

pub fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/hugging-face").join(kind)
}

/// A copy of the golden directory `kind`, to be changed.
pub fn copy(kind: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder(kind)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    copy
}

/// Lines of a golden file.
pub fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// The languages of a kind of models, and `more` settings.
pub fn settings(kind: &str, more: Value) -> Settings {
    let languages = match kind {
        "m2m" => json!({ "source-language": "en", "target-language": "de" }),
        "nllb" => json!({ "source-language": "eng_Latn", "target-language": "deu_Latn" }),
        _ => json!({}),
    };
    let mut settings = languages.as_object().unwrap().clone();
    settings.extend(more.as_object().unwrap().clone());
    settings
}

/// Translations and scores of the golden lines, `batch` lines at a time.
pub fn translate(model: &Path, settings: &Settings, batch: usize) -> Vec<(String, Option<f32>)> {
    let model = ENGINE.open(&[model.into()], settings).unwrap();
    let mut session = model.session().unwrap();
    let lines = lines(&folder("lines.en"));
    let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    let mut answers = Vec::new();
    for lines in lines.chunks(batch) {
        let first = answers.len();
        answers.resize(first + lines.len(), (String::new(), None));
        let mut sink =
            |answer: Answer<'_>| answers[first + answer.line] = (answer.text.to_owned(), answer.score);
        session.run(lines, &mut sink).unwrap();
    }
    answers
}

/// Checks the translations of `model`, which is of this kind, against the original's: lines may differ where
/// a margin is next to nothing, and on 1 % of the lines at most.
fn check(kind: &str, model: &Path) {
    let golden = |name: &str| lines(&folder(kind).join(name));
    let numbers = |name: &str| golden(name).iter().map(|line| line.parse().unwrap()).collect::<Vec<f32>>();
    for batch in [1, 64] {
        let greedy = translate(model, &settings(kind, json!({ "beam": 1 })), batch);
        let (expected, margins) = (golden("greedy.txt"), numbers("margins.txt"));
        let differ: Vec<usize> = (0..greedy.len()).filter(|at| greedy[*at].0 != expected[*at]).collect();
        let wide: Vec<_> = differ.iter().filter(|at| margins[**at] >= NARROW).collect();
        assert!(wide.is_empty(), "{kind}, greedy: {}", told(&wide, &greedy, &expected));
        assert!(differ.len() <= greedy.len() / 100, "{kind}, greedy: {differ:?} differ");

        let beam = translate(model, &settings(kind, json!({ "beam": 4 })), batch);
        let (expected, scores, margins) =
            (golden("beam.txt"), numbers("beam.scores"), numbers("beam.margins"));
        let apart = |at: &usize| (beam[*at].1.unwrap() - scores[*at]).abs();
        let differ: Vec<usize> = (0..beam.len()).filter(|at| beam[*at].0 != expected[*at]).collect();
        let wide: Vec<_> = differ.iter().filter(|at| margins[**at] >= NARROW).collect();
        assert!(wide.is_empty(), "{kind}, beam: {}", told(&wide, &beam, &expected));
        assert!(differ.len() <= beam.len() / 100, "{kind}, beam: {differ:?} differ");
        let same = (0..beam.len()).filter(|at| !differ.contains(at));
        let odd: Vec<usize> = same.filter(|at| apart(at) >= TOLERANCE).collect();
        assert!(odd.is_empty(), "{kind}: scores of {odd:?} differ");
    }
}

fn told(at: &[&usize], found: &[(String, Option<f32>)], expected: &[String]) -> String {
    at.iter().map(|at| format!("\n{at}: {:?}\n not {:?}", found[**at].0, expected[**at])).collect()
}

#[test]
fn marian_mt_translates_as_by_generate() {
    check("marian", &folder("marian"));
}

#[test]
fn marian_mt_with_two_vocabularies_translates_as_by_generate() {
    check("marian-apart", &folder("marian-apart"));
}

#[test]
fn marian_mt_with_untied_words_and_other_heads_in_the_decoder_translates_as_by_generate() {
    check("marian-free", &folder("marian-free"));
}

#[test]
fn m2m_100_translates_as_by_generate() {
    check("m2m", &folder("m2m"));
}

#[test]
fn nllb_200_translates_as_by_generate() {
    check("nllb", &folder("nllb"));
}

#[test]
fn ids_are_those_of_the_original() {
    use dyno_text::{Scratch, Side, Vocabulary};
    for kind in KINDS {
        let model = ModelDir::open(folder(kind)).unwrap();
        let source = Vocabulary::open(&model.vocabularies()[0], model.tokens(), Side::Source).unwrap();
        let language = usize::from(matches!(kind, "m2m" | "nllb"));
        let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
        for (line, expected) in lines(&folder("lines.en")).iter().zip(lines(&folder(kind).join("ids.txt"))) {
            source.encode_into(line.as_bytes(), &mut scratch, &mut ids);
            let expected: Vec<u32> = expected.split(' ').map(|id| id.parse().unwrap()).collect();
            assert_eq!(ids, expected[language..expected.len() - 1], "{kind}: {line}");
        }
    }
}

/// A line with its ids, without and with the added words.
type Found = (String, Vec<u32>, Vec<u32>);

/// Words and lines of `ci/added-words-goldens.py`.
fn added_words(kind: &str) -> (Vec<Value>, Vec<Found>) {
    let text = fs::read_to_string(folder("added-words.json")).unwrap();
    let golden: Value = serde_json::from_str(&text).unwrap();
    let lines = serde_json::from_value(golden["lines"][kind].clone()).unwrap();
    (golden["added"].as_array().unwrap().clone(), lines)
}

#[test]
fn added_words_are_found_in_a_line_as_by_the_original() {
    use dyno_text::{Scratch, Side, Vocabulary};
    for kind in ["marian", "m2m"] {
        let (added, golden) = added_words(kind);
        let changed = copy(kind);
        change(changed.path(), "tokenizer_config.json", |settings| {
            let words = ModelDir::open(folder(kind)).unwrap().spec().unwrap().words[0];
            for (at, word) in added.into_iter().enumerate() {
                settings["added_tokens_decoder"][(words + at).to_string()] = word;
            }
        });
        for (path, is_changed) in [(folder(kind), false), (changed.path().into(), true)] {
            let model = ModelDir::open(&path).unwrap();
            let source = Vocabulary::open(&model.vocabularies()[0], model.tokens(), Side::Source).unwrap();
            let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
            for (line, plain, with_added) in &golden {
                source.encode_into(line.as_bytes(), &mut scratch, &mut ids);
                assert_eq!(&ids, if is_changed { with_added } else { plain }, "{kind}: {line}");
            }
        }
    }
}

/// Changes a JSON file.
pub fn change(folder: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let path = folder.join(file);
    let mut json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut json);
    fs::write(path, json.to_string()).unwrap();
}

#[test]
fn what_a_tokeniser_was_trained_with_neither_pads_nor_cuts_a_line() {
    let home = copy("nllb");
    change(home.path(), "tokenizer.json", |tokenizer| {
        tokenizer["padding"] = json!({
            "strategy": { "Fixed": 40 }, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>",
        });
        tokenizer["truncation"] =
            json!({ "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 });
    });
    let settings = settings("nllb", json!({ "beam": 1 }));
    assert_eq!(translate(home.path(), &settings, 64), translate(&folder("nllb"), &settings, 64));
}

#[test]
fn m2m_100_has_its_own_usual_activation() {
    let home = copy("m2m");
    change(home.path(), "config.json", |config| {
        drop(config.as_object_mut().unwrap().remove("activation_function"))
    });
    let settings = settings("m2m", json!({ "beam": 1 }));
    assert_eq!(translate(home.path(), &settings, 64), translate(&folder("m2m"), &settings, 64));
}

#[test]
fn a_converted_directory_translates_as_the_original() {
    for kind in KINDS {
        let source = ModelDir::open(folder(kind)).unwrap();
        let widest = *source.weights().keys().next_back().unwrap();
        let home = tempfile::tempdir().unwrap();
        let to = home.path().join("model");
        let options =
            ConvertOptions { precisions: vec![widest, Precision::Int8], ..ConvertOptions::default() };
        convert(&source, &to, &options).unwrap();
        let converted = ModelDir::open(&to).unwrap();
        converted.verify().unwrap();
        let (spec, converted) = (source.spec().unwrap(), converted.spec().unwrap());
        assert_eq!((spec.words, spec.vectors), (converted.words, converted.vectors), "{kind}");
        assert_eq!(spec.network, converted.network, "{kind}");
        check(kind, &to);
        let int8 = settings(kind, json!({ "precision": "int8" }));
        assert_eq!(translate(&to, &int8, 64), translate(&folder(kind), &int8, 64), "{kind} in int8");
    }
}

#[test]
fn nllb_needs_no_tokenizer_json_where_it_has_its_pieces() {
    let home = copy("nllb");
    fs::remove_file(home.path().join("tokenizer.json")).unwrap();
    fs::remove_file(home.path().join("tokenizer_config.json")).unwrap();
    // transformers 5 numbers the languages of new models one higher than published models do.
    fs::write(home.path().join("added_tokens.json"), r#"{"eng_Latn": 1248, "deu_Latn": 1243}"#).unwrap();
    let whole = translate(&folder("nllb"), &settings("nllb", json!({ "beam": 1 })), 64);
    let pieces = translate(home.path(), &settings("nllb", json!({ "beam": 1 })), 64);
    assert_eq!(whole[..100], pieces[..100], "captions, without odd characters");
}

#[test]
fn a_forced_first_word_is_the_target_language_where_none_is_set() {
    let home = copy("m2m");
    // The words of the languages stand behind those of vocab.json; German's is the seventeenth.
    let words: Value = serde_json::from_slice(&fs::read(home.path().join("vocab.json")).unwrap()).unwrap();
    change(home.path(), "generation_config.json", |generation| {
        generation["forced_bos_token_id"] = json!(words.as_object().unwrap().len() + 16);
    });
    let set = translate(&folder("m2m"), &settings("m2m", json!({ "beam": 1 })), 64);
    let forced = json!({ "beam": 1, "source-language": "en" });
    assert_eq!(translate(home.path(), &settings("", forced), 64), set);
}

#[test]
fn halves_are_weights_of_f32_and_target_ids_count_only_where_they_are_apart() {
    let f32 = json!({ "beam": 1, "precision": "f32" });
    let free = translate(&folder("marian-free"), &settings("marian-free", f32), 64);
    assert_eq!(free, translate(&folder("marian-free"), &settings("marian-free", json!({ "beam": 1 })), 64));
    let home = copy("marian");
    fs::write(home.path().join("target_vocab.json"), "{}").unwrap();
    let settings = settings("marian", json!({ "beam": 1 }));
    assert_eq!(translate(home.path(), &settings, 64), translate(&folder("marian"), &settings, 64));
}

#[test]
fn a_shortlist_limits_the_words_of_a_translation() {
    let home = tempfile::tempdir().unwrap();
    let list = home.path().join("lex.s2t");
    fs::write(&list, "▁Hund ▁dog 0.5\n▁ein ▁a 0.5\n").unwrap();
    let kind = "marian";
    let free = translate(&folder(kind), &settings(kind, json!({ "beam": 1 })), 64);
    let all = json!({ "beam": 1, "shortlist": [list, 100_000, 100] });
    assert_eq!(translate(&folder(kind), &settings(kind, all), 64), free, "all words are candidates");
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone() {
    let goldens = Goldens { input: folder("lines.en"), vocabulary: PathBuf::new(), shortlist: None };
    for (seed, kind) in (0..).zip(KINDS) {
        for more in [json!({ "beam": 1 }), json!({ "beam": 3, "n-best": true })] {
            let settings = Value::Object(settings(kind, more));
            goldens.check_joining_by(&ENGINE, &[folder(kind)], &settings, seed);
        }
    }
}

#[test]
fn quantised_weights_keep_the_quality() {
    // Of the words of translations in f32, nearly all are those of translations in int16 and bf16, and most in int8.
    for (precision, least) in [("int16", 0.9), ("bf16", 0.9), ("int8", 0.6)] {
        for kind in ["marian", "m2m"] {
            let exact = translate(&folder(kind), &settings(kind, json!({ "beam": 1 })), 64);
            let coarse = json!({ "beam": 1, "precision": precision });
            let coarse = translate(&folder(kind), &settings(kind, coarse), 64);
            let (mut same, mut words) = (0, 0);
            for ((exact, _), (coarse, _)) in exact.iter().zip(&coarse) {
                let pairs = exact.split(' ').zip(coarse.split(' '));
                same += pairs.filter(|(one, other)| one == other).count();
                words += exact.split(' ').count();
            }
            let share = f64::from(same as u32) / f64::from(words as u32);
            assert!(share > least, "{kind} in {precision}: {share}");
        }
    }
}

#[test]
fn products_in_bf16_have_the_same_answers_on_all_processors() {
    // Short answers: plain code takes its time.
    let on = |isa: Isa| {
        let asked = json!({ "beam": 2, "n-best": true, "precision": "bf16", "isa": isa.name(), "max-length-factor": 0.5 });
        translate(&folder("marian"), &settings("marian", asked), 64)
    };
    let plain = on(Isa::Scalar);
    for isa in Isa::present().skip(1) {
        assert_eq!(on(isa), plain, "{isa}");
    }
}

#[test]
fn static_scales_serve_models_with_two_vocabularies() {
    let home = tempfile::tempdir().unwrap();
    let found = home.path().join("scales");
    let kind = "marian-apart";
    let free = translate(&folder(kind), &settings(kind, json!({ "beam": 1, "calibrate": found })), 1);
    let multipliers = dyno_translator::read_multipliers(&found).unwrap();
    assert!(
        multipliers.contains_key("decoder_Wemb"),
        "the output layer of two vocabularies: {multipliers:?}"
    );
    let to = home.path().join("model");
    let precisions = vec![Precision::Int8];
    let options = ConvertOptions { precisions, multipliers, ..ConvertOptions::default() };
    convert(&ModelDir::open(folder(kind)).unwrap(), &to, &options).unwrap();
    let fixed = json!({ "beam": 1, "precision": "int8", "activation-scales": "static" });
    let fixed = translate(&to, &settings(kind, fixed), 64);
    let same = fixed.iter().zip(&free).filter(|(fixed, free)| fixed.0 == free.0).count();
    assert!(same * 3 > free.len(), "{same} lines of {} are those of float weights", free.len());
}

#[test]
fn drawn_networks_may_have_norms_before_sublayers() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("text.en"), "a dog and a cat\n").unwrap();
    let recipe = r#"
        words = 40
        text = ["text.en"]
        [marian]
        type = "transformer"
        tied-embeddings-all = true
        transformer-preprocess = "n"
        transformer-postprocess = "a"
        transformer-postprocess-top = "n"
        transformer-decoder-autoreg = "self-attention"
        transformer-normalised-keys = true
        transformer-first-position = 2
        transformer-start-word = 0
        dim-emb = 16
        transformer-heads = 2
        transformer-dim-ffn = 24
        enc-depth = 2
        dec-depth = 2
    "#;
    let recipe = Recipe::of(toml::from_str(recipe).unwrap(), home.path()).unwrap();
    let to = home.path().join("model");
    generate(&recipe, &to).unwrap();
    let forced = settings("", json!({ "max-length-factor": 1 }));
    let answers = translate(&to, &forced, 64);
    for ((answer, _), line) in answers.iter().zip(lines(&folder("lines.en"))) {
        let words = line.split(' ').filter(|word| !word.is_empty()).count();
        assert_eq!(answer.split(' ').count(), words + 1, "as many words as {line:?} with its end");
    }
}
