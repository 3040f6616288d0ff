//! Files of models: weights, configurations, shortlists, manifests.

use std::fs::{read, read_to_string};

use dyno_formats::{
    ConvertOptions, Error, Gguf, ModelDir, Precision, Weights, bin, convert, ctranslate2, hugging_face,
    manifest, npz, opennmt, pickle, safetensors, shortlist, yaml,
};

use crate::parser::Parser;
use crate::project::{copy, file, files};

const GOLDENS: &str = "backends/formats/tests/goldens";

fn goldens(names: &[&str]) -> Vec<Vec<u8>> {
    files(GOLDENS, names)
}

pub(crate) fn parsers() -> Vec<Parser> {
    let tensors = [goldens(&["tiny.safetensors", "scaled.safetensors"]), vec![packed()]].concat();
    let archives =
        ["tiny.npz", "tiny.plain.npz", "tiny.piped.npz", "types.npz", "deflated.npz", "fortran.npz"];
    let bins = ["tiny.f32.bin", "tiny.int8.bin", "tiny.int16.bin", "foreign.int8.bin", "foreign.int16.bin"];
    let weights =
        ["tiny.safetensors", "scaled.safetensors", "types.npz", "foreign.int8.bin", "tiny.int16.bin"];
    let weights = [goldens(&weights), vec![packed()]].concat();
    let variables = files(
        "backends/transformer-aan/tests/goldens/ctranslate2",
        &["marian-int8/model.bin", "marian-int16/model.bin", "opennmt/model.bin"],
    );
    let checkpoints =
        files("backends/gru/tests/goldens/opennmt", &["lstm-general/model.pt", "lstm-dot-tied/model.pt"]);
    let models = files("backends/decoder-only/tests/goldens", &["qwen3.gguf", "llama.gguf"]);
    vec![
        Parser::of("safetensors", tensors, safetensors::check),
        Parser::of("npz", goldens(&archives), npz::check),
        Parser::of("bin", goldens(&bins), bin::check),
        Parser::of("weights", weights, read_all),
        Parser::of("gguf", models, Gguf::check),
        Parser::of("ctranslate2", variables, ctranslate2::check),
        Parser::of("hugging-face", configurations(), hugging_face::check),
        Parser::of("opennmt", checkpoints, opennmt::check),
        Parser::of("pickle", vec![PICKLE.into()], pickle::check),
        Parser::of("text-shortlist", goldens(&["lex.s2t", "lex.odd.s2t"]), shortlist::text::check),
        Parser::of(
            "vocabulary-map",
            vec![b"\ta b\nc\td\nc d\te f\nc d e\tg\n".into()],
            shortlist::map::check,
        ),
        Parser {
            mend: mend_sum,
            ..Parser::of("binary-shortlist", goldens(&["lex.bin"]), shortlist::binary::check)
        },
        Parser::of("yaml", yamls(), yaml::check),
        Parser::of("manifest", vec![converted("model.toml")], manifest::check),
        directory(),
    ]
}

/// A pickle with each opcode that checkpoints have: a tensor's call, options, words, numbers of all lengths.
const PICKLE: &[u8] = b"\x80\x02}q\x00(X\x05\x00\x00\x00modelq\x01ccollections\nOrderedDict\nq\x02)Rq\x03X\x01\x00\x00\x00w\
    ctorch._utils\n_rebuild_tensor_v2\nq\x04((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06\
    tq\x05QK\x00K\x02K\x03\x86K\x03K\x01\x86\x89h\x02)RtRs}bX\x03\x00\x00\x00optcargparse\nNamespace\nq\x06)\x81}(X\x01\x00\x00\x00a\
    NX\x01\x00\x00\x00bJ\xfe\xff\xff\xffX\x01\x00\x00\x00cM\x00\x01X\x01\x00\x00\x00d\x8a\x05\x00\x00\x00\x00\x01X\x01\x00\x00\x00eG?\xe0\x00\x00\x00\x00\x00\x00\
    X\x01\x00\x00\x00fc__builtin__\nset\n]K\x01a\x85RubX\x05\x00\x00\x00vocab](X\x01\x00\x00\x00a\x88K\x01K\x02K\x03\x87K\x01\x85er\x07\x00\x00\x00j\
    \x00\x00\x00\x00h\x01u.";

