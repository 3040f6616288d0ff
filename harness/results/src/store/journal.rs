//! `records.jsonl`, opened for appending, and read. A line that was cut off is no record; a line of a newer
//! dyno is an error.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

use dyno_api::files;
use dyno_measure::files::Stamp;
use dyno_record::{Record, SCHEMA, json};
use serde_json::Value;

use super::files::read_whole_lines;
use crate::error::{Error, Result};

pub(crate) const RECORDS: &str = "records.jsonl";

/// Opens the records for appending. Drops a last line without an end, which a dying bench left.
pub(super) fn open_records(path: &Path) -> Result<File> {
    let remedy = "make it writable, or put the run elsewhere with --out DIR";
    let not_created = |source| Error::NotCreated(path.into(), source, remedy);
    let file = files::open_or_create(path).map_err(not_created)?;
    let whole = read_whole_lines(path)?.len() as u64;
    file.set_len(whole).map_err(|source| Error::Unwritable(path.into(), source))?;
    Ok(file)
}

pub(super) fn stamp(path: &Path) -> Result<Stamp> {
    Stamp::of(path).map_err(|source| Error::Unreadable(path.into(), source))
}

/// Records in a file. The last line counts only with its line end.
pub(crate) fn read_records(path: &Path) -> Result<Vec<Record>> {
    let bytes = read_whole_lines(path)?;
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let records =
        lines.enumerate().map(|(i, line)| parse(path, i + 1, line)).collect::<Result<Vec<Record>>>()?;
    let mut seen = HashSet::new();
    for (i, record) in records.iter().enumerate() {
        let is_new = seen.insert((&record.system, &record.test_set, record.track, record.round));
        if let Some(fault) = record.fault().or((!is_new).then_some("this round has a record already")) {
            return Err(refused(format_args!("{}:{}: {fault}", path.display(), i + 1)));
        }
    }
    Ok(records)
}

fn parse(path: &Path, line: usize, text: &[u8]) -> Result<Record> {
    let read = json::read::<Record>(text);
    // A record of a newer dyno may be unreadable.
    let schema = || u32::try_from(serde_json::from_slice::<Value>(text).ok()?["schema"].as_u64()?).ok();
    let written = read.as_ref().map_or_else(|_| schema(), |record| Some(record.schema));
    if let Some(schema) = written.filter(|&schema| schema > SCHEMA) {
        return Err(Error::newer(path, schema, SCHEMA));
    }
    read.map_err(|fault| refused(fault.at(format_args!("{}:{line}", path.display()))))
}

/// A record can't be true, or can't be read. The fault begins with its place; lines count from 1.
fn refused(fault: impl Display) -> Error {
    Error::Input(format!("{fault}; remove that line, and `dyno run` measures its round again"))
}

#[cfg(test)]
mod tests;
