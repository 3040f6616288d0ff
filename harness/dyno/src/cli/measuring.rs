//! Arguments of the commands that start systems (run, verify, gate) and of doctor, which examines the host.

use std::path::PathBuf;

use clap::Args;
use dyno_record::{Probe, Profile, Shard, Track};

use super::runs::PriceArgs;
use super::values::{amount, batch, finite, model, pairs, seconds, setting, word};
use crate::submission::Dialect;
use dyno_results::compare::PAIRS;

/// Parts of a campaign to measure; an empty list means all.
#[derive(Args, Default)]
pub struct FilterArgs {
    /// Measure only systems with a name that matches PATTERN, with `*` and `?`; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN", help_heading = "Filters")]
    pub systems: Vec<String>,
    /// Measure only test sets with a name that matches PATTERN; may be repeated
    #[arg(long = "test-set", short = 't', value_name = "PATTERN", help_heading = "Filters")]
    pub test_sets: Vec<String>,
    /// Measure only this track; may be repeated
    #[arg(long = "track", value_name = "TRACK", value_parser = word(&Track::ALL), help_heading = "Filters")]
    pub tracks: Vec<Track>,
}

#[derive(Args, Default)]
#[command(after_help = "Examples:
  dyno run                                  the starter campaign
  dyno run my.toml --dry-run                cells, rounds and expected time
  dyno run my.toml -s 'ssru*' --track latency
  dyno run my.toml --profile standard --out here
  dyno run my.toml --shard 2/6 --out shard-2  one of six parts, for `dyno merge`

To resume an interrupted run, repeat its command.")]
pub struct RunArgs {
    /// Campaign file [default: the starter campaign]
    pub campaign: Option<PathBuf>,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Measure only the I-th of N shards of the campaign; `dyno merge` joins them
    ///
    /// Cells of a test set under a track are compared, so they stay together: a campaign has as many groups
    /// as test sets times tracks, and N is at most their number.
    #[arg(long, value_name = "I/N", help_heading = "Filters")]
    pub shard: Option<Shard>,
    /// Thoroughness [default: the campaign's]
    #[arg(long, short, value_parser = word(&Profile::ALL))]
    pub profile: Option<Profile>,
    /// Folder of the run; resumes the run that it holds [default: a new folder in runs/]
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub pricing: PriceArgs,
    /// Use the built-in blockings of products instead of tuning them to this host first
    #[arg(long)]
    pub no_tune: bool,
    /// Print the blockings of the tuning and their gains, on standard error
    #[arg(long, conflicts_with = "no_tune", help_heading = "Output options")]
    pub explain: bool,
    /// Keep asking a system after it broke a rule
    ///
    /// Without this option dyno runs no further round of a cell that is INVALID already.
    #[arg(long)]
    pub keep_going: bool,
    /// Print what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON instead of tables
    #[arg(long, help_heading = "Output options")]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno verify my.toml --system my-engine
  dyno verify --command './run.sh --threads {cores}'
  dyno verify --command 'python3 echo.py' --probe buffering --track latency
  dyno verify --backend ssru --model models/small --json
  dyno verify --submission unpacked --dialect wmt22 --memory 8192
  dyno verify --submission mine --dialect wmt26 --pair ces-deu --batch-lines 64

Exit codes:
    0  every system keeps the rules
    1  a system is INVALID
    2  bad request or bad input")]
pub struct VerifyArgs {
    /// Campaign file with the systems to verify [default: the starter campaign]
    pub campaign: Option<PathBuf>,
    /// Verify only systems with a name that matches PATTERN, with `*` and `?`; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN", help_heading = "Systems")]
    pub systems: Vec<String>,
    /// Verify the shell command COMMAND instead of a campaign's systems
    ///
    /// dyno replaces {cores}, {core-list}, {track}, {task} and {mode} in COMMAND; `dyno list` explains them.
    #[arg(
        long,
        short,
        value_name = "COMMAND",
        conflicts_with_all = ["systems", "campaign", "backend", "plugin", "models"],
        help_heading = "Systems"
    )]
    pub command: Option<String>,
    /// Verify this backend instead of a campaign's systems
    #[arg(long, short, conflicts_with_all = ["systems", "campaign"], help_heading = "Systems")]
    pub backend: Option<String>,
    /// Verify the plugin in the shared library FILE instead of a campaign's systems
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["systems", "campaign", "backend"],
        help_heading = "Systems"
    )]
    pub plugin: Option<PathBuf>,
    /// Verify the submission to a shared task in FOLDER instead of a campaign's systems
    ///
    /// FOLDER is the whole root of an unpacked image, or holds the files that the task names. `podman:NAME` and
    /// `docker:NAME` unpack an image into the user's cache. The submission runs in the sandbox of bubblewrap,
    /// without a network. dyno first says whether it starts, keeps the contract, stays off the network and fits
    /// the memory.
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "dialect",
        conflicts_with_all = ["systems", "campaign", "backend", "plugin", "command", "models"],
        help_heading = "Systems"
    )]
    pub submission: Option<PathBuf>,
    /// Dialect of the submission
    #[arg(long, value_parser = word(&Dialect::ALL), requires = "submission", help_heading = "Systems")]
    pub dialect: Option<Dialect>,
    /// Language pair that the dialect names in each call, in the task's own words, such as ces-deu
    #[arg(long, value_name = "PAIR", requires = "submission", help_heading = "Systems")]
    pub pair: Option<String>,
    /// Number of lines to translate together, which wmt25 and wmt26 name in each call [default: 16]
    #[arg(long, value_name = "LINES", value_parser = batch, requires = "submission", help_heading = "Systems")]
    pub batch_lines: Option<usize>,
    /// Model of the backend; repeat it for an ensemble
    #[arg(
        long = "model",
        short,
        value_name = "PATH",
        value_parser = model,
        conflicts_with_all = ["systems", "campaign"],
        help_heading = "Systems"
    )]
    pub models: Vec<PathBuf>,
    /// Give the engine a setting; may be repeated
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        value_parser = setting,
        conflicts_with_all = ["systems", "campaign", "command"],
        help_heading = "Systems"
    )]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Run only this probe; may be repeated
    #[arg(long = "probe", short, value_name = "PROBE", value_parser = word(&Probe::ALL))]
    pub probes: Vec<Probe>,
    /// Verify only this track; may be repeated [default: the campaign's, else latency and throughput-1]
    #[arg(long = "track", value_name = "TRACK", value_parser = word(&Track::ALL))]
    pub tracks: Vec<Track>,
    /// Time limit for a line in the latency track, in seconds [default: the campaign's, else 10]
    ///
    /// The first line, which includes the loading of the model, may take four times as long.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub line_seconds: Option<f64>,
    /// Time limit for a launch, in seconds [default: the campaign's, else 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub launch_seconds: Option<f64>,
    /// Most memory of all processes together, in MiB; a system above it is ended [default: the campaign's, else no
    /// limit]
    #[arg(long, value_name = "MIB", value_parser = amount)]
    pub memory: Option<f64>,
    /// Accept that the system draws its answers at random
    #[arg(long)]
    pub sampling: bool,
    /// Print the verdict as JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno gate my.toml -s mine --baseline marian                   another system of the campaign
  dyno gate my.toml -s mine --baseline './old/run.sh {cores}'   another program
  dyno gate my.toml --baseline-dyno ./dyno-of-main              the same systems in another dyno
  dyno gate my.toml --baseline results/2026-11-21-host          a stored run of this host
  dyno gate my.toml --baseline-dyno ./dyno-of-main --by instructions   whatever else runs

