//! The engine against Marian's own outputs.

#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Settings};
use dyno_formats::{ConvertOptions, ModelDir, ModelSpec, Precision, convert};
use dyno_nn::Params;
use dyno_parity::{Goldens, check_no_allocations, check_threads};
use dyno_ssru::ENGINE;
use dyno_translator::Switches;
use serde_json::{Value, json};

#[test]
fn fixtures_translate_as_by_marian() {
    let Some((goldens, home)) = Goldens::fixtures("parity of ssru") else { return };
    for model in ["ssru/model.npz", "ssru/model.f32.bin"] {
        goldens.check(&ENGINE, &home.join(model));
    }
}

#[test]
fn the_option_space_translates_as_by_marian() {
    Goldens::check_folder(&ENGINE, &home());
}

#[test]
fn decoding_does_not_allocate() {
    let load = |spec: &ModelSpec, params: Params<'_>| {
        (ENGINE.load)(spec, params, &Switches::defaults(ENGINE.customs.switches))
    };
    for model in ["norms-projection", "tied-layers"] {
        check_no_allocations(&load, &home().join(model).join("model.npz"));
    }
}

#[test]
fn threads_change_no_bit_and_allocate_nothing() {
    check_threads(&ENGINE, "small");
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone() {
    Goldens::check_folder_joining(&ENGINE, &home());
}

#[test]
#[ignore = "a sweep: the plain form of the kernels takes its time"]
fn a_line_has_one_translation_in_any_batch_and_on_any_instruction_set() {
    Goldens::check_folder_everywhere(&ENGINE, &home());
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian")
}

/// The best answers to `lines` by these models of the goldens.
fn best(models: &[&str], settings: &Value, lines: &[&[u8]]) -> dyno_api::Result<Vec<String>> {
    let mut settings: Settings = settings.as_object().unwrap().clone();
    settings.insert("vocab".into(), json!(home().join("vocab.spm")));
    let models: Vec<PathBuf> = models.iter().map(|name| home().join(name).join("model.npz")).collect();
    let model = ENGINE.open(&models, &settings)?;
    let mut answers: Vec<Vec<String>> = vec![Vec::new(); lines.len()];
    let mut sink = |answer: Answer<'_>| answers[answer.line].push(answer.text.into());
    model.session()?.run(lines, &mut sink)?;
    assert!(answers.iter().all(|list| list.len() == 1), "one answer a line: {answers:?}");
    Ok(answers.concat())
}

#[test]
fn time_is_accounted_for_where_it_is_asked_for_and_nowhere_else() {
    let [model, vocab] = ["tied-layers/model.npz", "vocab.spm"].map(|name| home().join(name));
    let lines: [&[u8]; 3] = [b"A dog runs.", b"", b"Two men sit on a bench ."];
    for watched in [false, true] {
        let settings = json!({ "vocab": vocab, "breakdown": watched });
        let model = ENGINE.open(std::slice::from_ref(&model), settings.as_object().unwrap()).unwrap();
        let (begin, mut answers) = (std::time::Instant::now(), 0);
        for _ in 0..2 {
            model.session().unwrap().run(&lines, &mut |_: Answer<'_>| answers += 1).unwrap();
        }
        let elapsed = begin.elapsed().as_nanos() as u64;
        assert_eq!(answers, 2 * lines.len());
        let told = model.breakdown().unwrap();
        let Some(told) = told else {
            assert!(!watched);
            continue;
        };
        assert!(watched && told.whole() > 0 && told.whole() <= elapsed, "{told:?} of {elapsed}");
        assert_eq!(told.components.values().sum::<u64>(), told.operators.values().sum::<u64>());
        for part in ["tokenise", "embed", "encoder", "attention", "decoder", "output", "search", "detokenise"]
        {
            assert!(told.components[part] > 0, "{part}: {told:?}");
        }
        for part in ["product", "attention", "norm", "activation"] {
            assert!(told.operators[part] > 0, "{part}: {told:?}");
        }
        // These weights are f32, and greedy search needs no softmax over words.
        assert_eq!((told.operators["quantise"], told.operators["softmax"]), (0, 0));
    }
}

/// The rule itself, on a folder of goldens in which one word was changed.
#[test]
#[should_panic(expected = "decided by a margin of")]
fn a_wrong_line_is_no_matter_of_rounding() {
    let folder = tempfile::tempdir().unwrap();
    let golden = std::fs::read_to_string(home().join("tied-layers/greedy.out")).unwrap();
    let (first, rest) = golden.split_once('\n').unwrap();
    std::fs::write(folder.path().join("greedy.out"), format!("{first}!\n{rest}")).unwrap();
    std::fs::copy(home().join("tied-layers/model.npz"), folder.path().join("model.npz")).unwrap();
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    goldens.check(&ENGINE, &folder.path().join("model.npz"));
}

/// Marian rounds in its own way (one scale a matrix, and one for all of a batch's activations), so that equal
/// lines can't be demanded. What it keeps itself can, but for one line in ten, since this model writes
/// nonsense and decides narrowly.
#[test]
fn integers_of_marians_files_keep_the_floats_lines() {
    let folder = home().join("integers");
    let lines = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    for kind in ["int8", "int16"] {
        let model = folder.join(format!("model.{kind}.bin"));
        let ours = goldens.translate(&ENGINE, &[model], &json!({ "beam": 1 }), usize::MAX);
        let (floats, theirs) = (lines("greedy.out"), lines(&format!("{kind}.greedy.out")));
        let kept = ours.iter().zip(floats.lines()).filter(|(ours, line)| ours[0].0 == **line).count();
        let marians = theirs.lines().zip(floats.lines()).filter(|(a, b)| a == b).count();
        assert!(kept * 10 + ours.len() >= marians * 10, "{kind}: {kept} lines kept, by Marian {marians}");
    }
}

/// From a text to a model with static scales, which keeps many of the floats' lines, and has one translation
/// everywhere.
#[test]
fn static_activation_scales_are_found_stored_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let [weights, vocabulary] = ["tied-layers/model.npz", "vocab.spm"].map(|name| home().join(name));
    let goldens = Goldens { input: home().join("input.en"), vocabulary: vocabulary.clone(), shortlist: None };
    let translate = |model: &Path, settings: Value, batch| {
        let lists = goldens.translate(&ENGINE, &[model.into()], &settings, batch);
        lists.into_iter().map(|list| list[0].0.clone()).collect::<Vec<String>>()
    };
    let found = folder.path().join("scales.txt");
    let floats = translate(&weights, json!({ "beam": 1, "calibrate": found }), 1);
    let multipliers = dyno_translator::read_multipliers(&found).unwrap();
    for name in ["decoder_ff_logit_out_Wt", "encoder_l1_self_Wq", "decoder_l1_rnn_Wf", "encoder_l1_ffn_W3"] {
        assert!(multipliers[name] > 0.0, "{name}");
    }
    let source = ModelDir::open_weights(&weights, [&vocabulary, &vocabulary], None).unwrap();
    let precisions = vec![Precision::Int8, Precision::Int16];
    let (model, options) =
        (folder.path().join("model"), ConvertOptions { precisions, multipliers, ..Default::default() });
    convert(&source, &model, &options).unwrap();
    let int8 = |scales: &str| json!({ "beam": 1, "precision": "int8", "activation-scales": scales });
    let fixed = translate(&model, int8("static"), usize::MAX);
    assert_eq!(translate(&model, int8("static"), 1), fixed);
    let mut scalar = int8("static");
    scalar["isa"] = json!("scalar");
    assert_eq!(translate(&model, scalar, usize::MAX), fixed);
    let kept = |lines: &[String]| lines.iter().zip(&floats).filter(|(line, float)| line == float).count();
    let (fixed, own) = (kept(&fixed), kept(&translate(&model, int8("per-row"), usize::MAX)));
    // Trained models keep nine lines in ten of those; this one writes nonsense, and decides narrowly.
    assert!(fixed * 3 >= own && own > 0, "static scales keep {fixed} lines, scales per row {own}");
    let refusal = |settings: Value| {
        let opened = ENGINE.open(std::slice::from_ref(&model), settings.as_object().unwrap());
        opened.err().unwrap().to_string()
    };
    for (settings, part) in [
        (json!({ "precision": "int16", "activation-scales": "static" }), "are for int8 weights"),
        (json!({ "precision": "int8", "activation-scales": "alpha" }), "\"per-row\" or \"static\""),
        (json!({ "precision": "int8", "calibrate": found }), "found with f32 or f16 weights"),
    ] {
        let told = refusal(settings);
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let without = best(&["tied-layers"], &int8("static"), &[]).unwrap_err().to_string();
    assert!(without.contains("QuantMultA") && without.contains("--calibrate"), "{without}");
}

/// Gathered off line, quantised on line, or not gathered at all: the same translations with the same scores.
#[test]
fn a_shortlists_columns_give_the_same_wherever_they_come_from() {
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    let list = home().join("lex.s2t");
    for (beam, model) in [(1, "tied-layers"), (3, "norms-projection")] {
        let lists = |first: usize, columns: &str| {
            let settings = json!({
                "beam": beam, "n-best": beam > 1, "precision": "int8", "max-length-factor": 1.5,
                "shortlist": [list, first, 5, 0], "shortlist-columns": columns,
            });
            goldens.translate(&ENGINE, &[home().join(model).join("model.npz")], &settings, usize::MAX)
        };
        for first in [10, 280] {
            let expected = lists(first, "off-line");
            for columns in ["on-line", "whole", "auto"] {
                assert_eq!(lists(first, columns), expected, "{model} {first} {columns}");
            }
        }
        assert_ne!(lists(10, "whole"), lists(280, "whole"), "the shortlist counts");
    }
}

#[test]
fn products_that_choose_their_precision_say_so() {
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    let model = [home().join("tied-layers/model.npz")];
    let lines = |settings: Value| -> Vec<String> {
        let lists = goldens.translate(&ENGINE, &model, &settings, 1);
        lists.into_iter().map(|list| list[0].0.clone()).collect()
    };
    let floats = lines(json!({ "beam": 1 }));
    let kept = |further: bool| {
        let found = lines(json!({ "beam": 1, "precision": "int16", "auto-precision": further }));
        found.iter().zip(&floats).filter(|(line, float)| line == float).count()
    };
    let (racing, whole) = (kept(true), kept(false));
    assert!(racing * 10 + floats.len() >= whole * 10, "{racing} lines kept, and {whole} by int16 alone");
    for (races, precision) in
        [(true, "int16 or f32 for each product, whichever was faster"), (false, "int16")]
    {
        let settings =
            json!({ "vocab": home().join("vocab.spm"), "precision": "int16", "auto-precision": races });
        let facts = ENGINE.open(&model, settings.as_object().unwrap()).unwrap().facts();
        assert_eq!((facts.not_reproducible.is_some(), facts.precision.as_deref()), (races, Some(precision)));
    }
}

/// What Marian's team called a product without memoisation: slower, and the same otherwise.
#[test]
fn weights_that_are_not_memoised_change_no_line() {
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    let lists = |precision: &str, memoised: bool| {
        let settings = json!({ "beam": 2, "precision": precision, "memoised-weights": memoised });
        goldens.translate(&ENGINE, &[home().join("tied-layers/model.npz")], &settings, 40)
    };
    for precision in ["int16", "int8"] {
        assert_eq!(lists(precision, false), lists(precision, true), "{precision}");
    }
    let settings =
        json!({ "vocab": home().join("vocab.spm"), "precision": "int16", "memoised-weights": false });
    let model = [home().join("tied-layers/model.npz")];
    let facts = ENGINE.open(&model, settings.as_object().unwrap()).unwrap().facts();
    assert_eq!(facts.precision.as_deref(), Some("int16, quantised and packed for each product"));
}

/// As Marian's team clipped: the model's weights and inputs are within 100, some are beyond 0.1.
#[test]
fn clipping_beyond_all_values_changes_no_line() {
    let goldens =
        Goldens { input: home().join("input.en"), vocabulary: home().join("vocab.spm"), shortlist: None };
    let model = [home().join("tied-layers/model.npz")];
    let lists = |settings: Value| goldens.translate(&ENGINE, &model, &settings, 40);
    let plain = lists(json!({ "beam": 2 }));
    assert_eq!(lists(json!({ "beam": 2, "clip": 100 })), plain);
    assert_ne!(lists(json!({ "beam": 2, "clip": 0.1 })), plain);
    let settings = json!({ "vocab": home().join("vocab.spm"), "clip": 0.1 });
    let facts = ENGINE.open(&model, settings.as_object().unwrap()).unwrap().facts();
    assert_eq!(facts.precision.as_deref(), Some("f32, clipped at 0.1"));
}

#[test]
fn a_models_own_settings_are_held_to_the_same_limits() {
    let folder = tempfile::tempdir().unwrap();
    let decoder = folder.path().join("decoder.yml");
    let open = |key: &str| {
        let (model, vocabulary) = (home().join("tied-layers/model.npz"), home().join("vocab.spm"));
        let vocabularies = format!("[{0}, {0}]", vocabulary.display());
        let text = format!("models: [{}]\nvocabs: {vocabularies}\n{key}\n", model.display());
        std::fs::write(&decoder, text).unwrap();
        ENGINE.open(std::slice::from_ref(&decoder), &Settings::new()).err().map(|error| error.to_string())
    };
    assert_eq!(open("beam-size: 4"), None);
    for (key, part) in [
        ("beam-size: 5000", "`beam-size`: is 5000; it must lie between 1 and 1000"),
        ("beam-size: 0", "`beam-size`: is 0"),
        ("max-length-factor: -1", "`max-length-factor`: is -1; it must lie between 0 and 1000"),
        ("normalize: .inf", "`normalize`"),
    ] {
        let refusal = open(key).unwrap();
        assert!(refusal.contains(part), "{part} is not in {refusal}");
    }
}

/// Of two vocabularies that share nothing a shortlist must offer the end itself.
#[test]
fn a_shortlist_with_which_nothing_ends_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (other, list) = (folder.path().join("other.spm"), folder.path().join("lex.s2t"));
    std::fs::copy(home().join("vocab.spm"), &other).unwrap();
    std::fs::write(&list, "a a 0.5\n").unwrap();
    let open = |target: &Path, first: usize| {
        let settings =
            json!({ "vocab": [home().join("vocab.spm"), target], "shortlist": [&list, first, 5, 0] });
        ENGINE.open(&[home().join("tied-layers/model.npz")], settings.as_object().unwrap()).err()
    };
    let refusal = open(&other, 0).unwrap().to_string();
    assert!(refusal.contains("lex.s2t: a sentence's candidates need not hold its end"), "{refusal}");
    assert!(open(&other, 1).is_none(), "the end is the first word");
    assert!(open(&home().join("vocab.spm"), 0).is_none(), "a source's own end is a candidate, too");
}

#[test]
fn odd_lines_have_one_answer_each() {
    let long = "dog ".repeat(3000);
    let lines: [&[u8]; 5] = [b"", b"   ", long.as_bytes(), b"\xff\xfe\x00", "漢字".as_bytes()];
    for beam in [1, 3] {
        let settings = json!({ "beam": beam, "max-length": 20, "max-length-factor": 2 });
        let answers = best(&["norms-projection"], &settings, &lines).unwrap();
        assert_eq!(&answers[..2], ["", ""]);
    }
    let cut = best(&["norms-projection"], &json!({ "max-length": 20 }), &[long.as_bytes()]).unwrap();
    let short = "dog ".repeat(30);
    assert_eq!(cut, best(&["norms-projection"], &json!({ "max-length": 20 }), &[short.as_bytes()]).unwrap());
}

#[test]
fn an_ensemble_of_one_model_twice_is_that_model() {
    let lines: [&[u8]; 2] = [b"The toast is burnt.", b"Half a lemon beside a knife."];
    let one = best(&["tied-layers"], &json!({ "beam": 3 }), &lines).unwrap();
    let halves = json!({ "beam": 3, "weights": [0.5, 0.5] });
    assert_eq!(best(&["tied-layers", "tied-layers"], &halves, &lines).unwrap(), one);
    // Two different ones agree on their vocabulary, which is all that they must.
    assert!(best(&["tied-layers", "norms-projection"], &json!({ "beam": 3 }), &lines).is_ok());
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    for (settings, part) in [
        (json!({ "baem": 2 }), "did you mean `beam`?"),
        (json!({ "beam": 0 }), "between 1 and"),
        (json!({ "precision": "int4" }), "is no precision"),
        (json!({ "weights": [1, 1] }), "a number for each of 1 models"),
        (json!({ "max-length-factor": 0 }), "above 0"),
        (json!({ "max-length-factor": 1e300 }), "1000 at most"),
        (json!({ "max-length-factor": null }), "a finite number"),
        (json!({ "normalize": 1e300 }), "between -10 and 10"),
        (json!({ "word-penalty": -1e39 }), "between -1000000 and 1000000"),
        (json!({ "early-stop": -0.5 }), "between 0 and 1000000"),
        (json!({ "shortlist": 5 }), "a file, a list"),
        (json!({ "replace-unknown": true }), "whole words"),
        (json!({ "shortlist-columns": "off" }), "\"on-line\" or \"whole\""),
        (
            json!({ "shortlist-columns": "on-line", "precision": "int16" }),
            "`shortlist-columns = \"on-line\"`: columns are quantised on line for int8 weights, and these are int16",
        ),
        (json!({ "shortlist-columns": "whole" }), "no shortlist is set"),
        (json!({ "shortlist-ngrams": 1 }), "no shortlist is set"),
        (json!({ "shortlist-ngrams": 0 }), "a whole number above 0"),
        (json!({ "shortlist": home().join("lex.s2t"), "shortlist-ngrams": 1 }), "this shortlist is lexical"),
        (json!({ "auto-precision": true }), "these weights are f32"),
        (json!({ "memoised-weights": false }), "these weights are f32"),
        (
            json!({ "clip": 2.0, "precision": "int16" }),
            "f32 products are clipped, and these weights are int16",
        ),
        (json!({ "clip": 2.0, "precision": "bf16" }), "`clip = 2.0`: it isn't for products in bf16"),
        (json!({ "activation-scales": "static", "precision": "bf16" }), "it isn't for products in bf16"),
        (json!({ "clip": 0.0 }), "a number above 0"),
        (json!({ "clip": 2.0, "activation-scales": "static" }), "give one of them"),
        (
            json!({ "auto-precision": true, "memoised-weights": false, "precision": "int16" }),
            "`auto-precision` times memoised weights only",
        ),
    ] {
        let refusal = best(&["tied-layers"], &settings, &[]).unwrap_err().to_string();
        assert!(refusal.contains(part), "{part} is not in {refusal}");
    }
}
