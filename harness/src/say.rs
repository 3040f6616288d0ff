//! Words to the person at the terminal, on standard error. Nothing depends on whether they arrive: a closed or
//! full standard error must not end a run.

use std::fmt::Display;
use std::io::Write;

/// One line on standard error.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
