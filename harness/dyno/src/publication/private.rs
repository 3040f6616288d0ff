//! Private folders of this host, which published records don't show.

use std::cmp::Reverse;
use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dyno_api::files;
use dyno_results::COMMAND;
use dyno_results::store::files::write_whole;

use crate::exit::Outcome;

/// Private folders of this host as JSON writes them, each with its replacement.
pub struct PrivateFolders(Vec<(String, String)>);

impl PrivateFolders {
    /// The working folder, the home folder, and `runs` that lie outside of the working folder, which keep their
    /// names alone. The longest comes first: one is often inside another.
    pub fn of_this_host<'a>(runs: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<Self> {
        let here = env::current_dir()
            .context("the working folder was removed; run `dyno publish` in another one")?;
        let outside = |run: &Path| -> Option<(PathBuf, String)> {
            let run = std::path::absolute(run).ok().filter(|run| !run.starts_with(&here))?;
            let name = run.file_name()?.to_string_lossy().into_owned();
            Some((run, name))
        };
        let mut known: Vec<(PathBuf, String)> = runs.into_iter().filter_map(outside).collect();
        known.extend(env::var_os("HOME").map(|home| (home.into(), "~".into())));
        known.push((here, ".".into()));
        let mut places = Vec::new();
        for (folder, sign) in known.into_iter().filter(|(folder, _)| folder.components().count() > 1) {
            let quoted = serde_json::to_string(&folder.to_string_lossy())?;
            places.push((quoted.trim_matches('"').to_owned(), sign));
        }
        places.sort_by_key(|(folder, _)| Reverse(folder.len()));
        Ok(Self(places))
    }

    pub fn shortened(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (folder, sign)| with_folder_replaced(&text, folder, sign))
    }

    /// Replaces the private folders in the copied files; the rest stays the same, byte by byte.
    pub fn shorten_in(&self, run: &Path) -> Outcome<()> {
        let files = ["run.json", "records.jsonl", "verified.json", "metrics.json", COMMAND]
            .map(|name| run.join(name));
        for file in files.iter().filter(|file| file.is_file()) {
            let text = files::read_to_string(file).with_context(|| file.display().to_string())?;
            write_whole(file, self.shortened(text).as_bytes())?;
        }
        Ok(())
    }
}

/// Replaces `folder` by `sign` where a path equals or begins with `folder`, but not inside other paths.
fn with_folder_replaced(text: &str, folder: &str, sign: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, after) = (&rest[..at], &rest[at + folder.len()..]);
        let begins = !ends_in_a_path(if before.is_empty() { &out } else { before });
        let ends = after.starts_with('/') || !after.starts_with(is_of_a_path);
        out.push_str(before);
        out.push_str(if begins && ends { sign } else { folder });
        rest = after;
    }
    out + rest
}

fn is_of_a_path(c: char) -> bool {
    c.is_alphanumeric() || "/._~-".contains(c)
}

/// Whether `text` ends in a character of a path. The end of an escape of JSON, such as `\n`, is none.
fn ends_in_a_path(text: &str) -> bool {
    let escape = text.char_indices().rev().take(ESCAPE_LETTERS).find(|(_, c)| *c == '\\');
    let is_escape = escape.is_some_and(|(at, _)| {
        let (before, letters) = (&text[..at], &text[at + 1..]);
        let slashes = before.chars().rev().take_while(|c| *c == '\\').count();
        let is_whole = letters.len() == if letters.starts_with('u') { 5 } else { 1 };
        slashes % 2 == 0 && is_whole
    });
    !is_escape && text.ends_with(is_of_a_path)
}

/// Characters of the longest escape of JSON: `\u0085`.
const ESCAPE_LETTERS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_elsewhere_keeps_its_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("mine");
        std::fs::create_dir(&run).unwrap();
        let told = |at: &str| format!("dyno run c.toml --out {at}\n");
        std::fs::write(run.join(COMMAND), told(run.to_str().unwrap())).unwrap();
        PrivateFolders::of_this_host([&*run]).unwrap().shorten_in(&run).unwrap();
        assert_eq!(std::fs::read_to_string(run.join(COMMAND)).unwrap(), told("mine"));
    }

    #[test]
    fn a_folder_of_this_host_is_written_short_and_others_stay() {
        let cut = |text| with_folder_replaced(text, "/home/ann", "~");
        assert_eq!(
            cut(r#"["/home/ann/bin/mt","a=\"/home/ann\"","/home/ann"]"#),
            r#"["~/bin/mt","a=\"~\"","~"]"#
        );
        assert_eq!(
            cut(r#""cd a\n/home/ann/bin\u0009/home/ann""#),
            r#""cd a\n~/bin\u0009~""#,
            "after escapes"
        );
        assert_eq!(cut(r#""a\\n/home/ann""#), r#""a\\n/home/ann""#, "a backslash, then a letter of a path");
        for other in ["/home/anna/x", "/mnt/home/ann/x", "/home/ann.old", "/home/an"] {
            assert_eq!(cut(other), other);
        }
    }
}
