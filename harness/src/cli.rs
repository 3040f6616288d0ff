//! The command line, as people type it.

use std::os::fd::RawFd;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::campaign::{Profile, Track};
use crate::plan::Filters;
use crate::score::MetricCommand;

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

const EXIT_CODES: &str = "Exit codes: 0 done, or yes; 1 the answer is no (regressed, INVALID, differs); 2 bad request or \
input; 3 hosts can't be compared; 4 nothing was measured; 5 a gated cell is INVALID; 6 the bench itself failed; 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a campaign's systems; the starter campaign if none is named
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// List a campaign's systems and test sets, and the backends, tracks and prices
    List(ListArgs),
    /// Score a run again, or for the first time where sacrebleu was missing; price it anew
    #[command(after_help = SCORE_HELP)]
    Score(ScoreArgs),
    /// Write the page on a run: what to choose, and whether to trust it
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Check that a system keeps the rules: conformance and probes, no measuring
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Compare two runs of one host, cell by cell
    #[command(after_help = COMPARE_HELP)]
    Compare(CompareArgs),
    /// Is a system slower, worse or bigger than its baseline? For CI: the exit code answers
    #[command(after_help = GATE_HELP)]
    Gate(GateArgs),
    /// Is this host fit to measure? Each finding comes with a remedy
    #[command(after_help = DOCTOR_HELP)]
    Doctor(DoctorArgs),
    /// Copy a finished run into results/, where nothing is ever overwritten
    #[command(after_help = PUBLISH_HELP)]
    Publish(PublishArgs),
    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
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
    #[command(flatten)]
    pub price: PriceArgs,
    /// Say what would be measured and how long it takes, then stop
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

const COMPARE_HELP: &str = "Examples:
  dyno compare runs/starter-1a2b runs/starter-3c4d
  dyno compare results/2026-11-21-host runs/mine-5e6f --json

A cell is slower or faster if the ratio of medians exceeds 1.04, Mann-Whitney's test is significant after Holm's
correction over all cells, and the ratio exceeds what halves of the same rounds differ by. Three rounds (the quick
profile) can't show that; five can, nine do it well.
Exit codes: 0 nothing is slower, worse or newly INVALID; 1 something is; 2 bad request; 3 the hosts differ;
4 no cell is in both.";

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

const DOCTOR_HELP: &str = "Examples:
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

const PUBLISH_HELP: &str = "Examples:
  dyno publish runs/starter-1a2b                    to results/<date>-<host>/
  dyno publish runs/starter-1a2b --as after-tuning  to results/<date>-<host>-after-tuning/

Exit codes: 0 published; 2 the run is unfinished, or the place is taken.";

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
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const COMPLETIONS_HELP: &str = "Examples:
  dyno completions bash > ~/.local/share/bash-completion/completions/dyno
  dyno completions fish > ~/.config/fish/completions/dyno.fish
  source <(dyno completions zsh)";

/// `dyno completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}

/// A shell that completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    /// GNU Bash
    Bash,
    /// The friendly interactive shell
    Fish,
    /// The Z shell, by its bash compatibility
    Zsh,
}

const GATE_HELP: &str = "Examples:
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
    /// Pairs of rounds a cell, at least 9; as many again where a regression is suspected
    #[arg(long, value_name = "N", default_value_t = crate::compare::PAIRS)]
    pub pairs: usize,
    /// BLEU below this is a regression
    #[arg(long, value_name = "BLEU")]
    pub min_bleu: Option<f64>,
    /// Peak memory above this is a regression
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<f64>,
    /// A model above this size is a regression
    #[arg(long, value_name = "MIB")]
    pub max_model: Option<f64>,
    /// Keep the rounds in this folder, as a run
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON
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

const SCORE_HELP: &str = "Examples:
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

/// Sixty lines or so: products of fewer rows wait for weights, those of more for activations.
const BATCH_WORDS: usize = 768;

/// `dyno translate`.
#[derive(Args)]
pub struct TranslateArgs {
    /// Which backend; the one that suits the models if absent
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
    /// How many words are translated together, in lines of about one length; 1 is one line at a time
    #[arg(long, default_value_t = BATCH_WORDS, value_name = "WORDS", value_parser = batch)]
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
        Ok(words @ 1..=65_536) => Ok(words),
        _ => Err("a number from 1 to 65536".into()),
    }
}

/// `dyno supervise`.
#[derive(Args)]
pub struct SuperviseArgs {
    /// Descriptor of the socket to the bench
    #[arg(long)]
    pub control: RawFd,
}
