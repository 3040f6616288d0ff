//! dyno: a dynamometer for machine-translation engines on CPUs. The only binary of the workspace.
//!
//! ```text
//! campaign ─ plan ─► rounds ─► supervisor ─► a system's process (this program's `translate`, or any other)
//!                      │
//!                      ▼
//!                    store ─ score ─► table
//! ```

#![deny(clippy::print_stderr)] // `say` survives a closed standard error

mod cache;
mod campaign;
mod cgroup;
mod cli;
mod commands;
mod compare;
mod day;
mod doctor;
mod exit;
mod forecast;
mod gate;
mod host;
#[cfg(test)]
mod methodology;
mod noise;
mod null;
mod numbers;
mod opening;
mod os;
mod papers;
mod plan;
mod prices;
mod process;
mod products;
mod progress;
mod random;
mod registry;
mod report;
mod reproduce;
mod rounds;
mod rules;
mod say;
mod score;
mod shell;
mod stats;
mod store;
mod supervisor;
mod table;
mod translate;
mod verify;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use exit::{Exit, Failure, Outcome};

fn main() -> ExitCode {
    let exit = dispatch(Cli::parse().command).unwrap_or_else(|failure| complain(&failure));
    ExitCode::from(exit as u8)
}

fn dispatch(command: Option<Command>) -> Outcome {
    match command {
        None => commands::run::run(&cli::RunArgs::default()),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::List(args)) => commands::list::list(&args),
        Some(Command::Report(args)) => commands::report::report(&args),
        Some(Command::Score(args)) => commands::score::score(&args),
        Some(Command::Compare(args)) => commands::compare::compare(&args),
        Some(Command::Doctor(args)) => commands::doctor::doctor(&args),
        Some(Command::Reproduce(args)) => commands::reproduce::reproduce(&args),
        Some(Command::Publish(args)) => commands::publish::publish(&args),
        Some(Command::Completions(args)) => commands::completions::completions(&args),
        Some(Command::Gate(args)) => commands::gate::gate(&args),
        Some(Command::Translate(args)) => commands::translate::translate(*args),
        Some(Command::Breakdown(args)) => commands::breakdown::breakdown(*args),
        Some(Command::Verify(args)) => commands::verify::verify(&args),
        Some(Command::Supervise(args)) => supervisor::supervise(args.control),
        Some(Command::GiveBack) => Ok(rounds::give_back().map(|()| Exit::Done)?),
        Some(Command::Tokenize(args)) => commands::tokenize::tokenize(&args),
        Some(Command::Convert(args)) => commands::convert::convert(&args),
    }
}

/// One line on standard error. A reader that went away is no error.
fn complain(failure: &Failure) -> Exit {
    let broken_pipe = |cause: &io::Error| cause.kind() == ErrorKind::BrokenPipe;
    if failure.error.chain().filter_map(|cause| cause.downcast_ref()).any(broken_pipe) {
        return Exit::Done;
    }
    say::say(format_args!("dyno: {}", in_one_line(&failure.error)));
    failure.exit
}

/// The chain of causes. Some errors tell theirs themselves: then it isn't told twice.
fn in_one_line(error: &anyhow::Error) -> String {
    error
        .chain()
        .map(ToString::to_string)
        .reduce(|told, cause| if told.ends_with(&cause) { told } else { format!("{told}: {cause}") })
        .unwrap_or_default()
}
