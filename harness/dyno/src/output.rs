//! Output of the commands: results on standard output or into files, everything else on standard error.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use dyno_api::files::full_disk_remedy;
use dyno_api::{look_alikes, printable, printable_json};
use serde::Serialize;

use crate::exit::{Exit, Outcome};

/// Prints a line on standard error, from a format and its arguments.
macro_rules! say {
    ($($line:tt)*) => { $crate::output::say(format_args!($($line)*)) };
}

/// Prints one line on standard error. A closed or full standard error must not end a run, so failures are
/// ignored.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&line.to_string()));
}

/// Warns of different names that people take for each other.
pub fn warn_of_look_alikes(names: &[&str]) {
    for (a, b) in look_alikes(names) {
        let remedy = "rename one of them, to tell them apart";
        say!("warning: the names \"{}\" and \"{}\" look alike: {remedy}", spelt(a), spelt(b));
    }
}

/// `name` with escapes for all letters outside of ASCII, to show how two names differ.
fn spelt(name: &str) -> String {
    let letter =
        |c: char| if c.is_ascii() { c.escape_debug().to_string() } else { c.escape_unicode().to_string() };
    name.chars().map(letter).collect()
}

/// Prints `text` on standard output. Names and facts in it come from files and programs of others. A closed pipe
/// is an error that `main` ignores.
pub fn print(text: &str) -> Outcome<()> {
    write(&printable(text))
}

/// As [`print()`], with INVALID in red on a terminal, unless NO_COLOR is set (no-color.org).
pub fn print_verdicts(text: &str) -> Outcome<()> {
    let asked_not_to = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match std::io::stdout().is_terminal() && !asked_not_to {
        true => write(&printable(text).replace("INVALID", "\x1b[31mINVALID\x1b[0m")),
        false => print(text),
    }
}

fn write(text: &str) -> Outcome<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Version of the answers of `--json`, which docs/answer.schema.json describes.
const VERSION: u32 = 1;

/// Prints `fields` on standard output, as the JSON of the answer `name`.
pub fn print_json(name: &str, fields: &impl Serialize) -> Outcome<()> {
    let answer = Answer { version: VERSION, answer: name, fields };
    let text = serde_json::to_string_pretty(&answer).context("can't write the result as JSON")?;
    write(&(printable_json(&text) + "\n"))
}

pub fn answer(as_json: bool, name: &str, fields: &impl Serialize, text: impl FnOnce() -> String) -> Outcome {
    let printed = if as_json { print_json(name, fields) } else { print(&text()) };
    printed.map(|()| Exit::Done)
}

/// An answer in JSON: the fields of all answers, then its own.
#[derive(Serialize)]
struct Answer<'a, T: Serialize> {
    version: u32,
    answer: &'a str,
    #[serde(flatten)]
    fields: &'a T,
}

/// Whether the command line asks for JSON. It is read before it is parsed, because errors of parsing are
/// answers too.
pub fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

pub fn write_json(value: &impl Serialize, path: &Path) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(value).context("can't write the result as JSON")?;
    std::fs::write(path, text).map_err(|error| {
        let remedy = full_disk_remedy(&error).map_or_else(String::new, |remedy| format!("; {remedy}"));
        bad_input!("can't write {}: {error}{remedy}", path.display())
    })
}

/// Creates the folder that `option` names.
pub fn create_folder(folder: &Path, option: &str) -> Outcome<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        bad_input!("can't create {}: {error}; name another folder with {option}", folder.display())
    })
}

/// Folder in which `path` lies: the working folder for a name alone.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Name of a folder, also of one that a link or `.` stands for.
pub fn name_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.file_name().unwrap_or_default().display().to_string()
}

/// Command line of this process, quoted for a shell.
pub fn this_command() -> String {
    let given: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
    let words = std::iter::once("dyno").chain(given.iter().map(String::as_str));
    // Quoting fails only for a NUL, which no argument of a process can hold.
    shlex::try_join(words).unwrap_or_else(|_| "dyno".into())
}
