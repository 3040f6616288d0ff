//! Contestants that cheat in rounds in ways that no clock is needed to see.

use serde_json::Value;

use crate::support::Bench;

const CONTESTANT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contestants/contestant.py");

/// Records of a contestant in the latency track, without probes.
fn records_of(contestant: &str, arguments: &[&str]) -> (Bench, Vec<Value>) {
    let command = [&["python3", CONTESTANT, contestant, "{track}", "tiny.en"], arguments].concat();
    let bench = Bench::new(&format!(
        "probes = []\nprofile = \"quick\"\ntracks = [\"latency\"]\n\
         test-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
         [[system]]\nname = \"it\"\ncommand = {command:?}\n"
    ));
    bench.run(&[]);
    let records = bench.records();
    (bench, records)
}

fn codes<'a>(record: &'a Value, kind: &str) -> Vec<&'a str> {
    let reasons = record[kind].as_array().into_iter().flatten();
    reasons.map(|reason| reason["code"].as_str().expect("a code")).collect()
}

#[test]
fn what_a_system_burns_after_its_last_answer_is_no_disturbance_by_others() {
    let (_bench, records) = records_of("burns_after_its_last_answer", &[]);
    assert_eq!(records.len(), 3);
    for record in &records {
        assert_eq!(codes(record, "warnings"), ["self_disturbed"], "{record}");
        let attempts = record["noise"].as_array().expect("attempts").iter();
        let triggers: Vec<&str> = attempts
            .flat_map(|noise| noise["triggers"].as_array().unwrap())
            .filter_map(Value::as_str)
            .collect();
        assert!(!triggers.iter().any(|trigger| trigger.contains("other processes")), "{triggers:?}");
    }
}
