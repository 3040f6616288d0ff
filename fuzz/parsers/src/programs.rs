//! What programs tell the bench: joules, facts about a model, an account of its time, scores, counts of instructions,
//! the image of a container.

use std::path::Path;

use dyno_api::{Breakdown, Facts, printable_line};
use dyno_measure::energy::Meter;
use dyno_measure::supervisor::child_of;
use dyno_provision::image::Image;
use dyno_results::scores::{MetricFacts, TextScores};
use serde::de::DeserializeOwned;

use crate::parser::Parser;

pub(crate) fn parsers() -> Vec<Parser> {
    let facts = br#"{"backend": "b", "version": "1", "isa": "avx2", "parameters": 7, "counts": {"tokens": 3}, "files": [{"path": "f", "bytes": 1}]}"#;
    let breakdown =
        br#"{"components": {"search": 5, "encoder": 90}, "operators": {"product": 60, "other": 40}}"#;
    vec![
        Parser::of("facts", vec![facts.into()], |bytes: &[u8]| read::<Facts>(bytes).map(drop)),
        Parser::of("breakdown", vec![breakdown.into()], account),
        Parser { cases: 100, ..meter() },
        said("metric-facts", &[METRIC], |line| MetricFacts::read(line).map(drop).map_err(of_a_metric)),
        said("metric-scores", &[SCORES], |line| TextScores::read(line, 3).map(drop).map_err(of_a_metric)),
        said("counts", &[PERF, CACHEGRIND], |text| dyno_mt::check_counts(text).ok_or("no count".into())),
        said("image", &[IMAGE], |text| {
            let image = Image::named("podman:mine").expect("a name");
            image.described(text).map(drop).map_err(|fault| fault.to_string())
        }),
        said("bubblewrap", &[BUBBLEWRAP], |text| child_of(text).map(drop).ok_or("no child".into())),
    ]
}

const METRIC: &str = r#"{"name": "m", "version": "1", "direction": "lower", "range": [0, 1.5], "signature": "s", "references": false}"#;
const SCORES: &str = r#"{"segments": [0.5, 1, 1.5], "score": 1.00001}"#;
const PERF: &str = "# started on Fri Nov 27 2026\n\n123456,,instructions:u,1000,100.00,,\n\
    61728,,cpu_core/cycles/u,1000,100.00,,\n<not supported>,,cache-misses:u,0,100.00,,\n";
const CACHEGRIND: &str = "==7== Cachegrind\n==7== I   refs:      1,234,567\n==7== D refs: 12\n";
const IMAGE: &str =
    r#"[{"Id": "sha256:abc", "RepoTags": ["mine"], "Config": {"Env": ["A=b=c", "D"], "Cmd": null}}]"#;
const BUBBLEWRAP: &str = "{\n    \"child-pid\": 4711,\n    \"net-namespace\": 4026532}\n";

/// A program's text, of which the bench replaces what is no UTF-8.
fn said(name: &str, seeds: &[&str], read: fn(&str) -> Result<(), String>) -> Parser {
    let seeds = seeds.iter().map(|text| text.as_bytes().into()).collect();
    Parser::of(name, seeds, move |bytes: &[u8]| read(&String::from_utf8_lossy(bytes)))
}

/// The fault of a metric, with the name that messages put before it.
fn of_a_metric(fault: String) -> String {
    format!("metric m: {fault}")
}

/// What a program tells in JSON. A fault that quotes the program passes this function on its way to a
/// terminal.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|fault| printable_line(&fault.to_string()))
}

/// An account of time: both divisions have the same whole, unless one is empty.
fn account(bytes: &[u8]) -> Result<(), String> {
    let breakdown: Breakdown = read(bytes)?;
    for parts in [&breakdown.components, &breakdown.operators] {
        assert!(parts.is_empty() || parts.values().sum::<u64>() == breakdown.whole());
    }
    Ok(())
}

/// A program that meters energy, and says what stands in a file.
fn meter() -> Parser {
    Parser::of_file(
        ("meter", "said"),
        vec![b"12.5\n".into()],
        |_: &Path| (),
        |folder: &Path| Meter::of_program(&["cat".into(), "said".into()], folder).map(drop),
    )
}
