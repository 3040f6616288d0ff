//! Arguments of the commands that start systems: run, verify, gate; and doctor, which looks at where they run.

use std::path::PathBuf;

use clap::Args;

use super::runs::PriceArgs;
use super::values::{probe, profile, setting, track};
use crate::filters::Filters;
use dyno_measure::Track;
use dyno_measure::{Probe, Profile};
use dyno_results::compare::{LEAST_PAIRS, MOST_PAIRS, PAIRS};

pub(super) const RUN_EXAMPLES: &str = "Examples:
  dyno run                                  the starter campaign
  dyno run my.toml --dry-run                what would be measured, and how long it takes
  dyno run my.toml -s 'ssru*' --track latency
  dyno run my.toml --profile standard --out here";

/// `dyno run`.
#[derive(Args, Default)]
pub struct RunArgs {
    /// The campaign file; the starter campaign if absent
    pub campaign: Option<PathBuf>,
    #[command(flatten)]
    pub filters: Filters,
    /// How thorough, instead of what the campaign says
    #[arg(long, short, value_parser = profile())]
    pub profile: Option<Profile>,
    /// Put the run into this folder, and resume there; else a new folder below runs/
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub price: PriceArgs,
    /// Don't measure beforehand which way through each product is fastest here; take those built in
    #[arg(long)]
    pub no_tune: bool,
    /// Say which way was chosen for each product, and what it gains over the one built in
    #[arg(long, conflicts_with = "no_tune")]
    pub explain: bool,
    /// Say what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

pub(super) const VERIFY_EXAMPLES: &str = "Examples:
  dyno verify my.toml --system my-engine
  dyno verify --command './run.sh --threads {cores}'
  dyno verify --command 'python3 echo.py' --probe buffering --track latency
  dyno verify --backend ssru --model models/ssru --json";

/// `dyno verify`.
#[derive(Args)]
pub struct VerifyArgs {
    /// The campaign file whose systems are verified; the starter campaign if absent
    pub campaign: Option<PathBuf>,
    /// Only systems of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN")]
    pub systems: Vec<String>,
    /// Verify this shell command instead of a campaign's systems; {cores}, {core-list} and {track} are filled in
    #[arg(long, short, value_name = "COMMAND", conflicts_with_all = ["systems", "campaign", "backend", "plugin", "models"])]
    pub command: Option<String>,
    /// Verify this backend instead of a campaign's systems
    #[arg(long, short, conflicts_with_all = ["systems", "campaign"])]
    pub backend: Option<String>,
    /// Verify this plugin, a shared library, instead of a campaign's systems
    #[arg(long, value_name = "FILE", conflicts_with_all = ["systems", "campaign", "backend"])]
    pub plugin: Option<PathBuf>,
    /// A model for the backend; may be repeated for an ensemble
    #[arg(long = "model", short, value_name = "PATH", conflicts_with_all = ["systems", "campaign"])]
    pub models: Vec<PathBuf>,
    /// A setting of the backend, NAME=VALUE; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, conflicts_with_all = ["systems", "campaign", "command"])]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Only this probe; may be repeated
    #[arg(long = "probe", short, value_name = "PROBE", value_parser = probe())]
    pub probes: Vec<Probe>,
    /// Only this track; may be repeated. Else the campaign's, or latency and throughput-1
    #[arg(long = "track", value_name = "TRACK", value_parser = track())]
    pub tracks: Vec<Track>,
    /// Seconds that a line may take in the latency track; the first, with loading, four times as long [campaign: its own; else 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub line_seconds: Option<f64>,
    /// Seconds that a launch may take [campaign: its own; else 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub launch_seconds: Option<f64>,
    /// Its answers are drawn at random on purpose
    #[arg(long)]
    pub sampling: bool,
    /// Print the verdict as JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

pub(super) const GATE_HELP: &str = "Examples:
  dyno gate my.toml --baseline marian -s mine                   two systems of the campaign
  dyno gate my.toml --baseline-dyno ./dyno-of-main              the same systems, run by another dyno
  dyno gate my.toml -s mine --baseline './old/run.sh {cores}'   another program
  dyno gate my.toml --baseline results/2026-11-21-host          a stored run of at least 9 rounds, same host

Exit codes: 0 no regression; 1 regressed; 2 bad request; 3 the stored run is of another host; 4 nothing was
measured, or too little; 5 a gated cell is INVALID; 6 the bench itself failed.";

/// `dyno gate`.
#[derive(Args)]
pub struct GateArgs {
    /// The campaign file; the starter campaign if absent
    pub campaign: Option<PathBuf>,
    #[command(flatten)]
    pub filters: Filters,
    /// What to hold against: a system of the campaign, a command, or the folder of a run
    #[arg(long, value_name = "SYSTEM|COMMAND|RUN", conflicts_with = "baseline_dyno")]
    pub baseline: Option<String>,
    /// Another dyno, which runs the same built-in systems
    #[arg(long, value_name = "PROGRAM")]
    pub baseline_dyno: Option<PathBuf>,
    /// Pairs of rounds a cell, 9 to 1000; as many again where a regression is suspected
    #[arg(long, value_name = "N", default_value_t = PAIRS, value_parser = pairs)]
    pub pairs: usize,
    /// BLEU below this is a regression
    #[arg(long, value_name = "BLEU", value_parser = amount)]
    pub min_bleu: Option<f64>,
    /// Peak memory above this is a regression
    #[arg(long, value_name = "MIB", value_parser = amount)]
    pub max_memory: Option<f64>,
    /// A model above this size is a regression
    #[arg(long, value_name = "MIB", value_parser = amount)]
    pub max_model: Option<f64>,
    /// Keep the rounds in this folder, as a run
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(super) const DOCTOR_HELP: &str = "Examples:
  dyno doctor
  dyno doctor --json | jq .fit

Exit codes: 0 fit, maybe with warnings; 1 not fit.";

/// `dyno doctor`.
#[derive(Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What is too few is the gate's own to refuse, with the exit code of nothing measured.
fn pairs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(pairs @ 0..=MOST_PAIRS) => Ok(pairs),
        _ => Err(format!("a number from {LEAST_PAIRS} to {MOST_PAIRS}; more take days and tell no more")),
    }
}

/// A limit that isn't a number would never be exceeded.
fn amount(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| *amount >= 0.0 && amount.is_finite());
    amount.ok_or_else(|| "a number, 0 or more".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        // As in campaigns: beyond eleven days nobody waits.
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("a number of seconds above 0 and at most 1,000,000".into()),
    }
}

