//! Contestants that cheat in rounds in ways that no clock is needed to see. `ci/round-sweep` has the others.

use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, path};

const CONTESTANT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contestants/contestant.py");

/// Records of a contestant in the latency track, without probes. `real.bin` lies beside its `model.bin`.
fn records_of(contestant: &str, seed: u64) -> Vec<Value> {
    records_with(contestant, seed, "model.bin")
}

/// Records of a contestant whose model lies at `model`.
fn records_with(contestant: &str, seed: u64, model: &str) -> Vec<Value> {
    records_under("", contestant, seed, model)
}

/// The same in a campaign that has these keys, too.
fn records_under(keys: &str, contestant: &str, seed: u64, model: &str) -> Vec<Value> {
    let seed = seed.to_string();
    let command = ["python3", CONTESTANT, contestant, "{track}", "{model}", seed.as_str(), "model.bin.vocab"];
    let bench = Bench::new(&format!(
        "{keys}probes = []\nprofile = \"quick\"\ntracks = [\"latency\"]\nnoisy-repeats = 0\n\
         test-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
         [[system]]\nname = \"it\"\nmodel = {model:?}\ncommand = {command:?}\n"
    ));
    for (name, bytes) in [("model.bin", 2000), ("model.bin.vocab", 2 << 20), ("real.bin", 4 << 20)] {
        bench.write(name, vec![0; bytes]);
    }
    bench.run(&[]);
    bench.records()
}

fn codes<'a>(record: &'a Value, kind: &str) -> Vec<&'a str> {
    let reasons = record[kind].as_array().into_iter().flatten();
    reasons.map(|reason| reason["code"].as_str().expect("a code")).collect()
}

#[test]
fn memory_in_shared_files_is_found() {
    for contestant in ["hides_memory", "hides_segment", "hides_by_shares"] {
        let found = records_of(contestant, 3);
        assert!(found.iter().any(|record| codes(record, "reasons") == ["hidden_memory"]), "{found:?}");
    }
}

#[test]
fn memory_that_a_peak_lacks_counts_and_a_lowered_peak_is_told() {
    for (contestant, is_refused) in [("lowers_peak", true), ("fills_pipes", false), ("honest_pipes", false)] {
        let records = records_of(contestant, 1);
        let peak = |record: &Value| record["usage"]["peak_bytes"].as_u64().unwrap() >> 20;
        if is_refused {
            assert!(
                records.iter().any(|record| codes(record, "reasons") == ["hidden_memory"]),
                "{records:?}"
            );
            continue;
        }
        assert!(records.iter().all(|record| codes(record, "reasons").is_empty()), "{records:?}");
        let most = records.iter().map(peak).max();
        assert_eq!(most >= Some(200), contestant != "honest_pipes", "{most:?} MiB {contestant}");
    }
}

#[test]
fn memory_in_pipes_is_over_a_limit_of_memory() {
    let records = records_under("memory-mib = 100\n", "fills_pipes", 1, "model.bin");
    assert!(records.iter().all(|record| codes(record, "reasons") == ["over_memory"]), "{records:?}");
}

#[test]
fn a_declared_model_in_shared_memory_is_no_hidden_memory() {
    let model = tempfile::NamedTempFile::new_in("/dev/shm").expect("a file in shared memory");
    std::fs::write(model.path(), vec![7; 4 << 20]).expect("it takes a model");
    let records = records_with("honest_reader", 1, model.path().to_str().expect("UTF-8"));
    for record in &records {
        assert!(codes(record, "reasons").is_empty(), "{record}");
        assert_eq!((&record["model_bytes"], &record["model_seen"]), (&(4 << 20).into(), &true.into()));
    }
}

#[test]
fn a_model_that_no_look_has_seen_is_declared() {
    for record in records_of("honest_plain", 1) {
        assert_eq!((&record["model_bytes"], &record["model_seen"]), (&2000.into(), &Value::Null), "{record}");
    }
}

#[test]
fn weights_beside_the_declared_model_are_found_whether_read_or_mapped() {
    for seed in [1, 2] {
        for record in records_of("hides_files", seed) {
            assert_eq!(codes(&record, "reasons"), ["hidden_files"], "{record}");
            assert!(record["reasons"][0]["figure"].as_str().unwrap().contains("real.bin"), "{record}");
        }
    }
}

#[test]
fn an_honest_system_with_large_files_and_shared_memory_hides_nothing() {
    for contestant in ["honest_hoarding", "honest_memmap"] {
        for record in records_of(contestant, 1) {
            assert!(codes(&record, "reasons").is_empty(), "{contestant}: {record}");
        }
    }
}

