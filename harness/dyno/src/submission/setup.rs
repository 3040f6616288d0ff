//! The single run of `setup.sh`, in which a submission installs what it needs.
//!
//! The script may write to its own folder, and use the network. It runs in the sandbox, in which it has no
//! rights, no variables and no home of the user's. What it prints reaches the terminal line by line, without
//! control characters. A stamp in the folder holds the hash of the script that has run.

use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use dyno_measure::files::file_hash;
use dyno_measure::{SandboxFault, setup_arguments};

use super::layout::{PATH, SETUP};
use crate::exit::Outcome;

/// File of the folder with the hash of the script that has run.
const STAMP: &str = ".dyno-setup";

/// Most bytes of a printed line that are shown at once.
const MOST_SHOWN: u64 = 1000;
/// Variables of the script: where programs lie, a home that is empty, and the same language everywhere.
const VARIABLES: [(&str, &str); 3] = [("PATH", PATH), ("HOME", "/tmp"), ("LC_ALL", "C.UTF-8")];

/// Runs the script in `folder`, unless it has run before. It doesn't see the files `hidden`.
pub(super) fn set_up(folder: &Path, hidden: &[PathBuf]) -> Outcome<()> {
    let (script, stamp) = (folder.join(SETUP), folder.join(STAMP));
    let hash = file_hash(&script)?;
    if dyno_api::files::read_to_string(&stamp).is_ok_and(|stamped| stamped.trim() == hash) {
        return Ok(());
    }
    if let Some(fault) = SandboxFault::of_this_host() {
        refuse!("{} can't run in a sandbox: {fault}; {}", script.display(), fault.remedy());
    }
    say!("running {}, once", script.display());
    let status = run(&setup_arguments(folder, hidden, true))?;
    if !status.success() {
        refuse!(
            "{} failed: {status}; see what it printed. It runs without rights, in an empty home, and sees only the \
             operating system and its own folder",
            script.display()
        );
    }
    write_stamp(folder, &stamp, &hash)
        .map_err(|error| bad_input!("can't write {}: {error}; make the folder writable", stamp.display()))
}

/// Runs the script in the sandbox of these arguments.
fn run(arguments: &[String]) -> Outcome<ExitStatus> {
    let (printed, end) = pipe()?;
    let mut command = Command::new("bwrap");
    let variables = VARIABLES.iter().flat_map(|(name, value)| ["--setenv", name, value]);
    command.args(arguments).args(variables).args(["--", "./setup.sh"]);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.stdin(Stdio::null()).stdout(end.try_clone()?).stderr(end);
    let mut child = command.spawn()?;
    drop(command); // which holds the end of the pipe
    show(BufReader::new(printed))?;
    Ok(child.wait()?)
}

/// Shows what the script prints, without characters that steer a terminal.
fn show(mut printed: impl BufRead) -> Outcome<()> {
    let mut line = Vec::new();
    while printed.by_ref().take(MOST_SHOWN).read_until(b'\n', &mut line)? > 0 {
        say!("{}: {}", SETUP, dyno_api::printable_line(String::from_utf8_lossy(&line).trim_end()));
        line.clear();
    }
    Ok(())
}

/// Writes the stamp aside and moves it into place: what the script left there may be a link to another file.
fn write_stamp(folder: &Path, stamp: &Path, hash: &str) -> std::io::Result<()> {
    let mut aside = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(aside, "{hash}")?;
    aside.persist(stamp).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_replaces_a_link_and_leaves_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let [stamp, other] = [STAMP, "other"].map(|name| folder.path().join(name));
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, &stamp).unwrap();
        write_stamp(folder.path(), &stamp, "abc").unwrap();
        assert_eq!(std::fs::read_to_string(&stamp).unwrap(), "abc\n");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    }
}
