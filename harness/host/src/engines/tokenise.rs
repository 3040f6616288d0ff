//! Ids of lines by a model's own vocabulary, for comparison with other programs.

use std::path::Path;

use dyno_api::Task;
use dyno_formats::ModelDir;
use dyno_text::{Scratch, Side, Vocabulary};

use crate::error::{Error, Result};
use crate::facts::Tokenise;
use crate::registry;

/// The tokeniser of an encoder, or the source vocabulary of a translator.
pub fn tokeniser(model: &Path) -> Result<Tokenise> {
    if registry::suiting(&[model.to_owned()]).map_err(Error::Unsuited)?.task() == Task::Encode {
        return of_encoder(model);
    }
    let source = dyno_translator::vocabulary(&ModelDir::open(model)?, Side::Source)?;
    Ok(of(source.ok_or(Error::NoVocabulary)?))
}

/// The tokeniser of a vocabulary.
pub fn vocabulary(file: &Path) -> Result<Tokenise> {
    Ok(of(Vocabulary::from_path(file)?))
}

fn of(vocabulary: Vocabulary) -> Tokenise {
    let mut scratch = Scratch::default();
    Box::new(move |line, ids| {
        vocabulary.encode_into(line, &mut scratch, ids);
        Ok(())
    })
}

#[cfg(feature = "encoder")]
fn of_encoder(model: &Path) -> Result<Tokenise> {
    let tokeniser = dyno_encoder::Directory::open(model)?.tokeniser()?;
    let mut scratch = Scratch::default();
    Ok(Box::new(move |line, ids| {
        tokeniser.encode(line, &mut scratch, ids).map_err(|error| error.to_string())
    }))
}

/// Without an encoder, no engine suits such a model.
#[cfg(not(feature = "encoder"))]
fn of_encoder(_: &Path) -> Result<Tokenise> {
    Err(Error::NoEngines)
}
