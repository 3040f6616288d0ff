//! Runs that earlier versions have published are read as before: their figures come out as they stand in the
//! spreadsheet that was published beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dyno_record::{Track, Verdict};
use dyno_report::Report;
use dyno_results::scores::{Direction, Metric, Scale};
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::Standing;

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

/// Columns that depend on the text that is scored.
const OF_THE_TEXT: [&str; 8] = [
    "output",
    "bleu",
    "bleu_confidence",
    "chrf",
    "chrf_confidence",
    "target_words_per_second",
    "target_chars_per_second",
    "standing",
];

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
        let now = rows(dyno_results::csv_of(&summary.cells).as_bytes());
        for (now, before) in now.into_iter().zip(before) {
            // Where the rounds' texts differ, these runs drew the one that was scored; today the worst is.
            let differs = now["output"] != before["output"];
            let is_lower = || now["bleu"].parse::<f64>().unwrap() < before["bleu"].parse::<f64>().unwrap();
            assert!(!differs || is_lower(), "{folder:?} {}", now["system"]);
            let counts = |head: &str| head != "other_metrics" && !(differs && OF_THE_TEXT.contains(&head));
            for (head, text) in before.into_iter().filter(|(head, _)| counts(head)) {
                let number = |text: &str| text.parse::<f64>().ok();
                let is_same = match (number(&now[&head]), number(&text)) {
                    // JSON is read to the last digit but one.
                    (Some(now), Some(before)) => (now - before).abs() <= 1e-12 * before.abs(),
                    _ => now[&head] == text,
                };
                assert!(is_same, "{folder:?} {} {head}: {}, before {text}", now["system"], now[&head]);
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
    let of = |row: &dyno_record::Record| row.system == "gru" && row.track == Track::Throughput1;
    let honest = run.records.iter().find(|record| of(record)).unwrap().output.clone().unwrap();
    let cell = |run: &Run| {
        let cells = Summary::of(run).cells;
        cells.into_iter().find(|cell| cell.system == "gru" && cell.track == Track::Throughput1).unwrap()
    };
    let one_text = cell(&run);
    let ends = |cell: &CellSummary| (cell.quality[0].low, cell.quality[0].high);
    assert_eq!((one_text.quality[0].metric.as_str(), ends(&one_text)), ("bleu", (None, None)));
    let bleu = one_text.first_quality().unwrap().value;
    // One round answers with a text that scores 9 less.
    let text = |output: &str| [run.test_sets[0].name.clone(), output.into()];
    let mut score = run.scores.texts[&text(&honest)].clone();
    score.get_mut("bleu").unwrap().score = bleu - 9.0;
    run.scores.texts.insert(text("other"), score);
    run.outputs.insert("other".into(), run.outputs[&honest].clone());
    run.records.iter_mut().find(|record| of(record)).unwrap().output = Some("other".into());
    let two_texts = cell(&run);
    assert_eq!(ends(&two_texts), (Some(bleu - 9.0), Some(bleu)));
    let page = Report::of(&run, &Summary::of(&run), &[]).html(false).unwrap();
    assert!(page.contains(&format!("({:.1} to {bleu:.1} over rounds)", bleu - 9.0)));
}

#[test]
fn terminal_and_page_name_one_frontier_without_noisy_cells_and_bleu_0() {
    let mut run = Run::read(&published()[0]).unwrap();
    let before = marked(&Summary::of(&run));
    assert!(["gru", "rnn-fc", "ssru"].iter().all(|name| before.contains(&(*name).to_owned())), "{before:?}");
    let of = |name: &'static str| move |row: &&dyno_record::Record| row.system == name;
    let output = run.records.iter().find(of("rnn-fc")).unwrap().output.clone().unwrap();
    for record in run.records.iter_mut().filter(|record| record.system == "gru") {
        record.verdict = Verdict::Noisy;
    }
    for (_, metrics) in run.scores.texts.iter_mut().filter(|([_, text], _)| *text == output) {
        metrics.get_mut("bleu").unwrap().score = 0.04;
    }
    let summary = Summary::of(&run);
    let now = marked(&summary);
    assert!(!now.contains(&"gru".to_owned()) && !now.contains(&"rnn-fc".to_owned()), "{now:?}");
    assert_eq!(now, listed(&run, &summary));
}

/// The run, scored by a metric that says of each text minus what BLEU says.
fn mirrored(mut run: Run, direction: Direction) -> Run {
    for metrics in run.scores.texts.values_mut() {
        let mut quality = metrics["bleu"].clone();
        quality.score = -quality.score;
        metrics.insert("mirror".into(), quality);
    }
    for metrics in run.scores.pairs.values_mut() {
        let reversed = metrics["bleu"].reversed();
        let speaks_of_quality =
            if direction == Direction::Higher { reversed } else { reversed.where_less_is_better() };
        metrics.insert("mirror".into(), speaks_of_quality);
    }
    run.scores.metrics.push(Scale { direction, range: Some([-100.0, 0.0]), ..Scale::unknown("mirror") });
    run
}

#[test]
fn where_less_is_better_the_judgements_are_the_same() {
    let plain = Run::read(&published()[0]).unwrap();
    let mut run = mirrored(Run::read(&published()[0]).unwrap(), Direction::Lower);
    run.metrics.list = vec![Metric::worker("mirror", vec!["mirror".into()], ".".into()).unwrap()];
    let (before, now) = (Summary::of(&plain), Summary::of(&run));
    assert!(marked(&before).len() > 1, "{:?}", marked(&before));
    assert_eq!(marked(&before), marked(&now));
    assert!(now.disagreements.is_empty(), "both rank alike: {:?}", now.disagreements);
    let said = |run: &Run, summary: &Summary| {
        Report::of(run, summary, &[]).summary()["test_sets"][0]["verdict"].to_string()
    };
    let mirror = said(&run, &now).replace("mirror -", "BLEU ").replace(" mirror", " BLEU");
    assert_eq!(said(&plain, &before), mirror);
    assert_eq!(listed(&run, &now), listed(&plain, &before));
}

#[test]
fn a_metric_that_ranks_the_other_way_is_named() {
    let run = mirrored(Run::read(&published()[0]).unwrap(), Direction::Higher);
    let summary = Summary::of(&run);
    let cell = |name: &str| summary.cells.iter().find(|cell| cell.system == name).unwrap();
    let score = |name: &str| cell(name).first_quality().unwrap().value;
    for found in &summary.disagreements {
        assert!(score(&found.better) > score(&found.worse), "{found:?}");
    }
    let page = Report::of(&run, &summary, &[]).html(false).unwrap();
    assert!(page.contains("mirror ranks these two the other way"));
    let pairs = run.scores.pairs.values().filter(|metrics| metrics["bleu"].p < 0.05).count();
    assert!(!summary.disagreements.is_empty() && summary.disagreements.len() <= pairs);
}
