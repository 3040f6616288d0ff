//! Systems that are measured side by side: what their records hold, and what they must not do.

use serde_json::Value;

use crate::support::Bench;

/// A campaign of slow lines, so that a set has several blocks.
fn campaign(interleave: &str, track: &str, further: &str) -> Bench {
    let system = |name: &str, word_us: u32| {
        format!("[[system]]\nname = {name:?}\nbackend = \"null\"\nsettings = {{ word-us = {word_us} }}\n")
    };
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\ninterleave = {interleave:?}\ntracks = [{track:?}]\n\
         test-sets = [{{ name = \"lines\", source = \"lines.en\" }}]\n{}{}{further}",
        system("quick", 400),
        system("slow", 1200)
    ));
    let words = ["green", "small", "brown", "white", "black", "young"];
    bench.write(
        "lines.en",
        (0..120).map(|i| format!("A {} dog runs {i}\n", words[i % 6])).collect::<String>(),
    );
    bench
}

fn sum(times: &Value) -> u64 {
    times.as_array().into_iter().flatten().filter_map(Value::as_u64).sum()
}

#[test]
fn every_turn_gives_all_systems_the_same_lines() {
    let bench = campaign("slices", "latency", "");
    assert_eq!(bench.run(&[]).code, Some(0));
    let records = bench.records();
    assert_eq!(records.len(), 6);
    for group in records.chunks(2) {
        let [a, b] = [&group[0]["slices"], &group[1]["slices"]];
        assert_eq!((&a["group"], &a["beside"]), (&b["group"], &b["beside"]));
        assert_eq!(a["beside"].as_array().unwrap().len(), 2);
        let turns = [a, b].map(|slices| slices["turn_ns"].as_array().unwrap().len());
        // 600 words of 0.4 and 1.2 ms: the medium line takes 4 ms, and a block 60.
        assert!(turns[0] == turns[1] && (4..=15).contains(&turns[0]), "{turns:?}");
        for record in group {
            assert_eq!(
                sum(&record["slices"]["turn_ns"]),
                sum(&record["latency_ns"]),
                "each line counts once"
            );
        }
    }
    let groups: std::collections::HashSet<_> =
        records.iter().map(|r| r["slices"]["group"].to_string()).collect();
    assert_eq!(groups.len(), 3, "a group for each round");
}

#[test]
fn rounds_one_after_another_have_no_turns() {
    let bench = campaign("rounds", "latency", "");
    assert_eq!(bench.run(&[]).code, Some(0));
    assert!(bench.records().iter().all(|record| record["slices"].is_null()));
}

#[test]
fn a_launch_that_is_stopped_has_its_own_time_alone() {
    let bench = campaign("slices", "throughput-1", "");
    assert_eq!(bench.run(&[]).code, Some(0));
    for record in bench.records() {
        // Each word is 0.4 or 1.2 ms of CPU time; both systems together took far longer than either.
        let word_ns = if record["system"] == "quick" { 400_000 } else { 1_200_000 };
        let launches = record["launch_ns"].as_array().unwrap().len() as u64;
        let work = record["words"].as_u64().unwrap() * word_ns * launches;
        let own = record["noise"][0]["seconds"].as_f64().unwrap() * 1e9;
        let timed = sum(&record["launch_ns"]);
        assert!(timed >= work && (timed as f64) < 0.8 * own, "{timed} ns for {work} within {own}");
    }
}

#[test]
fn a_system_that_works_while_it_is_not_asked_is_invalid_and_harms_no_other() {
    let script = "import sys, threading, time
def work():
    while True: pass
threading.Thread(target=work, daemon=True).start()
for line in sys.stdin:
    time.sleep(0.01)
    print(line, end='', flush=True)";
    let busy = format!("[[system]]\nname = \"busy\"\ncommand = [\"python3\", \"-c\", {script:?}]\n");
    let bench = campaign("slices", "latency", &busy);
    assert_eq!(bench.run(&[]).code, Some(1));
    for record in bench.records() {
        let codes: Vec<_> =
            record["reasons"].as_array().unwrap().iter().map(|reason| &reason["code"]).collect();
        match record["system"] == "busy" {
            true => assert_eq!(codes, ["busy_idle"], "{record}"),
            false => assert!(codes.is_empty(), "{record}"),
        }
    }
}

#[test]
fn a_system_that_waits_instead_of_working_gets_no_time_for_free() {
    let script = "import sys, time
for line in sys.stdin:
    time.sleep(0.01)
    print(line, end='')";
    let idler = format!("[[system]]\nname = \"idler\"\ncommand = [\"python3\", \"-c\", {script:?}]\n");
    let bench = campaign("slices", "throughput-1", &idler);
    assert_eq!(bench.run(&[]).code, Some(1));
    for record in bench.records().iter().filter(|record| record["system"] == "idler" && record["round"] == 0)
    {
        assert_eq!(record["reasons"][0]["code"], "waits", "{record}");
    }
}
