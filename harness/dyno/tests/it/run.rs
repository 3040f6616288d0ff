//! Campaigns measured end to end.

use std::collections::HashSet;

use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY, NULL_AND_CAT, records};

const SCRIPT: &str = "import sys
out = open('saw.txt', 'a')
out.write(' '.join(sys.argv[1:]) + '\\n')
for line in sys.stdin:
    print(line.rstrip('\\n').upper(), flush=True)
";

/// Three systems in one track, measured without probes.
fn three_systems() -> Bench {
    three_systems_with("probes = []\n")
}

/// The same below further lines of the campaign.
fn three_systems_with(head: &str) -> Bench {
    let script = r#"
[[system]]
name = "script"
command = ["python3", "script.py", "{cores}", "{track}", "{model}"]
model = "script.py"
"#;
    let bench = Bench::new(&format!("{head}{LATENCY}{NULL_AND_CAT}{script}"));
    bench.write("script.py", SCRIPT);
    bench
}

#[test]
fn built_in_and_foreign_systems_are_measured_alike() {
    let bench = three_systems_with("");
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let summary: Value = serde_json::from_str(&ended.stdout).expect("--json prints JSON and nothing else");
    let cells = summary["cells"].as_array().unwrap();
    let names: Vec<_> = cells.iter().map(|cell| cell["system"].as_str().unwrap()).collect();
    assert_eq!(names, ["null", "cat", "script"]);
    for cell in cells {
        assert_ne!(cell["verdict"], "INVALID", "{cell}");
        assert_eq!(cell["rounds"], 3);
        assert!(cell["words_per_second"].as_f64().unwrap() > 0.0);
        assert!(cell["p99_ms"].is_null(), "five lines can't bound p99");
        let (peak, floor) = (cell["peak_bytes"].as_u64().unwrap(), cell["floor_bytes"].as_u64().unwrap());
        assert!(peak > 0 && floor > 0 && floor < 32 << 20, "{cell}");
    }
    let csv = std::fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("host,test_set,track,system,profile,precision,beam,most_words,cores,verdict,"));
    check_records(&bench);
}

/// Records hold every latency, and the answers in source order.
fn check_records(bench: &Bench) {
    let records = bench.records();
    assert_eq!(records.len(), 9);
    for record in &records {
        assert_eq!(record["latency_ns"].as_array().unwrap().len(), 5);
        assert_eq!(record["words"], 11);
        let output = format!("out/outputs/{}.txt", record["output"].as_str().unwrap());
        let text = std::fs::read_to_string(bench.path(&output)).unwrap();
        let expected = "A dog barks.\n\nTwo men\ttalk\nno end\u{2028}here\nlast one\n";
        let upper = record["system"] == "script";
        assert_eq!(text, if upper { expected.to_uppercase() } else { expected.into() });
    }
    assert!(!bench.path("out/scratch").exists(), "a finished run leaves no scratch files");
}

#[test]
fn placeholders_reach_a_foreign_command_and_its_folder_is_the_campaigns() {
    let bench = three_systems();
    bench.run(&["--system", "script"]);
    let saw = std::fs::read_to_string(bench.path("saw.txt")).unwrap();
    let model = std::fs::canonicalize(bench.path("script.py")).unwrap();
    assert_eq!(saw.lines().collect::<HashSet<_>>().len(), 1);
    let words: Vec<_> = saw.lines().next().unwrap().split(' ').collect();
    assert_eq!(words[..2], ["1", "latency"]);
    assert_eq!(std::fs::canonicalize(words[2]).unwrap(), model);
}

