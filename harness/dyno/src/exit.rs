//! The exit codes, the same for all commands, and the error that carries one to `main`.

use std::fmt::Display;

/// How a command ends, by the number that the shell sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, or the answer is yes.
    Done = 0,
    /// The answer is no: INVALID, regressed, differs.
    No = 1,
    /// A bad request or bad input: nothing was begun.
    BadInput = 2,
    /// Figures of different hosts can't be compared.
    HostsDiffer = 3,
    /// Nothing was measured.
    NothingMeasured = 4,
    /// A gated cell is INVALID: there is no answer.
    CellInvalid = 5,
    /// The bench itself failed.
    BenchFailed = 6,
    /// Ctrl-C; 128 + SIGINT, as shells count it.
    Interrupted = 130,
}

/// An error on its way to `main`: what to print, and with which code to end.
#[derive(Debug)]
pub struct Failure {
    /// The code to end with.
    pub exit: Exit,
    /// The chain of what went wrong, outermost first.
    pub error: anyhow::Error,
}

/// A result whose error knows its exit code.
pub type Outcome<T = Exit> = Result<T, Failure>;

/// Anything unforeseen is the bench's own failure; what the user can mend is marked with
/// [`OrBadInput::or_bad_input`].
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { exit: Exit::BenchFailed, error }
    }
}

/// The libraries know whether the user's input is at fault; which code that means is decided here alone.
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

/// A failure that the user can mend, in one line.
pub fn bad_input(message: impl Display) -> Failure {
    Failure { exit: Exit::BadInput, error: anyhow::anyhow!("{message}") }
}

/// No answer, for a reason that has an exit code of its own.
pub fn no_answer(exit: Exit, message: impl Display) -> Failure {
    Failure { exit, error: anyhow::anyhow!("{message}") }
}

/// Marks errors as the user's to mend.
pub trait OrBadInput<T> {
    /// The same error, ending with exit code 2.
    fn or_bad_input(self) -> Outcome<T>;
}

impl<T, E: Into<anyhow::Error>> OrBadInput<T> for Result<T, E> {
    fn or_bad_input(self) -> Outcome<T> {
        self.map_err(|error| Failure { exit: Exit::BadInput, error: error.into() })
    }
}
