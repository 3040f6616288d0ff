//! Arguments of the commands that run backends directly: translate, breakdown, tokenize, convert.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::values::{batch, cores, finite, model, setting, word};
use crate::submission::Dialect;
use dyno_record::Track;

/// Options that choose a backend, its models, its settings and its protocol.
#[derive(Args)]
pub struct HostedArgs {
    /// Backend that translates [default: the one that suits the models]
    #[arg(long, short, help_heading = "Model options")]
    pub backend: Option<String>,
    /// Load the backend from the shared library FILE
    #[arg(long, value_name = "FILE", conflicts_with = "backend", help_heading = "Model options")]
    pub plugin: Option<PathBuf>,
    /// Model: a directory, a checkpoint of OpenNMT-py, a decoder's YAML file, or weights with --vocab; repeat it for an
    /// ensemble
    #[arg(long = "model", short, value_name = "PATH", value_parser = model, help_heading = "Model options")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub decoding: DecodingArgs,
    /// Give the engine a setting; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, help_heading = "Model options")]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Track to follow [default: latency at a terminal, throughput otherwise]
    #[arg(long, value_parser = word(&Track::ALL))]
    pub track: Option<Track>,
    /// Number of cores: translators side by side under throughput-all and server, threads that share a line under
    /// latency-all
    ///
    /// Threads share the large products of a line; the answers are the same for any number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = cores)]
    pub cores: usize,
    /// Number of words to translate together; 1 translates line by line
    ///
    /// A batch holds lines of about the same length. In the track server, lines join the batch as they
    /// arrive. By default, the batch suits the model and the caches of this host.
    #[arg(long, value_name = "WORDS", value_parser = batch)]
    pub batch: Option<usize>,
    /// Number of lines to translate together, whatever their length
    #[arg(long, value_name = "LINES", value_parser = batch, conflicts_with = "batch")]
    pub batch_lines: Option<usize>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  echo 'A man sleeps.' | dyno translate --model models/mine
  dyno translate --model model.npz --vocab vocab.spm --beam 4 --normalize 0.6 <in >out
  dyno translate --model a --model b --cores 2 <in >out                 an ensemble of two models
  dyno translate --plugin ./mine.so --model words.tsv <in >out
  dyno translate --model all-MiniLM-L6-v2 <lines                        an encoder: a vector a line, base64 of f32
  dyno translate --backend null --set word-us=20 --track throughput-1 <in >out")]
pub struct TranslateArgs {
    #[command(flatten)]
    pub hosted: HostedArgs,
    /// Write facts about the model to FILE, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    pub facts: Option<PathBuf>,
    /// Print the blockings of the tuning and their gains, on standard error
    #[arg(long, help_heading = "Output options")]
    pub explain: bool,
    /// Write the time by component and by operator to FILE, as JSON
    ///
    /// FILE holds `null` if the backend keeps no account of its time.
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    pub breakdown: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno breakdown --model models/small                         the starter test set, line by line
  dyno breakdown --model models/small --precision int8 --track throughput-1 lines.en
  dyno breakdown --model decoder.yml --beam 4 --json - <lines.en

With one core, the default track is latency.

The times are the backend's own account of its translation. Reading the lines, loading the
model and waiting are not part of it. An activation or a sum inside the loop of a matrix
product counts as product; the softmax of attention counts as attention.")]
pub struct BreakdownArgs {
    #[command(flatten)]
    pub hosted: HostedArgs,
    /// File of lines to translate, `-` for standard input [default: the starter campaign's test set]
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Options that stand for settings of the backend; the same as `--set NAME=VALUE`.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DecodingArgs {
    /// Vocabulary of both sides, or of source and target
    #[arg(long, num_args = 1..=2, value_name = "FILE", help_heading = "Model options")]
    pub vocab: Option<Vec<String>>,
    /// Shortlist or vocabulary map
    ///
    /// Of a lexical shortlist in text form, FIRST is the number of frequent words to keep, and BEST the
    /// number of translations to keep for each source word.
    #[arg(long, num_args = 1..=3, value_names = ["FILE", "FIRST", "BEST"], help_heading = "Model options")]
    #[serde(skip)]
    pub shortlist: Option<Vec<String>>,
    /// Precision of weights and products: f32, bf16, f16, int16 or int8 [default: the model's own]
    #[arg(long, value_name = "TYPE", help_heading = "Model options")]
    pub precision: Option<String>,
    /// Instruction set of the kernels [default: the best of this CPU]
    ///
    /// One of scalar, avx2, avx_vnni, avx512bw, avx512_vnni, avx512_bf16 and amx_int8; on Arm one of scalar, neon,
    /// dotprod and i8mm.
    #[arg(long, value_name = "ISA", help_heading = "Model options")]
    pub isa: Option<String>,
    /// Use the blockings of products in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "tune", help_heading = "Model options")]
    pub tuning: Option<PathBuf>,
    /// Measure the blockings of products that FILE lacks, write them to FILE, and use them
    #[arg(long, value_name = "FILE", help_heading = "Model options")]
    pub tune: Option<PathBuf>,
    /// Number of hypotheses to keep for each line
    #[arg(long, value_name = "N", help_heading = "Search options")]
    pub beam: Option<u64>,
    /// Divide scores by the length to the power A; A is 1 if it is left out
    #[arg(
        long,
        value_name = "A",
        num_args = 0..=1,
        default_missing_value = "1",
        allow_negative_numbers = true,
        value_parser = finite,
        help_heading = "Search options"
    )]
    pub normalize: Option<f64>,
    /// Subtract X from a score for each word
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        value_parser = finite,
        help_heading = "Search options"
    )]
    pub word_penalty: Option<f64>,
    /// Limit translations to F times the length of the source
    #[arg(
        long,
        value_name = "F",
        allow_negative_numbers = true,
        value_parser = finite,
        help_heading = "Search options"
    )]
    pub max_length_factor: Option<f64>,
    /// Translate lines of more than N words sentence by sentence
    #[arg(long, value_name = "N", help_heading = "Search options")]
    pub split_lines: Option<u64>,
    /// Print all translations of the beam, as `line ||| text ||| score`
    #[arg(long, help_heading = "Search options")]
    pub n_best: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  echo 'A man sleeps.' | dyno tokenize --vocab vocab.spm
  dyno tokenize --vocab vocab.yml <lines.txt >ids.txt
  dyno tokenize --model all-MiniLM-L6-v2 <lines.txt             with the ends that the encoder adds")]
