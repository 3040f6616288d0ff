//! Runs of several hosts and shards of one campaign, joined by `dyno merge`.

use std::fs;
use std::path::Path;

use dyno_results::Run;
use dyno_results::merge::Merged;
use serde_json::{Value, json};

use crate::support::{Bench, Ended, records};

const CAMPAIGN: &str = r#"
probes = []
noisy-repeats = 0
tracks = ["latency", "latency-all"]
metrics = [{ name = "words", worker = ["python3", "worker.py"] }]
test-sets = [{ name = "tiny", source = "tiny.en", references = ["tiny.en"] }]
[[system]]
name = "quick"
command = ["sed", "-u", "s/a/b/"]
[[system]]
name = "other"
command = ["sed", "-u", "s/n/m/"]
"#;

const WORKER: &str = "
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    if ask['ask'] == 'init':
        print(json.dumps({'name': 'n', 'version': '1', 'direction': 'higher', 'range': [0, 100]}), flush=True)
    elif ask['ask'] == 'score':
        print(json.dumps({'segments': [len(line) for line in ask['hypothesis']]}), flush=True)
";

/// Sleeps over each line, so that launches are few and have few lines.
const SLOW: &str = "
import sys, time
for line in sys.stdin:
    time.sleep(0.05)
    print(line.replace(*sys.argv[1:]), end='', flush=True)
";

fn bench() -> Bench {
    let bench = Bench::new(CAMPAIGN);
    bench.write("worker.py", WORKER);
    bench
}

fn dyno(bench: &Bench, arguments: &[&str]) -> Ended {
    let mut command = bench.dyno(arguments);
    Ended::of(command.env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap())
}

