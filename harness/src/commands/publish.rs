//! `dyno publish`: a finished run into results/<date>-<host>/. Append-only: what was published stays as it was.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;

use super::{print, print_json};
use crate::cli::PublishArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::say::say;
use crate::store::{Run, collect_files};

/// Not of the run itself: its lock, and what was in flight.
const LEFT_BEHIND: [&str; 2] = ["run.lock", "scratch"];

/// Copies the run, whole or not at all.
pub fn publish(args: &PublishArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    let missing = run.missing_rounds();
    if missing > 0 || !args.run.join("summary.csv").exists() {
        let remedy = "run the campaign again with the same --out: it resumes";
        return Err(bad_input(format!(
            "the run in {} is unfinished ({missing} rounds are missing): {remedy}",
            args.run.display()
        )));
    }
    let place = args.to.join(name(&run, args.label.as_deref())?);
    if place.exists() {
        let remedy = "tell this run from it with --as NAME; nothing published is ever changed";
        return Err(bad_input(format!("{} is there already: {remedy}", place.display())));
    }
    copy(&args.run, &args.to, &place)?;
    say("note: records name commands and folders of this host; look before you share them");
    if args.json {
        print_json(&json!({"published": place}))?;
    } else {
        print(&format!("{}\n", place.display()))?;
    }
    Ok(Exit::Done)
}

/// The day of the first round, and the host by its CPU.
fn name(run: &Run, label: Option<&str>) -> Outcome<String> {
    let started = run.records.iter().map(|record| record.started_unix_ms).min().unwrap_or(0);
    let host = &run.identity.host;
    let mut name = format!("{}-{}-{}c", date(started), slug(&host.cpu), host.cores.len());
    if let Some(label) = label {
        if slug(label) != label.to_lowercase() || label.is_empty() {
            return Err(bad_input(format!(
                "{label:?} won't do as a name: letters, digits and single dashes do"
            )));
        }
        name = format!("{name}-{label}");
    }
    Ok(name)
}

/// Lower-case letters and digits, with single dashes between.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The UTC day, as in 2026-11-21. Civil from days: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn date(unix_ms: u64) -> String {
    let days = unix_ms / 86_400_000 + 719_468; // since 0000-03-01
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153; // months since March
    let (day, month) = (day_of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn copy(from: &Path, to: &Path, place: &Path) -> Outcome<()> {
    let copied = || -> anyhow::Result<()> {
        fs::create_dir_all(to)?;
        let aside = tempfile::Builder::new().prefix(".publishing-").tempdir_in(to)?;
        let mut files = Vec::new();
        collect_files(from, &mut files)?;
        for file in files {
            let inside = file.strip_prefix(from)?;
            if LEFT_BEHIND.iter().any(|left| inside.starts_with(left)) {
                continue;
            }
            let target: PathBuf = aside.path().join("run").join(inside);
            fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
            fs::copy(&file, &target)?;
            fs::File::open(&target)?.sync_all()?;
        }
        Ok(fs::rename(aside.path().join("run"), place)?)
    };
    let remedy = "make it writable and make room, or choose another folder with --to; nothing was published";
    Ok(copied().with_context(|| format!("can't publish to {}: {remedy}", place.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // date -u -d @SECONDS +%F
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_258_800, "2026-11-21"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds * 1000), day, "{seconds}");
        }
    }

    #[test]
    fn hosts_become_folder_names() {
        assert_eq!(slug("AMD EPYC 9R14 (Zen 4)"), "amd-epyc-9r14-zen-4");
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.50GHz"), "intel-r-xeon-r-2-50ghz");
    }
}
