//! The entry of a helper process. The crate starts the user's program again as a supervisor, or as the other
//! end of a pipe.
//!
//! A helper process must be small, because the kernel counts a child's peak memory from its parent's. It
//! therefore branches off before the program's own `main` has done anything.

use std::io::Write;

use crate::floor::give_back;
use crate::supervisor::{GIVE_BACK, SUPERVISE, supervise};

/// Exit code of a supervisor that failed.
const FAILED: i32 = 6;

/// Call this first in `main`. In the user's process it returns at once. In a helper process it does the
/// helper's work, and ends the process.
pub fn enter() {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().unwrap_or_default();
    let done = if first == SUPERVISE {
        let control = arguments.next().and_then(|argument| argument.to_str()?.parse().ok());
        supervise(control.unwrap_or(-1))
    } else if first == GIVE_BACK {
        give_back().map_err(Into::into)
    } else {
        return;
    };
    if let Err(error) = done {
        // A closed standard error must not turn one failure into another.
        let _ = writeln!(std::io::stderr(), "{}: {error}", first.to_string_lossy());
        std::process::exit(FAILED)
    }
    std::process::exit(0)
}
