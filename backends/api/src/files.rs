//! Regular files, opened without waiting.
//!
//! Opening a named pipe waits for a writer, and reading a device may never end. Every reader of a file that a
//! user, a campaign or a run names opens it here.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Remedy for a full disk or quota.
pub const MAKE_ROOM: &str = "make room and run the same command again";

/// Remedy for a limit of file sizes.
const RAISE_LIMIT: &str = "raise the limit of file sizes (`ulimit -f`) and run the same command again";

/// Remedy for a file that the disk, a quota or a limit doesn't take; `None` for other errors.
pub fn full_disk_remedy(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(MAKE_ROOM),
        io::ErrorKind::FileTooLarge => Some(RAISE_LIMIT),
        _ => None,
    }
}

/// Opens the regular file at `path` for reading; links are followed.
///
/// # Errors
/// When the file can't be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    check(&fs::metadata(path)?)?; // opening a device may already act on it
    opened(path, File::options().read(true), 0)
}

/// As [`open`], but a link at `path` is refused. For folders that others have written.
///
/// # Errors
/// When the file can't be opened, or is no regular file.
pub fn open_itself(path: &Path) -> io::Result<File> {
    check(&fs::symlink_metadata(path)?)?;
    opened(path, File::options().read(true), libc::O_NOFOLLOW)
}

/// Opens the regular file at `path` for reading and writing, and creates it if it is missing. The content
/// stays. A link is refused: writing would change a file elsewhere.
///
/// # Errors
/// When the file can't be opened, or is no regular file.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => (),
        there => check(&there?)?,
    }
    opened(path, File::options().read(true).append(true).create(true), libc::O_NOFOLLOW)
}

/// Content of the regular file at `path`.
///
/// # Errors
/// When the file can't be read, or is no regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Text of the regular file at `path`.
///
/// # Errors
/// When the file can't be read, is no regular file, or isn't UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Opens without waiting, and looks again: something else may lie at `path` by now.
fn opened(path: &Path, options: &mut OpenOptions, flags: i32) -> io::Result<File> {
    let file = options.custom_flags(flags | libc::O_NONBLOCK).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(metadata: &Metadata) -> io::Result<()> {
    match name_of(metadata.file_type()) {
        None => Ok(()),
        Some(other) => {
            let fault = format!("not a regular file but {other}");
            Err(io::Error::new(io::ErrorKind::InvalidInput, fault))
        }
    }
}

/// Name of everything that is no regular file.
fn name_of(kind: FileType) -> Option<&'static str> {
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_symlink() => Some("a symbolic link"),
        () if kind.is_fifo() => Some("a named pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _listener = UnixListener::bind(at("socket")).unwrap();
        for (link, to) in [("to-file", "file"), ("to-pipe", "pipe"), ("to-zero", "/dev/zero")] {
            symlink(to, at(link)).unwrap();
        }
        for (name, told) in [
            ("pipe", "but a named pipe"),
            ("to-pipe", "but a named pipe"),
            ("socket", "but a socket"),
            ("to-zero", "but a device"),
            ("", "but a folder"),
        ] {
            let fault = read(&at(name)).unwrap_err().to_string();
            assert!(fault.ends_with(told), "{name}: {fault}");
        }
        assert_eq!(read_to_string(&at("file")).unwrap(), "text");
        assert_eq!(read(&at("to-file")).unwrap(), b"text");
        assert_eq!(read(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_link_is_refused_where_the_file_itself_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("none", at("dangling")).unwrap();
        assert!(open_itself(&at("file")).is_ok());
        for name in ["link", "dangling"] {
            for fault in [open_itself(&at(name)).unwrap_err(), open_or_create(&at(name)).unwrap_err()] {
                assert!(fault.to_string().ends_with("but a symbolic link"), "{name}: {fault}");
            }
        }
        assert!(open_or_create(&at("new")).is_ok());
        assert_eq!(open_or_create(&at("file")).unwrap().metadata().unwrap().len(), 4, "the content stays");
    }
}
