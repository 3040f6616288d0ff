//! Exit codes, the same for all commands, and the error that carries its code to `main`.
//!
//! Library crates only say whether the user's input is at fault; the exit code is decided here.

use std::fmt::Display;

use serde::Serialize;

/// Exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command is done, or its answer is yes.
    Done = 0,
    /// The answer is no: a system is INVALID, a candidate regressed, or a run is worse.
    No = 1,
    /// The request or the input is bad; nothing was measured.
    BadInput = 2,
    /// The hosts differ, so their figures can't be compared.
    HostsDiffer = 3,
    /// Nothing was measured.
    NothingMeasured = 4,
    /// A gated cell is INVALID, so that the gate has no answer.
    CellInvalid = 5,
    /// The bench itself failed.
    BenchFailed = 6,
    /// The user pressed Ctrl-C; 128 + SIGINT, as in shells.
    Interrupted = 130,
}

/// Error with its exit code, on its way to `main`.
#[derive(Debug)]
pub struct Failure {
    /// Exit code of the program.
    pub exit: Exit,
    /// Chain of causes, outermost first.
    pub error: anyhow::Error,
}

/// Failure in words. By convention a message is "FAULT; REMEDY", or the fault alone.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Complaint<'a> {
    /// Fault, in words.
    pub error: &'a str,
    /// Remedy for the user, if the message has one.
    pub remedy: Option<&'a str>,
}

impl<'a> Complaint<'a> {
    /// The parts of a message.
    pub fn of(message: &'a str) -> Self {
        match message.rsplit_once("; ") {
            Some((error, remedy)) => Self { error, remedy: Some(remedy) },
            None => Self { error: message, remedy: None },
        }
    }
}

/// Result whose error has an exit code.
pub type Outcome<T = Exit> = Result<T, Failure>;

/// An unexpected error is a failure of the bench. [`OrBadInput::or_bad_input`] marks the errors that the user
/// can correct.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { exit: Exit::BenchFailed, error }
    }
}

/// The library knows whether the user's input is at fault, which determines the exit code.
impl From<dyno_measure::Error> for Failure {
    fn from(error: dyno_measure::Error) -> Self {
        Self { exit: exit_of(error.is_bad_input()), error: error.into() }
    }
}

impl From<dyno_results::Error> for Failure {
    fn from(error: dyno_results::Error) -> Self {
        Self { exit: exit_of(error.is_bad_input()), error: error.into() }
    }
}

impl From<dyno_report::Error> for Failure {
    fn from(error: dyno_report::Error) -> Self {
        Self { exit: Exit::BenchFailed, error: error.into() }
    }
}

const fn exit_of(bad_input: bool) -> Exit {
    if bad_input { Exit::BadInput } else { Exit::BenchFailed }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        anyhow::Error::from(error).into()
    }
}

/// Failure that the user can correct, in one line.
pub fn bad_input(message: impl Display) -> Failure {
    Failure { exit: Exit::BadInput, error: anyhow::anyhow!("{message}") }
}

/// Failure without an answer, for a reason that has an exit code of its own.
pub fn no_answer(exit: Exit, message: impl Display) -> Failure {
    Failure { exit, error: anyhow::anyhow!("{message}") }
}

/// Marks errors that the user can correct.
pub trait OrBadInput<T> {
    /// The same error, ending with exit code 2.
    fn or_bad_input(self) -> Outcome<T>;
}

impl<T, E: Into<anyhow::Error>> OrBadInput<T> for Result<T, E> {
    fn or_bad_input(self) -> Outcome<T> {
        self.map_err(|error| Failure { exit: Exit::BadInput, error: error.into() })
    }
}
