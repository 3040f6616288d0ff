//! The track pages: systems that answer line by line or together, its figures, and systems that break a rule.
//! `ci/pages` holds its times against the clock.

use std::fs;

use serde_json::{Value, json};

use crate::schema::faults;
use crate::support::{Bench, Ended, NULL_AND_CAT};

/// The head of a campaign of pages of two lines.
const PAGES: &str = "tracks = [\"pages\"]\nprobes = []\nnoisy-repeats = 0\n\
                     test-sets = [{ name = \"tiny\", source = \"tiny.en\", pages = 2 }]\n";

/// A system in Python that gets the lines of a page, in which lines are `lines` and their answers are
/// written.
fn of_page(work: &str) -> String {
    let script = format!(
        "import os, sys
rest = b''
while data := os.read(0, 1 << 16):
    *lines, rest = (rest + data).split(b'\\n')
    {work}"
    );
    format!("[[system]]\nname = \"it\"\ncommand = [\"python3\", \"-c\", '''{script}''']\n")
}

#[test]
fn programs_that_answer_line_by_line_or_together_take_part_unchanged() {
    let together = of_page("os.write(1, b''.join(line + b'\\n' for line in lines))");
    let bench = Bench::new(&format!("{PAGES}{NULL_AND_CAT}{together}"));
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = bench.records();
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/record.schema.json")).unwrap();
    assert_eq!(records.len(), 9);
    for record in &records {
        assert_eq!(faults(record, &schema, &schema, ""), Vec::<String>::new());
        assert_eq!((&record["reasons"], &record["page_lines"]), (&json!([]), &json!([2, 2, 1])), "{record}");
        let times = ["first_line_ns", "last_line_ns"].map(|name| record[name].as_array().unwrap().clone());
        let ordered = |(first, last): (&Value, &Value)| first.as_u64() <= last.as_u64();
        assert!(times[0].len() == 3 && times[0].iter().zip(&times[1]).all(ordered), "{record}");
        let text = fs::read(bench.path(&format!("out/outputs/{}.txt", record["output"].as_str().unwrap())));
        assert_eq!(text.unwrap(), fs::read(bench.path("tiny.en")).unwrap());
    }
    let identity: Value = serde_json::from_slice(&fs::read(bench.path("out/run.json")).unwrap()).unwrap();
    let hash = sha256(b"2\n2\n1\n");
    assert_eq!(identity["protocol"]["pages"], json!({ "tiny": hash }));
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Pages of the set over which percentiles are taken: as many as the 99th needs.
const COUNT: usize = 700;

#[test]
fn each_column_has_the_figure_of_the_records() {
    let bench = Bench::new(&format!("{PAGES}[[system]]\nname = \"null\"\nbackend = \"null\"\n"));
    bench.write("tiny.en", "A dog barks.\n".repeat(2 * COUNT));
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let path = bench.path("out/records.jsonl");
    let set = |mut record: Value| {
        record["first_line_ns"] = (1..=COUNT).map(|page| page * 1000).collect();
        record["last_line_ns"] = (1..=COUNT).map(|page| page * 10_000).collect();
        (record["verdict"], record["reasons"]) = (json!("VALID"), json!([]));
        if let Some(noise) = record["noise"].as_array_mut() {
            noise.clear();
        }
        format!("{record}\n")
    };
    fs::write(&path, bench.records().into_iter().map(set).collect::<String>()).unwrap();
    let shown = Ended::of(bench.dyno(&["score", "out"]).output().unwrap());
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let csv = fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    let (heads, row) = csv.split_once('\n').unwrap();
    let figure = |name: &str| -> f64 {
        let place = heads.split(',').position(|head| head == name).expect(name);
        row.split(',').nth(place).unwrap().parse().expect(name)
    };
    let of_ranks = [(50, 0.35), (95, 0.665), (99, 0.693)];
    for (percent, ms) in of_ranks {
        let first = figure(&format!("first_line_p{percent}_ms"));
        let last = figure(&format!("p{percent}_ms"));
        assert!((first - ms).abs() < 0.002 && (last - 10.0 * ms).abs() < 0.02, "p{percent}: {first}, {last}");
    }
    let seconds = (COUNT * (COUNT + 1) / 2) as f64 * 1e-5;
    assert!((figure("words_per_second") / (COUNT as f64 * 6.0 / seconds) - 1.0).abs() < 1e-9);
    let head = shown.stdout.lines().find(|line| line.trim_start().starts_with("system")).expect("a table");
    let columns: Vec<&str> = head.split("  ").map(str::trim).filter(|head| !head.is_empty()).collect();
    let row = shown.stdout.lines().find(|line| line.trim_start().starts_with("null")).expect("a row");
    let fields: Vec<&str> = row.split("  ").map(str::trim).filter(|field| !field.is_empty()).collect();
    let shown = |head: &str| fields[columns.iter().position(|column| *column == head).expect(head)];
    assert_eq!((shown("first line p50 ms"), shown("first line p95 ms")), ("0.350", "0.665"), "{row}");
    assert_eq!((shown("p50 ms"), shown("p95 ms"), shown("p99 ms")), ("3.50", "6.65", "6.93"), "{row}");
    let page = Ended::of(bench.dyno(&["report", "out", "--markdown"]).output().unwrap()).stdout;
    let fields = |begin: &str| -> Vec<String> {
        let row = page.lines().find(|line| line.starts_with(begin)).expect(begin);
        row.split('|').map(|field| field.trim().to_owned()).collect()
    };
    let (columns, row) = (fields("| system | track |"), fields("| null | pages |"));
    for (head, figure) in [("first line p50 ms", "0.350"), ("first line p95 ms", "0.665")] {
        assert_eq!(row[columns.iter().position(|column| column == head).expect(head)], figure, "{page}");
    }
}

#[test]
fn an_answer_too_many_or_too_late_breaks_a_rule() {
    for (work, code) in [
        ("os.write(1, b'x\\n' * (len(lines) + (len(lines) > 1)))", "extra_output"),
        ("os.write(1, b'x\\n' * (len(lines) - (len(lines) > 1)))", "line_count"),
    ] {
        let bench = Bench::new(&format!("line-seconds = 2\n{PAGES}{}", of_page(work)));
        bench.run(&[]);
        let records = bench.records();
        assert_eq!(records[0]["reasons"][0]["code"], code, "{}", records[0]);
    }
}

#[test]
fn pages_that_no_set_has_are_refused() {
    for (pages, told) in
        [("0", "a page has at least one line"), ("\"none\"", "none"), ("true", "{ set, first, pages }")]
    {
        let head = PAGES.replace("pages = 2", &format!("pages = {pages}"));
        let bench = Bench::new(&format!("{head}{NULL_AND_CAT}"));
        bench.run(&[]).assert_says(2, &[told]);
    }
}
