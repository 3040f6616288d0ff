//! Models from the command line: translating with them, their ids, converting them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Bench, Ended, LATENCY, feed, skip};

/// The folder of big fixtures, or a line that says what is skipped.
fn fixtures(what: &str) -> Option<PathBuf> {
    let home = std::env::var_os("DYNO_FIXTURES").map(PathBuf::from);
    if home.is_none() {
        skip(&format!("{what}: DYNO_FIXTURES names no folder"));
    }
    home
}

fn dyno(bench: &Bench, arguments: &[&str], input: &[u8]) -> Ended {
    feed(bench.dyno(arguments), input)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().into()
}

#[test]
fn a_model_chooses_its_backend_and_any_batch_gives_the_same_lines() {
    let Some(home) = fixtures("translating by command") else { return };
    let bench = Bench::new(LATENCY);
    let (model, vocab) = (text(&home.join("ssru/model.npz")), text(&home.join("vocab.spm")));
    let input = fs::read(home.join("input.en")).unwrap();
    let expected = fs::read_to_string(home.join("ssru/greedy.out")).unwrap();
    for further in [vec![], vec!["--batch", "1"], vec!["--track", "latency"], vec!["--cores", "2"]] {
        let arguments = [&["translate", "--model", &model, "--vocab", &vocab], &further[..]].concat();
        let ended = dyno(&bench, &arguments, &input);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), expected.as_str()), "{further:?}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn packed_models_translate_the_same() {
    let Some(home) = fixtures("packed models") else { return };
    let bench = Bench::new(LATENCY);
    let input = fs::read(home.join("input.en")).unwrap();
    let vocab = text(&home.join("vocab.spm"));
    for family in ["ssru", "aan", "selfatt", "gru"] {
        let model = text(&home.join(family).join("model.npz"));
        let translated = |further: &[&str], isa: &[&str]| {
            let to = text(&bench.path(&format!("{family}{}", further.len())));
            let convert = ["convert", &model, &to, "--vocab", &vocab, "--precision", "int8", "--overwrite"];
            let converted = dyno(&bench, &[&convert[..], further].concat(), b"");
            assert_eq!(converted.code, Some(0), "{}", converted.stderr);
            let ended = dyno(&bench, &[&["translate", "--model", &to], isa].concat(), &input);
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            ended.stdout
        };
        let plain = translated(&[], &[]);
        for isa in [&[][..], &["--isa", "scalar"]] {
            assert!(translated(&["--pack"], isa) == plain, "{family} {isa:?}");
        }
    }
    let refused = ["convert", &vocab, "to", "--precision", "f16", "--pack"];
    let refused = dyno(&bench, &refused, b"");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("add int8 to --precision"),
        "{}",
        refused.stderr
    );
}

#[test]
fn activation_scales_are_found_by_converting_and_then_used() {
    let Some(home) = fixtures("static activation scales") else { return };
    let bench = Bench::new(LATENCY);
    let (model, vocab) = (text(&home.join("ssru/model.npz")), text(&home.join("vocab.spm")));
    let (lines, to) = (text(&home.join("input.en")), text(&bench.path("static")));
    let convert = |precision: &str| {
        let model = ["convert", &model, &to, "--vocab", &vocab, "--precision", precision];
        dyno(&bench, &[&model[..], &["--calibrate", &lines]].concat(), b"")
    };
    let refused = convert("int16");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("add int8 to --precision"),
        "{}",
        refused.stderr
    );
    let converted = convert("int8");
    assert_eq!(converted.code, Some(0), "{}", converted.stderr);
    let translated = |scales: &str| {
        let setting = format!("activation-scales={scales}");
        dyno(&bench, &["translate", "--model", &to, "--set", &setting], &fs::read(&lines).unwrap()).stdout
    };
    let (own, fixed) = (translated("per-row"), translated("static"));
    let kept = own.lines().zip(fixed.lines()).filter(|(own, fixed)| own == fixed).count();
    assert!(own != fixed && kept * 2 > own.lines().count(), "static scales keep {kept} lines");
}

