//! The command line, as people type it.

mod engines;
mod measuring;
mod runs;
pub mod values;

use clap::{Args, Parser, Subcommand};

pub use engines::{BreakdownArgs, ConvertArgs, DecodingArgs, HostedArgs, TokenizeArgs, TranslateArgs};
pub use measuring::{DoctorArgs, GateArgs, ReproduceArgs, RunArgs, VerifyArgs};
pub use runs::{CompareArgs, ListArgs, PriceArgs, PublishArgs, ReportArgs, ScoreArgs};

/// dyno measures machine-translation engines on CPUs, honestly.
///
/// Without a command it runs the starter campaign: `dyno` is `dyno run`.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXAMPLES_AND_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES_AND_CODES: &str = "Examples:
  dyno                                      the starter campaign, its tables and its page
  dyno run my.toml --dry-run
  dyno report runs/starter-3f9a
  dyno help run

Exit codes: 0 done, or yes; 1 the answer is no (regressed, INVALID, differs); 2 bad request or
input; 3 hosts can't be compared; 4 nothing was measured; 5 a gated cell is INVALID; 6 the bench
itself failed; 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a campaign's systems; the starter campaign if none is named
    #[command(after_help = measuring::RUN_EXAMPLES)]
    Run(RunArgs),
    /// List a campaign's systems and test sets, and the backends, tracks and prices
    #[command(after_help = runs::LIST_EXAMPLES)]
    List(ListArgs),
    /// Score a run again, or for the first time where sacrebleu was missing; price it anew
    #[command(after_help = runs::SCORE_HELP)]
    Score(ScoreArgs),
    /// Write the page on a run: what to choose, and whether to trust it
    #[command(after_help = runs::REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Check that a system keeps the rules: conformance and probes, no measuring
    #[command(after_help = measuring::VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Compare two runs of one host, cell by cell
    #[command(after_help = runs::COMPARE_HELP)]
    Compare(CompareArgs),
    /// Is a system slower, worse or bigger than its baseline? For CI: the exit code answers
    #[command(after_help = measuring::GATE_HELP)]
    Gate(GateArgs),
    /// Is this host fit to measure? Each finding comes with a remedy
    #[command(after_help = measuring::DOCTOR_HELP)]
    Doctor(DoctorArgs),
    /// Measure a paper's table again, and print its figures beside ours
    #[command(after_help = measuring::REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Copy a finished run into results/, where nothing is ever overwritten
    #[command(after_help = runs::PUBLISH_HELP)]
    Publish(PublishArgs),
    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Translate standard input to standard output with a built-in backend or a plugin
    #[command(after_help = engines::TRANSLATE_EXAMPLES)]
    Translate(Box<TranslateArgs>),
    /// Tell where a backend's time goes, by component and by operator
    #[command(after_help = engines::BREAKDOWN_HELP)]
    Breakdown(Box<BreakdownArgs>),
    /// Turn lines into the ids of a vocabulary
    #[command(after_help = engines::TOKENIZE_EXAMPLES)]
    Tokenize(TokenizeArgs),
    /// Make a model directory out of a Marian model, at the precisions that are wanted
    #[command(after_help = engines::CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Print the manual page, for `man`
    #[command(hide = true)]
    Man,
}

const COMPLETIONS_HELP: &str = "Examples:
  dyno completions bash > ~/.local/share/bash-completion/completions/dyno
  dyno completions fish > ~/.config/fish/completions/dyno.fish
  source <(dyno completions zsh)";

/// `dyno completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// Shell that completes
    pub shell: clap_complete::Shell,
}
