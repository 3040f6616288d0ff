//! `records.jsonl`: opened for appending, and read; neither what was cut off nor what a newer dyno wrote is taken for a
//! record.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use serde::Deserialize;

use super::files::read_whole_lines;
use super::record::{Record, SCHEMA};
use crate::exit::{Outcome, bad_input};

/// Opens the records for appending. A last line without an end was in flight when a bench died: it is dropped.
pub(super) fn open_records(path: &Path) -> Outcome<(File, Vec<Record>)> {
    let opened = File::options().create(true).append(true).read(true).open(path);
    let file = opened.map_err(|error| bad_input(format!("can't open {}: {error}", path.display())))?;
    let bytes = read_whole_lines(path)?;
    let records = parse_records(path, &bytes)?;
    file.set_len(bytes.len() as u64)?;
    Ok((file, records))
}

pub(super) fn parse_records(path: &Path, bytes: &[u8]) -> Outcome<Vec<Record>> {
    const REMEDY: &str = "take that line out, and `dyno run` measures its round again";
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let parse = |(i, line)| {
        let read = serde_json::from_slice::<Record>(line);
        let schema = || serde_json::from_slice::<Schema>(line).map(|written| written.schema);
        if let Some(schema) = read.as_ref().map_or_else(|_| schema().ok(), |record| Some(record.schema)) {
            check_schema(path, schema)?;
        }
        read.map_err(|error| bad_input(format!("{}:{}: {error}; {REMEDY}", path.display(), i + 1)))
    };
    let records = lines.enumerate().map(parse).collect::<Outcome<Vec<Record>>>()?;
    let mut seen = HashSet::new();
    for (i, record) in records.iter().enumerate() {
        let is_new = seen.insert((&record.system, &record.test_set, record.track, record.round));
        if let Some(fault) = record.fault().or((!is_new).then_some("this round has a record already")) {
            return Err(bad_input(format!("{}:{}: {fault}; {REMEDY}", path.display(), i + 1)));
        }
    }
    Ok(records)
}

/// All that is asked of a record that can't be read.
#[derive(Deserialize)]
struct Schema {
    schema: u32,
}

/// A newer dyno may have put into a file what this one would overlook.
pub(super) fn check_schema(path: &Path, schema: u32) -> Outcome<()> {
    let path = path.display();
    let newer = || {
        format!("{path} was written by a newer dyno (schema {schema}, not {SCHEMA}): read it with that one")
    };
    if schema > SCHEMA { Err(bad_input(newer())) } else { Ok(()) }
}
