//! Files of a run: read with an explanation, written whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;
use serde::{Serialize, de::DeserializeOwned};

use crate::exit::{Outcome, bad_input};

/// What to do about a file of a run that couldn't be written for want of room.
pub(super) const MAKE_ROOM: &str = "make room and run the same command again: it resumes";

/// A JSON file of a run; `None` where there is none.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Outcome<Option<T>> {
    match fs::read(path) {
        Ok(text) => {
            let read = serde_json::from_slice(&text);
            read.map(Some).map_err(|error| bad_input(format!("{} is damaged: {error}", path.display())))
        }
        // A path that leads through a file is refused where the folder is created, with a remedy.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(bad_input(format!("can't read {}: {error}", path.display()))),
    }
}

/// Writes a JSON file, whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(value).context("as JSON")?;
    write_whole(path, &text)
}

/// Writes a file aside and renames it into place, so that nobody ever sees half of it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        // As any file that others may read; the user's umask says who.
        let mut aside =
            tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        aside.write_all(bytes)?;
        aside.as_file().sync_data()?;
        aside.persist(path).map(drop).map_err(|failed| failed.error)
    };
    Ok(write().map_err(|error: io::Error| {
        let is_full = error.kind() == ErrorKind::StorageFull;
        let remedy = if is_full { format!("; {MAKE_ROOM}") } else { String::new() };
        anyhow::Error::from(error).context(format!("can't write {}{remedy}", path.display()))
    })?)
}

/// A file up to its last line end; none reads as empty.
pub(super) fn read_whole_lines(path: &Path) -> Outcome<Vec<u8>> {
    let mut bytes = match fs::read(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Vec::new(),
        read => read.map_err(|error| bad_input(format!("can't read {}: {error}", path.display())))?,
    };
    bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
    Ok(bytes)
}
