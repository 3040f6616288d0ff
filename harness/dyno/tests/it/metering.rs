//! Energy: what a meter counts in each system's own slices.

use serde_json::Value;

use crate::support::Bench;

/// A meter by which every question costs a joule: a stretch that nothing interrupts has exactly one.
const METER: &str = "n=0; while read line; do n=$((n + 1)); echo $n; done";

fn campaign(further: &str) -> Bench {
    let system = |name: &str, word_us: u32| {
        format!("[[system]]\nname = {name:?}\nbackend = \"null\"\nsettings = {{ word-us = {word_us} }}\n")
    };
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\n{further}\n\
         test-sets = [{{ name = \"lines\", source = \"lines.en\" }}]\n{}{}",
        system("quick", 400),
        system("slow", 1200)
    ));
    bench.write("meter.sh", METER);
    bench.write("lines.en", (0..60).map(|i| format!("A small dog runs {i}\n")).collect::<String>());
    bench
}

#[test]
#[ignore = "takes many seconds"]
fn a_system_is_charged_for_its_own_turns() {
    let meter = "meter = [\"sh\", \"meter.sh\"]";
    let bench = campaign(&format!("{meter}\ntracks = [\"latency\", \"throughput-1\"]"));
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = bench.records();
    for record in &records {
        let energy = &record["energy"];
        let (joules, words) = (energy["joules"].as_f64().unwrap(), energy["words"].as_u64().unwrap());
        if record["track"] == "latency" {
            let turns = record["slices"]["turn_ns"].as_array().unwrap().len();
            assert_eq!(joules, turns as f64, "one stretch in each turn: {energy}");
            assert!(words > record["words"].as_u64().unwrap(), "copies are answered too");
        } else {
            let launches = record["launch_ns"].as_array().unwrap().len() as u64;
            assert!(joules >= launches as f64, "{energy}");
            let pass = record["timed_words"].as_u64().or(record["words"].as_u64()).unwrap();
            assert_eq!(words, launches * pass);
        }
    }
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    for cell in summary["cells"].as_array().unwrap() {
        assert!(cell["joules_per_word"].as_f64().unwrap() > 0.0, "{cell}");
    }
    assert!(bench.dyno(&["report", "out"]).status().unwrap().success());
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("mJ/word"), "the page has a column");
}

#[test]
fn loading_costs_no_energy_under_server() {
    let limit = "limit-ms = 5, percentile = 50, rate = 400";
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\nprofile = \"quick\"\ntracks = [{{ name = \"server\", {limit} }}]\n\
         meter = [\"sh\", \"meter.sh\"]\ntest-sets = [{{ name = \"lines\", source = \"lines.en\" }}]\n\
         [[system]]\nname = \"it\"\ncommand = [\"sh\", \"load.sh\"]\n"
    ));
    let loaded = bench.path("loaded").display().to_string();
    bench.write("loaded", "");
    bench.write("lines.en", (0..60).map(|i| format!("A small dog runs {i}\n")).collect::<String>());
    // Loading takes a thousand joules, and an answer none.
    bench.write("load.sh", format!("head -c 1000 /dev/zero >> '{loaded}'\nexec cat\n"));
    bench.write("meter.sh", format!("while read line; do wc -c < '{loaded}'; done\n"));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for record in bench.records() {
        assert_eq!(record["energy"]["joules"], 0.0, "{record}");
    }
    assert!(std::fs::metadata(bench.path("loaded")).unwrap().len() >= 1000, "it loaded");
}

#[test]
fn a_meter_that_fails_costs_the_energy_alone() {
    let bench = campaign("meter = [\"sh\", \"meter.sh\"]\ntracks = [\"latency\"]");
    bench.write("lines.en", (0..12).map(|i| format!("A small dog runs {i}\n")).collect::<String>());
    bench.write("meter.sh", "for n in 1 2 3 4 5; do read line; echo $n; done; read line; echo 1; cat");
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warning =
        "warning: no energy from then on: the meter \"sh meter.sh\": it counted down from 5 to 1 joules";
    assert!(ended.stderr.contains(warning), "{ended:?}");
    let records = bench.records();
    assert!(records.len() == 6 && records.iter().any(|record| record["energy"].is_null()), "{records:?}");
    let is_sound =
        |record: &Value| record["energy"].is_null() || record["energy"]["joules"].as_f64() >= Some(0.0);
    assert!(records.iter().all(is_sound), "{records:?}");
}

#[test]
fn a_meter_that_is_none_is_refused_before_anything_is_measured() {
    for (meter, said) in [("[\"no-such-meter\"]", "no-such-meter"), ("[\"true\"]", "ended without an answer")]
    {
        let bench = campaign(&format!("meter = {meter}\ntracks = [\"latency\"]"));
        bench.run(&[]).assert_says(2, &[said]);
    }
}
