//! The folder of a run, which may come from another host or from another dyno, and lists of prices.

use std::fmt::Debug;
use std::path::Path;

use dyno_record::Identity;
use dyno_report::Report;
use dyno_results::{Error, Run, Summary, Verified, csv_of, prices};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::parser::Parser;
use crate::project::{copy, file, files};

/// A published run with one file of each kind.
const RUN: &str = "results/papers/2026-11-25-amd-epyc-zen-5-2c/records/devlin-trained";

/// Damaged runs: each is read and summarised whole.
const CASES: u64 = 200;

pub(crate) fn parsers() -> Vec<Parser> {
    let names =
        ["run.json", "records.jsonl", "verified.json", "breakdowns.json", "metrics.json", "scores.json"];
    let mut all: Vec<_> = names.map(of_run).into();
    all.push(of_run("price.json"));
    all.push(Parser::of("identity", files(RUN, &["run.json"]), |bytes: &[u8]| {
        Identity::parse(bytes).map(|it| same(&it))
    }));
    let load = |folder: &Path| prices::load(Some(&folder.join("prices.toml"))).map(drop);
    let seeds = files("harness/results/src/prices", &["prices.toml"]);
    all.push(Parser::of_file(("prices.toml", "prices.toml"), seeds, |_: &Path| (), load));
    all
}

/// A file of a run. The whole run needs some hundred kilobytes beside it.
fn of_run(name: &'static str) -> Parser {
    let fill = |folder: &Path| copy(&file(RUN), folder);
    let parser = Parser::of_file((name, name), files(RUN, &[name]), fill, shown);
    Parser { cases: CASES, least_bytes: 8 << 20, ..parser }
}

/// Reads a run and shows it in all forms; what it holds is written and read again as the same.
fn shown(folder: &Path) -> Result<(), Error> {
    let run = Run::read(folder)?;
    Verified::read(folder)?;
    same(&run.identity);
    same(&run.records);
    same(&run.breakdowns);
    same(&run.metrics);
    same(&run.price);
    let summary = Summary::of(&run);
    csv_of(&summary.cells);
    let report = Report::of(&run, &summary, &[]);
    let _ = (report.markdown(), report.latex(), report.html(true).expect("a page of any run"));
    Ok(())
}

/// Checks that writing and reading are each other's inverse.
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_vec(value).expect("JSON");
    let again: T = serde_json::from_slice(&text).expect("what was written is read");
    assert_eq!(again, *value);
}
