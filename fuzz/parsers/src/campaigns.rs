//! Campaigns and the files that they name: test sets, pairs, examples, arrivals; and manifests of adapters.
//!
//! No campaign here has `languages`: with them, a damaged path may become the name of one of sacrebleu's
//! sets, which Python would then fetch.

use std::fs::write;
use std::path::Path;

use dyno_measure::{Filler, Recording, TestSet};
use dyno_provision::adapters::Description;

use crate::parser::Parser;
use crate::project::{copy, file, files};

/// Damaged campaigns: each checks its systems and reads its test sets.
const CASES: u64 = 1000;

/// A campaign with every key that needs no other file.
const CAMPAIGN: &str = r#"
name = "all"
profile = "quick"
seed = 7
cores = [1, 2]
tracks = ["latency", "throughput-all", { name = "server", limit-ms = 250, percentile = 99, clients = [1, 4], arrivals = "a.txt" }]
prompt = { text = "{source-language}, {target-language}: {examples} {line}", source-language = "A", target-language = "B", examples = "e.tsv" }
test-sets = ["set", { name = "pairs", pairs = "p.csv" }, { name = "plain", source = "set/source.en" }, { name = "tokens", tokens = 9, lines = 3, text = "set/source.en" }]
metrics = ["chrf", { name = "x", worker = ["cat"] }]
line-seconds = 2.5
launch-seconds = 60
noisy-repeats = 2
runaway-factor = 3.5
memory-mib = 512
filler = "set/source.en"
meter = ["cat"]
probes = ["length"]
interleave = "slices"
twin = "b"

[generate.drawn]
seed = 1
words = 40
text = ["set/source.en"]
[generate.drawn.marian]
type = "transformer"
dim-emb = 8
transformer-heads = 2

[[system]]
name = "a"
backend = "null"
batch = [64, 128]
tracks = ["throughput-all"]

[[system]]
name = "b"
command = ["cat", "-u"]
environment = { A = "1" }
sandbox = "none"
sampling = true

[[system]]
name = "c"
backend = "ssru"
model = { generate = "drawn" }
settings = { precision = "int8", beam = 4 }
"#;

pub(crate) fn parsers() -> Vec<Parser> {
    let campaigns =
        [vec![CAMPAIGN.into()], files("campaigns", &["starter.toml", "opennmt-fig2.toml"])].concat();
    let arrivals = vec![b"1764230400.25\n1764230400.5\n1764230403\n".into()];
    let adapters = ["ctranslate2", "marian", "llama.cpp"].map(|name| format!("{name}/adapter.toml"));
    let adapters = files("backends/adapters", &adapters.each_ref().map(String::as_str));
    vec![
        Parser { cases: CASES, ..of_campaign("campaign.toml", campaigns) },
        of_campaign("set/testset.toml", vec![manifest()]),
        of_campaign("p.csv", vec![PAIRS.into()]),
        of_campaign("e.tsv", vec![EXAMPLES.into()]),
        Parser::of_file(
            ("arrivals", "a.txt"),
            arrivals,
            |_: &Path| (),
            |folder: &Path| {
                let recording = Recording::read(&folder.join("a.txt"))?;
                let instants = recording.unit_instants(2 * recording.arrivals());
                assert!(instants.is_sorted() && instants.iter().all(|at| at.is_finite()));
                Ok::<_, dyno_measure::Error>(())
            },
        ),
        Parser::of_file(("lines", "lines"), vec![b"a b\nc\r\n\n\xC3\xA9".into()], |_: &Path| (), lines),
        Parser::of_file(
            ("adapter.toml", "adapter.toml"),
            adapters,
            |_: &Path| (),
            |folder: &Path| Description::read(folder).map(|read| drop(read.values(&Default::default()))),
        ),
    ]
}

const PAIRS: &str = "\"A, b\",\"say \"\"c\"\"\",4.25\nd,e,0\n";
const EXAMPLES: &str = "a dog\tein Hund\n";
const SOURCE: &str = "A dog.\nTwo dogs run.\n";

/// A file that a campaign names, or the campaign itself.
fn of_campaign(name: &'static str, seeds: Vec<Vec<u8>>) -> Parser {
    let fill = |folder: &Path| {
        let set = folder.join("set");
        std::fs::create_dir_all(&set).expect("the scratch folder is writable");
        for (name, text) in
            [("campaign.toml", CAMPAIGN), ("p.csv", PAIRS), ("e.tsv", EXAMPLES), ("a.txt", "0\n1\n3\n")]
        {
            write(folder.join(name), text).expect("the scratch folder is writable");
        }
        write(set.join("source.en"), SOURCE).expect("the scratch folder is writable");
        write(set.join("testset.toml"), manifest()).expect("the scratch folder is writable");
        // The shipped campaigns name their set by a path beside their folder.
        copy(&file("testsets/captions-en-de"), &folder.join("testsets/captions-en-de"));
    };
    let load = |folder: &Path| dyno_mt::check_campaign(&folder.join("campaign.toml"));
    let parser = Parser::of_file((name.replace('/', "-"), name), seeds, fill, load);
    Parser { least_bytes: 4 << 20, ..parser }
}

/// Manifest of a test set of two lines.
fn manifest() -> Vec<u8> {
    let sha256 = TestSet::from_lines("set", SOURCE.lines()).sha256;
    format!("name = \"set\"\nabout = \"a\"\nlicence = \"b\"\nlanguages = \"en-de\"\nlines = 2\nsource = \"source.en\"\nsha256 = \"{sha256}\"\n")
        .into()
}

/// Plain lines, as a test set and as filler. A set has the file's own lines.
fn lines(folder: &Path) -> Result<(), dyno_measure::Error> {
    let path = folder.join("lines");
    let set = TestSet::from_files("set", &path, &[])?;
    let text: Vec<u8> = set.source.iter().flat_map(|line| [line, &b"\n"[..]]).flatten().copied().collect();
    let bytes = std::fs::read(&path).expect("it was read");
    assert!(text == bytes || text.strip_suffix(b"\n") == Some(&bytes[..]));
    assert_eq!(Filler::read(&path)?.around(&set).count(), 0);
    Ok(())
}
