//! The folder of a run, which may come from another host or from another dyno, or of a merged one, kept speeds of
//! products, and lists of prices.

use std::fmt::Debug;
use std::path::Path;

use dyno_api::printable_line;
use dyno_papers::reproduction::{KeptProducts, Measured, Reproduction, figures, markdown};
use dyno_papers::tables;
use dyno_record::Identity;
use dyno_report::Report;
use dyno_results::merge::rows_by_table;
use dyno_results::{Error, Merged, Run, Summary, Verified, csv_of, prices};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::parser::Parser;
use crate::project::{copy, file, files};

/// A published run with one file of each kind.
const RUN: &str = "results/papers/2026-11-25-amd-epyc-zen-5-2c/records/devlin-trained";
/// Published speeds of products, and their table.
const PRODUCTS: (&str, &str) = ("results/papers/2026-11-25-amd-epyc-zen-5-2c/records", "devlin-fig1");

/// Damaged runs: each is read and summarised whole.
const CASES: u64 = 200;

pub(crate) fn parsers() -> Vec<Parser> {
    let names =
        ["run.json", "records.jsonl", "verified.json", "breakdowns.json", "metrics.json", "scores.json"];
    let mut all: Vec<_> = names.map(of_run).into();
    all.push(of_run("price.json"));
    all.extend([merged(), products()]);
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

/// A merged run of one host, which is shown as a table.
fn merged() -> Parser {
    let notes = "x lacks 3 rounds: merge the other shards too".repeat(20); // damage to a note leaves the rest whole
    let text = format!(
        r#"{{"schema": 1, "campaign": "c", "hosts": [{{"name": "a", "folder": "1-a", "runs": ["x"]}}], "notes": ["{notes}"]}}"#
    );
    let fill = |folder: &Path| copy(&file(RUN), &folder.join("1-a"));
    let parser = Parser::of_file(("merged.json", "merged.json"), vec![text.into()], fill, |folder: &Path| {
        // A fault may name a folder of the file.
        let merged = Merged::read(folder).map_err(|fault| printable_line(&fault.to_string()))?;
        csv_of(&rows_by_table(&merged.summaries()));
        Ok::<_, String>(())
    });
    Parser { cases: CASES, least_bytes: 8 << 20, ..parser }
}

/// Kept speeds of a paper's products, which are shown beside the paper's.
fn products() -> Parser {
    let (folder, id) = PRODUCTS;
    let of_all = tables().expect("sound data");
    let table = of_all.into_iter().find(|table| table.id == id).expect("a table of products");
    let seeds = files(folder, &[&format!("products-{id}.json")]);
    let parser = Parser::of("products.json", seeds, move |bytes: &[u8]| {
        let kept: KeptProducts = serde_json::from_slice(bytes)?;
        same(&kept);
        let measured = Measured { products: Some(&kept.products), ..Measured::default() };
        let shown = [Reproduction::of(&table, measured)];
        let _ = (markdown(&shown[0]), figures(&shown));
        Ok::<_, serde_json::Error>(())
    });
    Parser { cases: 1000, least_bytes: 8 << 20, ..parser }
}

/// Checks that writing and reading are each other's inverse.
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_vec(value).expect("JSON");
    let again: T = serde_json::from_slice(&text).expect("what was written is read");
    assert_eq!(again, *value);
}
