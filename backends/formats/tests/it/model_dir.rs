//! The ways in to a model, and what is refused at the door.

use std::fs;
use std::path::Path;

use dyno_formats::{Cut, ModelDir, Precision};

use crate::goldens::path;

#[test]
fn a_marian_directory_runs_as_it_is() {
    let model = ModelDir::open(path("")).unwrap();
    assert_eq!(model.marian().unwrap().count("transformer-heads").unwrap(), 2);
    assert_eq!(model.decoder().unwrap().count("mini-batch").unwrap(), 16);
    assert!(model.shares_vocabulary());
    let (shortlist, cut) = model.shortlist().unwrap();
    assert_eq!(shortlist.file_name().unwrap(), "lex.s2t");
    assert_eq!(cut, Cut { first: 4, best: 3, threshold: 0.0 });
    assert_eq!(model.weights().keys().collect::<Vec<_>>(), [&Precision::F32]);
    assert_eq!(model.load(Precision::Int8).unwrap().precision(), Precision::Int8);
    model.verify().unwrap();
}

#[test]
fn weights_alone_need_their_vocabularies() {
    let refusal = ModelDir::open(path("tiny.npz")).unwrap_err().to_string();
    assert!(refusal.ends_with(
        "tiny.npz: is weights alone; name the directory or the decoder's YAML, or give the vocabularies"
    ));
    let vocabulary = path("vocab.yml");
    let model = ModelDir::open_weights(&path("tiny.int8.bin"), [&vocabulary, &vocabulary], None).unwrap();
    assert_eq!(model.load(Precision::Int8).unwrap().precision(), Precision::Int8);
    let folder = tempfile::tempdir().unwrap();
    let factored = folder.path().join("vocab.fsv");
    fs::copy(&vocabulary, &factored).unwrap();
    let refusal =
        ModelDir::open_weights(&path("tiny.npz"), [&vocabulary, &factored], None).unwrap_err().to_string();
    assert!(refusal.contains("vocab.fsv: a factored vocabulary is not supported"), "{refusal}");
    let refusal = model.load(Precision::F32).unwrap_err().to_string();
    assert!(refusal.ends_with("has no weights from which f32 can be made; there: int8"), "{refusal}");
}

#[test]
fn model_directories_of_other_projects_are_recognised() {
    let hugging_face = "{\"architectures\": [\"MarianMTModel\"]}";
    for (files, told) in [
        (vec![("model.bin", ""), ("config.json", "{}")], "a model of CTranslate2"),
        (vec![("model.bin", ""), ("shared_vocabulary.json", "[]")], "a model of CTranslate2"),
        (vec![("config.json", hugging_face), ("pytorch_model.bin", "")], "a model of Hugging Face"),
        (vec![("config.json", hugging_face), ("model.safetensors", "")], "a model of Hugging Face"),
        (vec![("config.json", hugging_face)], "no model is here"),
        (vec![("model.bin", "")], "no model is here"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        let refusal = ModelDir::open(folder.path()).unwrap_err().to_string();
        assert!(refusal.contains(told), "{files:?}: {refusal}");
        let is_foreign = told.starts_with("a model of");
        assert_eq!(refusal.contains("docs/BRING-YOUR-OWN.md"), is_foreign, "{refusal}");
    }
}

fn decoder_refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tiny.npz", "vocab.yml", "lex.s2t"] {
        fs::copy(path(name), folder.path().join(name)).unwrap();
    }
    let decoder = folder.path().join("model.npz.decoder.yml");
    fs::write(&decoder, text).unwrap();
    let refusal = ModelDir::open(folder.path()).unwrap_err().to_string();
    assert_eq!(refusal.lines().count(), 1);
    refusal
}

