//! Contestants that cheat in rounds in ways that no clock is needed to see.

use serde_json::Value;

use crate::support::Bench;

const CONTESTANT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contestants/contestant.py");

/// Records of a contestant in the latency track, without probes. `real.bin` lies beside its `model.bin`.
fn records_of(contestant: &str, seed: u64) -> Vec<Value> {
    let seed = seed.to_string();
    let command = ["python3", CONTESTANT, contestant, "{track}", "{model}", seed.as_str(), "model.bin.vocab"];
    let bench = Bench::new(&format!(
        "probes = []\nprofile = \"quick\"\ntracks = [\"latency\"]\nnoisy-repeats = 1\n\
         test-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
         [[system]]\nname = \"it\"\nmodel = \"model.bin\"\ncommand = {command:?}\n"
    ));
    for (name, bytes) in [("model.bin", 2000), ("model.bin.vocab", 2 << 20), ("real.bin", 4 << 20)] {
        bench.write(name, vec![0; bytes]);
    }
    bench.run(&["--keep-going"]);
    bench.records()
}

fn codes<'a>(record: &'a Value, kind: &str) -> Vec<&'a str> {
    let reasons = record[kind].as_array().into_iter().flatten();
    reasons.map(|reason| reason["code"].as_str().expect("a code")).collect()
}

#[test]
fn what_a_system_burns_after_its_last_answer_is_no_disturbance_by_others() {
    let records = records_of("burns_after_its_last_answer", 1);
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

#[test]
fn memory_in_shared_files_is_found() {
    for record in records_of("hides_memory", 3) {
        assert_eq!(codes(&record, "reasons"), ["hidden_memory"], "{record}");
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
    for record in records_of("honest_hoarding", 1) {
        assert!(codes(&record, "reasons").is_empty(), "{record}");
    }
}