/// Reads every value of a file that was accepted: what a parser lets pass must hold to the end.
fn read_all(bytes: &[u8]) -> Result<(), Error> {
    let weights = Weights::from_bytes("damaged", bytes.to_vec())?;
    for tensor in weights.iter() {
        let _ = (tensor.to_f32(), tensor.f32(), tensor.i8(), tensor.i16(), tensor.f16(), tensor.u8());
    }
    weights.model_yml().map(drop)
}

/// A file of the goldens' model, converted to packed int8 weights.
fn converted(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    convert_into(&folder.path().join("model"));
    read(folder.path().join("model").join(name)).expect(name)
}

fn convert_into(folder: &std::path::Path) {
    let source = ModelDir::open(file(GOLDENS).join("decoder.yml")).expect("a sound model");
    let languages = Some(["en".into(), "de".into()]);
    let precisions = vec![Precision::F32, Precision::Int8];
    let options = ConvertOptions { precisions, packed: true, languages, ..ConvertOptions::default() };
    convert(&source, folder, &options).expect("a sound model");
}

fn packed() -> Vec<u8> {
    converted("weights.int8.safetensors")
}

/// Both files' keys in one, as older models have them.
fn configurations() -> Vec<Vec<u8>> {
    let folder = file("backends/transformer-aan/tests/goldens/hugging-face");
    let map = |kind: &str, name: &str| -> serde_json::Map<String, serde_json::Value> {
        let text = read_to_string(folder.join(kind).join(name)).expect(name);
        serde_json::from_str(&text).expect("an object")
    };
    let both = |kind: &str| {
        let mut network = map(kind, "config.json");
        network.extend(map(kind, "generation_config.json"));
        serde_json::to_vec_pretty(&network).expect("JSON")
    };
    ["marian", "marian-apart", "m2m"].map(both).into()
}

fn yamls() -> Vec<Vec<u8>> {
    let archive = goldens(&["tiny.npz"]).remove(0);
    let weights = Weights::from_bytes("tiny.npz", archive).expect("a sound archive");
    let inside = weights.model_yml().expect("a sound archive").expect("a configuration");
    let nested = b"a: {b: [1, 'two', \"three\\n\"], c: |\n  text\n }\n? d\n: >-\n  folded\n  text\n";
    vec![goldens(&["decoder.yml"]).remove(0), inside.as_bytes().into(), nested.into()]
}

/// Restores the checksum of a binary shortlist, which would hide all other damage.
fn mend_sum(file: &mut [u8]) {
    let words = file.get(16..).unwrap_or_default().as_chunks().0;
    let sum = words.iter().fold(0u64, |seed, word| {
        let mixed = u64::from_le_bytes(*word).wrapping_add(0x9e37_79b9);
        seed ^ mixed.wrapping_add(seed << 6).wrapping_add(seed >> 2)
    });
    if let Some(field) = file.get_mut(8..16) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}

/// A finding of libFuzzer: a model's name over several lines.
const NAME_OF_LINES: &[u8] = b"# A decoder's configuratia comment.\nrelative-paths: true\nmodels:\n  -i  - \
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[-[ d`\r\r\r\r\r\r\r\n  - 3\n  - 0\n";

/// A whole model whose configuration is damaged: what it names is opened, its network described.
fn directory() -> Parser {
    let open = |folder: &std::path::Path| -> Result<(), Error> {
        let model = ModelDir::open(folder.join("decoder.yml"))?;
        model.spec()?;
        model.load(Precision::Int8).map(drop)
    };
    let fill = |folder: &std::path::Path| copy(&file(GOLDENS), folder);
    let seeds = [goldens(&["decoder.yml"]), vec![NAME_OF_LINES.into()]].concat();
    Parser::of_file(("decoder.yml", "decoder.yml"), seeds, fill, open)
}
