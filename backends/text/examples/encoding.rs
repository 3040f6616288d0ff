//! How fast a vocabulary encodes a file: `cargo run --release -p dyno-text --example encoding -- MODEL FILE`.
//!
//! One thread, the whole file in memory, repeated; the median pass counts. With `--ids` it prints the ids
//! instead, one line a line, as something to compare with.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use dyno_text::{Scratch, Vocabulary};

/// Passes over the file: enough for a median on a machine that does other things too.
const PASSES: usize = 21;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (print, files) = match args.split_first() {
        Some((flag, files)) if flag == "--ids" => (true, files),
        _ => (false, &args[..]),
    };
    let [model, file] = files else { return Err("usage: speed [--ids] MODEL FILE".into()) };
    let vocabulary = Vocabulary::from_path(Path::new(model))?;
    let text = std::fs::read(file)?;
    let lines: Vec<&[u8]> = text.strip_suffix(b"\n").unwrap_or(&text).split(|&byte| byte == b'\n').collect();
    if print { print_ids(&vocabulary, &lines) } else { measure(&vocabulary, &lines, text.len()) }
}

fn print_ids(vocabulary: &Vocabulary, lines: &[&[u8]]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in lines {
        vocabulary.encode_into(line, &mut scratch, &mut ids);
        let words: Vec<String> = ids.iter().map(u32::to_string).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(out.flush()?)
}

fn measure(vocabulary: &Vocabulary, lines: &[&[u8]], bytes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    let mut pass = || {
        let start = Instant::now();
        let mut pieces = 0;
        for line in lines {
            vocabulary.encode_into(line, &mut scratch, &mut ids);
            pieces += ids.len();
        }
        (start.elapsed().as_secs_f64(), pieces)
    };
    let mut passes: Vec<(f64, usize)> = (0..PASSES).map(|_| pass()).collect();
    passes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median_s, pieces) = passes[PASSES / 2];
    println!(
        "{} lines, {pieces} pieces: {:.1} ms (best {:.1}), {:.0} lines/s, {:.1} MB/s",
        lines.len(),
        median_s * 1e3,
        passes[0].0 * 1e3,
        lines.len() as f64 / median_s,
        bytes as f64 / median_s / 1e6,
    );
    Ok(())
}
