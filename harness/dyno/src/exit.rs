//! Exit codes, the same for all commands, and the error that carries its code to `main`.
//!
//! Library crates only say whether the user's input is at fault; the exit code is decided here.

use std::any::Any;
use std::fmt::Display;

use serde::Serialize;

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
    /// Nothing was measured, or too little to be judged.
    NothingMeasured = 4,
    /// A gated cell is INVALID, so that the gate has no answer about it.
    CellInvalid = 5,
    /// The bench itself failed.
    BenchFailed = 6,
    /// The figures settle no answer: the host was disturbed, or more rounds are needed.
    Undecided = 7,
    /// The user pressed Ctrl-C; 128 + SIGINT, as in shells.
    Interrupted = 130,
}

/// Error with its exit code, on its way to `main`.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Chain of causes, outermost first.
    pub error: anyhow::Error,
}

/// Failure in words: the faults of the chain of causes, and the first remedy in it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Complaint {
    pub error: String,
    /// Remedy for the user, if a message of the chain has one.
    pub remedy: Option<String>,
}

impl Complaint {
    pub fn of(error: &anyhow::Error) -> Self {
        let remedies: Vec<String> = error.chain().filter_map(remedy_of).collect();
        let without = |told: String, remedy: &String| told.replace(&format!("; {remedy}"), "");
        Self { error: remedies.iter().fold(in_one_line(error), without), remedy: remedies.into_iter().next() }
    }
}

/// The chain of causes in one line. A cause that the error before it repeats is left out.
pub fn in_one_line(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    let joined = |told: String, cause: String| {
        if told.contains(&cause) { told } else { format!("{told}: {cause}") }
    };
    causes.reduce(joined).unwrap_or_default()
}

/// Remedy at the end of a message. The errors of `dyno-measure` know their own; in the others, by convention, it
/// follows the last "; ".
fn remedy_of(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let known = cause.downcast_ref().map(dyno_measure::Error::remedy);
    let message = cause.to_string();
    let told = || message.rsplit_once("; ").map(|(_, remedy)| remedy.to_owned());
    known.unwrap_or_else(told).filter(|remedy| message.ends_with(remedy))
}

/// Result whose error has an exit code.
pub type Outcome<T = Exit> = Result<T, Failure>;

/// The libraries know whether the user's input is at fault, which determines the exit code. Any other error is
/// a failure of the bench. [`OrBadInput::or_bad_input`] marks those that the user can correct.
impl<E: Into<anyhow::Error> + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        let is_bad_input = any.downcast_ref().is_some_and(dyno_measure::Error::is_bad_input)
            || any.downcast_ref().is_some_and(dyno_results::Error::is_bad_input)
            || any.downcast_ref().is_some_and(dyno_provision::Error::is_bad_input);
        let exit = if is_bad_input { Exit::BadInput } else { Exit::BenchFailed };
        Self { exit, error: error.into() }
    }
}

/// Failure that the user can correct, from a format and its arguments.
macro_rules! bad_input {
    ($($message:tt)*) => { $crate::exit::bad_input(format_args!($($message)*)) };
}

/// Returns with a [`bad_input!`].
macro_rules! refuse {
    ($($message:tt)*) => { return Err(bad_input!($($message)*)) };
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

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_remedy_is_told_apart_from_faults_wherever_it_stands() {
        let told = |error: anyhow::Error| {
            let Complaint { error, remedy } = Complaint::of(&error);
            (error, remedy.unwrap_or_default())
        };
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let of_cause = told(anyhow::Error::from(full).context("can't write x; make room"));
        assert_eq!(of_cause, ("can't write x: no storage space".into(), "make room".into()));
        let file = |fault: &str, remedy| {
            told(dyno_measure::Error::File { path: "odd; name".into(), fault: fault.into(), remedy }.into())
        };
        assert_eq!(file("no lines", "; add some"), ("odd; name: no lines".into(), "add some".into()));
        assert_eq!(file("not UTF-8", ""), ("odd; name: not UTF-8".into(), String::new()));
        let busy = dyno_results::Error::Input("another dyno is at work in out; wait".into());
        let wrapped = Err::<(), _>(busy).context("can't publish");
        let expected = "can't publish: another dyno is at work in out";
        assert_eq!(told(wrapped.unwrap_err()).0, expected);
    }
}
