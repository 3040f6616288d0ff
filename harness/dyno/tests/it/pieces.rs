//! Answers in pieces: the times of their first text and between pieces, from records to tables.

use std::fs;

use serde_json::{Value, json};

use crate::schema::faults;
use crate::support::{Bench, Ended};

/// Lines of the set: as many as the 95th percentile needs.
const COUNT: usize = 140;

/// A run of one system, in whose records line n takes n times 10 ms, in three pieces, the first after n ms.
fn bench() -> Bench {
    let set = "tracks = [\"latency\"]\nprobes = []\nnoisy-repeats = 0\n\
               test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
    let bench = Bench::new(&format!("{set}[[system]]\nname = \"null\"\nbackend = \"null\"\n"));
    bench.write("tiny.en", "A dog barks.\n".repeat(COUNT));
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    change(&bench, |record| {
        assert_eq!(record["pieces"], Value::Null, "an answer at once has no pieces");
        record["latency_ns"] = (1..=COUNT).map(|line| line * 10_000_000).collect();
        record["first_text_ns"] = (1..=COUNT).map(|line| line * 1_000_000).collect();
        record["pieces"] = vec![3; COUNT].into();
        (record["verdict"], record["reasons"]) = (json!("VALID"), json!([]));
    });
    bench
}

fn change(bench: &Bench, mut change: impl FnMut(&mut Value)) {
    let mut records = bench.records();
    records.iter_mut().for_each(&mut change);
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(bench.path("out/records.jsonl"), lines).unwrap();
}

#[test]
fn first_texts_and_pieces_stand_in_tables_and_files() {
    let bench = bench();
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/record.schema.json")).unwrap();
    for record in bench.records() {
        assert_eq!(faults(&record, &schema, &schema, ""), Vec::<String>::new());
    }
    let shown = Ended::of(bench.dyno(&["score", "out"]).output().unwrap());
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let csv = fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    let (heads, row) = csv.split_once('\n').unwrap();
    let figure = |name: &str| -> f64 {
        let place = heads.split(',').position(|head| head == name).expect(name);
        row.split(',').nth(place).unwrap().parse().expect(name)
    };
    assert!((figure("first_text_p50_ms") - 70.0).abs() <= 1.0, "{row}");
    assert!((figure("first_text_p95_ms") - 133.0).abs() <= 1.0, "{row}");
    // Two more pieces in the 9 n ms after the first one: 4.5 times the mean of n.
    assert!((figure("piece_ms") - 4.5 * (COUNT + 1) as f64 / 2.0).abs() < 1e-6, "{row}");
    for head in ["first text p50 ms", "ms a piece"] {
        assert!(shown.stdout.contains(head), "{shown:?}");
    }
}

#[test]
fn pieces_that_cannot_be_are_refused() {
    let bench = bench();
    let whole = fs::read(bench.path("out/records.jsonl")).unwrap();
    for (key, value) in [
        ("first_text_ns", json!([1])),
        ("first_text_ns", vec![u64::MAX; COUNT].into()),
        ("pieces", vec![0; COUNT].into()),
        ("pieces", vec![u64::MAX; COUNT].into()),
        ("pieces", json!([])),
    ] {
        change(&bench, |record| record[key] = value.clone());
        let ended = Ended::of(bench.dyno(&["score", "out"]).output().unwrap());
        ended.assert_says(2, &["records.jsonl:1", "its pieces of answers can't be"]);
        fs::write(bench.path("out/records.jsonl"), &whole).unwrap();
    }
}
