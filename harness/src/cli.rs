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
    /// Write the page on a run: what to choose, and whether to trust it
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Check that a system keeps the rules: conformance and probes, no measuring
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Translate standard input to standard output with a built-in backend or a plugin
    #[command(after_help = TRANSLATE_EXAMPLES)]
    Translate(Box<TranslateArgs>),
    /// Turn lines into the ids of a vocabulary
    Tokenize(TokenizeArgs),
    /// Make a model directory out of a Marian model, at the precisions that are wanted
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// (internal) Start a system with limits and accounting
    #[command(hide = true)]
    Supervise(SuperviseArgs),
    /// (internal) Give back what is read: what a line costs between two processes
    #[command(hide = true)]
    GiveBack,
}

const VERIFY_EXAMPLES: &str = "Examples:
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
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Only this probe; may be repeated
    #[arg(long = "probe", short, value_name = "PROBE")]
    pub probes: Vec<crate::verify::Probe>,
    /// Only this track; may be repeated. Else the campaign's, or latency and throughput-1
    #[arg(long = "track", value_name = "TRACK")]
    pub tracks: Vec<Track>,
    /// Seconds that a line may take in the latency track, the first one with loading [campaign: its own; else 10]
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

const RUN_EXAMPLES: &str = "Examples:
  dyno run                                  the starter campaign
  dyno run my.toml --dry-run                what would be measured, and how long it takes
  dyno run my.toml -s 'ssru*' --track latency
  dyno run my.toml --profile standard --out here";

const TRANSLATE_EXAMPLES: &str = "Examples:
  echo 'A man sleeps.' | dyno translate --model models/mine
  dyno translate --model model.npz --vocab vocab.spm --beam 4 --normalize 0.6 <in >out
  dyno translate --model a --model b --cores 2 <in >out                 an ensemble of two
  dyno translate --plugin ./mine.so --model words.tsv <in >out
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
    /// The run's folder
    pub run: PathBuf,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

const REPORT_EXAMPLES: &str = "Examples:
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
    /// Write frontier and table into this file too, between its markers
    #[arg(long, value_name = "FILE", requires = "figures")]
    pub readme: Option<PathBuf>,
    /// Lay the points of a paper under the charts: devlin, marian, opennmt, hw-tsc; may be repeated
    #[arg(long, value_name = "PAPER")]
    pub published: Vec<String>,
}

const CONVERT_EXAMPLES: &str = "Examples:
  dyno convert decoder.yml models/mine --precision int8
  dyno convert model.npz models/mine --vocab vocab.spm --precision f32 int8 --languages en de";

/// `dyno translate`.
#[derive(Args)]
pub struct TranslateArgs {
    /// Which backend; the one that suits the first model if absent
    #[arg(long, short)]
    pub backend: Option<String>,
    /// Load the backend from this shared library
    #[arg(long, value_name = "FILE", conflicts_with = "backend")]
    pub plugin: Option<PathBuf>,
    /// A model: a directory, a decoder's YAML, or weights with --vocab; several are an ensemble
    #[arg(long = "model", short, value_name = "PATH")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub decoding: DecodingArgs,
    /// A setting of the backend, NAME=VALUE; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// The protocol to follow; latency at a terminal, throughput otherwise
    #[arg(long)]
    pub track: Option<Track>,
    /// How many workers; throughput-all only
    #[arg(long, default_value_t = 1, value_parser = cores)]
    pub cores: usize,
    /// How many lines are translated together; 1 is one at a time
    #[arg(long, default_value_t = 32, value_name = "LINES", value_parser = batch)]
    pub batch: usize,
    /// Leave facts about the model here, as JSON
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Say on standard error what the tuning chose, and what that gains
    #[arg(long)]
    pub explain: bool,
    /// Leave the time by component and by operator here, as JSON, if the backend watched it
    #[arg(long, value_name = "FILE")]
    pub breakdown: Option<PathBuf>,
}

/// Settings of backends that have options of their own here; the same as `--set NAME=VALUE`.
#[derive(Args)]
pub struct DecodingArgs {
    /// Vocabulary of both sides, or of source and target
    #[arg(long, num_args = 1..=2, value_name = "FILE")]
    pub vocab: Option<Vec<String>>,
    /// Shortlist; of a text one the first FIRST words are kept, and the BEST of each word
    #[arg(long, num_args = 1..=3, value_names = ["FILE", "FIRST", "BEST"])]
    pub shortlist: Option<Vec<String>>,
    /// Number type of the weights: f32, f16, int16, int8; the widest that is there if absent
    #[arg(long, value_name = "P")]
    pub precision: Option<String>,
    /// Instruction set of the kernels: scalar, avx2, avx_vnni, avx512bw, avx512_vnni; the processor's best if absent
    #[arg(long, value_name = "ISA")]
    pub isa: Option<String>,
    /// Walk through products as this tuning says
    #[arg(long, value_name = "FILE", conflicts_with = "tune")]
    pub tuning: Option<PathBuf>,
    /// Measure the fastest walks through the model's products first, where FILE doesn't have them yet, and write it
    #[arg(long, value_name = "FILE")]
    pub tune: Option<PathBuf>,
    /// Hypotheses kept for each line
    #[arg(long, value_name = "N")]
    pub beam: Option<u64>,
    /// Divide scores by length to this power; 1 without a value
    #[arg(long, value_name = "A", num_args = 0..=1, default_missing_value = "1", allow_negative_numbers = true)]
    pub normalize: Option<f64>,
    /// Taken off a score for each word
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub word_penalty: Option<f64>,
    /// Longest translation, in lengths of the source
    #[arg(long, value_name = "F")]
    pub max_length_factor: Option<f64>,
    /// Print all translations in the beam: line ||| text ||| score
    #[arg(long)]
    pub n_best: bool,
}

/// `dyno tokenize`.
#[derive(Args)]
pub struct TokenizeArgs {
    /// The vocabulary: .spm, .yml or .txt
    #[arg(long, value_name = "FILE")]
    pub vocab: PathBuf,
}

/// `dyno convert`.
#[derive(Args)]
pub struct ConvertArgs {
    /// The model: a directory, a decoder's YAML, or weights with --vocab
    pub model: PathBuf,
    /// The directory to make
    pub to: PathBuf,
    /// Number types of the weights to write: f32, f16, int16, int8
    #[arg(long, num_args = 1.., value_name = "P", required = true)]
    pub precision: Vec<dyno_formats::Precision>,
    /// Vocabulary of both sides, or of source and target
    #[arg(long, num_args = 1..=2, value_name = "FILE")]
    pub vocab: Option<Vec<PathBuf>>,
    /// Shortlist to take along, in binary; of a text one the first FIRST words are kept, and the BEST of each
    #[arg(long, num_args = 1..=3, value_names = ["FILE", "FIRST", "BEST"])]
    pub shortlist: Option<Vec<String>>,
    /// Languages of source and target
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub languages: Option<Vec<String>>,
    /// Replace a model directory that is there
    #[arg(long)]
    pub overwrite: bool,
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        // As in campaigns: beyond eleven days nobody waits.
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("a number of seconds above 0 and at most 1,000,000".into()),
    }
}

fn batch(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(lines @ 1..=4096) => Ok(lines),
        _ => Err("a number from 1 to 4096".into()),
    }
}

/// `dyno supervise`.
#[derive(Args)]
pub struct SuperviseArgs {
    /// Descriptor of the socket to the bench
    #[arg(long)]
    pub control: RawFd,
}
