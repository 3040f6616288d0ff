//! One parser of the table, named by `DYNO_FUZZ_PARSER`, under libFuzzer. Its corpus begins with the table's
//! files. Without a name, the program lists the parsers and ends.
#![no_main]

use std::cell::RefCell;
use std::fs::{create_dir_all, write};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use dyno_parsers::{Check, Parser, parsers, scratch};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static CHECK: RefCell<Check> = RefCell::new(named().start(&scratch().keep()));
}

fuzz_target!(init: prepare(), |bytes: &[u8]| {
    CHECK.with_borrow_mut(|check| {
        if let Err(fault) = check(bytes) {
            assert_eq!(fault.lines().count(), 1, "not told in one line: {fault:?}");
        }
    });
});

fn named() -> Parser {
    let name = std::env::var("DYNO_FUZZ_PARSER").unwrap_or_default();
    parsers().into_iter().find(|parser| parser.name == name).unwrap_or_else(|| {
        parsers().iter().for_each(|parser| println!("{}", parser.name));
        std::process::exit(i32::from(!name.is_empty()));
    })
}

/// Variable of a program that was started again with a path of its own.
const PREPARED: &str = "DYNO_FUZZ_PREPARED";

/// Writes the first files of the corpus, and starts the program again. That leaves no program but `cat` on the path: a
/// campaign that libFuzzer invents must not make Python fetch a test set.
fn prepare() {
    if std::env::var_os(PREPARED).is_some() {
        return;
    }
    let parser = named();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(&parser.name);
    create_dir_all(&corpus).expect("a folder for the corpus");
    for (at, seed) in parser.seeds.iter().enumerate() {
        write(corpus.join(format!("seed-{at}")), seed).expect("a writable corpus");
    }
    let programs = scratch().keep();
    symlink("/bin/cat", programs.join("cat")).expect("a scratch folder");
    let program = std::env::current_exe().expect("the program's own path");
    let mut again = Command::new(program);
    again.args(std::env::args_os().skip(1)).env("PATH", programs).env(PREPARED, "1");
    panic!("started again with that path: {}", again.exec());
}