pub struct TokenizeArgs {
    /// Vocabulary: .spm, .yml or .txt
    #[arg(long, value_name = "FILE", required_unless_present = "model")]
    pub vocab: Option<PathBuf>,
    /// Directory of an encoder or of a translator, whose own tokeniser divides the lines
    #[arg(long, value_name = "DIR", conflicts_with = "vocab", value_parser = model)]
    pub model: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno convert decoder.yml models/mine --precision int8
  dyno convert model.npz models/mine --vocab vocab.spm --precision f32 int8 --languages en de
  dyno convert models/mine models/static --precision int8 --calibrate lines.en
  dyno translate --model models/static --set activation-scales=static      with these scales")]
pub struct ConvertArgs {
    /// Model to convert: a directory, a checkpoint of OpenNMT-py, a decoder's YAML file, or weights with --vocab
    #[arg(value_parser = model)]
    pub model: PathBuf,
    /// Directory to create
    #[arg(value_name = "DIR")]
    pub to: PathBuf,
    /// Precisions of the weights to write: f32, f16, int16, int8
    #[arg(long, num_args = 1.., value_name = "TYPE", required = true)]
    pub precision: Vec<dyno_formats::Precision>,
    /// Vocabulary of both sides, or of source and target
    #[arg(long, num_args = 1..=2, value_name = "FILE")]
    pub vocab: Option<Vec<PathBuf>>,
    /// Shortlist or vocabulary map to store with the model
    ///
    /// A lexical shortlist is stored in binary form, with the FIRST frequent words and the BEST translations
    /// of each source word.
    #[arg(long, num_args = 1..=3, value_names = ["FILE", "FIRST", "BEST"])]
    pub shortlist: Option<Vec<String>>,
    /// Translate the lines of FILE to find static activation scales for int8, and store them
    #[arg(long, value_name = "FILE")]
    pub calibrate: Option<PathBuf>,
    /// Languages of source and target
    ///
    /// With --calibrate, a model with words for languages translates between them: give their codes in its
    /// vocabulary, such as eng_Latn deu_Latn.
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub languages: Option<Vec<String>>,
    /// Store int8 products in the order in which the kernels read them
    ///
    /// The model starts in less time, because the file is mapped instead of packed. It is as large, translates
    /// the same on all processors, and needs this version of dyno or a later one.
    #[arg(long)]
    pub pack: bool,
    /// Replace the model directory DIR if it exists
    #[arg(long)]
    pub overwrite: bool,
    /// Print the files that were written as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno bundle models/small --dialect wmt22 --program target/x86_64-unknown-linux-musl/release/dyno
  dyno bundle models/small --dialect wmt26 --pair eng-deu -o mine --set precision=int8
  dyno verify --submission small-wmt22 --dialect wmt22                 the same check that an organiser makes

The folder holds the files of the model that the engine opens, the program, run.sh, and a container file
(wmt26: setup.sh). A static program runs in any container of its architecture.")]
pub struct BundleArgs {
    /// Directory of the model
    #[arg(value_parser = model)]
    pub model: PathBuf,
    /// Dialect of the shared task
    #[arg(long, value_parser = word(&Dialect::ALL))]
    pub dialect: Dialect,
    /// Folder to create [default: MODEL-DIALECT, here]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output options")]
    pub out: Option<PathBuf>,
    /// Program dyno of the submission [default: this one]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Backend that translates [default: the one that suits the model]
    #[arg(long, short)]
    pub backend: Option<String>,
    /// Give the engine a setting; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, serde_json::Value)>,
    /// Language pair that wmt25 and wmt26 name in each call, in the task's own words, such as ces-deu
    #[arg(long, value_name = "PAIR")]
    pub pair: Option<String>,
    /// Print the sizes as JSON
    #[arg(long, help_heading = "Output options")]
    pub json: bool,
}
