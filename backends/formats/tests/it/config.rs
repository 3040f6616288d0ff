//! Configurations: keys verbatim, getters with Marian's defaults, refusals with line and reason.

use dyno_formats::{MarianConfig, yaml};

use crate::goldens::path;

fn config(text: &str) -> MarianConfig {
    MarianConfig::from_yaml("c.yml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    MarianConfig::from_yaml("c.yml", text).unwrap_err().to_string()
}

#[test]
fn keys_keep_their_order_and_spelling() {
    let decoder = MarianConfig::open(&path("decoder.yml")).unwrap();
    let keys: Vec<&str> = decoder.entries().iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys[..4], ["relative-paths", "models", "vocabs", "beam-size"]);
    assert_eq!(decoder.texts("vocabs").unwrap(), ["vocab.yml", "vocab.yml"]);
    assert_eq!(decoder.count("beam-size").unwrap(), 4);
    assert_eq!(decoder.float("normalize").unwrap(), 0.6);
    assert!(decoder.flag("skip-cost").unwrap());
}

#[test]
fn absent_keys_have_marians_defaults() {
    let empty = config("");
    assert_eq!(empty.count("transformer-heads").unwrap(), 8);
    assert_eq!(empty.text("transformer-postprocess").unwrap(), "dan");
    assert_eq!(empty.text("transformer-preprocess").unwrap(), "");
    assert_eq!(empty.count("beam-size").unwrap(), 12);
    assert!(!empty.flag("tied-embeddings-all").unwrap());
    assert_eq!(empty.counts("transformer-tied-layers").unwrap(), [0; 0]);
    assert_eq!(
        empty.text("type").unwrap_err().to_string(),
        "c.yml: `type`: is missing, and Marian has no default for it"
    );
}

#[test]
fn values_are_read_as_their_key_wants_them() {
    let config =
        config("normalize: true\ntransformer-guided-alignment-layer: 3\nvocabs: one.spm\nenc-depth: six\n");
    assert_eq!(config.float("normalize").unwrap(), 1.0);
    assert_eq!(config.text("transformer-guided-alignment-layer").unwrap(), "3");
    assert_eq!(config.texts("vocabs").unwrap(), ["one.spm"]);
    assert_eq!(
        config.count("enc-depth").unwrap_err().to_string(),
        "c.yml: `enc-depth`: is `six`; a whole number was expected"
    );
}

#[test]
fn what_is_no_plain_configuration_is_refused_where_it_stands() {
    assert_eq!(refusal("a: 1\nb: *x\n"), "c.yml: line 2, column 4: while parsing node, found unknown anchor");
    assert!(refusal("a: &x 1\nb: *x\n").contains("line 2, column 4: an alias is not supported"));
    assert!(refusal("a: 1\na: 2\n").contains("`a`: is there twice"));
    assert!(refusal("a: !!int 1\n").contains("a tag is not supported"));
    assert!(refusal("- a\n").contains("line 1, column 1: a map of keys and values was expected"));
    assert!(refusal("a: 1\n---\nb: 1\n").contains("a second document begins"));
    assert!(refusal(&format!("a: {}", "[".repeat(40))).contains("nests deeper"));
    assert_eq!(refusal("a: [1\nb: 2\n").lines().count(), 1);
    assert!(yaml::check(b"a: \xFF").unwrap_err().to_string().contains("not UTF-8 at byte 3"));
}

#[test]
fn unsupported_models_are_refused_with_the_reason() {
    for (text, reason) in [
        (
            "type: transformer-new",
            "`type`: `transformer-new` is not supported: its layers and parameter names are a newer set",
        ),
        ("type: char-s2s", "it encodes characters by convolution"),
        ("type: lm-transformer", "it is a language model"),
        ("type: bert-classifier", "it encodes and doesn't translate"),
        ("type: multi-transformer", "it reads several sources"),
        ("type: hard-att", "dyno runs the types transformer, s2s, amun and nematus"),
        ("type: transformer\ntransformer-pool: true", "`transformer-pool`: `true` is not supported"),
        (
            "type: transformer\nlemma-dim-emb: 64",
            "`lemma-dim-emb`: `64` is not supported: factored vocabularies",
        ),
        (
            "type: s2s\nright-left: true",
            "`right-left`: `true` is not supported: it writes from right to left",
        ),
        ("type: transformer\nulr: true", "universal language representation"),
        ("type: transformer\ntransformer-attention-mask: alibi", "attention biases"),
        ("type: transformer\ninput-types: [class, sequence]", "`input-types`: `class`"),
        ("type: transformer\ndim-vocabs: [1, 2, 3]", "several sources"),
    ] {
        let refusal = config(text).refuse_unsupported().unwrap_err().to_string();
        assert!(refusal.contains(reason), "{refusal}");
    }
    for (text, reason) in [
        ("output-approx-knn: [128, 1024]", "LSH output has no engine"),
        ("output-sampling: [full, 1.0]", "no search here draws words"),
        ("force-decode: true", "follows given words"),
        ("no-spm-encode: true", "lines are text"),
        ("no-spm-decode: true", "answers are text"),
        ("tsv: true", "a line is one source"),
    ] {
        let refusal = config(text).refuse_unsupported_decoding().unwrap_err().to_string();
        assert!(refusal.contains(reason), "{refusal}");
    }
    let off = "tsv: false\noutput-sampling: []\nforce-decode: false\nno-spm-encode: false\nalignment: soft";
    config(off).refuse_unsupported_decoding().unwrap();
    for kind in ["transformer", "s2s", "amun", "nematus"] {
        config(&format!("type: {kind}")).refuse_unsupported().unwrap();
    }
}
