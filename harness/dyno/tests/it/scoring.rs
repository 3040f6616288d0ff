//! Quality figures, held against what sacrebleu itself prints.

use std::fs;
use std::iter;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use dyno_stats::Random;
use serde_json::{Value, json};

use crate::support::{Bench, Ended, path, skip};

const CAMPAIGN: &str = r#"
tracks = ["latency"]
test-sets = [{ name = "two", source = "answers", references = ["reference"] }]
probes = []
noisy-repeats = 0
[[system]]
name = "echo"
backend = "null"
"#;

/// The null backend echoes the source, so that the source is the answers.
fn bench() -> Bench {
    let bench = Bench::new(CAMPAIGN);
    bench
        .write("answers", "Ein Hund läuft über die nasse Wiese.\nZwei alte Männer spielen Schach im Park.\n");
    bench.write("reference", "Ein Hund rennt über die nasse Wiese.\nZwei Männer spielen im Park Schach.\n");
    bench
}

/// The Pythons that may have sacrebleu: the user's, and dyno's private ones.
fn pythons() -> Vec<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let private = cache.and_then(|cache| fs::read_dir(cache.join("dyno")).ok());
    let private = private.into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python3"));
    iter::once("python3".into()).chain(private).collect()
}

/// BLEU as sacrebleu's own command prints it for the same files; `None` where no Python here has it.
fn sacrebleu(bench: &Bench) -> Option<f64> {
    sacrebleu_says(bench, &["-m", "bleu"])
}

/// Score that sacrebleu's own command prints for the same files.
fn sacrebleu_says(bench: &Bench, metric: &[&str]) -> Option<f64> {
    let (answers, reference) = (bench.path("answers"), bench.path("reference"));
    let printed = |python: PathBuf| {
        let mut command = Command::new(python);
        command
            .args(["-m", "sacrebleu"])
            .arg(&reference)
            .arg("-i")
            .arg(&answers)
            .args(["-b", "-w", "4"])
            .args(metric);
        let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    pythons().into_iter().find_map(printed)
}

#[test]
fn bleu_is_sacrebleus_and_overrides_in_the_environment_are_ignored() {
    let bench = bench();
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    let ended = Ended::of(
        command.env("SACREBLEU_TOKENIZE", "char").env("SACREBLEU_FORMAT", "text").output().unwrap(),
    );
    let summary: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let Some(expected) = sacrebleu(&bench) else {
        return skip("no sacrebleu to be had: BLEU is not compared");
    };
    let cell = &summary["cells"][0];
    assert!((cell["quality"][0]["score"].as_f64().unwrap() - expected).abs() < 1e-4, "{expected} in {cell}");
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    assert!(
        scores["scores"][0]["metrics"]["bleu"]["signature"].as_str().unwrap().contains("tok:13a"),
        "{scores}"
    );
}

/// sacrebleu's approximate randomisation of two texts, with more exchanges than dyno's own.
const RANDOMISATION: &str = "
import sys
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
one, other, reference = ([line.rstrip('\\n') for line in open(path)] for path in sys.argv[1:])
_, found = PairedTest([('one', one), ('other', other)], {'BLEU': BLEU()}, [reference], 'ar', 10000)()
print(found['BLEU'][1].p_value)";

#[test]
fn exchanges_of_lines_are_sacrebleus_approximate_randomisation() {
    let mut random = Random::new(1, "texts");
    let mut word = || format!("w{}", random.below(12));
    // One system begins all lines with "one", the other with "two": right in 50 and in 30 of them.
    let first = |line: usize| if line < 50 { "one".to_owned() } else { "two".to_owned() };
    let mut line = |number| iter::once(first(number)).chain((0..9).map(|_| word())).collect();
    let reference: Vec<Vec<String>> = (0..80).map(&mut line).collect();
    // Of the other words, one in four is wrong.
    let wrong = reference.iter().enumerate().map(|(number, line)| {
        let answer = line.iter().enumerate().map(|(place, right)| match place {
            0 => "one",
            _ if (number * 5 + place) % 4 == 0 => "wrong",
            _ => right,
        });
        answer.collect::<Vec<_>>().join(" ") + "\n"
    });
    let answers: String = wrong.collect();
    let bench = Bench::new(&format!(
        "{CAMPAIGN}[[system]]\nname = \"other\"\ncommand = [\"sed\", \"-u\", \"s/^one/two/\"]\n"
    ));
    bench.write("answers", answers);
    bench.write("reference", reference.iter().map(|line| line.join(" ") + "\n").collect::<String>());
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    let pair = &scores["pairs"][0];
    let text = |name: &str| bench.path(&format!("out/outputs/{}.txt", pair[name].as_str().unwrap()));
    let printed = |python: PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", RANDOMISATION]).args([text("a"), text("b"), bench.path("reference")]);
        let output = command.output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok()
    };
    let Some(expected) = pythons().into_iter().find_map(printed) else {
        return skip("no sacrebleu to be had: the exchanges of lines are not compared");
    };
    let found = pair["metrics"]["bleu"]["p_permutation"].as_f64().expect("a p value");
    assert!((0.02..0.9).contains(&expected), "{expected} tells little");
    // Four standard errors of a share of a thousand, and those of ten thousand.
    let error = 4.0 * (expected * (1.0 - expected) * (1.0 / 1e3 + 1.0 / 1e4)).sqrt();
    assert!((found - expected).abs() < error, "{found}, sacrebleu {expected}");
}

