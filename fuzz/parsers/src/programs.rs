//! What programs tell the bench: joules, facts about a model, an account of its time.

use std::path::Path;

use dyno_api::{Breakdown, Facts, printable_line};
use dyno_measure::energy::Meter;
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
    ]
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
