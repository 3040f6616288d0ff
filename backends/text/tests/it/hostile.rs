//! Files that lie: whatever their bytes, a parser answers with a vocabulary or an error, never with a panic.
//!
//! `DYNO_FUZZ_CASES` sets the number of mutated files; the same number gives the same files.

use dyno_text::{Format, Scratch, Side, Vocabulary};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::fixtures::golden;

/// Mutated files per run, unless `DYNO_FUZZ_CASES` says otherwise.
const CASES: usize = 10_000;

/// Numbers that upset lengths, offsets and indices: around the limits of 7, 8, 16, 31 and 32 bits.
const UPSETTING: [u32; 8] = [0, 0x7F, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF];

const YAML: &[u8] = b"</s>: 0\n<unk>: 1\n\"a \\u00e4\": 2\n'b''c': 3\n? d\n: 4\n\xC3\xA9: 5 # six\n";
const JSON: &[u8] = br#"{"eos": 0, "UNK": 1, "\"": 2, "\u00e9\/": 3, "b": 4}"#;
const TOKENIZER: &[u8] = br#"{"version":"1.0","added_tokens":[{"id":0,"content":"<s>","single_word":false,"lstrip":false,
"rstrip":false,"normalized":false,"special":true},{"id":2,"content":"</s>","single_word":false,"lstrip":false,"rstrip":false,
"normalized":false,"special":true}],"normalizer":{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},"pre_tokenizer":
{"type":"Metaspace","replacement":"_","prepend_scheme":"always","split":true},"decoder":{"type":"Metaspace","replacement":"_",
"prepend_scheme":"always","split":true},"model":{"type":"BPE","unk_token":"<unk>","fuse_unk":true,"byte_fallback":false,
"vocab":{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"a":4,"_":5,"_a":6,"l":7,"m":8,"lm":9},"merges":[["_","a"],["l","m"]]}}"#;
const IDS: &[u8] =
    br#"{"</s>": 0, "<unk>": 1, "a": 2, "\u2581": 3, "l": 4, "<pad>": 5, "\u2581E": 6, ">>deu<<": 7}"#;
const LIST: &[u8] = b"</s>\n<unk>\nthe\n\xC3\xA9\r\nend\n";

#[test]
fn mutated_files_never_panic() {
    let spm = |name: &str| (Format::SentencePiece, std::fs::read(golden(name)).unwrap());
    let mut seeds: Vec<(Format, Vec<u8>)> =
        ["char", "word", "unigram-rules", "unigram-spaces", "unigram-bytes"]
            .into_iter()
            .chain(["bpe-plain", "bpe-symbols", "bpe-bytes", "bpe-unused", "unigram-ties"])
            .map(|name| spm(&format!("{name}.spm")))
            .collect();
    seeds.extend([YAML, JSON].map(|text| (Format::Yaml, text.to_vec())));
    seeds.push((Format::Text, LIST.to_vec()));
    for (format, bytes) in &seeds {
        format.check(bytes).expect("the unharmed file must be read");
    }
    let cases =
        std::env::var("DYNO_FUZZ_CASES").map_or(CASES, |cases| cases.parse().expect("a number of cases"));
    let mut random = SplitMix64::seed_from_u64(1);
    let mut read = 0;
    for case in 0..cases {
        let (format, bytes) = &seeds[case % seeds.len()];
        read += usize::from(format.check(&mutated(bytes, &mut random)).is_ok());
    }
    // Mutations must neither break everything nor leave everything whole, or they would test too little.
    assert!(read > cases / 50 && read < cases, "{read} of {cases} mutated files were read");
}

#[test]
fn mutated_tokenisers_never_panic() {
    Format::Tokenizer.check(TOKENIZER).expect("the unharmed file must be read");
    let mut random = SplitMix64::seed_from_u64(3);
    let sound = |_: &usize| Format::Tokenizer.check(&mutated(TOKENIZER, &mut random)).is_ok();
    let sound = (0..CASES).filter(sound).count();
    assert!(sound > CASES / 100 && sound < CASES, "{sound} of {CASES} mutated files were read");
}

#[test]
fn mutated_ids_of_pieces_never_panic() {
    let pieces = std::fs::read(golden("char.spm")).unwrap();
    let read = |ids: &[u8]| {
        let vocabulary = Vocabulary::of_pieces_and_ids(&pieces, ids)?;
        let (mut scratch, mut ids, mut text) = (Scratch::default(), Vec::new(), String::new());
        for line in ["Ein Film,  a\u{308} 👩", ">>deu<< allm", ">>x<<", ">>\u{3b1}"] {
            vocabulary.encode_into(line.as_bytes(), &mut scratch, &mut ids);
            vocabulary.decode_into(&ids, &mut text)?;
        }
        let all: Vec<u32> = (0..vocabulary.len() as u32).collect();
        vocabulary.decode_into(&all, &mut text)
    };
    read(IDS).expect("the unharmed file must be read");
    let mut random = SplitMix64::seed_from_u64(2);
    let sound = (0..CASES).filter(|_| read(&mutated(IDS, &mut random)).is_ok()).count();
    assert!(sound > CASES / 50 && sound < CASES, "{sound} of {CASES} mutated files were read");
}