#[test]
fn a_decoders_yaml_is_refused_with_its_key() {
    for (text, reason) in [
        ("vocabs: [a]\n", "`models`: is missing"),
        ("models: [\"two\\nlines\"]\n", "names two lines, which isn't a file"),
        ("models: [tiny.npz]\n", "which isn't a file (`relative-paths: true` looks beside this file)"),
        ("relative-paths: true\nmodels: [tiny.npz]\nvocabs: [vocab.yml]\n", "`vocabs`: names 1 files"),
        ("relative-paths: true\nmodels: [tiny.npz]\nvocabs: [x.spm, x.spm]\n", "`vocabs`: names "),
        (
            "relative-paths: true\nmodels: [tiny.npz]\nvocabs: [vocab.yml, vocab.yml]\nshortlist: [lex.s2t, few]\n",
            "`shortlist`: must be [file, first, best, threshold]",
        ),
    ] {
        let refusal = decoder_refusal(text);
        assert!(refusal.contains("model.npz.decoder.yml: ") && refusal.contains(reason), "{refusal}");
    }
}

#[test]
fn a_decoders_yaml_may_name_the_models_of_an_ensemble() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    for name in ["tiny.npz", "vocab.yml"] {
        fs::copy(path(name), home.join(name)).unwrap();
    }
    let text = "relative-paths: true\nmodels: [tiny.npz, tiny.npz]\nvocabs: [vocab.yml, vocab.yml]\n\
                weights: [0.5, -2]\n";
    let decoder = home.join("decoder.yml");
    fs::write(&decoder, text).unwrap();
    let models = ModelDir::open_all(home).unwrap();
    assert_eq!(models.len(), 2);
    for model in &models {
        assert_eq!(model.weights()[&Precision::F32], home.join("tiny.npz"));
        assert_eq!(model.vocabularies().len(), 2);
        assert_eq!(model.decoder().unwrap().floats("weights").unwrap(), [0.5, -2.0]);
    }
    let refusal = ModelDir::open(&decoder).unwrap_err().to_string();
    assert!(refusal.contains("an ensemble is not supported: name one of its models alone"), "{refusal}");
}

#[test]
fn a_directory_is_no_file() {
    let refusal = dyno_formats::Weights::open(path("")).unwrap_err().to_string();
    assert!(refusal.ends_with(": not a regular file but a folder"), "{refusal}");
}

#[test]
fn places_without_a_model_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = ModelDir::open(folder.path()).unwrap_err().to_string();
    assert!(refusal.ends_with("has neither model.toml nor decoder.yml: no model is here"), "{refusal}");
    let refusal = ModelDir::open(folder.path().join("absent")).unwrap_err().to_string();
    assert!(refusal.contains("absent: can't be read"), "{refusal}");
}

fn described(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.toml"), text).unwrap();
    let refusal = ModelDir::open(folder.path()).unwrap_err().to_string();
    refusal.rsplit("model.toml: ").next().unwrap().into()
}

#[test]
fn a_faulty_description_is_refused_with_its_place() {
    assert_eq!(described("languages = [\"en\", \"de\"]\n"), "has no `format`: it is no model's description");
    assert_eq!(described("format = 2\n"), "has format 2; this version reads format 1");
    assert_eq!(
        described("format = 1\nvocabulary = \"a\"\n"),
        "`vocabulary`: is no key of a model's description"
    );
    assert_eq!(
        described("format = 1\nvocabularies = [\"../a\"]\n"),
        "`../a`: isn't a file inside the model's directory"
    );
    assert!(described("format = 1\nformat = 1\n").starts_with("line 2, column 1: "));
    assert!(described("format = 1\n[files]\na = { bytes = -1, sha256 = \"\" }\n").starts_with("`files`: "));
}

#[test]
fn the_table_of_a_network_that_is_not_marians_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let text = "format = 1\nvocabularies = []\n[rnn-fc]\ndim-vocabs = [9, 9]\ndim-emb = 4\n\
                source-depth = 1\ndim-source = 6\ndim-target = 5\ndim-attention = 7\n";
    fs::write(folder.path().join("model.toml"), text).unwrap();
    let model = ModelDir::open(Path::new(folder.path())).unwrap();
    let spec = model.spec().unwrap();
    let network = spec.fully_connected().unwrap();
    assert_eq!((spec.words, network.embedding, network.context()), ([9, 9], 4, 12));
    assert_eq!((network.target.width, network.target.attention), (5, 7));
    assert!(spec.vectors.tied && spec.transformer().is_err());
    assert!(model.marian().is_none() && !model.shares_vocabulary());
}
