//! `dyno completions` and `dyno man`, made from the same definitions as the help.

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::{Exit, Outcome};
use crate::output::print;

pub fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dyno", &mut script);
    print(&String::from_utf8(script).context("the script isn't UTF-8")?)?;
    Ok(Exit::Done)
}

pub fn man() -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    print(&String::from_utf8(page).context("the page isn't UTF-8")?)?;
    Ok(Exit::Done)
}
