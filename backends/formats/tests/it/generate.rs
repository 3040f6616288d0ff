//! Generated models: the same bytes for the same recipe, and the numbers that the recipe asks for.

use std::fs;
use std::path::Path;

use dyno_formats::{ModelDir, Precision, Recipe, generate};

fn recipe(text: &str, folder: &Path) -> Recipe {
    Recipe::of(toml::from_str(text).unwrap(), folder).unwrap()
}

const SMALL: &str = r#"
    words = 40
    text = ["text.en"]
    shortlist = { first = 4, best = 5 }
    [marian]
    type = "transformer"
    tied-embeddings-all = true
    transformer-postprocess = "dan"
    transformer-decoder-autoreg = "rnn"
    dec-cell = "ssru"
    dim-emb = 8
    transformer-heads = 2
    transformer-dim-ffn = 12
    enc-depth = 2
"#;

#[test]
fn the_same_recipe_gives_the_same_bytes_and_another_seed_gives_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("text.en"), "a dog and a cat\n").unwrap();
    let bytes = |recipe: &Recipe, name: &str| {
        let to = folder.path().join(name);
        generate(recipe, &to).unwrap();
        ["model.toml", "vocab.txt", "shortlist.bin", "weights.f32.safetensors"]
            .map(|name| fs::read(to.join(name)).unwrap())
    };
    let one = recipe(SMALL, folder.path());
    let other = recipe(&format!("seed = 2\n{SMALL}"), folder.path());
    let [first, again, seeded] = [bytes(&one, "one"), bytes(&one, "again"), bytes(&other, "other")];
    assert_eq!(first, again);
    assert!(first[3] != seeded[3] && first[2] != seeded[2] && first[1] == seeded[1]);
    assert_eq!(one.key().unwrap(), recipe(SMALL, folder.path()).key().unwrap());
    assert_ne!(one.key().unwrap(), other.key().unwrap());
    assert!(first[1].starts_with(b"</s>\n<unk>\na\nand\ncat\ndog\nw0\n"), "most frequent first");
}

#[test]
fn the_end_is_impossible_norms_are_plain_and_parameters_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("text.en"), "a dog\n").unwrap();
    let recipe = recipe(SMALL, folder.path());
    let to = folder.path().join("model");
    generate(&recipe, &to).unwrap();
    let weights = ModelDir::open(&to).unwrap().load(Precision::F32).unwrap();
    assert_eq!(weights.parameters(), recipe.parameters());
    let values = |name: &str| weights.get(name).unwrap().to_f32().unwrap().into_owned();
    let bias = values("decoder_ff_logit_out_b");
    assert!(bias[0] == -1e4 && bias[1..].iter().all(|value| value.abs() <= 0.1));
    assert!(values("encoder_l2_ffn_ffn_ln_scale").iter().all(|value| *value == 1.0));
    // Uniform on ±√(3/D), so of variance 1/D: 320 values of it.
    let words = values("Wemb");
    let variance = words.iter().map(|value| value * value).sum::<f32>() / words.len() as f32;
    assert!((variance * 8.0 - 1.0).abs() < 0.2, "{variance}");
}

#[test]
fn words_have_one_matrix_or_three() {
    let parameters = |text: &str| recipe(text, Path::new("")).parameters();
    let recurrent = SMALL.replace("\"transformer\"", "\"s2s\"").replace("\"ssru\"", "\"gru\"")
        + "enc-type = \"bidirectional\"\ndim-rnn = 12\n";
    for tied in [SMALL.to_owned(), recurrent] {
        let apart = tied.replace("tied-embeddings-all = true", "");
        // Two more matrices of 40 words by 8.
        assert_eq!(parameters(&apart), parameters(&tied) + 2 * 40 * 8, "{apart}");
        let half = tied.replace("tied-embeddings-all", "tied-embeddings");
        let refused = Recipe::of(toml::from_str(&half).unwrap(), Path::new("")).unwrap_err().to_string();
        assert!(refused.contains("tied-embeddings"), "{refused}");
    }
}

#[test]
fn what_is_not_drawn_is_refused_by_name() {
    let refused =
        |text: &str| Recipe::of(toml::from_str(text).unwrap(), Path::new("")).unwrap_err().to_string();
    assert!(refused(&SMALL.replace("\"ssru\"", "\"gru\"")).contains("dec-cell"));
    assert!(
        refused(&SMALL.replace("words = 40", "words = 3")).contains("`words` is 3; it must lie between 16")
    );
    assert!(refused(&SMALL.replace("[marian]", "[other]")).contains("other"));
    assert!(refused("words = 40").contains("needs one of `marian`, `rnn-fc`, `opennmt` and `encoder`"));
    assert!(refused(&SMALL.replace("\"transformer\"", "\"amun\"")).contains("there are transformer and s2s"));
}
