//! Errors of hosting.

use std::io;

/// Result of hosting.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a backend stops translating its input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model opens no session.
    #[error("can't open a session")]
    Session(#[source] dyno_api::Error),
    /// The backend fails at a line.
    #[error("can't translate line {number}")]
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// The backend's own reason.
        source: dyno_api::Error,
    },
    /// The backend fails at one of several lines.
    #[error("can't translate lines")]
    Lines(#[source] dyno_api::Error),
    /// No backend suits the models.
    #[error("{0}")]
    Unsuited(String),
    /// The model has no vocabulary of its own.
    #[error("the model has no vocabulary; name one with --vocab instead")]
    NoVocabulary,
    /// The model has no vocabularies for its shortlist.
    #[error("the model has no vocabularies, which --shortlist needs; add --vocab")]
    NoVocabularies,
    /// This build has no engine for the question.
    #[error("this build has no engine that could tell; use a build with engines")]
    NoEngines,
    /// A file of a model is faulty.
    #[error(transparent)]
    Formats(#[from] dyno_formats::Error),
    /// A vocabulary is faulty.
    #[cfg(feature = "engines")]
    #[error(transparent)]
    Text(#[from] dyno_text::Error),
    /// A tuning is faulty.
    #[cfg(feature = "engines")]
    #[error(transparent)]
    Tuning(#[from] dyno_nn::kernel_settings::TuningError),
    /// A file of a translator is faulty.
    #[cfg(feature = "engines")]
    #[error(transparent)]
    Translator(#[from] dyno_translator::Error),
    /// An encoder is faulty.
    #[cfg(feature = "encoder")]
    #[error(transparent)]
    Encoder(#[from] dyno_encoder::Error),
    /// A product is refused.
    #[cfg(feature = "engines")]
    #[error(transparent)]
    Kernels(#[from] dyno_kernels::Error),
    /// A core can't be had.
    #[error("can't choose a core")]
    Core(#[source] io::Error),
    /// Input or output fails.
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_without_a_cause_has_a_remedy() {
        let Err(no_model) = crate::registry::suiting(&["gone".into()]) else { panic!("no model suits") };
        let own = [Error::Unsuited(no_model), Error::NoVocabulary, Error::NoVocabularies, Error::NoEngines];
        for error in own {
            assert!(error.to_string().contains("; "), "{error}");
        }
    }
}
