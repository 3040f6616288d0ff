//! Arguments of `dyno reproduce`.

use std::path::PathBuf;

use clap::Args;
use dyno_record::Profile;

use super::values::word;

#[derive(Args)]
#[command(after_help = "Examples:
  dyno reproduce                              list the tables
  dyno reproduce devlin-1 --profile quick     a first look, in minutes
  dyno reproduce marian-2 opennmt-3 --markdown
  dyno reproduce --all -o tables.html         hours; repeat the command to resume after an interrupt
  dyno reproduce --all --publish              the page on all papers, from what was measured, in results/papers
  dyno reproduce --all --publish --readme README.md

Models have the dimensions of the papers and random weights. dyno draws them on first use, into
the user's cache folder (up to 1.4 GB each). A finished run of the same programs, models and lines
is read, not repeated.

Exit codes:
    0  the tables were printed
    1  a system is INVALID
    2  bad request or bad input
  130  interrupted")]
pub struct ReproduceArgs {
    /// Tables to measure; lists all tables if absent
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// Measure all tables
    #[arg(long, conflicts_with = "tables")]
    pub all: bool,
    /// Publish the page on all papers from what was measured before, in a new folder; measures nothing
    #[arg(long, requires = "all", conflicts_with_all = ["profile", "quick", "systems", "again", "dry_run", "out", "figures", "markdown", "json"])]
    pub publish: bool,
    /// Folder of the publications; what wasn't measured here comes from earlier ones in it
    #[arg(long, value_name = "DIR", default_value = "results/papers", requires = "publish")]
    pub to: PathBuf,
    /// Append NAME to the name of the publication
    #[arg(long = "as", value_name = "NAME", requires = "publish")]
    pub label: Option<String>,
    /// Write the link to the publication, with the headline verdicts, between the markers of README
    #[arg(long, value_name = "README", requires = "publish")]
    pub readme: Option<PathBuf>,
    /// Thoroughness; the quick profile also measures fewer lines [default: the campaign's]
    #[arg(long, short, value_parser = word(&Profile::ALL))]
    pub profile: Option<Profile>,
    /// The older name of `--profile quick`
    #[arg(long, hide = true, conflicts_with = "profile")]
    pub quick: bool,
    /// Measure only systems with a name that matches PATTERN, with `*` and `?`; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN")]
    pub systems: Vec<String>,
    /// Measure again even if a finished run exists
    #[arg(long)]
    pub again: bool,
    /// Print what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Also write the tables to FILE, as an HTML page
    #[arg(long, short, value_name = "FILE", help_heading = "Output options")]
    pub out: Option<PathBuf>,
    /// Also draw the papers' figures from the new measurements, as SVG files in DIR
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    pub figures: Option<PathBuf>,
    /// Print Markdown instead of text
    #[arg(long, conflicts_with = "json", help_heading = "Output options")]
    pub markdown: bool,
    /// Print JSON instead of text
    #[arg(long, help_heading = "Output options")]
    pub json: bool,
}
