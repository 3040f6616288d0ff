//! Each parser against damaged files: a value or one line, never a panic, memory in proportion to the file.
//!
//! `DYNO_FUZZ_PARSER` names one parser, `DYNO_FUZZ_CASES` sets the number of files for each, `DYNO_FUZZ_SEED`
//! where they begin. The same numbers give the same files.

#![allow(clippy::unwrap_used)] // helpers of tests, too, fail by panicking

mod proportion;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use dyno_parsers::damage::{Random, mutated};
use dyno_parsers::{Check, Parser, parsers, scratch};

#[test]
fn sound_files_are_read_and_findings_answered() {
    for parser in chosen() {
        let folder = scratch();
        let mut check = parser.start(folder.path());
        check(&parser.seeds[0]).unwrap_or_else(|fault| panic!("{}: {fault}", parser.name));
        // The others may be findings of libFuzzer.
        for file in &parser.seeds {
            tried_by(&mut check, file).unwrap_or_else(|fault| panic!("{}: {fault}", parser.name));
        }
    }
}

#[test]
fn damaged_files_are_answered_or_refused_within_memory_for_the_file() {
    try_all(10);
}

#[test]
#[ignore = "a sweep: ten times as many files"]
fn many_damaged_files_are_answered_or_refused_within_memory_for_the_file() {
    try_all(1);
}

/// Tries all parsers, each with one in `share` of its files.
fn try_all(share: u64) {
    let (left, faults) = (Mutex::new(chosen()), Mutex::new(Vec::new()));
    let next = || left.lock().unwrap().pop();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(parser) = next() {
                    faults.lock().unwrap().extend(tried(&parser, share).err());
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// All parsers, or the one that is asked for.
fn chosen() -> Vec<Parser> {
    let name = std::env::var("DYNO_FUZZ_PARSER").ok();
    let chosen = |parser: &Parser| name.as_ref().is_none_or(|name| *name == parser.name);
    let chosen: Vec<_> = parsers().into_iter().filter(chosen).collect();
    assert!(!chosen.is_empty(), "no parser {name:?}");
    chosen
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number of files"))
}

/// Tries one parser with one in `share` of its files; the error names the first file that it failed at.
fn tried(parser: &Parser, share: u64) -> Result<(), String> {
    let cases = number("DYNO_FUZZ_CASES", parser.cases.div_ceil(share));
    let first = number("DYNO_FUZZ_SEED", 0);
    let folder = scratch();
    let mut check = parser.start(folder.path());
    let (mut accepted, mut most) = (0, 0.0f64);
    for case in first..first + cases {
        let file = damaged(parser, case);
        let told = |fault: String| format!("{}, case {case}: {fault}\n{}", parser.name, shown(&file));
        let (is_sound, held) = tried_by(&mut check, &file).map_err(told)?;
        let limit = parser.least_bytes + parser.bytes_a_byte * file.len() as u64;
        if held > limit {
            return Err(told(format!("{held} bytes held for a file of {}", file.len())));
        }
        accepted += u64::from(is_sound);
        most = most.max(held as f64 / limit as f64);
    }
    eprintln!(
        "{}: {cases} damaged files, {accepted} of them still sound, at most {most:.2} of the memory allowed",
        parser.name
    );
    // Damage must neither break everything nor leave everything whole, or it would test too little.
    let is_fair = cases < 1000 || (accepted > cases / 1000 && accepted < cases);
    if is_fair { Ok(()) } else { Err(format!("{}: {accepted} of {cases} files were accepted", parser.name)) }
}

/// Begin of a file, with the escapes of Rust.
fn shown(file: &[u8]) -> String {
    file[..file.len().min(2000)].escape_ascii().to_string()
}

fn damaged(parser: &Parser, case: u64) -> Vec<u8> {
    let mut random = Random::new(case.wrapping_mul(0xD129_0B26_95A4_8AC5));
    let seed = random.below(parser.seeds.len());
    let mut file = mutated(&mut random, &parser.seeds[seed]);
    if random.below(2) == 0 {
        (parser.mend)(&mut file);
    }
    file
}

/// Whether the file was accepted, and the bytes held at a time; an error for a panic or a fault of several
/// lines.
fn tried_by(check: &mut Check, file: &[u8]) -> Result<(bool, u64), String> {
    let mut outcome = Ok(Ok(()));
    let held = allocation_counter::measure(|| {
        outcome = catch_unwind(AssertUnwindSafe(|| check(file)));
    });
    match outcome {
        Ok(Ok(())) => Ok((true, held.bytes_max)),
        Ok(Err(fault)) if fault.lines().count() == 1 => Ok((false, held.bytes_max)),
        Ok(Err(fault)) => Err(format!("not told in one line: {fault:?}")),
        Err(_) => Err("a panic".into()),
    }
}
