//! One file a command: what the arguments mean, and what is printed.

pub mod breakdown;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod doctor;
pub mod gate;
pub mod list;
pub mod publish;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod score;
pub mod tokenize;
pub mod translate;
pub mod verify;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use crate::campaign::{self, Campaign};
use crate::exit::{Outcome, bad_input};
use crate::shell;

/// The campaign that was named, or the starter campaign.
fn load_campaign(named: Option<&Path>) -> Outcome<Campaign> {
    let found: Option<PathBuf> = named.map(Into::into).or_else(campaign::starter);
    let remedy = "name a campaign file, or run dyno in its checkout";
    let path = found.ok_or_else(|| bad_input(format!("the starter campaign isn't here: {remedy}")))?;
    Campaign::load(&path)
}

/// Writes to standard output; a reader that went away comes back as an error that `main` forgives.
fn print(text: &str) -> Outcome<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// The command that runs now, as a shell would have to be given it.
fn this_command() -> String {
    let arguments = std::env::args_os().skip(1);
    let quoted = arguments.map(|argument| shell::quoted(&argument.to_string_lossy()));
    ["dyno".to_owned()].into_iter().chain(quoted).collect::<Vec<_>>().join(" ")
}

fn print_json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).context("as JSON")?;
    print(&(text + "\n"))
}