fn shard(bench: &Bench, shard: &str, out: &str) {
    let arguments =
        ["run", "campaign.toml", "--shard", shard, "--out", out, "--price", "c7a.large", "--json"];
    let ended = dyno(bench, &arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// A copy of a run with some fields of run.json replaced, as another host would have written it.
fn copied(bench: &Bench, from: &str, to: &str, change: impl Fn(&mut Value)) {
    let copy = std::process::Command::new("cp").arg("-r").arg(bench.path(from)).arg(bench.path(to)).status();
    assert!(copy.unwrap().success());
    let path = bench.path(to).join("run.json");
    let mut identity: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut identity);
    fs::write(path, identity.to_string()).unwrap();
}

fn priced(bench: &Bench, run: &str, instance: &str, usd: f64) {
    let path = bench.path(run).join("price.json");
    let mut price: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    (price["instance"], price["hourly_usd"]) = (json!(instance), json!(usd));
    fs::write(path, price.to_string()).unwrap();
}

fn merge(bench: &Bench, runs: &[&str], out: &str) -> Ended {
    dyno(bench, &[&["merge"], runs, &["--out", out, "--json"]].concat())
}

#[test]
fn shards_of_one_host_become_its_whole_run() {
    let bench = bench();
    shard(&bench, "1/2", "one");
    shard(&bench, "2/2", "two");
    let tracks = |run: &str| {
        let mut tracks: Vec<_> = records(&bench.path(run)).iter().map(|r| r["track"].to_string()).collect();
        tracks.sort();
        tracks.dedup();
        tracks
    };
    assert_eq!(
        (tracks("one"), tracks("two")),
        (vec!["\"latency\"".to_owned()], vec!["\"latency-all\"".to_owned()])
    );
    let ended = merge(&bench, &["one", "two"], "merged");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((answer["hosts"].as_array().unwrap().len(), &answer["notes"]), (1, &json!([])), "{answer}");
    let host = bench.path("merged/hosts/1-c7a.large");
    assert_eq!(records(&host).len(), records(&bench.path("one")).len() + records(&bench.path("two")).len());
    let run = Run::read(&host).unwrap();
    let texts = run.scores.texts.len();
    assert_eq!((run.missing_rounds(), texts), (0, 3), "two answers and the source itself");
    assert!(bench.path("merged/report.html").is_file());
    let csv = fs::read_to_string(bench.path("merged/summary.csv")).unwrap();
    assert_eq!((csv.lines().count(), csv.contains("c7a.large")), (5, true), "{csv}");
    assert_eq!(dyno(&bench, &["report", "merged", "--hosts"]).code, Some(0));
    assert!(host.join("report.html").is_file());
    merge(&bench, &["one", "two"], "merged").assert_says(2, &["exists already", "--out"]);
    merge(&bench, &["merged", "one"], "again").assert_says(2, &["is merged already"]);
    let many = dyno(&bench, &["run", "campaign.toml", "--shard", "1/3"]);
    many.assert_says(2, &["2 groups", "at most 2 shards"]);
}

#[test]
fn hosts_stay_apart_with_their_own_prices() {
    let bench = bench();
    // The chart of instances shows throughput.
    let campaign = CAMPAIGN
        .replace("latency-all", "throughput-1")
        .replace(r#""sed", "-u", "s/a/b/""#, r#""python3", "slow.py", "a", "b""#)
        .replace(r#""sed", "-u", "s/n/m/""#, r#""python3", "slow.py", "n", "m""#);
    bench.write("campaign.toml", campaign);
    bench.write("slow.py", SLOW);
    shard(&bench, "2/2", "here");
    // Whatever disturbed this host belongs to other tests.
    let path = bench.path("here/records.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace("\"verdict\":\"NOISY\"", "\"verdict\":\"VALID\"")).unwrap();
    copied(&bench, "here", "there", |identity| identity["host"]["cpu"] = json!("Another CPU"));
    priced(&bench, "there", "cheap.large", 0.001);
    let ended = merge(&bench, &["here", "there"], "merged");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cell = |host: usize| &answer["hosts"][host]["cells"][0];
    assert_eq!(
        (&cell(0)["host"], &cell(1)["host"]),
        (&json!("c7a.large"), &json!("cheap.large")),
        "{answer}"
    );
    assert_eq!(cell(0)["words_per_second"], cell(1)["words_per_second"]);
    let dollars = |host: usize| cell(host)["words_per_dollar"].as_f64().unwrap();
    assert!((dollars(1) / dollars(0) - 0.10264 / 0.001).abs() < 1e-9);
    assert!(answer["notes"][0].as_str().unwrap().contains("lacks 6 rounds"), "{answer}");
    let page = fs::read_to_string(bench.path("merged/report.html")).unwrap();
    assert!(page.contains("cheap.large gives the most words per dollar"), "the chart of instances");
    let table = dyno(&bench, &["merge", "here", "there", "--out", "text"]).stdout;
    assert!(table.lines().any(|line| line.starts_with("system") && line.contains("host")), "{table}");
}

#[test]
fn hosts_that_were_scored_by_different_metrics_get_those_of_all() {
    let bench = bench();
    shard(&bench, "1/2", "here");
    copied(&bench, "here", "there", |identity| identity["host"]["cpu"] = json!("Another CPU"));
    let scored = dyno(&bench, &["score", "there", "--metric", "more=python3 worker.py"]);
    assert_eq!(scored.code, Some(0), "{scored:?}");
    let ended = merge(&bench, &["here", "there"], "merged");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    for host in answer["hosts"].as_array().unwrap() {
        let names: Vec<_> =
            host["cells"][0]["quality"].as_array().unwrap().iter().map(|q| q["metric"].clone()).collect();
        assert_eq!(names, ["words", "more"], "{host}");
        assert!(host["cells"][0]["quality"][1]["score"].is_number(), "{host}");
    }
    let csv = fs::read_to_string(bench.path("merged/summary.csv")).unwrap();
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(
        csv.lines().next().unwrap().contains(",more,") && widths.iter().all(|n| *n == widths[0]),
        "{csv}"
    );
}

#[test]
fn what_does_not_belong_is_refused_by_name() {
    let bench = bench();
    shard(&bench, "1/2", "one");
    let other = |name: &str, change: &dyn Fn(&mut Value)| copied(&bench, "one", name, change);
    other("build", &|identity| {
        let programs = identity["programs"].as_array_mut().unwrap();
        let own = programs.iter_mut().find(|program| program[0] == "dyno").unwrap();
        own[1] = json!("0".repeat(64));
    });
    other("seed", &|identity| identity["protocol"]["seed"] = json!(7));
    other("setting", &|identity| {
        identity["systems"][0]["launch"]["foreign"]["command"] = json!(["sed", "p"])
    });
    other("campaign", &|identity| identity["campaign"] = json!("else"));
    for (run, part) in [
        ("build", "another build of dyno"),
        ("seed", "another protocol: seed is 7, not 1"),
        ("setting", "quick was changed: command sed p"),
        ("campaign", "campaign \"else\""),
    ] {
        let ended = merge(&bench, &["one", run], "merged");
        ended.assert_says(2, &[run, "doesn't belong with one", part]);
        assert!(!bench.path("merged").exists());
    }
    bench.write("tiny.en", "another text\n");
    shard(&bench, "1/2", "text");
    merge(&bench, &["one", "text"], "merged").assert_says(2, &["another test set: tiny"]);
}

#[test]
fn a_shard_that_was_killed_and_measured_again_counts_once() {
    let bench = bench();
    shard(&bench, "1/2", "whole");
    copied(&bench, "whole", "killed", |_| ());
    let path = bench.path("killed/records.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let other_moment = text.replace("\"started_unix_ms\":1", "\"started_unix_ms\":2");
    fs::write(&path, other_moment.lines().take(3).map(|line| line.to_owned() + "\n").collect::<String>())
        .unwrap();
    let ended = merge(&bench, &["killed", "whole"], "merged");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .contains("3 rounds of tiny under latency in killed are left out")
    );
    let merged = Merged::read(&bench.path("merged")).unwrap();
    assert_eq!(merged.hosts[0].run.records, Run::read(&bench.path("whole")).unwrap().records);
    // A copy is the same measurement; a second whole measurement is not.
    assert_eq!(merge(&bench, &["whole", "whole"], "twice").code, Some(0));
    fs::write(&path, other_moment).unwrap();
    merge(&bench, &["whole", "killed"], "both").assert_says(2, &["both measured tiny under latency"]);
    assert!(!Path::new(&bench.path("both")).exists());
}
