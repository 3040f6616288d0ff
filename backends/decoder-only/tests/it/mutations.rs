//! The engine against damaged files: never a panic, one line for each refusal, memory in proportion to the file.
//! `DYNO_FUZZ_CASES` sets the number of files, `DYNO_FUZZ_SEED` where they begin.

#[path = "../../../formats/tests/it/mutations/damage.rs"]
mod damage;

use std::panic::{AssertUnwindSafe, catch_unwind};

use dyno_api::{Answer, Backend, Settings};
use dyno_decoder_only::ENGINE;

use crate::goldens::path;
use damage::{Random, mutated};

/// Files where nothing else is asked for: two seconds of them.
const CASES: u64 = 300;

/// Bytes that the engine may hold at a time for each byte of the file: 4-bit weights lie in 8 bits, words of the
/// vocabulary in maps.
const BYTES_PER_BYTE: u64 = 4;

/// Bytes that any model may take: buffers for rows of a prompt.
const BYTES_AT_LEAST: u64 = 1 << 20;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number of files"))
}

/// Opens a file and lets it answer a line with a few words; the refusal, if there is one.
fn answered(file: &std::path::Path) -> dyno_api::Result<()> {
    let settings: Settings =
        serde_json::from_str(r#"{ "prompt": "{line}", "max-length": 3, "threads": 1 }"#).unwrap();
    let mut session = ENGINE.open(&[file.into()], &settings)?.session()?;
    let mut answers = 0;
    session.run(&[b"A dog."], &mut |_: Answer<'_>| answers += 1)?;
    assert_eq!(answers, 1);
    Ok(())
}

#[test]
fn damaged_files_are_answered_or_refused_within_memory_for_the_file() {
    let whole = ["qwen3", "qwen2", "fives"].map(|model| std::fs::read(path(model)).unwrap());
    let (cases, first) = (number("DYNO_FUZZ_CASES", CASES), number("DYNO_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().unwrap();
    let (mut sound, mut most) = (0, 0);
    for case in first..first + cases {
        let mut random = Random::new(case.wrapping_mul(0xD129_0B26_95A4_8AC5));
        let model = random.below(whole.len());
        let file = mutated(&mut random, &whole[model]);
        let place = folder.path().join("damaged.gguf");
        std::fs::write(&place, &file).unwrap();
        let mut outcome = Ok(Ok(()));
        let held = allocation_counter::measure(|| {
            outcome = catch_unwind(AssertUnwindSafe(|| answered(&place)));
        });
        let limit = BYTES_AT_LEAST + BYTES_PER_BYTE * file.len() as u64;
        assert!(
            held.bytes_max <= limit,
            "case {case}: {} bytes for a file of {}",
            held.bytes_max,
            file.len()
        );
        most = most.max(held.bytes_max);
        match outcome.unwrap_or_else(|_| panic!("case {case} panicked")) {
            Ok(()) => sound += 1,
            Err(refusal) => assert_eq!(refusal.to_string().lines().count(), 1, "case {case}: {refusal}"),
        }
    }
    eprintln!("{cases} damaged files, {sound} of them still sound, at most {most} bytes held");
}
