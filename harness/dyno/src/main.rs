//! The program dyno: the library with the engines' allocator. The only binary of the workspace.

use std::process::ExitCode;

/// Rows of the engines begin at cache lines.
#[global_allocator]
static ALLOCATOR: dyno_host::Allocator = dyno_host::Allocator;

fn main() -> ExitCode {
    dyno_mt::main()
}
