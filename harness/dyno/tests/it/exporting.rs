//! `dyno export` and `dyno leaderboard`, on published runs. The expected shapes are those that the services'
//! own readers accept: Bencher's adapter for JSON, the schema of github-action-benchmark, and asv's files of
//! version 2.

use std::fs;
use std::path::PathBuf;

use dyno_results::{Run, Summary};
use serde_json::Value;

use crate::support::{Bench, Ended, skip};

const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results");

/// The published runs; beside them lies the papers' page.
fn runs() -> Vec<PathBuf> {
    let folders = fs::read_dir(RESULTS).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> = folders.filter(|folder| folder.join("run.json").is_file()).collect();
    runs.sort();
    runs
}

fn export(bench: &Bench, arguments: &[&str]) -> Ended {
    let run = runs()[0].display().to_string();
    let ended = Ended::of(bench.dyno(&[&["export", &run], arguments].concat()).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

fn summary() -> Summary {
    Summary::of(&Run::read(&runs()[0]).unwrap())
}

fn read(bench: &Bench, name: &str) -> Value {
    serde_json::from_slice(&fs::read(bench.path(name)).unwrap()).unwrap()
}

/// Holds a number of JSON, which is read to the last digit but one, against the figure.
fn same(told: &Value, figure: Option<f64>) {
    match (told.as_f64(), figure) {
        (Some(told), Some(figure)) => assert!((told / figure - 1.0).abs() < 1e-12, "{told} for {figure}"),
        (told, figure) => assert_eq!(told, figure),
    }
}

#[test]
fn bencher_reads_benchmarks_with_measures() {
    let bench = Bench::new("");
    let text = export(&bench, &["--format", "bencher"]).stdout;
    let answer: Value = serde_json::from_str(&text).unwrap();
    let summary = summary();
    let quotable: Vec<_> = summary.cells.iter().filter(|cell| cell.words_per_second.is_some()).collect();
    assert_eq!(answer.as_object().unwrap().len(), quotable.len());
    for cell in quotable {
        let name = format!("{}/{}/{}", cell.test_set, cell.track, cell.system);
        let throughput = &answer[&name]["throughput"];
        same(&throughput["value"], cell.words_per_second);
        same(&throughput["lower_value"], cell.words_per_second_low);
        // Bencher counts latency in nanoseconds.
        same(&answer[&name]["latency"]["value"], cell.p50_ms.map(|ms| ms * 1e6));
    }
    for metric in answer.as_object().unwrap().values().flat_map(|measures| measures.as_object().unwrap()) {
        let (measure, fields) = (metric.0, metric.1.as_object().unwrap());
        assert!(
            measure.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{measure}"
        );
        let known = ["value", "lower_value", "upper_value"];
        assert!(fields.iter().all(|(name, value)| known.contains(&name.as_str()) && value.is_number()));
        assert!(fields.contains_key("value"));
    }
}

#[test]
fn github_action_benchmark_reads_a_file_for_each_direction() {
    let bench = Bench::new("");
    export(&bench, &["--format", "github-action-benchmark", "-o", "bench"]);
    let mut names = Vec::new();
    for (file, part) in [("smaller-is-better", "latency"), ("bigger-is-better", "throughput")] {
        let list = read(&bench, &format!("bench/{file}.json"));
        for entry in list.as_array().unwrap() {
            assert!(entry["value"].is_number(), "{entry}");
            for field in ["name", "unit"] {
                assert!(entry[field].as_str().is_some_and(|text| !text.is_empty()), "{entry}");
            }
            assert!(
                entry
                    .as_object()
                    .unwrap()
                    .keys()
                    .all(|key| { ["name", "unit", "value", "range", "extra"].contains(&key.as_str()) })
            );
            names.push(entry["name"].clone());
        }
        assert!(list.as_array().unwrap().iter().any(|entry| entry["name"].as_str().unwrap().ends_with(part)));
    }
    let count = names.len();
    names.sort_by_key(ToString::to_string);
    names.dedup();
    assert_eq!(names.len(), count, "the action finds a benchmark by its name");
}

#[test]
fn asv_reads_its_own_files() {
    let bench = Bench::new("");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        command.args(identity).args(arguments).current_dir(bench.path(""));
        command.output().is_ok_and(|output| output.status.success())
    };
    if !(git(&["init", "-q"]) && git(&["commit", "-q", "--allow-empty", "-m", "one"])) {
        return skip("no git here: asv's results need a commit");
    }
    export(&bench, &["--format", "asv", "-o", "asv"]);
    let benchmarks = read(&bench, "asv/benchmarks.json");
    assert_eq!(benchmarks["version"], 2);
    let machine =
        fs::read_dir(bench.path("asv")).unwrap().map(|e| e.unwrap().path()).find(|p| p.is_dir()).unwrap();
    let name = machine.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(read(&bench, &format!("asv/{name}/machine.json"))["machine"], name.as_str());
    let file =
        fs::read_dir(&machine).unwrap().map(|e| e.unwrap().path()).find(|p| !p.ends_with("machine.json"));
    let results: Value = serde_json::from_slice(&fs::read(file.unwrap()).unwrap()).unwrap();
    assert_eq!(
        (results["version"].as_u64(), results["params"]["machine"].as_str()),
        (Some(2), Some(name.as_str()))
    );
    for (benchmark, columns) in results["results"].as_object().unwrap() {
        let described = &benchmarks[benchmark];
        assert_eq!(described["name"], benchmark.as_str());
        let values = columns[0].as_array().unwrap();
        assert_eq!(values.len(), columns[1][0].as_array().unwrap().len(), "a value for each system");
        assert_eq!((&columns[1], &columns[2]), (&described["params"], &described["version"]));
    }
    let refused = bench.dyno(&[
        "export",
        &runs()[0].display().to_string(),
        "--format",
        "asv",
        "-o",
        "x",
        "--commit",
        "gone",
    ]);
    Ended::of({ refused }.output().unwrap()).assert_says(2, &["no commit \"gone\""]);
}

#[test]
fn tables_come_as_text_for_papers_and_spreadsheets() {
    let bench = Bench::new("");
    let of = |format: &str| export(&bench, &["--format", format]).stdout;
    let rows = summary().cells.len();
    let latex = of("latex");
    assert_eq!(
        (latex.matches("\\\\\n").count(), latex.matches("\\begin{tabular}").count()),
        (rows + 1, 1),
        "{latex}"
    );
    assert_eq!(of("csv").lines().count(), rows + 1);
    assert!(of("markdown").lines().filter(|line| line.starts_with('|')).count() > rows);
    let several =
        bench.dyno(&["export", &runs()[0].display().to_string(), "--format", "asv"]).output().unwrap();
    Ended::of(several).assert_says(2, &["several files", "-o"]);
}

#[test]
fn a_leaderboard_has_a_row_for_each_system_and_links_to_its_report() {
    let bench = Bench::new("");
    let run = runs()[0].display().to_string();
    for arguments in
        [vec!["leaderboard", RESULTS, "-o", "all.html"], vec!["leaderboard", &run, "--title", "One <run>"]]
    {
        let ended = Ended::of(bench.dyno(&arguments).output().unwrap());
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let all = fs::read_to_string(bench.path("all.html")).unwrap();
    let systems: usize = runs().iter().map(|run| Run::read(run).unwrap().systems().len()).sum();
    assert_eq!(all.matches("\n<tr").count(), systems);
    for run in runs() {
        let name = run.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(all.contains(&format!("results/{name}/report.html\">{name}</a>")), "{name}");
    }
    let one = fs::read_to_string(bench.path("leaderboard.html")).unwrap();
    assert!(one.contains("One &lt;run&gt;") && !one.contains("One <run>"));
    let empty = bench.dyno(&["leaderboard", "."]).output().unwrap();
    Ended::of(empty).assert_says(2, &["holds no run"]);
}
