//! Private Python environments in the user's cache folder: built aside, then renamed into place.
//!
//! sacrebleu has one where the user's own Python lacks it, and each adapter of another engine has one. dyno
//! never installs into an environment of the user.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// Builds an environment at `folder`, with `install` as the arguments of `pip install`; `remedy` tells the
/// user what to do if that fails. Two builds at once are harmless: one rename wins.
pub fn build_environment(folder: &Path, install: &[impl AsRef<OsStr>], remedy: &str) -> Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    let not_created = |error| fault(format!("can't create {}", parent.display()), error);
    fs::create_dir_all(parent).map_err(not_created)?;
    let aside = tempfile::Builder::new().prefix("building-").tempdir_in(parent).map_err(not_created)?;
    let venv = aside.path().join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv), "python3 with its venv module is needed")?;
    let mut pip = Command::new(venv.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    // Every package is pinned, and a compiler is not asked for.
    pip.args(["--no-deps", "--only-binary=:all:"]).args(install);
    run(&mut pip, remedy)?;
    // The folder holds an environment that no longer answers, or is absent.
    let _ = fs::remove_dir_all(folder);
    if let Err(error) = fs::rename(&venv, folder)
        && !folder.is_dir()
    {
        return Err(fault(format!("can't rename into {}", folder.display()), error));
    }
    Ok(())
}

/// Runs `command` in a process group of its own, so that Ctrl-C ends the bench alone. A failure is `remedy`,
/// with the last line that the command said.
fn run(command: &mut Command, remedy: &str) -> Result<()> {
    let output =
        command.stdin(Stdio::null()).process_group(0).output().map_err(|error| fault(remedy, error))?;
    if output.status.success() {
        return Ok(());
    }
    // venv reports errors on standard output, pip on standard error.
    let said = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
    Err(Error::Scorer(format!("{remedy} ({})", last_line(said))))
}

/// Last line of what a program said.
pub fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.trim_end().lines().last().unwrap_or("no message").trim().into()
}

/// Folder of dyno in the user's cache, by the XDG base directory specification. dyno can make its files
/// again.
pub fn cache_folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let missing = || Error::Scorer("neither XDG_CACHE_HOME nor HOME is set".into());
    cache.map(|cache| cache.join("dyno")).ok_or_else(missing)
}

fn fault(what: impl Display, cause: impl Display) -> Error {
    Error::Scorer(format!("{what}: {cause}"))
}