#[test]
fn what_is_not_reproducible_is_stamped_in_record_and_table() {
    let Some(home) = fixtures("auto-precision") else { return };
    let system = |name: &str, further: &str| {
        let (model, vocab) = (home.join("ssru/model.npz"), home.join("vocab.spm"));
        format!(
            "[[system]]\nname = {name:?}\nbackend = \"ssru\"\nmodel = {model:?}\n\
             settings = {{ vocab = {vocab:?}, precision = \"int16\"{further} }}\n"
        )
    };
    let bench =
        Bench::new(&[LATENCY, &system("fixed", ""), &system("racing", ", auto-precision = true")].concat());
    let ended = bench.run(&["--no-tune"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.matches("not_reproducible: auto-precision: which").count() == 1, "{ended:?}");
    let records = bench.records();
    for (name, stamped) in [("fixed", false), ("racing", true)] {
        let mut own = records.iter().filter(|record| record["system"] == name).peekable();
        assert!(own.peek().is_some(), "{name} ran");
        for record in own {
            let warnings = record["warnings"].as_array().into_iter().flatten();
            assert_eq!(
                warnings.filter(|warning| warning["code"] == "not_reproducible").count() == 1,
                stamped
            );
            assert_eq!(record["facts"]["not_reproducible"].is_string(), stamped, "{name}");
        }
    }
}

#[test]
fn options_are_those_of_marian() {
    let Some(home) = fixtures("options of translate") else { return };
    let bench = Bench::new(LATENCY);
    let (model, vocab) = (text(&home.join("aan/model.npz")), text(&home.join("vocab.spm")));
    let input = fs::read(home.join("input.en")).unwrap();
    let list = text(&home.join("lex.s2t"));
    for (further, golden) in [
        (vec!["--beam", "4", "--normalize", "0.6"], "beam4.out"),
        (vec!["--shortlist", &list, "50", "50"], "greedy.shortlist.out"),
    ] {
        let arguments = [&["translate", "--model", &model, "--vocab", &vocab], &further[..]].concat();
        let expected = fs::read_to_string(home.join("aan").join(golden)).unwrap();
        assert_eq!(dyno(&bench, &arguments, &input).stdout, expected, "{golden}");
    }
}

#[test]
fn n_best_lists_have_numbers_and_scores() {
    let Some(home) = fixtures("n-best lists") else { return };
    let bench = Bench::new(LATENCY);
    let (model, vocab) = (text(&home.join("ssru/model.npz")), text(&home.join("vocab.spm")));
    let options = ["--beam", "2", "--n-best", "--batch", "1"];
    let arguments = [&["translate", "--model", &model, "--vocab", &vocab][..], &options].concat();
    let ended = dyno(&bench, &arguments, b"A dog.\n\nA man sleeps.\n");
    let numbers: Vec<&str> = ended.stdout.lines().map(|line| line.split(" ||| ").next().unwrap()).collect();
    assert_eq!(numbers, ["0", "0", "1", "1", "2", "2"], "{ended:?}");
    assert!(ended.stdout.lines().all(|line| line.split(" ||| ").count() == 3), "{ended:?}");
}

#[test]
fn a_converted_model_translates_the_same() {
    let Some(home) = fixtures("converting") else { return };
    let bench = Bench::new(LATENCY);
    let (model, vocab) = (text(&home.join("ssru/model.npz")), text(&home.join("vocab.spm")));
    let convert = ["convert", &model, "mine", "--vocab", &vocab, "--precision", "f32", "int8"];
    let ended = dyno(&bench, &convert, b"");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("weights.int8.safetensors"), "{ended:?}");
    dyno(&bench, &convert, b"").assert_says(2, &["is there already"]);
    let input = fs::read(home.join("input.en")).unwrap();
    let expected = fs::read_to_string(home.join("ssru/greedy.out")).unwrap();
    assert_eq!(
        dyno(&bench, &["translate", "--model", "mine", "--precision", "f32"], &input).stdout,
        expected
    );
    let narrow = dyno(&bench, &["translate", "--model", "mine", "--precision", "int8"], &input);
    assert_eq!((narrow.code, narrow.stdout.lines().count()), (Some(0), 200), "{}", narrow.stderr);
    let default = dyno(&bench, &["translate", "--model", "mine"], &input);
    assert_eq!(default.stdout, narrow.stdout, "int8 is the default of a model that was converted to it");
}

