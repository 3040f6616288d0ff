//! Shares of a cell's time, as the system itself accounts for them. The account comes from an untimed launch
//! of its own, so that no clock ticks inside a measured round.

use std::io::Read;
use std::path::Path;

use dyno_api::Breakdown;

use crate::{Bench, Cell, Result, TestSet, as_text, words};

use crate::files::make_way;
use crate::process::whole_file::whole_file;

/// Words after which the shares of a cell's time are known well enough.
pub const ENOUGH_WORDS: usize = 2000;
/// Largest file that is read. A breakdown has sixteen numbers; a far larger file is something else.
const MOST_BYTES: u64 = 64 << 10;

/// Asks the system of `cell` for its breakdown: `Ok(None)` if the system keeps no account, a complaint if the
/// account is impossible.
pub fn break_down(bench: &Bench, cell: &Cell<'_>) -> Result<std::result::Result<Option<Breakdown>, String>> {
    let mut subject = bench.subject(cell.system, cell.track);
    let account = subject.scratch.join("breakdown.json");
    let lines = some_lines(cell.test_set);
    make_way(&account)?; // another system may have left it
    subject.breakdown = Some(&account);
    let pass = whole_file(&subject, &as_text(lines), lines.len())?;
    if let Some(reason) = pass.reasons.first() {
        return Ok(Err(reason.figure.clone()));
    }
    let most_ns = pass.ending.wall_ns().saturating_mul(subject.cores.len() as u64);
    Ok(read(&account, most_ns))
}

/// First lines of a set, up to [`ENOUGH_WORDS`].
fn some_lines(set: &TestSet) -> &[Vec<u8>] {
    let mut left = ENOUGH_WORDS;
    let enough = set.source.iter().position(|line| {
        left = left.saturating_sub(words(line));
        left == 0
    });
    &set.source[..enough.map_or(set.source.len(), |last| last + 1)]
}

/// Breakdown at `path`, from a launch whose cores had `most_ns` together.
fn read(path: &Path, most_ns: u64) -> std::result::Result<Option<Breakdown>, String> {
    let Ok(file) = dyno_api::files::open(path) else { return Ok(None) };
    let mut text = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} KiB", MOST_BYTES >> 10));
    }
    let breakdown: Option<Breakdown> = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    match breakdown {
        Some(breakdown) if breakdown.whole() > most_ns => Err(format!(
            "it accounts for {:.3} s of a launch that had {:.3} s",
            breakdown.whole() as f64 / 1e9,
            most_ns as f64 / 1e9
        )),
        // An account of zero time has nothing to show.
        breakdown => Ok(breakdown.filter(|breakdown| breakdown.whole() > 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> std::result::Result<Option<Breakdown>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path(), 100)
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (text, said) in [
            (r#"{"components": {"search": 101}}"#, "accounts for 0.000 s of a launch"),
            (r#"{"components": {"=1+1": 7}}"#, "has the part"),
            (r#"{"components": {"search": -7}}"#, "invalid value"),
            ("{", "EOF"),
            (&" ".repeat(70_000), "larger than 64 KiB"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(said), "{text:.40}: {error}");
        }
        assert_eq!(read_text("null").unwrap(), None);
        assert_eq!(read_text(r#"{"components": {"search": 0}}"#).unwrap(), None);
        let breakdown = read_text(r#"{"components": {"search": 100}}"#).unwrap().unwrap();
        assert_eq!(breakdown.components["search"], 100);
    }

    #[test]
    fn lines_are_taken_until_there_are_enough_words() {
        let set = |source: Vec<Vec<u8>>| TestSet::from_lines("set", source);
        let hundred = "w ".repeat(100).into_bytes();
        assert_eq!(some_lines(&set(vec![hundred.clone(); 50])).len(), ENOUGH_WORDS / 100);
        assert_eq!(some_lines(&set(vec![hundred; 3])).len(), 3);
        assert!(some_lines(&set(Vec::new())).is_empty());
    }
}
