//! dyno: a dynamometer for machine-translation engines on CPUs. The program is `main.rs`; this library is all
//! of it, so that tests and fuzzing reach its parsers.
//!
//! | module | owns |
//! | --- | --- |
//! | `cli`, `commands` | arguments and help texts; a file or folder for each command |
//! | `campaign`, `filters` | campaign files, and their narrowing by the command line |
//! | `submission` | submissions to shared tasks |
//! | `runner` | rounds, probes and whole campaigns, for run, gate, reproduce and verify |
//! | `tuning`, `forecast`, `ceiling` | opening and tuning of systems; the expected and the longest time of a run |
//! | `publication` | published folders: what is copied, and how private paths are shortened |
//! | `scratch` | temporary folders, also those of dead benches |
//! | `papers` | `dyno reproduce` and what reports show of papers; a feature |
//! | `scoring`, `page` | scores, and the files of the report |
//! | `table`, `progress`, `output`, `precision` | output in the terminal |
//! | `exit`, `interrupt` | exit codes, and signals |

#![cfg_attr(not(feature = "papers"), allow(dead_code, unused_imports))] // what only the papers' tables need
#![deny(clippy::print_stderr)] // `say` ignores a closed standard error, `eprintln!` panics

#[macro_use]
mod exit;
#[macro_use]
mod output;

mod campaign;
mod ceiling;
mod cli;
mod commands;
mod filters;
mod forecast;
mod interrupt;
mod page;
#[cfg_attr(not(feature = "papers"), path = "no_papers.rs")]
mod papers;
mod precision;
mod progress;
mod publication;
mod runner;
mod scoring;
mod scratch;
mod submission;
mod table;
mod tuning;

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;

use dyno_api::printable_line;

use clap::error::{ContextKind, ContextValue};
use cli::{Cli, Command, Hosting};
use exit::{Complaint, Exit, Failure, Outcome, in_one_line};

/// The program.
pub fn main() -> ExitCode {
    dyno_measure::enter(); // the same program is also the supervisor
    interrupt::fail_writes_beyond_the_limit();
    let command = Cli::read().unwrap_or_else(|refusal| refuse(&refusal));
    let exit = dispatch(command).unwrap_or_else(|failure| complain(&failure));
    ExitCode::from(exit as u8)
}

/// Reads and checks the campaign at `path`, with the files that it names.
pub fn check_campaign(path: &Path) -> Result<(), String> {
    campaign::Campaign::load(path).map(drop).map_err(|failure| printable_line(&in_one_line(&failure.error)))
}

/// Reads what a counter of instructions, perf or cachegrind, leaves in a file; `None` without a count.
pub fn check_counts(text: &str) -> Option<()> {
    use commands::gate::Counter;
    let texts = [text.to_owned()];
    [Counter::Perf, Counter::Cachegrind].iter().find_map(|counter| counter.counts(&texts)).map(drop)
}

fn dispatch(command: Option<Command>) -> Outcome {
    match command {
        None => commands::run::run_starter(),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::List(args)) => commands::list::list(&args),
        Some(Command::Report(args)) => commands::report::report(&args),
        Some(Command::Score(args)) => commands::score::score(&args),
        Some(Command::Adapters(args)) => commands::adapters::adapters(&args),
        Some(Command::Cluster(args)) => commands::cluster::cluster(&args),
        Some(Command::Explain(args)) => commands::explain::explain(&args),
        Some(Command::Export(args)) => commands::export::export(&args),
        Some(Command::Leaderboard(args)) => commands::leaderboard::leaderboard(&args),
        Some(Command::Merge(args)) => commands::merge::merge(&args),
        Some(Command::Compare(args)) => commands::compare::compare(&args),
        Some(Command::Doctor(args)) => commands::doctor::doctor(&args),
        #[cfg(feature = "papers")]
        Some(Command::Reproduce(args)) => papers::reproduce(&args),
        Some(Command::Publish(args)) => commands::publish::publish(&args),
        Some(Command::Completions(args)) => commands::completions::completions(&args),
        Some(Command::Man) => commands::completions::man(),
        Some(Command::Gate(args)) => commands::gate::gate(&args),
        Some(Command::Hosting(Hosting::Translate(args))) => commands::translate::translate(*args),
        Some(Command::Breakdown(args)) => commands::breakdown::breakdown(*args),
        Some(Command::Verify(args)) => commands::verify::verify(&args),
        Some(Command::Tokenize(args)) => commands::tokenize::tokenize(&args),
        Some(Command::Convert(args)) => commands::convert::convert(&args),
        Some(Command::Bundle(args)) => commands::bundle::bundle(&args),
    }
}

/// Prints the failure in one line on standard error. A closed pipe isn't an error.
fn complain(failure: &Failure) -> Exit {
    let broken_pipe = |cause: &io::Error| cause.kind() == ErrorKind::BrokenPipe;
    if failure.error.chain().filter_map(|cause| cause.downcast_ref()).any(broken_pipe) {
        return Exit::Done;
    }
    let message = in_one_line(&failure.error);
    say!("dyno: {}", printable_line(&message));
    answer_in_json(&Complaint::of(&failure.error));
    failure.exit
}

/// Ends the program as clap does, after a refusal of the command line, or a help text.
fn refuse(refusal: &clap::Error) -> ! {
    if refusal.use_stderr() {
        let text = refusal.to_string();
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        let error = paragraph.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
        let meant = match refusal.get(ContextKind::SuggestedSubcommand) {
            Some(ContextValue::Strings(meant)) => meant.first().map(|meant| format!("did you mean {meant}?")),
            _ => None,
        };
        answer_in_json(&Complaint { error, remedy: meant });
    }
    refusal.exit()
}

/// Prints the complaint as the answer on standard output, where the command line asks for JSON.
fn answer_in_json(complaint: &Complaint) {
    if output::wants_json() {
        // A closed standard output must not hide the exit code.
        let _ = output::print_json("error", complaint);
    }
}
