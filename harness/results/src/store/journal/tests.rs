use std::path::PathBuf;

use serde_json::Value;

use super::*;

fn results(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results").join(run).join(RECORDS)
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// What a record lacks that `earlier` has: the path of each field with another value.
fn lacking(earlier: &Value, now: &Value, at: &str) -> Vec<String> {
    match (earlier, now) {
        (Value::Object(fields), Value::Object(_)) => {
            let within =
                fields.iter().map(|(name, value)| lacking(value, &now[name], &format!("{at}/{name}")));
            within.flatten().collect()
        }
        _ if earlier == now => Vec::new(),
        _ => vec![at.to_owned()],
    }
}

#[test]
fn records_of_todays_form_are_written_as_they_were_read() {
    let papers = results("papers/2026-11-25-amd-epyc-zen-5-2c/records");
    let runs = std::fs::read_dir(papers.parent().unwrap()).unwrap();
    let runs = runs.map(|run| run.unwrap().path().join(RECORDS));
    let runs: Vec<PathBuf> = runs.filter(|records| records.exists()).collect();
    assert!(runs.len() > 10);
    for path in runs.into_iter().chain([results("2026-11-25-amd-epyc-zen-5-2c-captions")]) {
        for (record, line) in read_records(&path).unwrap().iter().zip(lines(&path)) {
            let written = serde_json::to_string(record).unwrap();
            assert!(written == line, "{path:?} is written in another way: {line}");
        }
    }
}

#[test]
fn earlier_records_keep_all_that_they_say() {
    for run in
        ["2026-11-21-amd-epyc-zen-5-2c", "2026-11-22-amd-epyc-zen-4-2c", "2026-11-24-amd-epyc-zen-5-2c"]
    {
        let path = results(run);
        for (record, line) in read_records(&path).unwrap().iter().zip(lines(&path)) {
            let now = parsed(&serde_json::to_string(record).unwrap());
            assert_eq!(lacking(&parsed(&line), &now, ""), Vec::<String>::new(), "{run}");
        }
    }
}
