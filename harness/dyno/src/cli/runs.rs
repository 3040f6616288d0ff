//! Arguments of the commands that read what was measured: score, report, compare, publish, list.

use std::path::PathBuf;

use clap::Args;

use dyno_results::scores::MetricCommand;

pub(super) const SCORE_HELP: &str = "Examples:
  dyno score runs/starter-1a2b
  dyno score runs/starter-1a2b --price c7a.large           words per dollar on another instance
  dyno score runs/starter-1a2b \\
    --metric comet='comet-score --quiet --only_system -s {source} -t {output} -r {reference}'

dyno replaces {source}, {output} and {reference} in a metric's COMMAND by files of one segment per
line. The score is the last number on the last line that COMMAND prints.";

/// Arguments of `dyno score`.
#[derive(Args)]
pub struct ScoreArgs {
    /// Folder of the run
    pub run: PathBuf,
    #[command(flatten)]
    pub price: PriceArgs,
    /// Add a metric of your own, such as COMET; may be repeated
    #[arg(long = "metric", value_name = "NAME=COMMAND")]
    pub metrics: Vec<MetricCommand>,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Options that choose the price for words per dollar.
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

pub(super) const REPORT_EXAMPLES: &str = "Examples:
  dyno report runs/starter-3f9a                          report.html in the run's folder
  dyno report runs/starter-3f9a -o page.html --published marian
  dyno report runs/starter-3f9a --figures figures --markdown";

/// Arguments of `dyno report`.
#[derive(Args)]
pub struct ReportArgs {
    /// Folder of the run
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
    /// Show the points of a paper in the charts: devlin, marian, opennmt or hw-tsc; may be repeated
    #[arg(long, value_name = "PAPER")]
    pub published: Vec<String>,
}

pub(super) const COMPARE_HELP: &str = "Examples:
  dyno compare runs/starter-1a2b runs/starter-3c4d
  dyno compare results/2026-11-21-host runs/mine-5e6f --json

A cell is slower or faster if all three conditions hold: the ratio of medians exceeds 1.04;
Mann-Whitney's test is significant after Holm's correction over all cells; and the ratio exceeds
the difference between two halves of the same rounds. Three rounds (the quick profile) can't show
a difference, five can, and nine show it well. Where a side is NOISY, dyno can't tell. Changed
settings, files and protocols are named.

Exit codes:
    0  nothing is slower, worse or newly INVALID
    1  something is
    2  bad request or bad input
    3  the hosts differ
    4  no cell is in both runs, or no cell can be compared: too few rounds, NOISY or INVALID";

/// Arguments of `dyno compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// Folder of the run to compare with
    pub baseline: PathBuf,
    /// Folder of the run that is judged
    pub candidate: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

pub(super) const PUBLISH_HELP: &str = "Examples:
  dyno publish runs/starter-1a2b                    to results/<date>-<host>/
  dyno publish runs/starter-1a2b --as after-tuning  to results/<date>-<host>-after-tuning/
  dyno publish runs/starter-1a2b --readme README.md with the frontier in README.md

dyno never overwrites a published run.

Exit codes:
    0  the run was published
    2  the run is unfinished, the target exists, or the README has no markers";

/// Arguments of `dyno publish`.
#[derive(Args)]
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

pub(super) const LIST_EXAMPLES: &str = "Examples:
  dyno list                                 the starter campaign, and the backends of this build
  dyno list my.toml --json
  dyno list prices                          prices of instances, for words per dollar";

/// Arguments of `dyno list`.
#[derive(Args)]
pub struct ListArgs {
    /// Campaign file, or `prices` for the table of instance prices [default: the starter campaign]
    #[arg(value_name = "CAMPAIGN|prices")]
    pub campaign: Option<PathBuf>,
    /// Read prices from FILE instead of the built-in table
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}
