//! Models that an engine opens whole, and that answer a line.

use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Error, Settings};
use dyno_encoder::Directory;
use dyno_text::Scratch;

use crate::parser::Parser;
use crate::project::{copy, file, files};

/// Damaged files that an engine opens: a millisecond each.
const CASES: u64 = 300;

pub(crate) fn parsers() -> Vec<Parser> {
    let mut all = vec![language_model(), tokeniser("bert"), tokeniser("roberta")];
    all.extend(["config.json", "tokenizer_config.json", "vocab.txt"].map(encoder));
    all.extend(
        ["model.bin", "config.json", "shared_vocabulary.json"]
            .map(|name| translator("ctranslate2/marian-int8", name)),
    );
    all.extend(
        ["config.json", "vocab.json", "model.safetensors"]
            .map(|name| translator("hugging-face/marian", name)),
    );
    all.push(whole(&dyno_gru::ENGINE, "backends/gru/tests/goldens/opennmt/gru-mlp-unfed", "model.pt"));
    all
}

/// A language model: 4-bit weights lie in 8 bits, words of the vocabulary in maps, rows of a prompt in
/// buffers.
fn language_model() -> Parser {
    let seeds = files("backends/decoder-only/tests/goldens", &["qwen3.gguf", "qwen2.gguf", "fives.gguf"]);
    let settings = r#"{ "prompt": "{line}", "max-length": 3, "threads": 1 }"#;
    let answer = |folder: &Path| answered(&dyno_decoder_only::ENGINE, folder.join("model.gguf"), settings);
    let parser = Parser::of_file(("language-model", "model.gguf"), seeds, |_: &Path| (), answer);
    Parser { cases: CASES, least_bytes: 1 << 20, bytes_a_byte: 4, ..parser }
}

/// The `tokenizer.json` of a sentence encoder. An error about the line is an answer, too.
fn tokeniser(kind: &'static str) -> Parser {
    let folder = "backends/encoder/tests/goldens";
    let mut seeds = files(folder, &[&format!("whole/{kind}.json")]);
    seeds.extend(without_ids(&seeds[0]));
    let fill = move |to: &Path| copy(&file(folder).join(kind), to);
    let parser = Parser::of_file(
        (format!("{kind}-tokenizer.json"), "tokenizer.json"),
        seeds,
        fill,
        |folder: &Path| {
            let tokeniser = Directory::open(folder)?.tokeniser()?;
            let _ = tokeniser.encode("a dog's café".as_bytes(), &mut Scratch::default(), &mut Vec::new());
            Ok::<_, dyno_encoder::Error>(())
        },
    );
    Parser { least_bytes: 1 << 20, ..parser }
}

/// A finding of libFuzzer: a template whose first word has no ids. RoBERTa has no template.
fn without_ids(tokeniser: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(tokeniser).expect("JSON");
    let (before, behind) = text.split_once(r#""special_tokens":{"["#)?;
    Some([before, r#""special_tokens":{"Z"#, behind].concat().into())
}

/// A file of a whole sentence encoder.
fn encoder(name: &'static str) -> Parser {
    whole(&dyno_encoder::ENGINE, "backends/encoder/tests/goldens/bert", name)
}

/// A file of a whole translator.
fn translator(kind: &str, name: &'static str) -> Parser {
    whole(&dyno_transformer_aan::ENGINE, &format!("backends/transformer-aan/tests/goldens/{kind}"), name)
}

/// A file of a model's folder, which `engine` opens.
fn whole(engine: &'static impl Backend, folder: &str, name: &'static str) -> Parser {
    let (seeds, from) = (files(folder, &[name]), file(folder));
    let label = format!("{}-{name}", folder.rsplit('/').next().unwrap_or_default());
    let fill = move |to: &Path| copy(&from, to);
    let answer = move |folder: &Path| answered(engine, folder.into(), r#"{ "threads": 1 }"#);
    let parser = Parser::of_file((label, name), seeds, fill, answer);
    Parser { cases: CASES, least_bytes: 4 << 20, ..parser }
}

/// Opens a model and lets it answer a line with a few words.
fn answered(engine: &dyn Backend, model: PathBuf, settings: &str) -> Result<(), Error> {
    let settings: Settings = serde_json::from_str(settings).expect("settings");
    let mut session = engine.open(&[model], &settings)?.session()?;
    let mut answers = 0;
    session.run(&[b"A dog."], &mut |_: Answer<'_>| answers += 1)?;
    assert_eq!(answers, 1);
    Ok(())
}
