//! Arguments of the commands that read what was measured: score, report, compare, publish, list.

use std::path::PathBuf;

use clap::Args;

use dyno_results::scores::MetricCommand;

pub(super) const SCORE_HELP: &str = "Examples:
  dyno score runs/starter-1a2b
  dyno score runs/starter-1a2b --price c7a.large           words per dollar on another instance
  dyno score runs/starter-1a2b \\
    --metric comet='comet-score --quiet --only_system -s {source} -t {output} -r {reference}'

A metric's command gets files of a line each, and its score is the last number on its last line of output.";

/// `dyno score`.
#[derive(Args)]
pub struct ScoreArgs {
    /// The run's folder
    pub run: PathBuf,
    #[command(flatten)]
    pub price: PriceArgs,
    /// A metric of your own, such as COMET: NAME=COMMAND, see the examples; may be repeated
    #[arg(long = "metric", value_name = "NAME=COMMAND")]
    pub metrics: Vec<MetricCommand>,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Which price words per dollar are counted by.
#[derive(Args, Default)]
pub struct PriceArgs {
    /// Price by this instance (`dyno list prices` names them); the one most like the host if absent
    #[arg(long, value_name = "INSTANCE")]
    pub price: Option<String>,
    /// A price file of your own, in the form of `dyno list prices --json`'s source: see docs/FORMAT.md
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

pub(super) const REPORT_EXAMPLES: &str = "Examples:
  dyno report runs/starter-3f9a                          report.html in the run's folder
  dyno report runs/starter-3f9a -o page.html --published marian
  dyno report runs/starter-3f9a --figures figures --markdown";

/// `dyno report`.
#[derive(Args)]
pub struct ReportArgs {
    /// The run's folder
    pub run: PathBuf,
    /// Where to write the page; report.html in the run's folder if absent
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the figures into this folder too, as SVG files for a paper
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Print the tables in Markdown instead of writing the page
    #[arg(long, conflicts_with = "out")]
    pub markdown: bool,
    /// Print what was written, the verdict, the frontier and what to trust as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Write the frontier's picture and table into this file too, between its markers
    #[arg(long, value_name = "FILE", requires = "figures")]
    pub readme: Option<PathBuf>,
    /// Lay the points of a paper under the charts: devlin, marian, opennmt, hw-tsc; may be repeated
    #[arg(long, value_name = "PAPER")]
    pub published: Vec<String>,
}

pub(super) const COMPARE_HELP: &str = "Examples:
  dyno compare runs/starter-1a2b runs/starter-3c4d
  dyno compare results/2026-11-21-host runs/mine-5e6f --json

A cell is slower or faster if the ratio of medians exceeds 1.04, Mann-Whitney's test is
significant after Holm's correction over all cells, and the ratio exceeds what halves of the
same rounds differ by. Three rounds (the quick profile) can't show that; five can, nine do it
well.

Exit codes: 0 nothing is slower, worse or newly INVALID; 1 something is; 2 bad request; 3 the
hosts differ; 4 no cell is in both, or all have too few rounds to tell.";

/// `dyno compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// The run to compare with
    pub baseline: PathBuf,
    /// The run that is judged
    pub candidate: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(super) const PUBLISH_HELP: &str = "Examples:
  dyno publish runs/starter-1a2b                    to results/<date>-<host>/
  dyno publish runs/starter-1a2b --as after-tuning  to results/<date>-<host>-after-tuning/
  dyno publish runs/starter-1a2b --readme README.md with its frontier between the README's markers

Exit codes: 0 published; 2 the run is unfinished, the place is taken, or the README has no markers.";

/// `dyno publish`.
#[derive(Args)]
pub struct PublishArgs {
    /// The run's folder
    pub run: PathBuf,
    /// The folder of published runs
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub to: PathBuf,
    /// What tells this run from others of its day and host
    #[arg(long = "as", value_name = "NAME")]
    pub label: Option<String>,
    /// Write the frontier's picture and table into this file too, between its markers
    #[arg(long, value_name = "FILE")]
    pub readme: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(super) const LIST_EXAMPLES: &str = "Examples:
  dyno list                                 the starter campaign, and what this build offers
  dyno list my.toml --json
  dyno list prices                          what words per dollar can be counted by";

/// `dyno list`.
#[derive(Args)]
pub struct ListArgs {
    /// The campaign file, the starter campaign if absent; or `prices`, the table of instance prices
    #[arg(value_name = "CAMPAIGN|prices")]
    pub campaign: Option<PathBuf>,
    /// A price file of your own
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
