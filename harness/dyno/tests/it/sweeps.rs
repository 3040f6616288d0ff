//! Sweeps: lists of values in a campaign make systems, tables and charts.

use serde_json::Value;

use crate::support::Bench;

const CAMPAIGN: &str = r#"
probes = []
noisy-repeats = 0
tracks = ["latency", "throughput-1", "throughput-all"]
cores = [1, 2]
test-sets = [{ name = "tiny", source = "tiny.en" }]
[[system]]
name = "engine"
backend = "null"
batch-lines = [1, 8]
[[system]]
name = "plain"
backend = "null"
batch = 64
"#;

#[test]
fn a_list_makes_a_system_for_each_value_in_the_tracks_that_it_changes() {
    let bench = Bench::new(CAMPAIGN);
    let told = bench.run(&["--dry-run", "--json"]);
    let answer: Value = serde_json::from_str(&told.stdout).unwrap();
    let of = |track: &str| -> Vec<&str> {
        let cells = answer["cells"].as_array().unwrap().iter();
        cells.filter(|cell| cell["track"] == track).filter_map(|cell| cell["system"].as_str()).collect()
    };
    assert_eq!(of("latency"), ["engine 1-line batch", "plain"], "batches change nothing there");
    assert_eq!(of("throughput-1"), ["engine 1-line batch", "engine 8-line batch", "plain"]);
    let on_cores = ["engine 1-line batch", "engine 8-line batch", "plain"]
        .map(|name| [name.to_owned(), format!("{name} on 1 core")]);
    assert_eq!(of("throughput-all"), on_cores.concat());
    assert_eq!(bench.run(&["--track", "latency", "--dry-run"]).stdout.matches("engine").count(), 1);
}

#[test]
fn a_system_may_have_tracks_of_its_own() {
    let own = |tracks: &str| CAMPAIGN.replace("batch = 64", &format!("batch = 64\ntracks = {tracks}"));
    let bench = Bench::new(&own("[\"throughput-1\"]"));
    let answer: Value = serde_json::from_str(&bench.run(&["--dry-run", "--json"]).stdout).unwrap();
    let cells = answer["cells"].as_array().unwrap().iter();
    let of_plain = cells.filter(|cell| cell["system"].as_str().unwrap().starts_with("plain"));
    assert_eq!(of_plain.map(|cell| cell["track"].as_str().unwrap()).collect::<Vec<_>>(), ["throughput-1"]);
    for (tracks, part) in [("[\"server\"]", "the campaign has no track server"), ("[]", "`tracks` is empty")]
    {
        Bench::new(&own(tracks)).run(&["--dry-run"]).assert_says(2, &[part]);
    }
}

#[test]
fn a_sweep_is_measured_whole_and_its_command_says_the_value() {
    // At a low rate: the systems count here, and their speed doesn't.
    let server = "{ name = \"server\", limit-ms = 5, percentile = 50, rate = 400 }";
    let bench = Bench::new(&CAMPAIGN.replace("\"throughput-all\"", server));
    let ended = bench.run(&["--track", "server", "--json", "-s", "engine 8*"]);
    assert!(matches!(ended.code, Some(0)), "{ended:?}");
    let records = crate::support::records(&bench.path("out"));
    assert_eq!(records.len(), 2 * 3, "two systems, three rounds each");
    let command = |system: &str| {
        let record = records.iter().find(|record| record["system"] == system).unwrap();
        let words = record["command"].as_array().unwrap().iter().filter_map(Value::as_str);
        (words.collect::<Vec<_>>().join(" "), record["system_cores"].as_array().unwrap().len())
    };
    let (words, cores) = command("engine 8-line batch on 1 core");
    assert!(words.contains("--cores 1") && words.contains("--batch-lines 8"), "{words}");
    assert_eq!(cores, 1);
    let again = bench.run(&["--track", "server", "-s", "engine 8*"]);
    assert!(!again.stderr.contains("unfinished"), "{again:?}");
}

#[test]
fn a_sweep_that_cannot_be_is_refused_by_line() {
    for (from, to, part) in [
        ("batch = 64", "batch = []", "`batch` is empty"),
        ("batch = 64", "batch = [8, 8]", "`batch` has a number twice"),
        ("batch = 64", "batch = [0]", "`batch` must lie between 1 and"),
        ("batch = 64", "batch = 64\nbatch-lines = 8", "use one of them"),
        ("cores = [1, 2]", "cores = [1, 5000]", "`cores` must lie between 1 and"),
        ("batch = 64", "batch = \"many\"", "a number or a list of numbers"),
        ("name = \"plain\"", "name = \"engine 8-line batch\"", "a second system named"),
    ] {
        let bench = Bench::new(&CAMPAIGN.replace(from, to));
        bench.run(&["--dry-run"]).assert_says(2, &["campaign.toml:", part]);
    }
}
