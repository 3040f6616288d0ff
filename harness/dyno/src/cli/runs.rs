//! Arguments of the commands that read what was measured, such as score, report and compare; and of list and adapters.

use std::path::PathBuf;

use clap::Args;
use dyno_record::Track;

use dyno_results::scores::Metric;

use super::values::word;

/// Options that choose the price for words per dollar: the run's own, else that of the instance most like its host.
#[derive(Args, Default)]
pub struct PriceArgs {
    /// Instance that sets the price; see `dyno list prices` [default: the run's, else one like the host]
    ///
    /// The run keeps the price, until another one is chosen.
    #[arg(long, value_name = "INSTANCE", help_heading = "Price options")]
    pub price: Option<String>,
    /// Read prices from FILE instead of the built-in table; docs/FORMAT.md describes the format
    #[arg(long, value_name = "FILE", help_heading = "Price options")]
    pub prices: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno score runs/starter-1a2b
  dyno score runs/starter-1a2b --price c7a.large           words per dollar on another instance
  dyno score runs/starter-1a2b --metric ter
  dyno score runs/starter-1a2b --metric comet='python3 metrics/comet/worker.py --model wmt22-comet-da.ckpt'

A worker speaks JSON lines on standard input and output; docs/BRING-YOUR-OWN.md has one in 15 lines.
The run keeps its list of metrics. Scores of a worker are cached by the hash of the text.")]
pub struct ScoreArgs {
    /// Folder of the run
    pub run: PathBuf,
    #[command(flatten)]
    pub pricing: PriceArgs,
    /// Add a metric: bleu, spbleu, chrf, chrf++, ter, spearman, or a worker such as COMET's; may be repeated
    #[arg(long = "metric", value_name = "METRIC|NAME=COMMAND")]
    pub metrics: Vec<Metric>,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno report runs/starter-3f9a                          report.html in the run's folder
  dyno report runs/starter-3f9a -o page.html --published marian
  dyno report runs/starter-3f9a --figures figures --markdown")]
pub struct ReportArgs {
    /// Folder of the run, or of a merged run
    pub run: PathBuf,
    /// Write the page to FILE [default: report.html in the run's folder]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write the figures to DIR, as SVG files for a paper
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Print the tables as Markdown instead of writing the page
    #[arg(long, conflicts_with = "out")]
    pub markdown: bool,
    /// Print the paths, the verdict, the frontier and the trust findings as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Also write the frontier's picture and table to FILE, between its markers
    #[arg(long, value_name = "FILE", requires = "figures")]
    pub readme: Option<PathBuf>,
    /// Of a merged run, also write the report of each host
    #[arg(long, conflicts_with_all = ["markdown", "figures", "readme", "published"])]
    pub hosts: bool,
    /// Show the points of a paper in the charts: devlin, marian, opennmt or hw-tsc; may be repeated
    #[arg(long, value_name = "PAPER")]
    pub published: Vec<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno explain runs/starter-3f9a ssru
  dyno explain results/2026-11-24-amd-epyc-zen-5-2c small --track latency")]
pub struct ExplainArgs {
    /// Folder of the run
    pub run: PathBuf,
    /// Name of the system
    pub system: String,
    /// Explain this track alone
    #[arg(long, value_name = "TRACK", value_parser = word(&Track::ALL))]
    pub track: Option<Track>,
    /// Explain this test set [default: the first one]
    #[arg(long, short, value_name = "NAME")]
    pub test_set: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// Bencher Metric Format, for bencher run --adapter json
    Bencher,
    /// Files of github-action-benchmark's custom tools
    GithubActionBenchmark,
    /// Folder of results of airspeed velocity, version 2
    Asv,
    /// One row a cell, for spreadsheets
    Csv,
    /// Tables for a paper, with booktabs
    Latex,
    /// Tables for GitHub
    Markdown,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno export runs/mine-1a2b --format bencher -o figures.json     then: bencher run --adapter json --file
  dyno export runs/mine-1a2b --format github-action-benchmark -o bench
  dyno export runs/mine-1a2b --format asv -o results --commit 1f3a…
  dyno export runs/mine-1a2b --format latex

Services that keep their data in several files get a folder: smaller-is-better.json and
bigger-is-better.json for github-action-benchmark, asv's folder of results for asv. Figures of INVALID
cells are left out.")]
pub struct ExportArgs {
    /// Folder of the run, or of a merged run
    pub run: PathBuf,
    /// Form of the export
    #[arg(long, short, value_enum)]
    pub format: ExportFormat,
    /// Write to PATH: a file, or a folder for formats of several files [default: standard output]
    #[arg(long, short, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Commit that asv's results belong to [default: HEAD of the working directory]
    #[arg(long, value_name = "HASH")]
    pub commit: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno leaderboard results                                  all runs in results/
  dyno leaderboard results runs/mine-1a2b -o site/index.html --title 'Efficiency task'

Each DIR is a run, a merged run, or a folder with runs in it. The page links to the report of each run
by its path from the page: publish page and runs together.")]
pub struct LeaderboardArgs {
    /// Folders of runs, or folders that hold runs
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Write the page to FILE
    #[arg(long, short, value_name = "FILE", default_value = "leaderboard.html")]
    pub out: PathBuf,
    /// Title of the page
    #[arg(long, default_value = "Leaderboard")]
    pub title: String,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno merge runs/mine-1a2b runs/mine-3c4d --out merged    two hosts, or two shards of one host
  dyno merge shards/* --out merged --json

Runs of equal hosts at one price are joined; any other host stays a part of its own, with its own
speeds, scores and price. dyno refuses runs of another build, campaign, model, test set or protocol.

Exit codes:
    0  the runs were merged
    2  a run doesn't belong with the others, or the folder exists")]
pub struct MergeArgs {
    /// Folders of the runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Folder of the merged run, which must not exist
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno compare runs/starter-1a2b runs/starter-3c4d
  dyno compare results/2026-11-21-host runs/mine-5e6f --json

A cell is slower or faster if all three conditions hold: the ratio of medians exceeds 1.04;
Mann-Whitney's test is significant after Holm's correction over all cells; and the ratio exceeds
the difference between two halves of the same rounds. Three rounds (the quick profile) can't show
a difference, five can for up to six cells, and nine show it well. Where a side is NOISY, dyno
can't tell. Changed settings, files and protocols are named.

Exit codes:
    0  nothing is slower, worse or newly INVALID
    1  something is
    2  bad request or bad input
    3  the hosts differ
    4  no cell is in both runs
    7  no cell can be compared (too few rounds, NOISY or INVALID), or a change needs more rounds")]
pub struct CompareArgs {
    /// Folder of the run to compare with
    pub baseline: PathBuf,
    /// Folder of the run that is judged
    pub candidate: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno publish runs/starter-1a2b                    to results/<date>-<host>/
  dyno publish runs/starter-1a2b --as after-tuning  to results/<date>-<host>-after-tuning/
  dyno publish runs/starter-1a2b --readme README.md with the frontier in README.md

dyno never overwrites a published run.

Exit codes:
    0  the run was published
    2  the run is unfinished, the target exists, or the README has no markers")]
pub struct PublishArgs {
    /// Folder of the run
    pub run: PathBuf,
    /// Folder of published runs
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub to: PathBuf,
    /// Append NAME to the name of the published run
    #[arg(long = "as", value_name = "NAME")]
    pub label: Option<String>,
    /// Also write the frontier's picture and table to FILE, between its markers
    #[arg(long, value_name = "FILE")]
    pub readme: Option<PathBuf>,
    /// Print JSON instead of a path
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno list                                 the starter campaign, and the backends of this build
  dyno list my.toml --json
  dyno list prices                          prices of instances, for words per dollar
  dyno list prices --stale                  prices that are older than 180 days")]
pub struct ListArgs {
    /// Campaign file, or `prices` for the table of instance prices [default: the starter campaign]
    #[arg(value_name = "CAMPAIGN|prices")]
    pub campaign: Option<PathBuf>,
    /// Read prices from FILE instead of the built-in table
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// List only prices that are older than 180 days
    #[arg(long)]
    pub stale: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno adapters                             every adapter, with its lines for a campaign
  dyno adapters ctranslate2                 one adapter with all its settings
  dyno adapters ctranslate2 --build         install its engine now, on a host with a network
  dyno adapters --json

An adapter runs another project's engine under the rules of the bench. Its private Python environment is
built once, in the user's cache, when a campaign first needs it.")]
pub struct AdaptersArgs {
    /// Adapter to show with its settings [default: all, without]
    pub name: Option<String>,
    /// Build the private environment of the named adapter now
    #[arg(long, requires = "name")]
    pub build: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}
