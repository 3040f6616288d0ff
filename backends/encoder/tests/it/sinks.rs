//! Long lines in int8 are as near to f32 as short ones, also where heads give most of their weight to one token.
//!
//! Trained encoders have such heads: the token, often [CLS], says nothing, and many others share what is left. From
//! 128 tokens on, attention is in integers.

use std::fs;
use std::path::Path;

use dyno_api::Model;
use dyno_formats::{Recipe, generate, lines_of_tokens};
use serde_json::{Value, json};

use crate::support::{cosine, encode, open};

const WIDTH: usize = 64;
const LAYERS: usize = 2;

/// Id of [CLS] in drawn vocabularies.
const CLS: usize = 2;

/// Values of the tensor `name` in a file of safetensors, to be changed.
fn change(file: &mut [u8], name: &str, value: impl Fn(usize, f32) -> f32) {
    let (length, rest) = file.split_first_chunk_mut::<8>().unwrap();
    let (header, data) = rest.split_at_mut(u64::from_le_bytes(*length) as usize);
    let header: Value = serde_json::from_slice(header).unwrap();
    let [from, to] = [0, 1].map(|i| header[name]["data_offsets"][i].as_u64().unwrap() as usize);
    for (at, bytes) in data[from..to].as_chunks_mut().0.iter_mut().enumerate() {
        *bytes = value(at, f32::from_le_bytes(*bytes)).to_le_bytes();
    }
}

/// Makes [CLS] the sink of all heads: its vector is near one axis, queries have a constant part, and keys have it
/// for that axis alone. All values have a constant part, and for that axis its opposite. So [CLS] says nothing, and
/// the others say together what a head without them leaves out.
fn add_sinks(model: &Path) {
    let path = model.join("model.safetensors");
    let mut file = fs::read(&path).unwrap();
    let (length, on_axis) = ((WIDTH as f32).sqrt(), |at: usize| at.is_multiple_of(WIDTH));
    let constant = |output: usize| if output.is_multiple_of(3) { -2.0 } else { 2.0 };
    change(&mut file, "embeddings.word_embeddings.weight", |at, x| match at {
        at if at == CLS * WIDTH => 40.0,
        at => {
            if on_axis(at) {
                0.0
            } else {
                x
            }
        }
    });
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.attention.self.{part}");
        change(&mut file, &name("query.bias"), |_, x| x + 0.5);
        change(&mut file, &name("key.weight"), |at, x| if on_axis(at) { 2.5 / length } else { x });
        change(&mut file, &name("value.bias"), |at, _| constant(at));
        change(&mut file, &name("value.weight"), |at, x| {
            if on_axis(at) { -constant(at / WIDTH) / length } else { x }
        });
    }
    fs::write(path, file).unwrap();
}

#[test]
fn long_lines_in_int8_are_as_near_to_f32_as_short_ones_and_bf16_is_nearer() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    let words: Vec<String> =
        (0..200u8).map(|i| format!("{}{}", (b'a' + i / 20) as char, (b'a' + i % 20) as char)).collect();
    fs::write(&text, words.join(" ")).unwrap();
    let table = format!(
        "words = 256\ntext = [\"text\"]\n[encoder]\nmodel_type = \"bert\"\nmax_position_embeddings = 512\n\
         hidden_size = {WIDTH}\nintermediate_size = 128\nnum_hidden_layers = {LAYERS}\nnum_attention_heads = 2"
    );
    let model = folder.path().join("model");
    generate(&Recipe::of(toml::from_str(&table).unwrap(), folder.path()).unwrap(), &model).unwrap();
    add_sinks(&model);
    let [exact, bf16, int8] =
        ["f32", "bf16", "int8"].map(|precision| open(&model, json!({ "precision": precision })));
    let farthest = |narrow: &dyn Model, tokens: usize| {
        let lines = lines_of_tokens(&text, tokens, 6, 1).unwrap();
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let pairs = encode(exact.as_ref(), &lines).into_iter().zip(encode(narrow, &lines));
        pairs.map(|(exact, narrow)| cosine(&exact, &narrow)).fold(1.0, f64::min)
    };
    let short = farthest(int8.as_ref(), 24);
    for tokens in [128, 256, 384, 510] {
        let (long, wider) = (farthest(int8.as_ref(), tokens), farthest(bf16.as_ref(), tokens));
        assert!(long >= short, "cosine {long} of {tokens} tokens, {short} of 24");
        assert!(wider > long, "cosine {wider} in bf16, {long} in int8, of {tokens} tokens");
    }
}
