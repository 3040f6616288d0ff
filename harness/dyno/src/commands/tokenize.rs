//! `dyno tokenize`: vocabulary ids of each line, for comparison with other programs.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use dyno_api::Task;
use dyno_formats::ModelDir;
use dyno_host::registry::{self, Tokenise};
use dyno_host::without_end;
use dyno_text::{Scratch, Side, Vocabulary};

use crate::cli::TokenizeArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};

/// Prints the ids of each line, separated by spaces. A vocabulary, and a translator's own, adds no end of sentence
/// and no language; an encoder adds the ends that its network sees.
pub fn tokenize(args: &TokenizeArgs) -> Outcome {
    let mut tokenise = match (&args.vocab, &args.model) {
        (_, Some(model)) => of_model(model)?,
        (Some(vocabulary), _) => of_vocabulary(vocabulary)?,
        (None, None) => return Err(bad_input("name a vocabulary (--vocab) or a model (--model)")),
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

/// The tokeniser of an encoder, or the source vocabulary of a translator.
fn of_model(path: &Path) -> Outcome<Tokenise> {
    let backend = registry::suiting(&[path.to_owned()]).map_err(bad_input)?;
    if backend.task() == Task::Encode {
        return registry::tokeniser(path).map_err(bad_input);
    }
    let model = ModelDir::open(path).or_bad_input()?;
    let source = model.vocabularies().first();
    let source =
        source.ok_or_else(|| bad_input("the model has no vocabulary: name one with --vocab instead"))?;
    Ok(of(Vocabulary::open(source, model.tokens(), Side::Source).or_bad_input()?))
}

fn of_vocabulary(path: &Path) -> Outcome<Tokenise> {
    Ok(of(Vocabulary::from_path(path).or_bad_input()?))
}

fn of(vocabulary: Vocabulary) -> Tokenise {
    let mut scratch = Scratch::default();
    Box::new(move |line, ids| {
        vocabulary.encode_into(line, &mut scratch, ids);
        Ok(())
    })
}
