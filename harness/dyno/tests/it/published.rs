//! Runs that earlier versions have published are read as before: their figures come out as they stand in the spreadsheet that
//! was published beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dyno_results::{Run, Summary};
use serde_json::Value;

fn published() -> Vec<PathBuf> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folders = fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> = folders.filter(|folder| folder.join("run.json").is_file()).collect();
    runs.sort();
    runs
}

/// Rows of a spreadsheet, each as its fields by their heads.
fn rows(csv: impl std::io::Read) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv);
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn the_runs_of_before_have_the_figures_of_before() {
    let runs = published();
    assert!(runs.len() >= 2, "both runs of version 0.1 are here");
    for folder in runs {
        let run = Run::read(&folder).unwrap();
        assert!(run.identity.host.isa.iter().any(|isa| isa == "avx512_vnni"), "today's spelling: {folder:?}");
        let summary = Summary::of(&run);
        let before = rows(fs::File::open(folder.join("summary.csv")).unwrap());
        assert_eq!(summary.cells.len(), before.len());
        for (cell, before) in summary.cells.iter().zip(before) {
            let now = serde_json::to_value(cell).unwrap();
            for (head, text) in before {
                let value = &now[head.as_str()];
                let is_same = match value {
                    Value::Number(number) => {
                        let (now, before) = (number.as_f64().unwrap(), text.parse::<f64>().unwrap());
                        (now - before).abs() <= 1e-12 * before.abs() // JSON is read to the last digit but one
                    }
                    Value::Null => text.is_empty(),
                    Value::String(value) => value == text.trim_start_matches('\''),
                    _ => continue, // lists are joined by spaces there
                };
                assert!(is_same, "{folder:?} {} {head}: {value}, before {text}", cell.system);
            }
        }
    }
}
