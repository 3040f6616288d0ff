//! Each parser against thousands of damaged files: never a panic, always one line, never memory out of
//! proportion. `DYNO_FUZZ_CASES` sets the number of cases for each parser, `DYNO_FUZZ_SEED` where they begin.

mod damage;

use std::panic::{AssertUnwindSafe, catch_unwind};

use dyno_formats::{
    ConvertOptions, Fault, ModelDir, Precision, Weights, bin, convert, ctranslate2, hugging_face, manifest,
    npz, safetensors, shortlist, yaml,
};

use crate::allocations::bytes_so_far;
use crate::goldens::{bytes, path};
use damage::{Random, mutated};

/// What each parser offers.
type Check = fn(&[u8]) -> Result<(), Fault>;

/// Cases for each parser where nothing else is asked for.
const CASES: u64 = 10_000;

/// Bytes that may be allocated in all for each byte of the file. The most is needed for JSON and TOML of many
/// tiny items, each of which becomes a map's entry with a text of its own.
const BYTES_PER_BYTE: u64 = 256;

/// Bytes that may be allocated for any file: messages, first capacities of lists.
const BYTES_AT_LEAST: u64 = 64 << 10;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number of cases"))
}

/// Runs `check` over mutations of `seeds`; `mend` may restore what would hide deeper checks, such as
/// checksums.
fn drive(name: &str, seeds: &[Vec<u8>], check: Check, mend: fn(&mut Vec<u8>)) {
    let (cases, first) = (number("DYNO_FUZZ_CASES", CASES), number("DYNO_FUZZ_SEED", 0));
    let (mut accepted, mut most) = (0, 0.0f64);
    for case in first..first + cases {
        let mut random = Random::new(case.wrapping_mul(0xD129_0B26_95A4_8AC5));
        let seed = random.below(seeds.len());
        let mut file = mutated(&mut random, &seeds[seed]);
        if random.below(2) == 0 {
            mend(&mut file);
        }
        let before = bytes_so_far();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&file)));
        let allocated = bytes_so_far() - before;
        let limit = BYTES_AT_LEAST + BYTES_PER_BYTE * file.len() as u64;
        most = most.max(allocated as f64 / file.len().max(1000) as f64);
        assert!(allocated <= limit, "{name}, case {case}: {allocated} bytes for a file of {}", file.len());
        match outcome {
            Ok(Ok(())) => accepted += 1,
            Ok(Err(fault)) => {
                assert_eq!(fault.to_string().lines().count(), 1, "{name}, case {case}: {fault}")
            }
            Err(_) => panic!("{name}: case {case} panicked"),
        }
    }
    eprintln!(
        "{name}: {cases} mutated files, {accepted} of them still sound, at most {most:.1} bytes allocated a byte"
    );
}

/// Reads every value of a file that was accepted: what a parser lets pass must hold to the end.
fn read_all(file: &[u8]) -> Result<(), Fault> {
    if let Ok(weights) = Weights::from_bytes("mutated", file.to_vec()) {
        for tensor in weights.iter() {
            let _ = (tensor.to_f32(), tensor.f32(), tensor.i8(), tensor.i16(), tensor.f16(), tensor.u8());
        }
        let _ = weights.model_yml();
    }
    Ok(())
}

fn seeds(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| bytes(name)).collect()
}

/// Packed int8 weights of the goldens' model.
fn packed_file() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (to, source) = (folder.path().join("model"), ModelDir::open(path("decoder.yml")).unwrap());
    let options =
        ConvertOptions { precisions: vec![Precision::Int8], packed: true, ..ConvertOptions::default() };
    convert(&source, &to, &options).unwrap();
    std::fs::read(to.join("weights.int8.safetensors")).unwrap()
}

fn nothing(_: &mut Vec<u8>) {}

#[test]
fn safetensors_survives() {
    let mut files = seeds(&["tiny.safetensors", "scaled.safetensors"]);
    files.push(packed_file());
    drive("safetensors", &files, safetensors::check, nothing);
}

#[test]
fn npz_survives() {
    let archives =
        seeds(&["tiny.npz", "tiny.plain.npz", "tiny.piped.npz", "types.npz", "deflated.npz", "fortran.npz"]);
    drive("npz", &archives, npz::check, nothing);
}

#[test]
fn bin_survives() {
    let bins =
        seeds(&["tiny.f32.bin", "tiny.int8.bin", "tiny.int16.bin", "foreign.int8.bin", "foreign.int16.bin"]);
    drive("bin", &bins, bin::check, nothing);
}

#[test]
fn weights_that_pass_are_readable_throughout() {
    let mut files =
        seeds(&["tiny.safetensors", "scaled.safetensors", "types.npz", "foreign.int8.bin", "tiny.int16.bin"]);
    files.push(packed_file());
    drive("weights", &files, read_all, nothing);
}

#[test]
fn configurations_of_hugging_face_survive() {
    let file = |kind: &str, name: &str| {
        let folder = format!("../transformer-aan/tests/goldens/hugging-face/{kind}/{name}");
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap()
    };
    // Both files' keys in one, as older models have them.
    let both = |kind: &str| {
        let (network, generation) = (file(kind, "config.json"), file(kind, "generation_config.json"));
        let mut network: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&network).unwrap();
        let generation: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&generation).unwrap();
        network.extend(generation);
        serde_json::to_vec_pretty(&network).unwrap()
    };
    let seeds: Vec<Vec<u8>> = ["marian", "marian-apart", "m2m"].map(both).into();
    seeds.iter().for_each(|seed| hugging_face::check(seed).expect("the unharmed file must be read"));
    drive("config.json", &seeds, hugging_face::check, nothing);
}