pub(super) const REPRODUCE_EXAMPLES: &str = "Examples:
  dyno reproduce                              the tables that there are
  dyno reproduce devlin-1 --quick             a first look, in minutes
  dyno reproduce marian-2 opennmt-3 --markdown
  dyno reproduce --all -o tables.html         hours; interrupt it and run it again: it resumes

Models are drawn at the papers' dimensions into the user's cache folder on first use (up to 0.9 GB
each). A finished run of the same programs, models and lines is read again, not repeated.

Exit codes: 0 printed; 1 a system was INVALID; 2 bad request; 130 interrupted.";

/// `dyno reproduce`.
#[derive(Args)]
pub struct ReproduceArgs {
    /// Which tables; the list of them if absent
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// List the tables
    #[arg(long, conflicts_with_all = ["tables", "all"])]
    pub list: bool,
    /// All tables
    #[arg(long, conflicts_with = "tables")]
    pub all: bool,
    /// Fewer lines and rounds: minutes a table
    #[arg(long)]
    pub quick: bool,
    /// Only systems of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN")]
    pub systems: Vec<String>,
    /// Measure again what a finished run holds
    #[arg(long)]
    pub again: bool,
    /// Say what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Write a page of the tables into this file too
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the papers' figures, drawn again, into this folder too, as SVG files
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
