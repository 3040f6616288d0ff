//! A C compiler, where there is one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the compiler of `language` (`CC` or `CXX`) with `arguments`; `None`, and a line that says so, where
/// there is none.
pub fn compile(language: &str, arguments: &[&str]) -> Option<()> {
    let usual = if language == "CC" { "cc" } else { "c++" };
    let compiler = std::env::var(language).unwrap_or_else(|_| usual.into());
    let Ok(output) = Command::new(&compiler).args(arguments).output() else {
        let line = format!("skipped: plugins in C: there is no {compiler}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

pub fn include() -> String {
    format!("-I{}", here("../api/include").display())
}

/// A file of this crate.
pub fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
