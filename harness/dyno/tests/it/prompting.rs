//! Language models on the bench: what they are asked, and what a run says of them.

use serde_json::Value;

use crate::support::{Bench, LATENCY, feed};

/// A tiny drawn model, which answers with any words.
const MODEL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../backends/decoder-only/tests/goldens/qwen2.gguf");

fn campaign(head: &str, settings: &str) -> String {
    let system =
        format!("[[system]]\nname = \"it\"\nbackend = \"decoder-only\"\nmodel = {MODEL:?}\n{settings}\n");
    format!("{head}\nprobes = []\nline-seconds = 600\nrunaway-factor = 1000\n{LATENCY}{system}")
}

/// The message that the system of `campaign` gets: its command line has it.
fn message(head: &str, settings: &str) -> String {
    let bench = Bench::new(&campaign(head, settings));
    bench.write("shown.tsv", "A dog.\tEin Hund.\nA cat.\tEine Katze.\n");
    let ended = bench.run(&["--json", "--no-tune", "--profile", "quick"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let command = bench.records()[0]["command"].clone();
    let words: Vec<&str> = command.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let settings: Vec<&str> = words.iter().filter_map(|word| word.strip_prefix("prompt=")).collect();
    let [message] = settings[..] else { panic!("one prompt: {words:?}") };
    assert!(!words.iter().any(|word| word.contains("-language=")), "{words:?}");
    serde_json::from_str(message).expect("a text in JSON")
}

#[test]
fn a_language_model_is_measured_like_other_engines_with_figures_of_its_own() {
    let bench = Bench::new(&campaign("languages = \"en-de\"", ""));
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cell = &told["cells"][0];
    assert_ne!(cell["verdict"], "INVALID", "{cell}");
    assert_eq!(cell["model_bytes"], std::fs::metadata(MODEL).unwrap().len());
    assert!(cell["first_token_ms"].as_f64() < cell["mean_ms"].as_f64(), "{cell}");
    for figure in [
        "first_token_ms",
        "tokens_read_per_second",
        "tokens_written_per_second",
        "weight_bytes",
        "kept_bytes",
    ] {
        assert!(cell[figure].as_f64().is_some_and(|figure| figure > 0.0), "{figure}: {cell}");
    }
    let counts = &bench.records()[0]["facts"]["counts"];
    assert!(counts["tokens read"].as_u64() > Some(0), "{counts}");
    assert!(counts["answers cut at the greatest length"].is_u64(), "{counts}");
    let csv = std::fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("tokens_written_per_second"), "{csv}");
    let command = &bench.records()[0]["command"];
    let asked = "Translate this from English to German. Give only the translation.";
    assert!(command.to_string().contains(asked), "{command}");
}

#[test]
fn the_campaigns_prompt_reaches_each_model_and_its_own_settings_win() {
    let parts =
        "prompt = { source-language = \"English\", target-language = \"German\", examples = \"shown.tsv\" }";
    assert_eq!(
        message(parts, ""),
        "Translate from English to German. Give only the translation.\n\nEnglish: A dog.\nGerman: Ein Hund.\n\n\
         English: A cat.\nGerman: Eine Katze.\n\nEnglish: {line}\nGerman:"
    );
    let text = "languages = \"en-de\"\nprompt = \"In {target-language}: {line}\"";
    assert_eq!(message(text, ""), "In German: {line}");
    assert_eq!(message(text, "settings = { target-language = \"Saxon\" }"), "In Saxon: {line}");
    assert_eq!(message(text, "settings = { prompt = \"{line} =\" }"), "{line} =");
}

#[test]
fn a_prompt_that_can_t_be_filled_is_refused_with_a_remedy() {
    for (head, settings, parts) in [
        ("", "", &["system \"it\"", "nothing says what the language model is asked", "set `languages`"][..]),
        ("languages = \"en-xx\"", "", &["set `languages`", "or `prompt`"]),
        ("prompt = \"no place\"", "", &["campaign.toml:1:", "`prompt`: it must have {line} once"]),
        ("prompt = \"{target-language}: {line}\"", "", &["set `target-language` too"]),
        ("prompt = { examples = \"gone.tsv\" }", "", &["`examples`", "gone.tsv", "can't be read"]),
        ("prompt = { examples = \"bad.tsv\" }", "", &["bad.tsv: line 2", "a tab and its translation"]),
        ("prompt = { txt = \"{line}\" }", "", &["a prompt is a text with {line}"]),
        ("prompt = \"{line}\"", "settings = { prompt = 4 }", &["`prompt` must be a text"]),
        ("", "settings = { prompt = \"{lines}\" }", &["{lines}, which is no place"]),
    ] {
        let bench = Bench::new(&campaign(head, settings));
        bench.write("bad.tsv", "a\tb\nno tab\n");
        bench.run(&[]).assert_says(2, parts);
    }
}

#[test]
fn a_model_answers_with_one_line_and_what_it_says_beside_is_told() {
    let bench = Bench::new("");
    let arguments =
        ["translate", "--model", MODEL, "--set", "max-length=4", "--set", "answer-marks=[\"<t>\", \"</t>\"]"];
    let ended = feed(bench.dyno(&arguments), b"A dog barks.\n\nTwo men talk.\n");
    assert_eq!((ended.code, ended.stdout.lines().count()), (Some(0), 3), "{ended:?}");
    assert!(ended.stderr.contains("answers without marks"), "{ended:?}");
    let odd =
        feed(bench.dyno(&["translate", "--model", MODEL, "--set", "answer-marks=[\"<t>\", \"\"]"]), b"");
    odd.assert_says(2, &["answer-marks", "two texts"]);
}