#[test]
fn ids_are_printed_a_line_a_line() {
    let bench = Bench::new(LATENCY);
    bench.write("v.txt", "</s>\n<unk>\na\nb\n");
    let ended = dyno(&bench, &["tokenize", "--vocab", "v.txt"], b"a b a\n\nc a");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "2 3 2\n\n1 2\n"));
    dyno(&bench, &["tokenize", "--vocab", "v.bin"], b"").assert_says(2, &["v.bin", ".spm"]);
}

/// A translator of Hugging Face among the goldens.
fn hugging_face(kind: &str) -> String {
    let folder = "../../backends/transformer-aan/tests/goldens/hugging-face";
    format!("{}/{folder}/{kind}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_translator_divides_lines_by_its_own_vocabulary() {
    let bench = Bench::new(LATENCY);
    for kind in ["marian", "marian-apart", "marian-free", "m2m", "nllb"] {
        let model = hugging_face(kind);
        let lines = fs::read(hugging_face("lines.en")).unwrap();
        let ended = dyno(&bench, &["tokenize", "--model", &model], &lines);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        // The original's ids have the end, and those of languages have the language before the line.
        let language = usize::from(matches!(kind, "m2m" | "nllb"));
        let expected = fs::read_to_string(format!("{model}/ids.txt")).unwrap();
        for (ids, expected) in ended.stdout.lines().zip(expected.lines()) {
            let expected: Vec<&str> = expected.split(' ').collect();
            let ids: Vec<&str> = ids.split(' ').filter(|id| !id.is_empty()).collect();
            assert_eq!(ids, expected[language..expected.len() - 1], "{kind}");
        }
        assert_eq!(ended.stdout.lines().count(), expected.lines().count(), "{kind}");
    }
}

#[test]
fn scales_of_a_model_with_words_for_languages_need_both() {
    let bench = Bench::new(LATENCY);
    let (lines, to) = (text(&bench.path("tiny.en")), text(&bench.path("static")));
    for (kind, languages) in [("m2m", ["en", "de"]), ("nllb", ["eng_Latn", "deu_Latn"])] {
        let model = hugging_face(kind);
        let convert = ["convert", &model, &to, "--precision", "int8", "--calibrate", &lines, "--overwrite"];
        dyno(&bench, &convert, b"").assert_says(2, &["words for languages", "--languages"]);
        let named = [&convert[..], &["--languages"], &languages].concat();
        let ended = dyno(&bench, &named, b"");
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let [from, into] = languages;
        let settings = [
            "activation-scales=static",
            &format!("source-language={from}"),
            &format!("target-language={into}"),
        ]
        .map(|setting| ["--set".to_owned(), setting.to_owned()])
        .concat();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let ended = dyno(&bench, &[&["translate", "--model", &to], &settings[..]].concat(), b"a dog\n");
        assert_eq!((ended.code, ended.stdout.lines().count()), (Some(0), 1), "{}", ended.stderr);
    }
}

#[test]
fn a_model_that_cannot_be_is_refused() {
    let bench = Bench::new(LATENCY);
    for (arguments, parts) in [
        (vec!["translate"], vec!["--model", "--backend"]),
        (vec!["translate", "--model", "gone"], vec!["no model at gone"]),
        (vec!["translate", "--model", "tiny.en"], vec!["tiny.en", "neither a model directory"]),
        (vec!["translate", "--backend", "null", "--beam", "4"], vec!["no setting `beam`"]),
        (vec!["translate", "--backend", "null", "--beam", "4", "--set", "beam=2"], vec!["use one of them"]),
        (vec!["convert", "gone", "to", "--precision", "f32"], vec!["gone"]),
    ] {
        dyno(&bench, &arguments, b"x\n").assert_says(2, &parts);
    }
}

/// A shipped model, which holds f16 weights beside its int8 weights.
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");

#[test]
fn a_model_is_translated_at_its_own_default_precision_and_says_so() {
    let bench = Bench::new(LATENCY);
    let of = |further: &[&str]| {
        dyno(&bench, &[&["translate", "--model", SHIPPED], further].concat(), b"Two men talk.\n")
    };
    let (plain, int8) = (of(&[]), of(&["--precision", "int8"]));
    assert_eq!((plain.code, &plain.stdout), (Some(0), &int8.stdout));
    assert!(plain.stderr.contains("precision: int8 (the model's default)"), "{}", plain.stderr);
    assert_eq!((int8.stderr.as_str(), of(&["--precision", "f16"]).stderr.as_str()), ("", ""));
    let facts = |further: &[&str]| {
        let ended = of(&[further, &["--facts", "facts.json"]].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        let facts = fs::read(bench.path("facts.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&facts).unwrap()["precision"].clone()
    };
    assert_eq!(facts(&[]), "int8");
    assert_eq!(facts(&["--precision", "f16"]), "f16 weights, f32 products");
}

#[test]
fn every_shipped_model_names_int8_as_its_default() {
    let models = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models")).unwrap();
    let folders: Vec<PathBuf> =
        models.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty());
    for folder in folders {
        let model = dyno_formats::ModelDir::open(&folder).unwrap();
        assert_eq!(model.named_precision(), Some(dyno_formats::Precision::Int8), "{}", folder.display());
    }
}

#[test]
fn a_campaign_says_which_precision_its_systems_take() {
    let system = format!("[[system]]\nname = \"it\"\nbackend = \"ssru\"\nmodel = {SHIPPED:?}\n");
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{system}"));
    let ended = bench.run(&["--no-tune", "--profile", "quick"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("precision: int8 (the model's default) for it"), "{}", ended.stderr);
    assert!(bench.records().iter().all(|record| record["facts"]["precision"] == "int8"));
}

#[test]
fn a_limit_of_file_sizes_is_told_with_its_remedy_and_leaves_no_model() {
    let bench = Bench::new(LATENCY);
    let limited = |arguments: &[&str]| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_dyno")]).args(arguments);
        Ended::of(shell.current_dir(bench.path("")).stdin(std::process::Stdio::null()).output().unwrap())
    };
    limited(&["convert", SHIPPED, "to", "--precision", "int8"]).assert_says(2, &["int8", "ulimit -f"]);
    assert!(!bench.path("to").exists());
    let ended = limited(&["translate", "--model", SHIPPED, "--facts", "/dev/full"]);
    ended.assert_says(2, &["/dev/full", "make room"]);
}

#[test]
fn a_model_of_another_project_is_refused_with_the_way_to_run_it() {
    let system = "[[system]]\nname = \"it\"\nbackend = \"ssru\"\nmodel = \"ct2\"\n";
    let bench = Bench::new(&format!("{LATENCY}{system}"));
    fs::create_dir(bench.path("ct2")).unwrap();
    bench.write("ct2/model.bin", "");
    bench.write("ct2/config.json", "{}");
    for ended in [
        bench.run(&[]),
        dyno(&bench, &["translate", "--model", "ct2"], b""),
        dyno(&bench, &["verify", "--model", "ct2"], b""),
    ] {
        ended.assert_says(2, &["a model of CTranslate2", "`command`", "docs/BRING-YOUR-OWN.md"]);
    }
}
