//! `dyno tokenize`: vocabulary ids of each line, for comparison with other programs.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufWriter, Write};

use dyno_text::{Scratch, Vocabulary};

use crate::cli::TokenizeArgs;
use crate::exit::{Exit, OrBadInput, Outcome};
use crate::hosting::without_end;

/// Prints the ids of each line, separated by spaces and without the end of sentence.
pub fn tokenize(args: &TokenizeArgs) -> Outcome {
    let vocabulary = Vocabulary::from_path(&args.vocab).or_bad_input()?;
    let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    let (mut line, mut ids, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut scratch = Scratch::default();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            output.flush()?;
            return Ok(Exit::Done);
        }
        vocabulary.encode_into(without_end(&line), &mut scratch, &mut ids);
        text.clear();
        for (at, id) in ids.iter().enumerate() {
            let _ = write!(text, "{}{id}", if at == 0 { "" } else { " " });
        }
        writeln!(output, "{text}")?;
    }
}
