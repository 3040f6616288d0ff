//! The single run of `setup.sh`, in which a submission of `wmt26` installs what it needs.
//!
//! The script may use the network and write to its own folder. It runs in the sandbox without references, so
//! that nothing of them gets into the folder. A stamp in the folder holds the hash of the script that has
//! run.

use std::fs;
use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dyno_measure::SandboxFault;
use dyno_measure::files::file_hash;

use super::layout::SETUP;
use crate::exit::{Outcome, bad_input};
use crate::output::say;

/// File of the folder with the hash of the script that has run.
const STAMP: &str = ".dyno-setup";

/// Runs the script in `folder`, unless it has run before. It doesn't see the files `hidden`.
pub(super) fn set_up(folder: &Path, hidden: &[PathBuf]) -> Outcome<()> {
    let (script, stamp) = (folder.join(SETUP), folder.join(STAMP));
    let hash = file_hash(&script)?;
    if fs::read_to_string(&stamp).is_ok_and(|stamped| stamped.trim() == hash) {
        return Ok(());
    }
    if let Some(fault) = SandboxFault::of_this_host() {
        return Err(bad_input(format!(
            "{} can't run in a sandbox: {fault}; {}",
            script.display(),
            fault.remedy()
        )));
    }
    say(format_args!("running {}, once", script.display()));
    let mut command = Command::new("bwrap");
    command.args(arguments(folder, hidden)).stdin(Stdio::null()).stdout(stderr());
    let status = command.status()?;
    if !status.success() {
        return Err(bad_input(format!("{} failed: {status}; run it by hand to see why", script.display())));
    }
    fs::write(&stamp, hash + "\n").map_err(|error| {
        bad_input(format!("can't write {}: {error}; make the folder writable", stamp.display()))
    })
}

/// Arguments of bubblewrap, and the script: a read-only host, a folder to write to, and the host's network.
fn arguments(folder: &Path, hidden: &[PathBuf]) -> Vec<String> {
    let own = folder.display().to_string();
    let begin = [
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
        "--setenv",
        "HOME",
        "/tmp",
    ];
    let place = ["--bind", &own, &own];
    let covered = |path: &PathBuf| {
        let path = path.display().to_string();
        match Path::new(&path).is_dir() {
            true => vec!["--tmpfs".to_owned(), path],
            false => vec!["--ro-bind".to_owned(), "/dev/null".to_owned(), path],
        }
    };
    let hidden = hidden.iter().filter_map(|path| path.canonicalize().ok()).flat_map(|path| covered(&path));
    let end = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--chdir", &own, "--", "./setup.sh"];
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    owned(&begin).into_iter().chain(owned(&place)).chain(hidden).chain(owned(&end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_may_write_to_its_folder_and_sees_no_reference() {
        let reference = tempfile::NamedTempFile::new().unwrap();
        let path = reference.path().canonicalize().unwrap();
        let line = arguments(Path::new("/home/me/sub"), &[path.clone(), "/absent".into()]).join(" ");
        assert!(line.contains("--bind /home/me/sub /home/me/sub"), "{line}");
        assert!(line.contains(&format!("--ro-bind /dev/null {}", path.display())), "{line}");
        assert!(!line.contains("/absent") && !line.contains("--unshare-net"), "{line}");
        assert!(line.ends_with("--chdir /home/me/sub -- ./setup.sh"), "{line}");
    }
}
