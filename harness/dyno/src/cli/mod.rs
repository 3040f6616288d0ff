//! The command line: commands, options, help texts and examples.
//!
//! Parsing lies here, so that the help of all commands reads alike. What an option does belongs to
//! `commands`.

pub mod clusters;
pub mod engines;
pub mod measuring;
#[cfg(feature = "papers")]
pub mod papers;
pub mod runs;
pub mod values;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, Parser, Subcommand};

/// A benchmark for machine-translation engines on CPUs.
///
/// dyno starts each system as a child process. It measures speed, memory and quality, and checks that the
/// system keeps the rules. Without a command, dyno runs the starter campaign, as `dyno run` does.
#[derive(Parser)]
#[command(name = "dyno", version, propagate_version = true, after_help = EXAMPLES_AND_CODES)]
pub struct Cli {
    /// Command to run; `run` if absent.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES_AND_CODES: &str = "Examples:
  dyno                                      measure the starter campaign
  dyno run my.toml --dry-run                show what a campaign would measure
  dyno verify --command './run.sh'          check a system of your own
  dyno report runs/starter-3f9a             write the report on a run
  dyno run --help                           show all options of a command

Exit codes:
    0  done, or the answer is yes
    1  the answer is no: a regression, an INVALID system or a slower run
    2  bad request or bad input
    3  the hosts differ, so their speeds can't be compared
    4  nothing was measured, or too little to be judged
    5  a gated cell is INVALID
    6  the bench itself failed
    7  undecided: the host was disturbed, or more rounds are needed
  130  interrupted";

/// Commands of dyno.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a campaign: speed, memory and quality of its systems
    Run(measuring::RunArgs),
    /// List what a campaign measures and what this build offers
    List(runs::ListArgs),
    /// List the adapters of other projects' engines, with the campaign lines for each
    Adapters(runs::AdaptersArgs),
    /// Check that a system keeps the rules, without measuring it
    Verify(measuring::VerifyArgs),
    /// Check whether this host is fit to measure
    Doctor(measuring::DoctorArgs),
    /// Score the translations of a run, and price it
    Score(runs::ScoreArgs),
    /// Write the HTML report on a run
    Report(runs::ReportArgs),
    /// Say in words why a system of a run is where it is
    Explain(runs::ExplainArgs),
    /// Write the figures of a run in the form of another program
    Export(runs::ExportArgs),
    /// Write the scripts that measure a campaign on many machines
    Cluster(clusters::ClusterArgs),
    /// Write a static page over many published runs
    Leaderboard(runs::LeaderboardArgs),
    /// Merge the runs of several hosts, or the shards of one campaign
    Merge(runs::MergeArgs),
    /// Compare two runs of one host
    Compare(runs::CompareArgs),
    /// Copy a finished run into the folder of published runs
    Publish(runs::PublishArgs),
    /// Test candidates for regressions against a baseline, for CI
    Gate(measuring::GateArgs),
    /// Measure the tables of published papers again
    #[cfg(feature = "papers")]
    Reproduce(papers::ReproduceArgs),
    #[command(flatten)]
    Hosting(Hosting),
    /// Show where a backend spends its time
    Breakdown(Box<engines::BreakdownArgs>),
    /// Print the vocabulary ids of each line of standard input
    Tokenize(engines::TokenizeArgs),
    /// Convert a model of Marian or of another project into a model directory
    Convert(engines::ConvertArgs),
    /// Make a submission to a shared task of a model
    Bundle(engines::BundleArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, for `man`
    #[command(hide = true)]
    Man,
}

/// The command that starts a system.
#[derive(Subcommand)]
pub enum Hosting {
    /// Translate standard input with a built-in backend or a plugin
    Translate(Box<engines::TranslateArgs>),
}

/// The command line as a measured system has it. The options of all commands take a tenth of a system's start
/// and half a megabyte of its memory.
#[derive(Parser)]
#[command(name = "dyno", version, propagate_version = true)]
struct HostingCli {
    #[command(subcommand)]
    command: Hosting,
}

impl Cli {
    /// The command of this program's arguments.
    pub fn read() -> Result<Option<Command>, clap::Error> {
        if std::env::args_os().nth(1).is_some_and(|command| command == "translate") {
            return Ok(Some(Command::Hosting(HostingCli::try_parse()?.command)));
        }
        Ok(Self::try_parse().map_err(with_suggestion)?.command)
    }
}

/// A refusal of an unknown command with the command that was meant. clap's own measure, Jaro's, misses swapped letters
/// in short words, such as `rnu`.
fn with_suggestion(mut refusal: clap::Error) -> clap::Error {
    let Some(ContextValue::String(typed)) = refusal.get(ContextKind::InvalidSubcommand) else {
        return refusal;
    };
    let known = Cli::command();
    let names = known.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    if let Some(meant) = dyno_api::closest(typed, names) {
        let meant = ContextValue::Strings(vec![meant.into()]);
        refusal.insert(ContextKind::SuggestedSubcommand, meant);
    }
    refusal
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno completions bash > ~/.local/share/bash-completion/completions/dyno
  dyno completions fish > ~/.config/fish/completions/dyno.fish
  source <(dyno completions zsh)")]
pub struct CompletionsArgs {
    /// Shell that completes the commands
    pub shell: clap_complete::Shell,
}