A stored run needs at least 9 rounds per cell; the folder of an earlier gate (--out) is one.
Candidate and baseline run in the same seconds, so that even NOISY rounds decide, if the whole
interval lies on one side of the tolerated ratio. A cell that is undecided gets a second pass.
--on-noise says what happens to what stays undecided. An INVALID cell has no answer; the other cells
are judged.

Exit codes:
    0  no regression
    1  a regression, whatever else is INVALID or undecided
    2  bad request or bad input
    3  the stored run is of another host
    4  nothing was measured, or too little to be judged
    5  a gated cell is INVALID
    6  the bench itself failed
    7  a cell is undecided (--on-noise fail)
  130  interrupted")]
pub struct GateArgs {
    /// Campaign file [default: the starter campaign]
    pub campaign: Option<PathBuf>,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Baseline: a system of the campaign, a command, or the folder of a run
    #[arg(
        long,
        value_name = "SYSTEM|COMMAND|RUN",
        conflicts_with = "baseline_dyno",
        help_heading = "Baseline (one is required)"
    )]
    pub baseline: Option<String>,
    /// Baseline: the same built-in systems, run by the dyno PROGRAM
    #[arg(long, value_name = "PROGRAM", help_heading = "Baseline (one is required)")]
    pub baseline_dyno: Option<PathBuf>,
    /// What is compared: times of rounds, or instructions for a word, which noise can't touch
    #[arg(long, value_enum, value_name = "COST", default_value_t = By::Time)]
    pub by: By,
    /// Pairs of rounds for each cell, 9 to 1000
    ///
    /// A cell with a suspected regression gets the same number of pairs again.
    #[arg(long, value_name = "N", default_value_t = PAIRS, value_parser = pairs)]
    pub pairs: usize,
    /// What to do with cells that stay undecided because of noise
    ///
    /// A gate that can't tell fails by default. On shared runners, which no author of a change can make quieter,
    /// choose `warn`.
    #[arg(long, value_enum, value_name = "ANSWER", default_value_t = OnNoise::Fail)]
    pub on_noise: OnNoise,
    /// Report a regression if the quality is worse than this score, by the campaign's first metric
    #[arg(long, value_name = "SCORE", value_parser = finite, alias = "min-bleu", help_heading = "Limits")]
    pub worst_quality: Option<f64>,
    /// Tolerate a loss of quality of up to this many points of the first metric
    ///
    /// Without this limit, every significant loss against the baseline is a regression.
    #[arg(long, value_name = "POINTS", value_parser = amount, help_heading = "Limits")]
    pub max_quality_loss: Option<f64>,
    /// Report a regression if the peak memory is above this limit
    #[arg(long, value_name = "MIB", value_parser = amount, help_heading = "Limits")]
    pub max_memory: Option<f64>,
    /// Report a regression if the model is larger than this limit
    #[arg(long, value_name = "MIB", value_parser = amount, help_heading = "Limits")]
    pub max_model: Option<f64>,
    /// Keep the rounds in this folder, as a run
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    pub out: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long, help_heading = "Output options")]
    pub json: bool,
    /// Add the answer in Markdown to the end of FILE, such as "$GITHUB_STEP_SUMMARY"
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    pub summary: Option<PathBuf>,
}

/// Costs that a gate compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// Time of rounds, side by side
    Time,
    /// Instructions for a word, counted by perf or valgrind
    Instructions,
}

/// Answers of a gate about cells that stay undecided because of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnNoise {
    /// Let them pass
    Pass,
    /// Let them pass, with a warning
    Warn,
    /// Fail, with exit code 7
    Fail,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno doctor
  dyno doctor --json | jq .fit

Each finding comes with its remedy.

Exit codes:
    0  the host is fit, maybe with warnings
    1  the host is not fit")]
pub struct DoctorArgs {
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}
