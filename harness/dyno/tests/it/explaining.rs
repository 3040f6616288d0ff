//! `dyno explain` on published runs: what it says agrees with the spreadsheet that was published beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Ended, records};

fn run() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/2026-11-24-amd-epyc-zen-5-2c")
}

/// Holds that the command succeeds and prints each of `parts`, however the lines break.
fn assert_prints(ended: &Ended, parts: &[&str]) {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in {text}"));
}

fn explain(arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    Ended::of(command.arg("explain").arg(run()).args(arguments).output().unwrap())
}

#[test]
fn each_standing_is_told_as_it_was_published() {
    let mut rows = csv::Reader::from_path(run().join("summary.csv")).unwrap();
    // An answer reads and sums up the whole run, so one of each standing is asked for.
    let mut asked = BTreeSet::new();
    for row in rows.deserialize().map(Result::<BTreeMap<String, String>, _>::unwrap) {
        if !asked.insert(row["standing"].clone()) {
            continue;
        }
        let told = match row["standing"].as_str() {
            "frontier" => "- on the frontier: no other system here beats it",
            "probably" => "- probably on the frontier: ",
            "off" => "- off the frontier, beaten by ",
            _ => "- not ranked: ",
        };
        let track = ["--track", &row["track"], "--test-set", &row["test_set"]];
        assert_prints(&explain(&[&[row["system"].as_str()], &track[..]].concat()), &[told.trim_end()]);
    }
    assert_eq!(asked.len(), 4, "{asked:?}");
}

#[test]
fn a_screen_holds_all_tracks_of_a_system_and_names_the_nearest_rules() {
    let ended = explain(&["tiny"]);
    // Python counts 91.03 % of the references' characters in the published answers; ±10 % are allowed.
    let parts = [
        "where it stands",
        "where its time goes",
        "what its translations keep - numbers ",
        "length: the answers have 91.0 %",
        "what would move it",
    ];
    assert_prints(&ended, &parts);
    assert!(ended.stdout.lines().count() <= 60, "{}", ended.stdout);
}

#[test]
fn busy_cores_are_the_cpu_time_of_the_launches_that_are_told() {
    let records = records(&run()).into_iter();
    let of_tiny = records.filter(|record| record["system"] == "tiny" && record["track"] == "throughput-1");
    let busy = of_tiny.map(|record| {
        let used = ["user_ns", "system_ns"].map(|key| record["usage"][key].as_f64().unwrap());
        let launches = record["launch_ns"].as_array().unwrap().iter().map(|ns| ns.as_f64().unwrap());
        used.iter().sum::<f64>() / launches.sum::<f64>()
    });
    let mut busy: Vec<f64> = busy.collect();
    busy.sort_by(f64::total_cmp);
    let middle = busy[busy.len() / 2];
    assert!(middle > 0.98, "a system that computes all the time: {busy:?}");
    let told = format!("kept {middle:.2} of 1 cores busy");
    assert_prints(&explain(&["tiny", "--track", "throughput-1"]), &[&told]);
}

#[test]
fn an_unknown_system_is_refused_with_those_that_there_are() {
    explain(&["tyni"]).assert_says(2, &["no system \"tyni\"", "tiny"]);
}
