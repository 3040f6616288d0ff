//! The copy of measurements: made aside and moved to its place when it is complete, so that a publication
//! that ends half way leaves nothing.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dyno_api::files;

use crate::exit::{Exit, Outcome, no_answer};
use crate::interrupt::Stop;
use crate::scratch::Scratch;

/// Beginning of the names of temporary folders, beside the published runs.
const ASIDE: &str = ".publishing-";

/// A file to publish, and its path in the published folder.
pub type Source = (PathBuf, PathBuf);

/// Copies `files` to a temporary folder, calls `add` on it, and renames it to `place`.
pub fn copy(files: &[Source], place: &Path, add: impl Fn(&Path) -> Outcome<()>) -> Outcome<()> {
    let stop = Stop::on_signals(|| ())?;
    let to = place.parent().unwrap_or(Path::new("."));
    let copied = || -> anyhow::Result<bool> {
        let aside = Scratch::create_in(to, ASIDE)?;
        let folder = aside.path().join("run");
        fs::create_dir(&folder)?;
        for (from, inside) in files.iter().take_while(|_| !stop.is_wanted()) {
            copy_file(from, &folder.join(inside))?;
        }
        if stop.is_wanted() {
            return Ok(false);
        }
        add(&folder).map_err(|failure| failure.error)?;
        fs::rename(folder, place)?;
        Ok(true)
    };
    let remedy =
        "make it writable and free some space, or choose another folder with --to; nothing was published";
    match copied().with_context(|| format!("can't publish to {}; {remedy}", place.display()))? {
        true => Ok(()),
        false => Err(no_answer(Exit::Interrupted, "interrupted; nothing was published")),
    }
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut target = File::create_new(to)?;
    io::copy(&mut files::open_itself(from)?, &mut target)?;
    target.sync_all()
}
