//! Systems that are measured side by side: what their records hold. `ci/round-sweep` has those that work while another
//! one is asked, or wait while they are.

use serde_json::Value;

use crate::support::{Bench, LATENCY, NULL_AND_CAT};

/// A campaign of slow lines, so that a set has several blocks.
fn campaign(track: &str) -> Bench {
    let system = |name: &str, word_us: u32| {
        format!("[[system]]\nname = {name:?}\nbackend = \"null\"\nsettings = {{ word-us = {word_us} }}\n")
    };
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\ninterleave = \"slices\"\ntracks = [{track:?}]\n\
         test-sets = [{{ name = \"lines\", source = \"lines.en\" }}]\n{}{}",
        system("quick", 400),
        system("slow", 1200)
    ));
    let words = ["green", "small", "brown", "white", "black", "young"];
    bench
        .write("lines.en", (0..30).map(|i| format!("A {} dog runs {i}\n", words[i % 6])).collect::<String>());
    bench
}

fn sum(times: &Value) -> u64 {
    times.as_array().into_iter().flatten().filter_map(Value::as_u64).sum()
}

#[test]
fn every_turn_gives_all_systems_the_same_lines() {
    let bench = campaign("latency");
    assert_eq!(bench.run(&[]).code, Some(0));
    let records = bench.records();
    assert_eq!(records.len(), 6);
    for group in records.chunks(2) {
        let [a, b] = [&group[0]["slices"], &group[1]["slices"]];
        assert_eq!((&a["group"], &a["beside"]), (&b["group"], &b["beside"]));
        assert_eq!(a["beside"].as_array().unwrap().len(), 2);
        let turns = [a, b].map(|slices| slices["turn_ns"].as_array().unwrap().len());
        // 150 words of 0.4 and 1.2 ms of CPU time: the medium line takes 4 ms or more, and a block of 60 ms has 15
        // lines or fewer.
        assert!(turns[0] == turns[1] && (2..=30).contains(&turns[0]), "{turns:?}");
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
    let bench = Bench::new(&format!("probes = []\ninterleave = \"rounds\"\n{LATENCY}{NULL_AND_CAT}"));
    assert_eq!(bench.run(&[]).code, Some(0));
    assert!(bench.records().iter().all(|record| record["slices"].is_null()));
}

#[test]
#[ignore = "takes many seconds"]
fn a_launch_that_is_stopped_has_its_own_time_alone() {
    let bench = campaign("throughput-1");
    assert_eq!(bench.run(&[]).code, Some(0));
    for group in bench.records().chunks(2) {
        let timed = group.iter().map(|record| {
            // The null system works in CPU time, so that no launch can take less.
            let word_ns = if record["system"] == "quick" { 400_000 } else { 1_200_000 };
            let launches = record["launch_ns"].as_array().unwrap().len() as u64;
            let (timed, work) =
                (sum(&record["launch_ns"]), record["words"].as_u64().unwrap() * word_ns * launches);
            assert!(timed >= work, "{timed} ns for {work}");
            timed
        });
        let (both, own) = (timed.sum::<u64>(), group[0]["noise"][0]["seconds"].as_f64().unwrap() * 1e9);
        assert!(both as f64 <= own, "no moment counts for two: {both} ns within {own}");
    }
}
