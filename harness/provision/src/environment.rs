//! Private Python environments in the user's cache folder. sacrebleu has one where the user's own Python lacks it, and
//! each adapter of another engine has one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use dyno_measure::os;

use crate::error::{Result, refused};
use crate::last_line;

/// Time between two looks at the growth of an environment.
const LOOK: Duration = Duration::from_secs(1);

/// What an environment is made of.
pub struct Packages<'a> {
    /// Arguments of `pip install`.
    pub install: Vec<OsString>,
    /// Program that the environment's Python runs once the packages are there.
    pub prepare: Option<&'a Path>,
    /// Bytes of the environment.
    pub takes: u64,
    /// What the user can do where an installation fails.
    pub remedy: &'a str,
}

/// Builds an environment at `folder`. `progress` hears of each tenth of its bytes that is there. Two builds at once
/// are harmless: one rename wins.
pub fn build(folder: &Path, packages: &Packages<'_>, progress: &dyn Fn(u64)) -> Result<()> {
    let Packages { install, prepare, takes, remedy } = packages;
    let parent = folder.parent().unwrap_or(folder);
    let not_created = |error: io::Error| {
        refused!("can't create {}: set XDG_CACHE_HOME to a folder of yours: {error}", parent.display())
    };
    fs::create_dir_all(parent).map_err(not_created)?;
    let aside = tempfile::Builder::new().prefix("building-").tempdir_in(parent).map_err(not_created)?;
    let (venv, fetched) = (aside.path().join("venv"), aside.path().join("fetched"));
    fs::create_dir_all(&fetched).map_err(not_created)?;
    run(
        Command::new("python3").args(["-m", "venv"]).arg(&venv),
        "python3 with its venv module is needed",
        &mut || (),
    )?;
    let python = venv.join("bin/python3");
    let mut pip = Command::new(&python);
    // What pip fetches lies beside the environment until it is unpacked.
    pip.env("TMPDIR", &fetched);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    // Every package is pinned, and a compiler is not asked for.
    pip.args(["--no-deps", "--only-binary=:all:"]).args(install);
    let mut told = 0;
    run(&mut pip, remedy, &mut || {
        let bytes = bytes_below(aside.path());
        if let Some(tenths) = further_tenths(bytes, *takes, told) {
            told = tenths;
            progress(bytes);
        }
    })?;
    if let Some(program) = prepare {
        run(Command::new(&python).arg(program), "its prepare.py failed", &mut || ())?;
    }
    // The folder holds an environment that no longer answers, or is absent.
    let _ = fs::remove_dir_all(folder);
    if let Err(error) = fs::rename(&venv, folder)
        && !folder.is_dir()
    {
        return Err(refused!("can't rename into {}: {error}", folder.display()));
    }
    Ok(())
}

/// Tenths of an environment that is to have `takes` bytes, if they are more than those `told`. The rest, which pip's
/// own files may exceed, is not told.
fn further_tenths(bytes: u64, takes: u64, told: u64) -> Option<u64> {
    Some(10 * bytes / takes.max(1)).filter(|&tenths| tenths > told && tenths < 10)
}

/// Bytes of all files below `folder`. Files that vanish meanwhile don't count.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_below(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Runs `command`, which ends with the bench, in a process group of its own, and calls `look` now and then. A failure
/// is `remedy`, with the last line that the command said.
pub(crate) fn run(command: &mut Command, remedy: &str, look: &mut dyn FnMut()) -> Result<()> {
    let failed = |error: io::Error| refused!("{remedy}: {error}");
    // A pipe fills up while this process waits; a file takes all that the command says.
    let (mut out, mut err) = (tempfile::tempfile().map_err(failed)?, tempfile::tempfile().map_err(failed)?);
    command.stdin(Stdio::null()).process_group(0);
    os::die_with_parent(command);
    command.stdout(out.try_clone().map_err(failed)?).stderr(err.try_clone().map_err(failed)?);
    let mut child = command.spawn().map_err(failed)?;
    let mut wait = LOOK / 100; // what fails at once is told at once
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        look();
        std::thread::sleep(wait);
        wait = (2 * wait).min(LOOK);
    };
    if status.success() {
        return Ok(());
    }
    // venv reports errors on standard output, pip on standard error.
    let said = [read_again(&mut err), read_again(&mut out)].into_iter().find(|said| !said.is_empty());
    Err(refused!("{remedy} ({})", last_line(&said.unwrap_or_default())))
}

fn read_again(file: &mut File) -> Vec<u8> {
    let mut text = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut text));
    read.map(|_| text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tenth_of_an_environment_is_told_once() {
        let mut told = 0;
        let is_told = |&bytes: &u64| further_tenths(bytes, 1000, told).map(|tenths| told = tenths).is_some();
        let heard: Vec<u64> =
            [5, 99, 100, 150, 420, 430, 999, 1000, 4000].into_iter().filter(is_told).collect();
        assert_eq!(heard, [100, 420, 999]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_names_the_variable_that_moves_it() {
        let packages = Packages { install: Vec::new(), prepare: None, takes: 0, remedy: "" };
        // Not even root can write there.
        let error = build(Path::new("/sys/kernel/.cache/dyno/venv"), &packages, &|_| ()).unwrap_err();
        assert!(error.to_string().contains("set XDG_CACHE_HOME to a folder of yours"), "{error}");
    }

    #[test]
    fn bytes_of_all_folders_count() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for (name, bytes) in [("one", 3), ("a/two", 5), ("a/b/three", 7)] {
            fs::write(folder.path().join(name), vec![b'x'; bytes]).unwrap();
        }
        assert_eq!(bytes_below(folder.path()), 15);
        assert_eq!(bytes_below(&folder.path().join("none")), 0);
    }
}