#[test]
#[ignore = "takes many seconds"]
fn throughput_runs_the_whole_file_until_the_profiles_minimum_time() {
    let system = "[[system]]\nname = \"slow\"\nbackend = \"null\"\nsettings = { word-us = 2000 }\n";
    let tracks = LATENCY.replace("\"latency\"", "\"throughput-1\", \"throughput-all\"");
    let bench = Bench::new(&format!("probes = []\n{tracks}{system}"));
    let ended = bench.run(&["--json"]);
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    // 11 words of 2 ms of CPU time each: at most 500 words/s on a core.
    for cell in summary["cells"].as_array().unwrap() {
        let speed = cell["words_per_second"].as_f64().unwrap();
        let all = std::thread::available_parallelism().unwrap().get();
        let cores = if cell["track"] == "throughput-all" { all } else { 1 };
        assert!(speed > 0.0 && speed <= 500.0 * cores as f64, "{cell}");
    }
    for record in bench.records() {
        let launches = record["launch_ns"].as_array().unwrap();
        assert!(launches.iter().map(|ns| ns.as_u64().unwrap()).sum::<u64>() >= 1_000_000_000);
        assert_eq!(record["one_line_ns"].as_array().unwrap().len(), 3);
        assert_eq!(record["facts"]["backend"], "null");
    }
}

#[test]
fn a_systems_memory_is_its_own() {
    let hungry = "import sys; x = bytearray(200 << 20); x[::4096] = b'1' * len(x[::4096])
for line in sys.stdin: print(line, end='', flush=True)";
    let systems = format!(
        "[[system]]\nname = \"hungry\"\ncommand = [\"python3\", \"-c\", '''{hungry}''']
[[system]]\nname = \"small\"\nbackend = \"null\"\n"
    );
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{systems}"));
    assert_eq!(bench.run(&[]).code, Some(0));
    for record in bench.records() {
        let peak = record["usage"]["peak_bytes"].as_u64().unwrap() >> 20;
        let expected = if record["system"] == "hungry" { 200..300 } else { 1..32 };
        assert!(expected.contains(&peak), "{} MiB for {}", peak, record["system"]);
    }
}

#[test]
fn the_system_keeps_to_its_core() {
    let script = "import os, sys
for line in sys.stdin: print(sorted(os.sched_getaffinity(0)), flush=True)";
    let system = format!("[[system]]\nname = \"it\"\ncommand = [\"python3\", \"-c\", {script:?}]\n");
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{system}"));
    assert_eq!(bench.run(&[]).code, Some(0));
    let record = &bench.records()[0];
    let output = format!("out/outputs/{}.txt", record["output"].as_str().unwrap());
    let said = std::fs::read_to_string(bench.path(&output)).unwrap();
    let cores: Vec<u64> = record["system_cores"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    assert_eq!(cores.len(), 1);
    assert_eq!(said.lines().collect::<HashSet<_>>(), HashSet::from([format!("{cores:?}").as_str()]));
}

#[test]
fn a_dry_run_lists_and_writes_nothing() {
    let bench = three_systems();
    let ended = bench.run(&["--dry-run", "--system", "*a*"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.contains("1 cell of 3 rounds, at least 0:0"), "{ended:?}");
    assert!(!bench.path("out").exists());
    let json: Value = serde_json::from_str(&bench.run(&["--dry-run", "--json"]).stdout).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 3);
}

#[test]
fn the_table_names_every_system_and_its_verdict() {
    let ended = three_systems().run(&["--system", "null", "--system", "cat"]);
    for system in ["null ", "cat "] {
        let row = ended.stdout.lines().find(|line| line.starts_with(system));
        let row = row.unwrap_or_else(|| panic!("no row of {system}: {ended:?}"));
        assert!(row.contains("VALID") || row.contains("NOISY"), "{row}");
    }
    assert!(ended.stdout.contains("track latency (one core, lock-step) · tiny"), "{ended:?}");
    assert!(!ended.stdout.contains('\u{1b}'), "no colour codes on a pipe");
}

#[test]
fn a_profile_on_the_command_line_wins() {
    let bench = three_systems();
    assert_eq!(bench.run(&["--profile", "standard", "--system", "null"]).code, Some(0));
    let records = bench.records();
    assert_eq!(records.len(), 10, "five rounds, and five of the twin");
    assert!(records.iter().all(|record| record["profile"] == "standard"));
}

#[test]
fn the_same_seed_gives_the_same_order_of_cells() {
    let order = |bench: &Bench| {
        let of = |record: &Value| (record["round"].as_u64(), record["system"].as_str().unwrap().to_owned());
        bench.records().iter().map(of).collect::<Vec<_>>()
    };
    let (a, b) = (three_systems(), three_systems());
    a.run(&[]);
    b.run(&[]);
    assert_eq!(order(&a), order(&b));
    assert_eq!(
        order(&a).iter().map(|(round, _)| round.unwrap()).collect::<Vec<_>>(),
        [0, 0, 0, 1, 1, 1, 2, 2, 2]
    );
}

#[test]
fn without_out_the_run_lies_below_runs_and_a_second_one_beside_it() {
    let bench = three_systems();
    let run = || Ended::of(bench.dyno(&["run", "campaign.toml", "-s", "null"]).output().unwrap());
    assert_eq!(run().code, Some(0));
    assert_eq!(run().code, Some(0));
    let mut folders: Vec<_> =
        std::fs::read_dir(bench.path("runs")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 2);
    let name = |i: usize| folders[i].file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name(0).starts_with("campaign-"));
    assert_eq!(name(1), format!("{}-2", name(0)));
    assert!(folders.iter().all(|folder| records(folder).len() == 3));
}

