//! Arguments of the commands that use the engines as programs: translate, tokenize, convert.

use std::path::PathBuf;

use clap::Args;

use super::values::{setting, track};
use crate::hosting::MOST_BATCH;
use dyno_measure::Track;
use dyno_measure::os::MOST_CORES;

pub(super) const TRANSLATE_EXAMPLES: &str = "Examples:
  echo 'A man sleeps.' | dyno translate --model models/mine
  dyno translate --model model.npz --vocab vocab.spm --beam 4 --normalize 0.6 <in >out
  dyno translate --model a --model b --cores 2 <in >out                 an ensemble of two
  dyno translate --plugin ./mine.so --model words.tsv <in >out
  dyno translate --backend null --set word-us=20 --track throughput-1 <in >out";

/// A backend with its models and settings, and how lines are given to it.
#[derive(Args)]
pub struct HostedArgs {
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
    #[arg(long, value_parser = track())]
    pub track: Option<Track>,
    /// How many workers; throughput-all only
    #[arg(long, default_value_t = 1, value_parser = cores)]
    pub cores: usize,
    /// How many words are translated together, in lines of about one length; 1 is one line at a time; by the model and the
    /// core's cache if absent
    #[arg(long, value_name = "WORDS", value_parser = batch)]
    pub batch: Option<usize>,
}

/// `dyno translate`.
#[derive(Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    pub hosted: HostedArgs,
    /// Leave facts about the model here, as JSON
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Say on standard error what the tuning chose, and what that gains
    #[arg(long)]
    pub explain: bool,
    /// Watch where the time goes, and leave it here by component and by operator, as JSON; null if the backend can't
    #[arg(long, value_name = "FILE")]
    pub breakdown: Option<PathBuf>,
}

pub(super) const BREAKDOWN_HELP: &str = "Examples:
  dyno breakdown --model models/ssru                          the starter test set, line by line
  dyno breakdown --model models/ssru --precision int8 --track throughput-1 lines.en
  dyno breakdown --model decoder.yml --beam 4 --json - <lines.en

It is the backend's own account of the time that it spends on lines: reading them in, loading and waiting are outside. An
activation or a sum in a product's own loop is the product's; softmax in attention's is attention's.";

/// `dyno breakdown`.
#[derive(Args)]
pub struct BreakdownArgs {
    #[command(flatten)]
    pub hosted: HostedArgs,
    /// A file of lines to translate, or `-`; the starter campaign's test set if absent
    pub input: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Settings of backends that have options of their own here; the same as `--set NAME=VALUE`.
#[derive(Args)]
pub struct DecodingArgs {
    /// Vocabulary of both sides, or of source and target
    #[arg(long, num_args = 1..=2, value_name = "FILE")]
    pub vocab: Option<Vec<String>>,
    /// Shortlist or vocabulary map; of a lexical text the first FIRST words are kept, and the BEST of each word
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
    #[arg(long, value_name = "A", num_args = 0..=1, default_missing_value = "1", allow_negative_numbers = true, value_parser = finite)]
    pub normalize: Option<f64>,
    /// Taken off a score for each word
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = finite)]
    pub word_penalty: Option<f64>,
    /// Longest translation, in lengths of the source
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = finite)]
    pub max_length_factor: Option<f64>,
    /// Print all translations in the beam: line ||| text ||| score
    #[arg(long)]
    pub n_best: bool,
}

pub(super) const TOKENIZE_EXAMPLES: &str = "Examples:
  echo 'A man sleeps.' | dyno tokenize --vocab vocab.spm
  dyno tokenize --vocab vocab.yml <lines.txt >ids.txt";

/// `dyno tokenize`.
#[derive(Args)]
pub struct TokenizeArgs {
    /// The vocabulary: .spm, .yml or .txt
    #[arg(long, value_name = "FILE")]
    pub vocab: PathBuf,
}

pub(super) const CONVERT_EXAMPLES: &str = "Examples:
  dyno convert decoder.yml models/mine --precision int8
  dyno convert model.npz models/mine --vocab vocab.spm --precision f32 int8 --languages en de
  dyno convert models/mine models/static --precision int8 --calibrate lines.en
                                    then: dyno translate --model models/static --set activation-scales=static";

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
    /// Shortlist to take along (a lexical one in binary, its first FIRST words and the BEST of each), or vocabulary map
    #[arg(long, num_args = 1..=3, value_names = ["FILE", "FIRST", "BEST"])]
    pub shortlist: Option<Vec<String>>,
    /// Find int8's static activation scales by translating these lines, and store them too
    #[arg(long, value_name = "FILE")]
    pub calibrate: Option<PathBuf>,
    /// Languages of source and target
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub languages: Option<Vec<String>>,
    /// Replace a model directory that is there
    #[arg(long)]
    pub overwrite: bool,
    /// Print what was made as JSON
    #[arg(long)]
    pub json: bool,
}

fn cores(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(cores @ 1..=MOST_CORES) => Ok(cores),
        _ => Err(format!("a number from 1 to {MOST_CORES}")),
    }
}

/// Settings travel as JSON, which has neither `nan` nor `inf`.
fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "a number".into())
}

fn batch(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(words @ 1..=MOST_BATCH) => Ok(words),
        _ => Err(format!("a number from 1 to {MOST_BATCH}")),
    }
}
