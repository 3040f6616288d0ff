//! `dyno tokenize`: vocabulary ids of each line, for comparison with other programs.

use std::io::{self, BufRead, BufWriter, Write};

use dyno_host::without_end;
use itertools::Itertools;

use crate::cli::engines::TokenizeArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};

/// Prints the ids of each line, separated by spaces. A vocabulary, and a translator's own, adds no end of sentence
/// and no language; an encoder adds the ends that its network sees.
pub fn tokenize(args: &TokenizeArgs) -> Outcome {
    let mut tokenise = match (&args.vocab, &args.model) {
        (_, Some(model)) => dyno_host::tokeniser(model).or_bad_input()?,
        (Some(file), _) => dyno_host::vocabulary(file).or_bad_input()?,
        (None, None) => return Err(bad_input("name a vocabulary (--vocab) or a model (--model)")),
    };
    let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    let (mut line, mut ids) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            output.flush()?;
            return Ok(Exit::Done);
        }
        tokenise(without_end(&line), &mut ids).map_err(bad_input)?;
        writeln!(output, "{}", ids.iter().format(" "))?;
    }
}
