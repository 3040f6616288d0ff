//! Each parser against thousands of damaged files: never a panic, always one line, never memory out of
//! proportion. `DYNO_FUZZ_CASES` sets the number of cases for each parser, `DYNO_FUZZ_SEED` where they begin.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dyno_formats::{Fault, Weights, bin, manifest, npz, safetensors, shortlist, yaml};

use crate::allocations::bytes_so_far;
use crate::goldens::bytes;

/// What each parser offers.
type Check = fn(&[u8]) -> Result<(), Fault>;

/// Cases for each parser where nothing else is asked for.
const CASES: u64 = 10_000;

/// Bytes that may be allocated in all for each byte of the file. The most is needed for JSON and TOML of many
/// tiny items, each of which becomes a map's entry with a text of its own.
const BYTES_PER_BYTE: u64 = 256;

/// Bytes that may be allocated for any file: messages, first capacities of lists.
const BYTES_AT_LEAST: u64 = 64 << 10;

/// Bytes that mean something to JSON, YAML, TOML or an array's header, a NUL, and half a character.
const SYNTAX: &[u8] = b"'\"\\{}[](),:=# \n\t*&!\x00\xC3";

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number of cases"))
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// Lengths and offsets that lie: extremes, and the neighbourhood of the truth.
    fn lie(&mut self, truth: u64, length: usize) -> u64 {
        let length = length as u64;
        let lies = [
            0,
            1,
            2,
            7,
            8,
            255,
            256,
            0x7FFF,
            0xFFFF,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
            0x1_0000_0000,
            1 << 61,
            1 << 62,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
            u64::MAX - 7,
            length,
            length + 1,
            length.wrapping_sub(1),
            length / 2,
            truth.wrapping_add(1),
            truth.wrapping_sub(1),
            truth.wrapping_mul(2),
            truth / 2,
            truth ^ 0x10000,
        ];
        if self.below(4) == 0 { self.next() } else { lies[self.below(lies.len())] }
    }

    /// A place: anywhere, or where headers and directories are.
    fn place(&mut self, length: usize) -> usize {
        match self.below(3) {
            0 => self.below(length),
            1 => self.below(length.min(600)),
            _ => length.saturating_sub(1 + self.below(700)),
        }
    }
}

fn mutated(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut file = original.to_vec();
    for _ in 0..=random.below(3) {
        mutate(random, &mut file);
    }
    file
}

fn mutate(random: &mut Random, file: &mut Vec<u8>) {
    let at = random.place(file.len());
    let end = file.len().min(at + 1 + random.below(24));
    match random.below(10) {
        0 => file.truncate(at),
        1 => flip(random, file, at),
        2 => file[at.min(end)..end].fill(0xFF),
        3 => file[at.min(end)..end].fill(0),
        4 => drop(file.drain(at.min(end)..end)),
        5 => drop(file.splice(at..at, file[at.min(end)..end].to_vec())),
        6 => digit(random, file, at),
        7 => file.insert(at, SYNTAX[random.below(SYNTAX.len())]),
        _ => number_lies(random, file, at),
    }
}

fn flip(random: &mut Random, file: &mut [u8], at: usize) {
    if let Some(byte) = file.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

/// Another digit in a text's number, or a longer number.
fn digit(random: &mut Random, file: &mut Vec<u8>, at: usize) {
    if let Some(found) = file.iter().skip(at).position(u8::is_ascii_digit) {
        match random.below(3) {
            0 => file[at + found] = b'0' + random.below(10) as u8,
            1 => file.insert(at + found, b'9'),
            _ => drop(file.splice(at + found..=at + found, random.next().to_string().bytes())),
        }
    }
}

/// A field of 2, 4 or 8 bytes, mostly where one would stand, becomes a lie.
fn number_lies(random: &mut Random, file: &mut [u8], at: usize) {
    let size = [2, 4, 8][random.below(3)];
    let at = if random.below(4) == 0 { at } else { at / size * size };
    let length = file.len();
    if let Some(field) = file.get_mut(at..at + size) {
        let truth = field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        field.copy_from_slice(&random.lie(truth, length).to_le_bytes()[..size]);
    }
}

/// Runs `check` over mutations of `seeds`; `mend` may restore what would hide deeper checks, such as checksums.
fn drive(name: &str, seeds: &[Vec<u8>], check: Check, mend: fn(&mut Vec<u8>)) {
    let (cases, first) = (number("DYNO_FUZZ_CASES", CASES), number("DYNO_FUZZ_SEED", 0));
    let (mut accepted, mut most) = (0, 0.0f64);
    for case in first..first + cases {
        let mut random = Random(case.wrapping_mul(0xD129_0B26_95A4_8AC5));
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

fn nothing(_: &mut Vec<u8>) {}

#[test]
fn safetensors_survives() {
    drive("safetensors", &seeds(&["tiny.safetensors", "scaled.safetensors"]), safetensors::check, nothing);
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
    let files =
        seeds(&["tiny.safetensors", "scaled.safetensors", "types.npz", "foreign.int8.bin", "tiny.int16.bin"]);
    drive("weights", &files, read_all, nothing);
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
