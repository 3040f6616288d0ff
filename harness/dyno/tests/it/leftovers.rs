//! Temporary folders of benches that were killed.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::{Bench, Ended};

#[test]
fn the_next_bench_removes_what_a_killed_one_left() {
    let bench = Bench::of_command(&["sleep", "600"]);
    fs::create_dir(bench.path("temporary")).unwrap();
    let folders = || -> Vec<PathBuf> {
        fs::read_dir(bench.path("temporary")).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let dyno = |arguments: &[&str]| {
        let mut dyno = bench.dyno(arguments);
        dyno.env("TMPDIR", bench.path("temporary"));
        dyno
    };
    let mut killed = dyno(&["run", "campaign.toml", "--out", "out"]).spawn().expect("dyno starts");
    let begin = Instant::now();
    while !folders().iter().any(|folder| folder.join("facts.json").exists() || folder.join(".lock").exists())
    {
        assert!(begin.elapsed() < Duration::from_secs(60), "no temporary folder");
        std::thread::sleep(Duration::from_millis(10));
    }
    // A bench beside a living one leaves its folder alone.
    let beside = ["verify", "--command", "cat", "--probe", "buffering"];
    assert_eq!(Ended::of(dyno(&beside).output().unwrap()).code, Some(0));
    assert_eq!(folders().len(), 1, "{:?}", folders());
    killed.kill().expect("it runs");
    killed.wait().expect("it was started here");
    assert_eq!(folders().len(), 1, "a killed bench can't remove its folder");
    assert_eq!(Ended::of(dyno(&beside).output().unwrap()).code, Some(0));
    assert!(folders().is_empty());
}