#[test]
#[ignore = "takes many seconds"]
fn filler_lines_lengthen_a_launch_and_are_not_scored() {
    let tracks = LATENCY.replace("\"latency\"", "\"throughput-1\"");
    let system = "[[system]]\nname = \"slow\"\nbackend = \"null\"\nsettings = { word-us = 2000 }\n";
    let bench = Bench::new(&format!("probes = []\nfiller = \"filler.en\"\n{tracks}{system}"));
    let filler: String = (0..500).map(|i| format!("filler line number {i}\n")).collect();
    bench.write("filler.en", filler + "last one\n");
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let records = bench.records();
    // Four words of 2 ms of CPU time a line: a second takes at most 125 lines. All rounds take as many as the first.
    let lines: HashSet<_> = records.iter().map(|record| record["timed_lines"].as_u64().unwrap()).collect();
    assert!(lines.len() == 1 && lines.iter().all(|lines| (5..=250).contains(lines)), "{lines:?}");
    for record in &records {
        assert_eq!(record["lines"], 5);
        let output = format!("out/outputs/{}.txt", record["output"].as_str().unwrap());
        let text = std::fs::read_to_string(bench.path(&output)).unwrap();
        assert_eq!(text, "A dog barks.\n\nTwo men\ttalk\nno end\u{2028}here\nlast one\n");
    }
}

#[test]
fn probes_ask_another_time_what_no_system_has_seen() {
    let system = "[[system]]\nname = \"it\"\ncommand = [\"tee\", \"-a\", \"asked\"]\n";
    let bench = Bench::new(&format!("probes = [\"buffering\"]\n{LATENCY}{system}"));
    let asked = |out: &str| {
        let mut dyno = bench.dyno(&["run", "campaign.toml", "--out", out]);
        assert_eq!(Ended::of(dyno.output().unwrap()).code, Some(0));
        let asked = std::fs::read_to_string(bench.path("asked")).unwrap();
        std::fs::remove_file(bench.path("asked")).unwrap();
        asked
    };
    assert_ne!(asked("first"), asked("second"), "though the seed is the same");
}

/// A campaign of a system that answers otherwise in each launch, under a metric that scores a line by the worker's
/// expression over its answer, whose last word is the launch.
fn of_unlike_rounds(score: &str) -> Bench {
    let script = "import os\nfor line in open(0): print(line.rstrip('\\n'), os.getpid(), flush=True)";
    let bench = Bench::new(&format!(
        "probes = []\ntracks = [\"latency\"]\nmetrics = [{{ name = \"m\", worker = [\"python3\", \"worker.py\"] }}]\n\
         test-sets = [{{ name = \"set\", source = \"set\", references = [\"set\"] }}]\n\
         [[system]]\nname = \"it\"\nsampling = true\ncommand = [\"python3\", \"-c\", {script:?}]\n"
    ));
    bench.write("set", (0..60).map(|i| format!("A small dog runs {i}\n")).collect::<String>());
    bench.write(
        "worker.py",
        format!(
            "import hashlib, json, sys\ndrawn = lambda text: hashlib.md5(text.encode()).digest()[0]\n\
             for line in sys.stdin:\n    ask = json.loads(line)\n    answer = {{'name': 'm', 'version': '1', 'direction': 'higher'}}\n    \
             if ask['ask'] == 'score': answer = {{'segments': [{score} for answer in ask['hypothesis']]}}\n    \
             print(json.dumps(answer), flush=True)\n"
        ),
    );
    bench
}