/// A `python3` that has neither sacrebleu nor a network, before everything else in PATH.
fn poor_python(bench: &Bench) -> String {
    let folder = bench.path("bin");
    fs::create_dir(&folder).unwrap();
    let script =
        "#!/bin/sh\ncase \"$*\" in *venv*) echo 'no network today' >&2;; *) echo nothing;; esac\nexit 1\n";
    fs::write(folder.join("python3"), script).unwrap();
    fs::set_permissions(folder.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), path())
}

#[test]
fn without_sacrebleu_the_run_succeeds_with_a_warning() {
    let bench = bench();
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    command.env("PATH", poor_python(&bench)).env("XDG_CACHE_HOME", bench.path("cache"));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warnings: Vec<_> = ended.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{ended:?}");
    assert!(warnings[0].contains("no network today") && warnings[0].contains("dyno score"), "{ended:?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(summary["cells"][0]["quality"][0]["score"].is_null() && summary["scored"] == false);
    let left = fs::read_dir(bench.path("cache/dyno")).unwrap().count();
    assert_eq!(left, 0, "what was half built is gone");
    score_adds_what_was_missing(&bench);
}

fn score_adds_what_was_missing(bench: &Bench) {
    let score = || {
        let arguments = ["score", "out", "--json"];
        bench.dyno(&arguments)
    };
    let poor = format!("{}:{}", bench.path("bin").display(), path());
    let mut command = score();
    command.env("PATH", poor).env("XDG_CACHE_HOME", bench.path("cache"));
    Ended::of(command.output().unwrap()).assert_says(2, &["no network today"]);
    let Some(expected) = sacrebleu(bench) else {
        return skip("no sacrebleu to be had: `dyno score` is not tried");
    };
    let answer: Value = serde_json::from_slice(&score().output().unwrap().stdout).unwrap();
    let rows = &answer["cells"];
    assert!((rows[0]["quality"][0]["score"].as_f64().unwrap() - expected).abs() < 1e-4, "{rows}");
}

#[test]
fn a_run_is_scored_without_its_campaign_and_every_pair_is_compared() {
    let bench = bench();
    let upper = "import sys\nfor line in sys.stdin: print(line.strip().replace('Ein', 'Der'), flush=True)";
    let twin = CAMPAIGN.replace("\"echo\"", "\"twin\"").split_once("[[system]]").unwrap().1.to_owned();
    let worse = format!("[[system]]\nname = \"worse\"\ncommand = [\"python3\", \"-c\", {upper:?}]\n");
    bench.write("campaign.toml", format!("{CAMPAIGN}[[system]]{twin}{worse}"));
    let Some(expected) = sacrebleu(&bench) else {
        return skip("no sacrebleu to be had: pairs are not compared");
    };
    assert_eq!(bench.run(&[]).code, Some(0));
    for gone in ["campaign.toml", "answers", "reference", "out/scores.json"] {
        fs::remove_file(bench.path(gone)).unwrap();
    }
    let ended = Ended::of(bench.dyno(&["score", "out", "--json"]).output().unwrap());
    let answer: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let rows = &answer["cells"];
    let bleu = |row: usize| rows[row]["quality"][0]["score"].as_f64().unwrap();
    assert!((bleu(0) - expected).abs() < 1e-4 && bleu(0) == bleu(1), "{rows}");
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    // Echo and twin gave one text: two texts are one pair.
    assert_eq!(
        (scores["scores"].as_array().unwrap().len(), scores["pairs"].as_array().unwrap().len()),
        (2, 1)
    );
    let pair = &scores["pairs"][0];
    let sign = if pair["a"] == rows[0]["output"] { 1.0 } else { -1.0 };
    let difference = pair["metrics"]["bleu"]["difference"].as_f64().unwrap();
    assert!((sign * difference - (bleu(0) - bleu(2))).abs() < 1e-9, "{pair}");
}

#[test]
fn every_metric_of_sacrebleu_scores_as_its_command_does() {
    let bench = bench();
    bench.write("campaign.toml", format!("metrics = [\"ter\", \"chrf++\", \"chrf\", \"bleu\"]\n{CAMPAIGN}"));
    let options: [&[&str]; 4] =
        [&["-m", "ter"], &["-m", "chrf", "--chrf-word-order", "2"], &["-m", "chrf"], &["-m", "bleu"]];
    let expected = options.iter().map(|metric| sacrebleu_says(&bench, metric)).collect::<Option<Vec<_>>>();
    let Some(expected) = expected else {
        return skip("no sacrebleu to be had: its metrics are not compared");
    };
    let ended = bench.run(&["--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let quality = answer["cells"][0]["quality"].as_array().unwrap();
    let names = ["ter", "chrf++", "chrf", "bleu"];
    for (quality, (expected, name)) in quality.iter().zip(expected.iter().zip(names)) {
        assert_eq!(quality["metric"], name);
        assert!((quality["score"].as_f64().unwrap() - expected).abs() < 1e-4, "{expected} in {quality}");
    }
    assert_eq!(answer["metrics"][0]["direction"], "lower");
    let table = Ended::of(bench.dyno(&["score", "out"]).output().unwrap()).stdout;
    assert!(table.lines().any(|line| line.contains("TER") && line.contains("chrF++")), "{table}");
}

#[test]
fn spbleu_is_the_bleu_of_pieces() {
    let bench = bench();
    bench.write("campaign.toml", format!("metrics = [\"spbleu\"]\n{CAMPAIGN}"));
    let Some(expected) = sacrebleu_says(&bench, &["-m", "bleu", "--tokenize", "char"]) else {
        return skip("no sacrebleu to be had: spBLEU is not compared");
    };
    // Pieces of one character, in the place of a model that must be downloaded.
    for folder in ["pieces", "sacrebleu", "sacrebleu/models"] {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    bench.write("sacrebleu/models/flores200sacrebleuspm", "");
    let pieces = "class SentencePieceProcessor:\n    def Load(self, path): open(path).close()\n\
                  \x20   def EncodeAsPieces(self, line): return list(line)\n";
    bench.write("pieces/sentencepiece.py", pieces);
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    command.env("PYTHONPATH", bench.path("pieces")).env("SACREBLEU", bench.path("sacrebleu"));
    let ended = Ended::of(command.output().unwrap());
    let answer: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let quality = &answer["cells"][0]["quality"][0];
    assert_eq!((&quality["metric"], &answer["metrics"][0]["title"]), (&json!("spbleu"), &json!("spBLEU")));
    assert!((quality["score"].as_f64().unwrap() - expected).abs() < 1e-4, "{expected} in {quality}");
}

#[test]
fn the_target_language_decides_the_tokenisation() {
    let bench = bench();
    if sacrebleu(&bench).is_none() {
        return skip("no sacrebleu to be had: its tokenisation is not tried");
    }
    fs::create_dir(bench.path("han")).unwrap();
    let (source, reference) = ("\u{4e00}\u{53ea}\u{72d7}\n", "\u{4e00}\u{53ea}\u{732b}\n");
    let sum = dyno_record::hash_of([source, reference].concat().as_bytes());
    bench.write("han/a", source);
    bench.write("han/b", reference);
    bench.write(
        "han/testset.toml",
        format!(
            "name = \"han\"\nabout = \"\"\nlicence = \"\"\nlanguages = \"de-zh\"\nlines = 1\nsource = \"a\"\n\
             references = [\"b\"]\nsha256 = \"{sum}\"\n"
        ),
    );
    let files = "[{ name = \"two\", source = \"answers\", references = [\"reference\"] }]";
    bench.write("campaign.toml", CAMPAIGN.replace(files, "[\"han\"]"));
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let scores = fs::read_to_string(bench.path("out/scores.json")).unwrap();
    assert!(scores.contains("tok:zh"), "{scores}");
}

#[test]
fn without_any_python_the_run_still_succeeds() {
    let bench = bench();
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out"]);
    command.env("PATH", bench.path("nothing")).env("XDG_CACHE_HOME", bench.path("cache"));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("python3"), "{ended:?}");
}

#[test]
fn a_test_set_of_sacrebleu_without_sacrebleu_is_refused() {
    let bench = Bench::new(
        "languages = \"en-de\"\ntest-sets = [\"multi30k/2016\"]\n[[system]]\nname = \"a\"\nbackend = \"null\"\n",
    );
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out"]);
    command.env("PATH", poor_python(&bench)).env("XDG_CACHE_HOME", bench.path("cache"));
    Ended::of(command.output().unwrap()).assert_says(2, &["campaign.toml:2:14:", "multi30k/2016", "network"]);
    assert!(!bench.path("out").exists());
}

/// A `python3` with sacrebleu, but without the tokeniser of Japanese. Its environments note what pip is asked for, and
/// can't be built.
fn python_without_mecab(bench: &Bench) -> Option<String> {
    let has_sacrebleu = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", "import sacrebleu"]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let real = pythons().into_iter().find(has_sacrebleu)?;
    let real = Command::new(real).args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let real = String::from_utf8(real.stdout).ok()?;
    fs::create_dir(bench.path("bin")).unwrap();
    fs::create_dir(bench.path("hides")).unwrap();
    bench.write("hides/MeCab.py", "raise ImportError\n");
    let pip = format!(
        "#!/bin/sh\necho \"$@\" >> {}\necho no network today >&2\nexit 1\n",
        bench.path("notes").display()
    );
    bench.write("pip", pip);
    let script = format!(
        "#!/bin/sh\nif [ \"$2\" = venv ]; then mkdir -p \"$3/bin\"; cp {} \"$3/bin/python3\"; exec chmod +x \"$3/bin/python3\"; fi\n\
         PYTHONPATH={} exec {} \"$@\"\n",
        bench.path("pip").display(),
        bench.path("hides").display(),
        real.trim()
    );
    bench.write("bin/python3", script);
    fs::set_permissions(bench.path("bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
    Some(format!("{}:{}", bench.path("bin").display(), path()))
}

#[test]
fn a_metric_that_fails_takes_no_other_and_no_price_with_it_and_says_why() {
    let bench = bench();
    let Some(path) = python_without_mecab(&bench) else {
        return skip("no sacrebleu to be had: a metric that fails is not tried");
    };
    bench.write("answers", "\u{72ac}\u{304c}\u{8d70}\u{308b}\u{3002}\n");
    bench.write("reference", "\u{72ac}\u{306f}\u{8d70}\u{308b}\u{3002}\n");
    bench.write("campaign.toml", format!("languages = \"en-ja\"\n{CAMPAIGN}"));
    let dyno = |arguments: &[&str]| {
        let mut command = bench.dyno(arguments);
        Ended::of(command.env("PATH", &path).env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap())
    };
    let ended = dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warning = ended.stderr.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    assert!(warning.contains("BLEU on two") && warning.contains("pip install sacrebleu[ja]"), "{ended:?}");
    let asked = fs::read_to_string(bench.path("notes")).unwrap();
    for package in ["sacrebleu==", "mecab-python3==", "--no-binary ipadic"] {
        assert!(asked.contains(package), "{package} is not asked for: {asked}");
    }
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let quality = answer["cells"][0]["quality"].as_array().unwrap();
    let score = |name: &str| &quality.iter().find(|one| one["metric"] == name).unwrap()["score"];
    assert!(score("bleu").is_null() && score("chrf").as_f64().unwrap() > 0.0, "{quality:?}");
    let again = dyno(&["score", "out", "--price", "c7a.large", "--json"]);
    again.assert_says(2, &["BLEU on two", "pip install sacrebleu[ja]"]);
    let answer: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(crate::answers::misfits(&answer, "score"), Vec::<String>::new());
    assert_eq!(answer["price"]["instance"], "c7a.large");
    assert!(answer["cells"][0]["words_per_dollar"].is_number(), "{answer}");
    let table = dyno(&["score", "out"]).stdout;
    assert!(table.contains("chrF") && table.contains("c7a.large at $"), "{table}");
}
