//! The track server: its record, and systems that break a rule while lines arrive. `ci/round-sweep` has one that knows
//! the set.

use serde_json::Value;
use sha2::Digest;

use crate::support::{Bench, LATENCY};

/// A campaign in the track server with a limit that its short runs soon decide.
fn bench(line_seconds: u32, system: &str) -> Bench {
    bench_at("limit-ms = 5", line_seconds, system)
}

/// A campaign in the track server with these keys.
fn bench_at(keys: &str, line_seconds: u32, system: &str) -> Bench {
    let track = format!("{{ name = \"server\", percentile = 50, {keys} }}");
    let head = LATENCY.replace("\"latency\"", &track);
    Bench::new(&format!(
        "line-seconds = {line_seconds}\nprobes = []\n{head}[[system]]\nname = \"it\"\n{system}"
    ))
}

/// A system that echoes lines and runs `then` from the hundredth line on, when lines arrive at random.
fn from_the_hundredth_line(then: &str) -> String {
    let script = format!(
        "import sys, time
for number, line in enumerate(sys.stdin):
    if number >= 100: {then}
    print(line, end='', flush=True)"
    );
    format!("command = [\"python3\", \"-c\", '''{script}''']\n")
}

#[test]
#[ignore = "takes many seconds"]
fn a_round_gives_a_rate_that_a_run_confirms_and_the_whole_text() {
    let bench = bench(60, "backend = \"null\"\n");
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = bench.records();
    assert_eq!(records.len(), 3);
    for record in &records {
        let (served, runs) = (&record["served"], record["served"]["runs"].as_array().unwrap());
        assert_eq!(served["limit"], serde_json::json!({ "limit_ms": 5.0, "percentile": 50.0 }));
        assert!(runs.iter().all(|run| run["p50_ms"].as_f64() <= run["p99_ms"].as_f64()), "{record}");
        let text = std::fs::read_to_string(
            bench.path(&format!("out/outputs/{}.txt", record["output"].as_str().unwrap())),
        );
        assert_eq!(text.unwrap(), "A dog barks.\n\nTwo men\ttalk\nno end\u{2028}here\nlast one\n");
        let kept =
            |run: &Value| run["purpose"] == "confirm" && run["rate"] == served["rate"] && run["kept"] == true;
        match served["rate"].as_f64() {
            Some(_) => assert!(runs.iter().any(kept), "{record}"),
            None => assert_eq!(record["warnings"][0]["code"], "no_rate", "a busy host: {record}"),
        }
    }
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(summary["cells"][0]["track"], "server");
}

#[test]
#[ignore = "takes many seconds"]
fn the_text_of_a_system_that_samples_is_that_of_its_load() {
    let script = "import sys
seen = set()
for line in sys.stdin:
    print('hasty ' + line.lower().rstrip() if line in seen else line.upper().rstrip(), flush=True)
    seen.add(line)";
    let bench = bench(60, &format!("sampling = true\ncommand = [\"python3\", \"-c\", '''{script}''']\n"));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for record in bench.records() {
        let text = std::fs::read_to_string(
            bench.path(&format!("out/outputs/{}.txt", record["output"].as_str().unwrap())),
        );
        let hasty =
            "hasty a dog barks.\nhasty \nhasty two men\ttalk\nhasty no end\u{2028}here\nhasty last one\n";
        assert_eq!(text.unwrap(), hasty, "{record}");
    }
}

#[test]
fn a_rule_that_is_broken_while_lines_arrive_makes_the_cell_invalid() {
    for (seconds, then, code) in [
        (60, "print(line, end='')", "extra_output"),
        (60, "sys.exit(0)", "exited_early"),
        (60, "sys.exit(7)", "crashed"),
        (1, "time.sleep(99)", "hung"),
    ] {
        // No host is so busy that it misses this limit before the hundredth line.
        let bench = bench_at("limit-ms = 1000, rate = 400", seconds, &from_the_hundredth_line(then));
        assert_eq!(bench.run(&[]).code, Some(1));
        let record = &bench.records()[0];
        assert_eq!(record["reasons"][0]["code"], code, "{then}: {record}");
        assert_eq!(record["served"], Value::Null, "an INVALID round has no rate");
    }
}

#[test]
fn a_system_whose_single_lines_take_too_long_has_no_rate_and_still_a_text() {
    let slow = "import sys, time
for line in sys.stdin:
    time.sleep(0.02)
    print(line, end='', flush=True)";
    let bench = bench(60, &format!("command = [\"python3\", \"-c\", '''{slow}''']\n"));
    assert_eq!(bench.run(&[]).code, Some(0), "the cell is not INVALID");
    for record in bench.records() {
        assert_eq!(record["served"].get("rate"), None);
        assert_eq!(record["warnings"][0]["code"], "no_rate");
        assert!(record["output"].is_string(), "{record}");
    }
}

