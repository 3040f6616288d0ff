//! `dyno tokenize`: vocabulary ids of each line, for comparison with other programs.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use dyno_text::{Scratch, Vocabulary};

use crate::cli::TokenizeArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::hosting::without_end;
use crate::registry::{self, Tokenise};

/// Prints the ids of each line, separated by spaces. A vocabulary adds no end of sentence; an encoder adds the
/// ends that its network sees.
pub fn tokenize(args: &TokenizeArgs) -> Outcome {
    let mut tokenise = match (&args.vocab, &args.model) {
        (_, Some(model)) => registry::tokeniser(model).map_err(bad_input)?,
        (Some(vocabulary), _) => of_vocabulary(vocabulary)?,
        (None, None) => return Err(bad_input("name a vocabulary (--vocab) or an encoder (--model)")),
    };
    let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    let (mut line, mut ids, mut text) = (Vec::new(), Vec::new(), String::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            output.flush()?;
            return Ok(Exit::Done);
        }
        tokenise(without_end(&line), &mut ids).map_err(bad_input)?;
        text.clear();
        for (at, id) in ids.iter().enumerate() {
            let _ = write!(text, "{}{id}", if at == 0 { "" } else { " " });
        }
        writeln!(output, "{text}")?;
    }
}

fn of_vocabulary(path: &Path) -> Outcome<Tokenise> {
    let vocabulary = Vocabulary::from_path(path).or_bad_input()?;
    let mut scratch = Scratch::default();
    Ok(Box::new(move |line, ids| {
        vocabulary.encode_into(line, &mut scratch, ids);
        Ok(())
    }))
}