fn cell_of(bench: &Bench, code: i32) -> Value {
    let mut dyno = bench.dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    let ended = Ended::of(dyno.env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap());
    assert_eq!(ended.code, Some(code), "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    answer["cells"][0].clone()
}

#[test]
fn of_rounds_that_differ_the_worst_text_is_scored() {
    let bench = of_unlike_rounds("drawn(answer)");
    let cell = cell_of(&bench, 0);
    let quality = &cell["quality"][0];
    assert_eq!(quality["score"], quality["low"], "{cell}");
    assert_ne!(cell["verdict"], "INVALID", "{cell}");
    assert!(quality["low"].as_f64() < quality["high"].as_f64(), "{quality}");
    for record in bench.records() {
        let moment = |name: &str| record[name].as_u64().expect("a moment");
        let took = (moment("ended_unix_ms") - moment("started_unix_ms")) as f64;
        let watched = record["noise"].as_array().unwrap().last().unwrap()["seconds"].as_f64().unwrap();
        assert!(
            took >= 500.0 * watched,
            "the clock may be set meanwhile, but the round began before its end: {record}"
        );
    }
}

#[test]
fn rounds_of_unlike_quality_are_refused_though_the_system_samples() {
    let cell = cell_of(&of_unlike_rounds("2 * drawn(answer.split()[-1]) + drawn(answer) / 256"), 1);
    assert_eq!(
        (&cell["verdict"], &cell["reasons"][0]["code"]),
        (&"INVALID".into(), &"nondeterministic".into())
    );
    assert!(cell["reasons"][0]["figure"].as_str().unwrap().contains("in another"), "{cell}");
    assert_eq!(cell["standing"], Value::Null);
}

#[test]
fn systems_see_a_clean_environment_and_what_their_campaign_adds() {
    let script = "import os, sys
names = ['OMP_NUM_THREADS', 'LC_ALL', 'DYNO_TEST_LEAK', 'OWN']
for line in sys.stdin: print([os.environ.get(name) for name in names], flush=True)";
    let system = format!(
        "[[system]]\nname = \"it\"\nenvironment = {{ OWN = \"mine\" }}\ncommand = [\"python3\", \"-c\", '''{script}''']\n"
    );
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{system}"));
    let mut dyno = bench.dyno(&["run", "campaign.toml", "--out", "out"]);
    assert_eq!(Ended::of(dyno.env("DYNO_TEST_LEAK", "1").output().unwrap()).code, Some(0));
    let output = format!("out/outputs/{}.txt", bench.records()[0]["output"].as_str().unwrap());
    let said = std::fs::read_to_string(bench.path(&output)).unwrap();
    assert_eq!(said.lines().next(), Some("['1', 'C.UTF-8', None, 'mine']"));
}

#[test]
fn what_the_probes_find_is_in_every_record_of_the_system() {
    let systems = "[[system]]\nname = \"one\"\ncommand = [\"sh\", \"-c\", \"cat; true\"]\n
[[system]]\nname = \"cut\"\ncommand = [\"sed\", \"-u\", \"s/ .*//\"]\n";
    let bench = Bench::new(&format!("probes = [\"length\"]\n{LATENCY}{systems}"));
    bench.write(
        "tiny.de",
        "Ein Hund bellt jetzt laut.\n\nZwei Männer\treden viel\nkein Ende\u{2028}hier\nletzte Zeile\n",
    );
    let set = "{ name = \"tiny\", source = \"tiny.en\", references = [\"tiny.de\"] }";
    let campaign = std::fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write("campaign.toml", campaign.replace("{ name = \"tiny\", source = \"tiny.en\" }", set));
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    for record in bench.records().iter().filter(|record| record["system"] == "cut") {
        assert_eq!(record["warnings"][0]["code"], "length", "{record}");
        assert_ne!(record["verdict"], "INVALID");
    }
    let verified = std::fs::read_to_string(bench.path("out/verified.json")).unwrap();
    let verified: Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(verified["before_rounds"]["cut"][0]["findings"][0]["code"], "length");
}