#[test]
fn variables_of_ctranslate2_survive() {
    let file = |name: &str| {
        let folder = format!("../transformer-aan/tests/goldens/ctranslate2/{name}/model.bin");
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap()
    };
    let seeds: Vec<Vec<u8>> = ["marian-int8", "marian-int16", "opennmt"].map(file).into();
    seeds.iter().for_each(|seed| ctranslate2::check(seed).expect("the unharmed file must be read"));
    drive("model.bin", &seeds, ctranslate2::check, nothing);
}

#[test]
fn text_shortlists_survive() {
    drive("text shortlist", &seeds(&["lex.s2t", "lex.odd.s2t"]), shortlist::text::check, nothing);
}

#[test]
fn vocabulary_maps_survive() {
    let map = "\ta b\nc\td\nc d\te f\nc d e\tg\n".as_bytes().to_vec();
    drive("vocabulary map", &[map], shortlist::map::check, nothing);
}

#[test]
fn binary_shortlists_survive() {
    drive("binary shortlist", &seeds(&["lex.bin"]), shortlist::binary::check, |file| {
        let words = file.get(16..).unwrap_or_default().as_chunks().0;
        let sum = words.iter().fold(0u64, |seed, word| {
            let mixed = u64::from_le_bytes(*word).wrapping_add(0x9e37_79b9);
            seed ^ mixed.wrapping_add(seed << 6).wrapping_add(seed >> 2)
        });
        if let Some(field) = file.get_mut(8..16) {
            field.copy_from_slice(&sum.to_le_bytes());
        }
    });
}

#[test]
fn yaml_survives() {
    let inside = Weights::from_bytes("tiny.npz", bytes("tiny.npz")).unwrap();
    let text = inside.model_yml().unwrap().expect("it has one").as_bytes().to_vec();
    let nested = b"a: {b: [1, 'two', \"three\\n\"], c: |\n  text\n }\n? d\n: >-\n  folded\n  text\n".to_vec();
    drive("yaml", &[bytes("decoder.yml"), text, nested], yaml::check, nothing);
}

#[test]
fn manifests_survive() {
    let folder = tempfile::tempdir().unwrap();
    let text = crate::convert::convert_tiny(&folder.path().join("model"), "decoder.yml");
    drive("model.toml", &[text.into_bytes()], manifest::check, nothing);
}

/// Files of as many tiny items as they can hold: the worst for what is kept of each item.
#[test]
fn dense_files_stay_in_proportion() {
    let framed = |header: String| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let numbered = |count: usize, item: fn(usize) -> String| (0..count).map(item).collect::<String>();
    let metadata = numbered(20_000, |i| format!(r#""{i}":"","#));
    let tensors = numbered(5_000, |i| format!(r#""{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}},"#));
    let shape =
        format!(r#"{{"a":{{"dtype":"U8","shape":[{}0],"data_offsets":[0,0]}}}}"#, "0,".repeat(100_000));
    let files: [(&str, Check, Vec<u8>); 8] = [
        ("metadata", safetensors::check, framed(format!(r#"{{"__metadata__":{{{}"":""}}}}"#, metadata))),
        ("tensors", safetensors::check, framed(format!("{{{}}}", tensors.trim_end_matches(',')))),
        ("shape", safetensors::check, framed(shape)),
        ("yaml list", yaml::check, format!("a: [{}]", "b,".repeat(100_000)).into_bytes()),
        ("yaml keys", yaml::check, numbered(20_000, |i| format!("{i}:\n")).into_bytes()),
        (
            "toml list",
            manifest::check,
            format!("format = 1\n[m]\na = [{}]", "1,".repeat(100_000)).into_bytes(),
        ),
        ("pairs", shortlist::text::check, "a b 1\n".repeat(20_000).into_bytes()),
        ("n-grams", shortlist::map::check, numbered(20_000, |i| format!("a {i}\tb\n")).into_bytes()),
    ];
    for (name, check, file) in files {
        let before = bytes_so_far();
        check(&file).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let allocated = bytes_so_far() - before;
        let limit = BYTES_AT_LEAST + BYTES_PER_BYTE * file.len() as u64;
        assert!(allocated <= limit, "{name}: {allocated} bytes for a file of {}", file.len());
        eprintln!("{name}: {:.1} bytes allocated a byte", allocated as f64 / file.len() as f64);
    }
}

/// A claim of a great many items, in a file too short for one.
#[test]
fn claims_cost_nothing() {
    let words = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    for count in [1 << 20, 1 << 40, 1 << 58, 1 << 61, u64::MAX] {
        let files: [(Check, Vec<u8>); 3] = [
            (bin::check, words(&[1, count, 5, 0x404, 2, 64])),
            (safetensors::check, words(&[count, 123])),
            (shortlist::binary::check, words(&[0xF11A_48D5_0134_17F5, 0, 50, 50, count, count])),
        ];
        for (check, file) in files {
            let before = bytes_so_far();
            let fault = check(&file).expect_err("it claims more than it has").to_string();
            assert!(bytes_so_far() - before < 1000, "{fault}");
        }
    }
}