/// A campaign on 200 captions, whose one system is a contestant that knows them.
fn knowing(contestant: &str, head: &str) -> Bench {
    // It sleeps at first: what it does is looked at, and few launches fill a round.
    let python = format!("sleep 0.2; exec python3 {CONTESTANT:?} {contestant} {{track}} set.en");
    let command = ["sh", "-c", &python];
    let set = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testsets/photos-en-de/source.en");
    let lines = std::fs::read_to_string(set).expect("a shipped set");
    let bench = Bench::new(&format!(
        "{head}profile = \"quick\"\nnoisy-repeats = 0\n\
         test-sets = [{{ name = \"set\", source = \"set.en\" }}]\n\
         [[system]]\nname = \"it\"\ncommand = {command:?}\n"
    ));
    bench.write("set.en", lines.split_inclusive('\n').take(200).collect::<String>());
    bench
}

#[test]
fn a_table_of_another_systems_answers_is_found_in_rounds_however_slow_it_is() {
    let bench = knowing("table_of_another", "probes = []\ntracks = [\"throughput-1\"]\n");
    bench.run(&[]);
    let records = bench.records();
    assert_eq!(records.len(), 3);
    // A round looks at a dozen lines first, and misses this table once in fifty times.
    let accused: Vec<_> = records.iter().filter(|record| !codes(record, "reasons").is_empty()).collect();
    assert!(!accused.is_empty(), "{records:?}");
    for record in accused {
        assert_eq!(codes(record, "reasons"), ["recognises"], "{record}");
        let figure = record["reasons"][0]["figure"].as_str().unwrap();
        assert!(figure.contains("are unlike those to two changed copies"), "{figure}");
    }
}

/// To the bench it looks like a translator whose answers to a few lines are strange by chance. Whether its times accuse
/// it, `ci/round-sweep` asks.
#[test]
fn strange_answers_to_a_few_lines_alone_accuse_nothing() {
    let bench = knowing("honest_strange_in_few", "probes = []\ntracks = [\"throughput-1\"]\n");
    bench.run(&[]);
    for record in bench.records() {
        let figures =
            record["reasons"].as_array().into_iter().flatten().filter_map(|reason| reason["figure"].as_str());
        assert!(!figures.into_iter().any(|figure| figure.contains("are unlike those to")), "{record}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn a_table_of_another_systems_answers_is_found_by_recognition() {
    for track in ["latency", "throughput-1"] {
        let bench = knowing("table_of_another", &format!("tracks = [{track:?}]\n"));
        let mut verify = bench.dyno(&["verify", "campaign.toml", "--json", "--probe", "recognition"]);
        let ended = crate::support::Ended::of(verify.output().unwrap());
        let verdict: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        let reasons = verdict["reasons"].as_array().unwrap();
        assert!(reasons.iter().any(|reason| reason["code"] == "recognises"), "{track}: {verdict}");
    }
}

/// Answers each line with the number of its open files, and whether one of them, a variable or a word of a
/// command line, its own or its parent's, names the folder of the run.
const NOSY: &str = "\
import os, sys, time
time.sleep(0.2) # few launches fill a round
def files():
    for name in os.listdir('/proc/self/fd'):
        try: yield os.readlink('/proc/self/fd/' + name)
        except OSError: pass
def text(path): return open(path, 'rb').read().decode()
for line in sys.stdin:
    told = [*files(), text('/proc/self/environ'), text(f'/proc/{os.getppid()}/cmdline')]
    files_of_the_run = [each for each in told if os.path.join(os.getcwd(), 'out') in each]
    print(len(list(files())), files_of_the_run, flush=True)
";

#[test]
fn a_system_has_three_open_files_and_no_path_of_the_run() {
    let bench = Bench::new(
        "probes = []\nprofile = \"quick\"\nnoisy-repeats = 0\ntracks = [\"latency\", \"throughput-1\"]\n\
         test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n\
         [[system]]\nname = \"it\"\ncommand = [\"python3\", \"nosy.py\"]\n",
    );
    bench.write("nosy.py", NOSY);
    // A file that the user's shell left open is none of the system's.
    let mut dyno = Command::new("sh");
    dyno.args(["-c", "exec 9<nosy.py; exec \"$0\" run campaign.toml --out out", env!("CARGO_BIN_EXE_dyno")]);
    dyno.current_dir(bench.path("")).env("PATH", path()).output().expect("sh starts");
    for record in bench.records() {
        let output = record["output"].as_str().unwrap_or_else(|| panic!("answers: {record}"));
        let answers = std::fs::read_to_string(bench.path(&format!("out/outputs/{output}.txt"))).unwrap();
        assert!(answers.lines().all(|answer| answer == "3 []"), "{answers}");
    }
}
