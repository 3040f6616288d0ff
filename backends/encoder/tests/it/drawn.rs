//! Drawn encoders open as any other, and lines of known words have the promised number of tokens.

use std::fs;
use std::path::Path;

use dyno_formats::{Recipe, generate, lines_of_tokens};
use serde_json::json;

use crate::support::{encode, encoded, open};

const TEXT: &str = "A kettle, a lemon; don't measure twice. Ünder 3 kettles the lemon rests, and it Sings!\n";

fn recipe(encoder: &str, folder: &Path) -> Result<Recipe, String> {
    let table = format!("words = 64\ntext = [\"text\"]\n[encoder]\nmax_position_embeddings = 40\n{encoder}");
    Recipe::of(toml::from_str(&table).unwrap(), folder).map_err(|fault| fault.to_string())
}

#[test]
fn a_line_has_its_number_of_tokens_and_a_vector_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, TEXT).unwrap();
    let sizes = "hidden_size = 16\nintermediate_size = 20\nnum_hidden_layers = 2\nnum_attention_heads = 2";
    for (kind, keys) in [
        ("bert", format!("model_type = \"bert\"\n{sizes}")),
        ("roberta", format!("model_type = \"roberta\"\ntype_vocab_size = 1\nlayer_norm_eps = 1e-5\n{sizes}")),
        (
            "distilbert",
            "model_type = \"distilbert\"\ndim = 16\nhidden_dim = 20\nn_layers = 2\nn_heads = 2".into(),
        ),
    ] {
        let recipe = recipe(&keys, folder.path()).unwrap();
        let model = folder.path().join(kind);
        generate(&recipe, &model).unwrap();
        for tokens in [3, 8, 38] {
            let lines = lines_of_tokens(&text, tokens, 5, 1).unwrap();
            assert_eq!(lines, lines_of_tokens(&text, tokens, 5, 1).unwrap());
            for line in &lines {
                let ids = encoded(&model, line.as_bytes());
                assert_eq!((ids.len(), ids[0], ids[tokens - 1]), (tokens, 2, 3), "{kind}: {line}");
                assert!(ids[1..tokens - 1].iter().all(|id| (5..64).contains(id)), "{kind}: {line}: {ids:?}");
            }
        }
        let opened = open(&model, json!({}));
        let vectors = encode(opened.as_ref(), &[b"a lemon", b"a kettle"]);
        assert!(vectors.iter().flatten().all(|value| value.is_finite()));
        assert_ne!(vectors[0], vectors[1]);
        assert_eq!(opened.facts().parameters, Some(recipe.parameters()), "{kind}");
        let products = 2 * (4 * 16 * 16 + 2 * 16 * 20);
        let macs = recipe.macs(true);
        assert_eq!((macs.source, macs.target), (products, 0), "{kind}");
    }
}

#[test]
fn threads_change_no_bit_of_short_and_long_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, TEXT).unwrap();
    // Heads of half a panel, one panel and one and a half; a batch has rows enough for shares of rows.
    for (width, heads) in [(192, 6), (256, 4), (192, 2)] {
        let sizes = format!("hidden_size = {width}\nintermediate_size = 320\nnum_attention_heads = {heads}");
        let keys = format!("model_type = \"bert\"\nnum_hidden_layers = 2\n{sizes}");
        let model = folder.path().join(format!("{width}-{heads}"));
        generate(&recipe(&keys, folder.path()).unwrap(), &model).unwrap();
        let lines: Vec<String> =
            [3, 38].iter().flat_map(|tokens| lines_of_tokens(&text, *tokens, 4, 1).unwrap()).collect();
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        for precision in ["f32", "bf16", "int8"] {
            let one = open(&model, json!({ "precision": precision }));
            for threads in [2, 3, 5] {
                let several = open(&model, json!({ "precision": precision, "threads": threads }));
                for lines in [&lines[..1], &lines[7..], &lines] {
                    let expected = encode(one.as_ref(), lines);
                    assert_eq!(encode(several.as_ref(), lines), expected, "{width} {precision} {threads}");
                }
            }
        }
    }
}

#[test]
fn recipes_that_make_no_encoder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("text"), TEXT).unwrap();
    let sizes = "hidden_size = 16\nintermediate_size = 20\nnum_hidden_layers = 2\nnum_attention_heads = 2";
    for (keys, said) in [
        ("model_type = \"mpnet\"".to_owned(), "there are bert"),
        (format!("model_type = \"bert\"\ndim = 3\n{sizes}"), "isn't a key of a drawn `bert`"),
        ("model_type = \"bert\"\nhidden_size = 16".into(), "state all sizes"),
        (format!("model_type = \"bert\"\n{}", sizes.replace("heads = 2", "heads = 3")), "can't be divided"),
        (
            format!("model_type = \"bert\"\n{}", sizes.replace("layers = 2", "layers = 999")),
            "between 0 and 256",
        ),
    ] {
        let told = recipe(&keys, folder.path()).unwrap_err();
        assert!(told.contains(said), "{keys}: {told}");
    }
    assert!(lines_of_tokens(&folder.path().join("text"), 2, 1, 1).is_err());
}
