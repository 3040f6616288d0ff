//! Runs that earlier versions have published are read as before: their figures come out as they stand in the spreadsheet that
//! was published beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dyno_measure::{Track, Verdict};
use dyno_report::Report;
use dyno_results::{Run, Summary};
use dyno_stats::Standing;
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

/// Systems on the frontier of throughput-1, as the terminal's table marks them.
fn marked(summary: &Summary) -> Vec<String> {
    let on = |standing| matches!(standing, Some(Standing::Frontier | Standing::Probably));
    let cells = summary.cells.iter().filter(|row| row.track == Track::Throughput1 && on(row.standing));
    let mut names: Vec<String> = cells.map(|row| row.system.clone()).collect();
    names.sort();
    names
}

/// Systems on the frontier, as the page lists them. Words per dollar of this run are those of throughput-1.
fn listed(run: &Run, summary: &Summary) -> Vec<String> {
    let said = Report::of(run, summary, &[]).summary();
    let rows = said["test_sets"][0]["frontier"]["rows"].as_array().unwrap().iter();
    let mut names: Vec<String> =
        rows.map(|row| row["fields"][0]["text"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn texts_that_differ_over_rounds_show_the_spread_of_their_bleu() {
    let mut run = Run::read(&published()[0]).unwrap();
    let of = |row: &dyno_measure::Record| row.system == "gru" && row.track == Track::Throughput1;
    let honest = run.records.iter().find(|record| of(record)).unwrap().output.clone().unwrap();
    let cell = |run: &Run| {
        let cells = Summary::of(run).cells;
        cells.into_iter().find(|cell| cell.system == "gru" && cell.track == Track::Throughput1).unwrap()
    };
    let one_text = cell(&run);
    assert_eq!((one_text.bleu_low, one_text.bleu_high), (None, None));
    let bleu = one_text.bleu.unwrap();
    // One round answers with a text that scores 9 less.
    let mut score = run.scores.scores.iter().find(|score| score.output == honest).unwrap().clone();
    (score.output, score.bleu) = ("other".into(), bleu - 9.0);
    run.scores.scores.push(score);
    run.outputs.insert("other".into(), run.outputs[&honest].clone());
    run.records.iter_mut().find(|record| of(record)).unwrap().output = Some("other".into());
    let two_texts = cell(&run);
    assert_eq!((two_texts.bleu_low, two_texts.bleu_high), (Some(bleu - 9.0), Some(bleu)));
    let page = Report::of(&run, &Summary::of(&run), &[]).html(false).unwrap();
    assert!(page.contains(&format!("({:.1} to {bleu:.1} over rounds)", bleu - 9.0)));
}

#[test]
fn terminal_and_page_name_one_frontier_without_noisy_cells_and_bleu_0() {
    let mut run = Run::read(&published()[0]).unwrap();
    let before = marked(&Summary::of(&run));
    assert!(["gru", "rnn-fc", "ssru"].iter().all(|name| before.contains(&(*name).to_owned())), "{before:?}");
    let of = |name: &'static str| move |row: &&dyno_measure::Record| row.system == name;
    let output = run.records.iter().find(of("rnn-fc")).unwrap().output.clone().unwrap();
    for record in run.records.iter_mut().filter(|record| record.system == "gru") {
        record.verdict = Verdict::Noisy;
    }
    for score in run.scores.scores.iter_mut().filter(|score| score.output == output) {
        score.bleu = 0.04;
    }
    let summary = Summary::of(&run);
    let now = marked(&summary);
    assert!(!now.contains(&"gru".to_owned()) && !now.contains(&"rnn-fc".to_owned()), "{now:?}");
    assert_eq!(now, listed(&run, &summary));
}
