//! Files of a run: read with clear errors, written whole or not at all.

use std::fs::Permissions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dyno_api::files;
use dyno_record::json;
use serde::{Serialize, de::DeserializeOwned};

use crate::error::{Error, Result};

/// A JSON file of a run; `None` if the file is absent.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let text = read_if_there(path)?;
    text.map(|text| json::read(&text)).transpose().map_err(|fault| Error::Damaged(path.into(), fault))
}

/// A file of a run; `None` if the file is absent.
pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match files::read(path) {
        Ok(text) => Ok(Some(text)),
        // A path through a file fails with a remedy where the folder is created.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(Error::Unreadable(path.into(), source)),
    }
}

/// Writes a JSON file, whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(Error::encoding("a file of the run"))?;
    write_whole(path, &text)
}

/// Writes a file aside and renames it into place, so that readers never see half a file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        // A temporary file is private; this one gets the permissions of any new file, by the user's umask.
        let mut aside =
            tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        aside.write_all(bytes)?;
        aside.as_file().sync_data()?;
        aside.persist(path).map(drop).map_err(|failed| failed.error)
    };
    write().map_err(|source| Error::Unwritable(path.into(), source))
}

/// A file up to its last line end; a missing file reads as empty.
pub(crate) fn read_whole_lines(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = read_if_there(path)?.unwrap_or_default();
    bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::CellBreakdown;

    #[test]
    fn a_damaged_file_is_told_with_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("breakdowns.json");
        let told = |text: &str| {
            write_whole(&path, text.as_bytes()).unwrap();
            read_json::<Vec<CellBreakdown>>(&path).unwrap_err().to_string()
        };
        let fault = told("[{\"system\": \"one\", \"test_set\": 3}]");
        assert!(fault.contains("breakdowns.json, [0].test_set: invalid type"), "{fault}");
        let fault = told("");
        assert!(fault.contains("breakdowns.json: EOF"), "{fault}");
    }
}
