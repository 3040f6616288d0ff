//! Output of the commands: results on standard output or into files, everything else on standard error.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::exit::{OrBadInput, Outcome};

/// Prints one line on standard error. A closed or full standard error must not end a run, so failures are
/// ignored.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints `text` on standard output. A closed pipe is an error that `main` ignores.
pub fn print(text: &str) -> Outcome<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints `value` on standard output, as JSON.
pub fn print_json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).context("can't write the result as JSON")?;
    print(&(text + "\n"))
}

/// Writes `value` to the file at `path`, as JSON.
pub fn write_json(value: &impl Serialize, path: &Path) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(value).context("can't write the result as JSON")?;
    std::fs::write(path, text).with_context(|| format!("can't write {}", path.display())).or_bad_input()
}

/// Command line of this process, quoted for a shell.
pub fn this_command() -> String {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let words = std::iter::once("dyno").chain(arguments.iter().map(String::as_str));
    // Quoting fails only for a NUL, which no argument of a process can hold.
    shlex::try_join(words).unwrap_or_else(|_| "dyno".into())
}