/// Settings of tokens, under each of the names that they have.
const SETTINGS: [(&str, &[u8]); 4] = [
    (
        "tokenizer_config.json",
        br#"{"added_tokens_decoder": {"5": {"content": "<pad>", "special": true}, "8": {"content": "x", "special": false}},
"additional_special_tokens": ["deu_Latn", {"content": "eng_Latn"}], "bos_token": "<s>", "clean_up_tokenization_spaces": true,
"extra_special_tokens": ["<a>"], "language_codes": "m2m100", "separate_vocabs": false}"#,
    ),
    ("special_tokens_map.json", br#"{"additional_special_tokens": ["deu_Latn"], "bos_token": {"content": "<s>", "lstrip": true}}"#),
    ("added_tokens.json", br#"{"<mask>": 9, "deu_Latn": 10, "eng_Latn": 11}"#),
    ("target_vocab.json", IDS),
];

#[test]
fn mutated_settings_of_tokens_never_panic() {
    settings_survive(CASES / 20); // each case writes a file and reads a model
}

#[test]
#[ignore = "a minute: all cases"]
fn all_mutated_settings_of_tokens_never_panic() {
    settings_survive(CASES);
}

fn settings_survive(cases: usize) {
    let home = std::env::temp_dir().join(format!("dyno-text-tokens-{}-{cases}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let pieces = home.join("char.spm");
    std::fs::copy(golden("char.spm"), &pieces).unwrap();
    for (seed, (name, text)) in (4..).zip(SETTINGS) {
        let path = home.join(name);
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let vocabulary = Vocabulary::open(&pieces, std::slice::from_ref(&path), Side::Target)?;
            let (mut text, all) = (String::new(), (0..vocabulary.len() as u32).collect::<Vec<_>>());
            vocabulary.decode_into(&all, &mut text)
        };
        // With no other ids, the pieces follow the four first words. The ids of a target have too few pieces.
        assert_eq!(read(text).is_ok(), name != "target_vocab.json", "{name}");
        let mut random = SplitMix64::seed_from_u64(seed);
        let faults = (0..cases).filter_map(|_| read(&mutated(text, &mut random)).err());
        let faults: Vec<String> = faults.map(|fault| fault.to_string()).collect();
        assert!(faults.iter().all(|fault| fault.lines().count() == 1), "{name}");
        assert!(faults.len() > cases / 10, "{name}: only {} of {cases} were refused", faults.len());
    }
    std::fs::remove_dir_all(&home).unwrap();
}

#[test]
fn every_truncation_is_an_answer() {
    let bytes = std::fs::read(golden("char.spm")).unwrap();
    for len in 0..bytes.len() {
        let _ = Format::SentencePiece.check(&bytes[..len]);
    }
}

#[test]
fn faults_are_told_in_one_line_with_the_file() {
    let path = std::env::temp_dir().join(format!("dyno-text-{}.spm", std::process::id()));
    std::fs::write(&path, b"\x0a\x7fshort").unwrap();
    let fault = Vocabulary::from_path(&path).map(|_| ()).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(fault.starts_with(&path.display().to_string()), "{fault}");
    assert!(fault.ends_with("byte 2: a length beyond the end; is this a SentencePiece model?"), "{fault}");
    let fault = Vocabulary::from_path("vocabulary.bin".as_ref()).map(|_| ()).unwrap_err();
    assert!(fault.to_string().contains("`vocabulary.bin` names no vocabulary format"), "{fault}");
}

/// `seed` with one to four wounds.
fn mutated(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=below(random, 4) {
        let at = below(random, bytes.len().max(1));
        let rest = bytes.len() - at;
        match below(random, 7) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << below(random, 8)),
            2 => bytes[at..].iter_mut().take(1 + below(random, 16)).for_each(|byte| *byte = 0xFF),
            3 => overwrite(&mut bytes[at..], &UPSETTING[below(random, UPSETTING.len())].to_le_bytes()),
            4 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.next_u64() as u8),
            5 => drop(bytes.drain(at..at + below(random, rest.min(32) + 1))),
            _ => {
                let copied: Vec<u8> = bytes[at..at + below(random, rest.min(64) + 1)].to_vec();
                let to = below(random, bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
        }
    }
    bytes
}

fn overwrite(bytes: &mut [u8], by: &[u8]) {
    bytes.iter_mut().zip(by).for_each(|(byte, by)| *byte = *by);
}

/// An index below `limit`.
fn below(random: &mut SplitMix64, limit: usize) -> usize {
    (random.next_u64() % limit as u64) as usize
}
