//! The program that a command names: whether it exists, and whether it can be started.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Refuses a command that can't be started: better now than after an hour of other systems' rounds.
pub fn check_command(command: &[String], folder: &Path) -> Result<()> {
    fault_of(command, folder).map_or(Ok(()), |fault| Err(Error::Program(fault)))
}

fn fault_of(command: &[String], folder: &Path) -> Option<String> {
    let Some(program) = command.first().filter(|program| !program.is_empty()) else {
        return Some("the command is empty; give a program and its arguments".into());
    };
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
    let place = if program.contains('/') { absolute.display().to_string() } else { "PATH".into() };
    let found = named(program, &absolute, &std::env::var_os("PATH").unwrap_or_default());
    match found.iter().find(|path| is_executable(path)) {
        Some(path) => {
            interpreter_fault(path, folder).map(|fault| format!("{program:?} can't be started: {fault}"))
        }
        None if found.is_empty() => {
            Some(format!("no program {program:?} in {place}; install it, or correct its name"))
        }
        None => Some(format!(
            "{program:?} is not executable; run `chmod +x` on it, or name its interpreter first"
        )),
    }
}

/// Files that the program `name` may be: the one in `folder` if the name has a slash, else those along `path`, which
/// begins in `folder` where it is relative.
pub(crate) fn named(name: &str, folder: &Path, path: &OsStr) -> Vec<PathBuf> {
    let places = match name.contains('/') {
        true => vec![folder.to_owned()],
        false => std::env::split_paths(path).map(|place| folder.join(place)).collect(),
    };
    places.into_iter().map(|place| place.join(name)).filter(|file| file.is_file()).collect()
}

/// Fault of a script's first line. The kernel's message about a missing interpreter names no file.
fn interpreter_fault(script: &Path, folder: &Path) -> Option<String> {
    let interpreter = first_line(script)?.into_iter().next()?;
    let path = folder.join(&interpreter); // a relative one starts where the program is started
    if path.is_file() && is_executable(&path) {
        return None;
    }
    let remedy = match interpreter.ends_with('\r') {
        true => "save the file with Unix line ends: this line ends in a carriage return",
        false => "install it, correct the line, or name another interpreter before the script",
    };
    Some(format!("its first line asks for {interpreter:?}, which doesn't exist; {remedy}"))
}

/// Words behind `#!` in a script's first line, which begin with its interpreter: up to a line's end, in the
/// first 256 bytes, as the kernel reads them.
pub(crate) fn first_line(script: &Path) -> Option<Vec<String>> {
    let mut head = Vec::new();
    dyno_api::files::open(script).ok()?.take(256).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let words = line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty());
    Some(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_script_whose_interpreter_is_missing_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        script("mine", "#!/bin/sh\n");
        for (first, fault) in [
            ("#!/bin/sh\n", None),
            ("#! \t/bin/sh -e\n", None),
            ("#!./mine", None),
            ("no script", None),
            ("#!\n", None),
            ("#!/no/such -x\n", Some("\"/no/such\"")),
            ("#!theirs\n", Some("\"theirs\"")),
            ("#!/tmp\n", Some("\"/tmp\"")),
            ("#!/bin/sh\r\n", Some("carriage return")),
        ] {
            script("it", first);
            let told = check_command(&["./it".into()], folder.path()).err().map(|error| error.to_string());
            assert_eq!(told.is_some(), fault.is_some(), "{first:?}: {told:?}");
            assert!(told.unwrap_or_default().contains(fault.unwrap_or_default()), "{first:?}");
        }
    }
}
