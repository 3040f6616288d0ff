//! A system for the bench around the `fxtranslate` crate: lines in, translations out.
//!
//!     fxtranslate-peer FOLDER TRACK [BATCH]
//!
//! FOLDER holds the model's files under Firefox's names: `model*.bin`, `vocab*.spm`, `lex*.bin`. In `latency` each line
//! is answered before the next one is read. In other tracks the whole input is translated in batches of BATCH lines of
//! about the same length, as Marian does; 1 translates line by line.

use std::error::Error;
use std::io::{self, BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::{env, fs};

use fxtranslate::engine::Engine;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The best of 1 to 32 on captions.
const BATCH: usize = 2;

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, track, batch @ ..] = arguments.as_slice() else {
        return Err("usage: fxtranslate-peer FOLDER TRACK [BATCH]".into());
    };
    let batch = batch.first().map_or(Ok(BATCH), |batch| batch.parse())?;
    let engine = open(Path::new(folder))?;
    match track.as_str() {
        "latency" => line_by_line(&engine),
        _ => whole_file(&engine, batch),
    }
}

fn open(folder: &Path) -> Outcome<Engine> {
    let [model, vocabulary, shortlist] = ["model", "vocab", "lex"].map(|name| file(folder, name));
    let vocabulary = vocabulary?;
    let engine = Engine::load_mmapped(model?, &vocabulary, &vocabulary)?;
    Ok(match shortlist {
        Ok(path) => engine.with_shortlist_bytes(&fs::read(path)?),
        Err(_) => engine,
    })
}

/// The file of `folder` whose name begins with `name`.
fn file(folder: &Path, name: &str) -> Outcome<PathBuf> {
    let mut paths = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|own| own.to_string_lossy().starts_with(name));
    paths.find(is_it).ok_or_else(|| format!("{} has no file {name}*", folder.display()).into())
}

/// Lines of the input; what isn't UTF-8 becomes replacement characters.
fn lines() -> impl Iterator<Item = io::Result<String>> {
    stdin().lock().split(b'\n').map(|line| Ok(String::from_utf8_lossy(&line?).into_owned()))
}

fn line_by_line(engine: &Engine) -> Outcome {
    let mut out = stdout().lock();
    for line in lines() {
        writeln!(out, "{}", engine.translate(&line?))?;
        out.flush()?;
    }
    Ok(())
}

fn whole_file(engine: &Engine, batch: usize) -> Outcome {
    let lines: Vec<String> = lines().collect::<Result<_, _>>()?;
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&line| lines[line].len());
    let mut answers = vec![String::new(); lines.len()];
    for some in order.chunks(batch) {
        let texts: Vec<&str> = some.iter().map(|&line| lines[line].as_str()).collect();
        let translations = match texts[..] {
            [one] => vec![engine.translate(one)],
            _ => engine.translate_batch(&texts),
        };
        for (&line, answer) in some.iter().zip(translations) {
            answers[line] = answer;
        }
    }
    let mut out = stdout().lock();
    for answer in answers {
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}
