//! Words to people and programs: results on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;
use serde::Serialize;

use crate::exit::Outcome;

/// One line on standard error. Nothing depends on its arrival: a closed or full standard error must not end a run.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes to standard output. A reader that went away comes back as an error that `main` forgives.
pub fn print(text: &str) -> Outcome<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes a value to standard output, as JSON.
pub fn print_json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).context("as JSON")?;
    print(&(text + "\n"))
}

/// The command that runs now, as a shell would have to be given it.
pub fn this_command() -> String {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let words = std::iter::once("dyno").chain(arguments.iter().map(String::as_str));
    // No argument of a process holds a NUL, which alone can't be quoted.
    shlex::try_join(words).unwrap_or_else(|_| "dyno".into())
}
