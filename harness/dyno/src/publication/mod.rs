//! A publication: measurements copied into a folder that is never changed again, with a page about them.
//!
//! What is copied and what the page shows belong to the commands. This module owns the copy as a whole, and
//! the names and the privacy of published folders.

mod private;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dyno_api::files;
use dyno_measure::files::entries_below;
use dyno_record::Host;
use dyno_results::store::files::write_whole;

pub use private::PrivateFolders;

use crate::exit::{Exit, Outcome, no_answer};
use crate::interrupt::Stop;
use crate::output::say;
use crate::scratch::Scratch;

/// Entries of the run's folder that aren't published: the lock and temporary files.
const UNPUBLISHED: [&str; 2] = ["run.lock", "scratch"];

/// Most letters of the label and of the host's name, as in names of systems. File systems allow 255 in all.
const MOST_LETTERS: usize = 60;

pub const FIGURES: &str = "figures";

/// Beginning of the names of temporary folders, beside the published runs.
const ASIDE: &str = ".publishing-";

/// Copies `files` to `place`, a new folder in `to`, and calls `add` on the copy. Then writes the README.
pub fn publish(
    files: &[Source],
    (to, place): (&Path, &Path),
    readme: Option<(&Path, String)>,
    add: impl Fn(&Path) -> Outcome<()>,
) -> Outcome<()> {
    make_folder(to)?;
    copy(files, place, add)?;
    if let Some((path, text)) = readme {
        write_whole(path, text.as_bytes())?;
    }
    say(
        "note: the records hold this host's commands, with . for this folder and ~ for your home; check them before you share the run",
    );
    Ok(())
}

/// Creates the folder of published runs. A failure is bad input, which the user can correct.
fn make_folder(to: &Path) -> Outcome<()> {
    fs::create_dir_all(to).map_err(|error| {
        let remedy = "choose another folder with --to; nothing was published";
        let fault = if to.is_file() { "it is a file".into() } else { error.to_string() };
        bad_input!("{} can't be the folder of published runs: {fault}; {remedy}", to.display())
    })
}

/// Files to publish, relative to the run's folder. A link could publish any file of this host.
pub fn files_of(run: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = entries_below(run).with_context(|| format!("can't read {}", run.display()))?;
    let inside = entries.iter().filter_map(|entry| entry.strip_prefix(run).ok());
    let inside = inside.filter(|inside| !UNPUBLISHED.iter().any(|left| inside.starts_with(left)));
    let files: Vec<PathBuf> = inside.map(Path::to_owned).collect();
    for file in &files {
        let path = run.join(file);
        files::open_itself(&path).map_err(|error| {
            let remedy = "remove it, or put a copy of the file in its place; nothing was published";
            bad_input!("can't publish {}: {error}; {remedy}", path.display())
        })?;
    }
    Ok(files)
}

/// A file to publish, and its path in the published folder.
pub type Source = (PathBuf, PathBuf);

/// Copies `files` to a temporary folder, calls `add` on it, and renames it to `place`, so that a publication that ends
/// half way leaves nothing.
fn copy(files: &[Source], place: &Path, add: impl Fn(&Path) -> Outcome<()>) -> Outcome<()> {
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

/// Name of a published folder: day, CPU and cores of the host, and the label.
pub fn name(day: &str, host: &Host, label: Option<&str>) -> Outcome<String> {
    let cpu = slug(&host.cpu); // which is ASCII
    let name = format!("{day}-{}-{}c", &cpu[..cpu.len().min(MOST_LETTERS)], host.cores.len());
    let Some(label) = label else { return Ok(name) };
    if slug(label) != label.to_lowercase() || label.is_empty() || label.len() > MOST_LETTERS {
        let rule = format!("use 1 to {MOST_LETTERS} letters, digits and single dashes");
        refuse!("invalid name {label:?}: {rule}");
    }
    Ok(format!("{name}-{label}"))
}

/// `text` in lower-case letters and digits, with single dashes between words.
pub fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_become_folder_names() {
        assert_eq!(slug("AMD EPYC 9R14 (Zen 4)"), "amd-epyc-9r14-zen-4");
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.50GHz"), "intel-r-xeon-r-2-50ghz");
    }
}
