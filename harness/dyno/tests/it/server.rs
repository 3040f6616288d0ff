//! The track server: its record, and systems that break a rule while lines arrive.

use serde_json::Value;

use crate::support::{Bench, LATENCY};

/// A campaign in the track server with a limit that its short runs soon decide.
fn bench(system: &str) -> Bench {
    let limit = "{ name = \"server\", limit-ms = 5, percentile = 50 }";
    let head = LATENCY.replace("\"latency\"", limit);
    Bench::new(&format!(
        "line-seconds = 1.0\nnoisy-repeats = 0\nprobes = []\n{head}[[system]]\nname = \"it\"\n{system}"
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
fn a_round_gives_a_rate_that_a_run_confirms_and_the_whole_text() {
    let bench = bench("backend = \"null\"\n");
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
fn a_rule_that_is_broken_while_lines_arrive_makes_the_cell_invalid() {
    for (then, codes) in [
        ("print(line, end='')", &["extra_output"][..]),
        ("sys.exit(0)", &["exited_early"]),
        ("sys.exit(7)", &["crashed"]),
        ("time.sleep(99)", &["hung"]),
    ] {
        let bench = bench(&from_the_hundredth_line(then));
        assert_eq!(bench.run(&[]).code, Some(1));
        let record = &bench.records()[0];
        let code = record["reasons"][0]["code"].as_str().unwrap();
        assert!(codes.contains(&code), "{then}: {record}");
        assert_eq!(record["served"], Value::Null, "an INVALID round has no rate");
    }
}

/// A server that sleeps 3 ms for a line, but answers those of the file `known` at once.
const WITH_A_TABLE: &str = "import sys, time
known = set(open('known'))
for line in sys.stdin:
    if line not in known: time.sleep(0.003)
    print(line, end='', flush=True)";

#[test]
fn a_server_that_has_the_set_in_a_table_is_refused_in_the_round() {
    let set = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testsets/photos-en-de/source.en"
    ));
    let set: String = set.unwrap().split_inclusive('\n').take(60).collect();
    for (known, codes) in [(set.as_str(), &["recognises"][..]), ("", &[])] {
        let bench = bench(&format!("command = [\"python3\", \"-c\", '''{WITH_A_TABLE}''']\n"));
        bench.write("tiny.en", &set);
        bench.write("known", known);
        bench.run(&[]);
        let records = bench.records();
        let reasons = records.iter().flat_map(|record| record["reasons"].as_array().unwrap());
        let mut found: Vec<&str> = reasons.map(|reason| reason["code"].as_str().unwrap()).collect();
        found.dedup();
        assert_eq!(found, codes, "{records:?}");
    }
}

#[test]
fn a_system_whose_single_lines_take_too_long_has_no_rate_and_still_a_text() {
    let slow = "import sys, time
for line in sys.stdin:
    time.sleep(0.02)
    print(line, end='', flush=True)";
    let bench = bench(&format!("command = [\"python3\", \"-c\", '''{slow}''']\n"));
    assert_eq!(bench.run(&[]).code, Some(0), "the cell is not INVALID");
    for record in bench.records() {
        assert_eq!(record["served"].get("rate"), None);
        assert_eq!(record["warnings"][0]["code"], "no_rate");
        assert!(record["output"].is_string(), "{record}");
    }
}

#[test]
fn a_rate_that_a_campaign_asks_about_is_the_only_one_that_is_tried() {
    let asked = "limit-ms = 5, percentile = 50, rate = 400";
    let of = |system: &str| {
        let bench = bench(system);
        let campaign = std::fs::read_to_string(bench.path("campaign.toml")).unwrap();
        bench.write("campaign.toml", campaign.replace("limit-ms = 5, percentile = 50", asked));
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