#[test]
fn a_rate_that_a_campaign_asks_about_is_the_only_one_that_is_tried() {
    let of = |system: &str| {
        let bench = bench_at("limit-ms = 5, rate = 400", 60, system);
        assert_eq!(bench.run(&[]).code, Some(0));
        bench.records()
    };
    for record in of("backend = \"null\"\n") {
        let (served, runs) = (&record["served"], record["served"]["runs"].as_array().unwrap());
        assert_eq!(served["limit"]["rate"], 400.0);
        let tried = |rate: f64| [400.0, 200.0, 280.0].contains(&rate);
        assert!(runs.iter().all(|run| run["rate"].as_f64().is_some_and(tried)), "{record}");
        // A busy host may miss the limit; there is no other rate in any case.
        assert!(served["rate"].is_null() || served["rate"] == 400.0, "{record}");
    }
    let slow = "import sys, time\nfor line in sys.stdin: time.sleep(0.02); print(line, end='', flush=True)";
    for record in of(&format!("command = [\"python3\", \"-c\", {slow:?}]\n")) {
        assert!(record["served"]["rate"].is_null(), "{record}");
        let warning = &record["warnings"][0];
        assert_eq!(warning["code"], "no_rate");
        let figure = warning["figure"].as_str().unwrap();
        assert!(figure.starts_with("doesn't hold 400 lines a second: p50 "), "{warning}");
    }
}

#[test]
fn recorded_arrivals_are_replayed_whole_at_their_own_rate() {
    // A miss of the limit would end a run. No host is so busy that half of the lines take this long.
    let keys = "limit-ms = 100, arrivals = \"arrivals.txt\"";
    let bench = bench_at(keys, 60, "backend = \"null\"\n");
    // 300 lines in pairs each 10 ms: 299 gaps in 1.49 s.
    let instants: String = (0..300).map(|i| format!("{}\n", 7.0 + f64::from(i / 2) / 100.0)).collect();
    bench.write("arrivals.txt", &instants);
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for record in bench.records() {
        let runs = record["served"]["runs"].as_array().unwrap();
        let replayed: Vec<&Value> = runs.iter().filter(|run| run["purpose"] == "confirm").collect();
        assert!(!replayed.is_empty() && replayed.iter().all(|run| run["lines"] == 300), "{record}");
        let rate = record["served"]["limit"]["rate"].as_f64().unwrap();
        assert!((rate / (299.0 / 1.49) - 1.0).abs() < 1e-9, "{rate}");
        let share = |run: &Value| run["rate"].as_f64().unwrap() / rate;
        let tried = |run: &Value| [1.0, 0.5, 0.7].iter().any(|of| (share(run) - of).abs() < 1e-9);
        assert!(runs.iter().all(tried), "{record}");
    }
    let identity: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("out/run.json")).unwrap()).unwrap();
    let hash: String = sha2::Sha256::digest(&instants).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(identity["protocol"]["arrivals"], hash);
}

#[test]
#[ignore = "takes many seconds"]
fn clients_give_a_curve_in_records_table_and_csv() {
    let keys = "limit-ms = 5, rate = 50, clients = [4, 1, 2]";
    let bench = bench_at(keys, 60, "backend = \"null\"\nsettings = { word-us = 200 }\n");
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for record in bench.records() {
        let runs = record["served"]["runs"].as_array().unwrap();
        let closed: Vec<&Value> = runs.iter().filter(|run| run["purpose"] == "clients").collect();
        let clients: Vec<f64> = closed.iter().filter_map(|run| run["clients"].as_f64()).collect();
        assert_eq!(clients, [1.0, 2.0, 4.0], "{record}");
        for run in closed {
            let law = run["rate"].as_f64().unwrap() * run["mean_ms"].as_f64().unwrap() / 1e3;
            let clients = run["clients"].as_f64().unwrap();
            assert!((law / clients - 1.0).abs() < 0.2, "Little's law: {law}, {run}");
        }
    }
    let heads = ended.stdout.lines().find(|line| line.contains("clients  lines/s")).expect("a table");
    assert!(heads.contains("p99 ms"), "{heads}");
    let csv = std::fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    let (heads, row) = csv.split_once('\n').unwrap();
    let of = |name: &str| {
        let place =
            heads.split(',').position(|head| head == name).unwrap_or_else(|| panic!("{name}: {heads}"));
        row.split(',').nth(place).unwrap().to_owned()
    };
    for clients in [1, 2, 4] {
        assert!(of(&format!("clients_{clients}_lines_per_second")).parse::<f64>().unwrap() > 0.0, "{row}");
        assert!(of(&format!("clients_{clients}_p99_ms")).parse::<f64>().unwrap() > 0.0, "{row}");
    }
    of("knee_clients");
}
