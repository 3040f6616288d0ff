//! The command line, as people type it.

use std::os::fd::RawFd;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::campaign::{Profile, Track};
use crate::plan::Filters;

/// dyno measures machine-translation engines on CPUs, honestly.
///
/// Without a command it runs the starter campaign: `dyno` is `dyno run`.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 done, or yes; 1 the answer is no (INVALID, differs); 2 bad request or input; \
4 nothing was measured; 6 the bench itself failed; 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a campaign's systems; the starter campaign if none is named
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// List a campaign's systems and test sets, and the backends and tracks
    List(ListArgs),
    /// Score a run again, or for the first time where sacrebleu was missing
    Score(ScoreArgs),
    /// Translate standard input to standard output with a built-in backend
    #[command(after_help = TRANSLATE_EXAMPLES)]
    Translate(TranslateArgs),
    /// (internal) Start a system with limits and accounting
    #[command(hide = true)]
    Supervise(SuperviseArgs),
}

const RUN_EXAMPLES: &str = "Examples:
  dyno run                                  the starter campaign
  dyno run my.toml --dry-run                what would be measured, and how long it takes
  dyno run my.toml -s 'ssru*' --track latency
  dyno run my.toml --profile standard --out here";

const TRANSLATE_EXAMPLES: &str = "Examples:
  echo 'A man sleeps.' | dyno translate --backend null
  dyno translate --backend null --set word-us=20 --track throughput-1 <in >out";

/// `dyno run`.
#[derive(Args, Default)]
pub struct RunArgs {
    /// The campaign file; the starter campaign if absent
    pub campaign: Option<PathBuf>,
    #[command(flatten)]
    pub filters: Filters,
    /// How thorough, instead of what the campaign says
    #[arg(long, short)]
    pub profile: Option<Profile>,
    /// Put the run into this folder, and resume there; else a new folder below runs/
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `dyno list`.
#[derive(Args)]
pub struct ListArgs {
    /// The campaign file; the starter campaign if absent
    pub campaign: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `dyno score`.
#[derive(Args)]
pub struct ScoreArgs {
    /// The campaign file of the run, for its references; the starter campaign if absent
    #[arg(long, value_name = "FILE")]
    pub campaign: Option<PathBuf>,
    /// The run's folder
    pub run: PathBuf,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `dyno translate`.
#[derive(Args)]
pub struct TranslateArgs {
    /// Which backend
    #[arg(long, short)]
    pub backend: String,
    /// A model of it; several are an ensemble
    #[arg(long = "model", short, value_name = "PATH")]
    pub models: Vec<PathBuf>,
    /// A setting of the backend, NAME=VALUE; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// The protocol to follow; latency at a terminal, throughput-1 otherwise
    #[arg(long)]
    pub track: Option<Track>,
    /// How many workers; throughput-all only
    #[arg(long, default_value_t = 1, value_parser = cores)]
    pub cores: usize,
    /// Leave facts about the model here, as JSON
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
}

fn setting(text: &str) -> Result<(String, serde_json::Value), String> {
    dyno_api::parse_setting(text).ok_or_else(|| "write it as NAME=VALUE, such as beam=4".into())
}

fn cores(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(cores @ 1..=1024) => Ok(cores),
        _ => Err("a number from 1 to 1024".into()),
    }
}

/// `dyno supervise`.
#[derive(Args)]
pub struct SuperviseArgs {
    /// Descriptor of the socket to the bench
    #[arg(long)]
    pub control: RawFd,
}
