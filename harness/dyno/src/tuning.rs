//! Preparation of hosted systems before their first round: each system is opened once, and built-in ones are
//! tuned.
//!
//! Opening a system on empty input shows its refusals early. Tuning measures each product of a model on this
//! host and keeps the fastest kernel choice; all choices give the same bits. Tuning happens once, before any
//! round, so that no measured time is spent on it. The tuning file lies in the run's folder, so that a
//! resumed run has the same choices. Each record holds the file's hash. The measurement of kernel choices
//! itself belongs to `dyno-kernels`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use dyno_measure::companion::{Bounds, Companion, Silence};
use dyno_measure::files::entries_below;
use dyno_measure::os::{allowed_cores, pin_thread};
use dyno_record::Profile;

use crate::campaign::{Campaign, Entry};
use crate::exit::{OrBadInput, Outcome};
use crate::output::say;
use crate::progress::Progress;

/// Most bytes that a system may answer to empty input: it should be none.
const MOST_BYTES: usize = 1 << 20;
/// Time for the end of a system that has closed its output.
const TIME_TO_END: Duration = Duration::from_secs(10);
/// Least time for tuning. A tuning that is cut off leaves nothing, and some networks take minutes.
const LEAST_TUNING: Duration = Duration::from_secs(3600);

/// Opens every hosted system once, so that a refusal doesn't come after an hour of other rounds. Systems
/// whose models aren't drawn yet are skipped.
pub fn preflight(campaign: &Campaign) -> Outcome<()> {
    let is_ready = |entry: &&Entry| entry.is_hosted() && entry.models.iter().all(|model| model.exists());
    campaign.systems.iter().filter(is_ready).try_for_each(|entry| open(entry, campaign, Duration::ZERO))
}

/// Tunes the built-in systems of `campaign` without a tuning of their own, on `core`. The tuning files, by the name of
/// the entry, go into `folder`.
pub fn measure(campaign: &Campaign, folder: &Path, core: usize) -> Outcome<BTreeMap<String, PathBuf>> {
    let folder = std::path::absolute(folder.join("tuning"))?; // systems start in other folders
    let wanted: Vec<&Entry> = campaign.systems.iter().filter(|entry| entry.is_tunable()).collect();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    std::fs::create_dir_all(&folder)?;
    let (begin, before) = (Instant::now(), products(&folder)?);
    let allowed = allowed_cores()?;
    pin_thread(&[core])?; // a child inherits it
    let measured = tune(&wanted, &folder, campaign);
    pin_thread(&allowed)?;
    let (new, seconds) = (products(&folder)? - before, begin.elapsed().as_secs_f64());
    if new > 0 {
        let more = "--explain shows the gains";
        say!("tuned {new} products in {seconds:.1} s, into {}; {more}", folder.display());
    }
    measured
}

fn tune(wanted: &[&Entry], folder: &Path, campaign: &Campaign) -> Outcome<BTreeMap<String, PathBuf>> {
    let progress = Progress::new(wanted.len(), 0);
    let mut files = BTreeMap::new();
    for entry in wanted {
        progress.show(&format!("{} · tune", entry.name), None);
        let file = folder.join(format!("{}.txt", entry.setting("isa").unwrap_or_else(|| "best".into())));
        open(&(*entry).clone().with_setting("tune", &file), campaign, LEAST_TUNING)?;
        files.insert(entry.name.clone(), file);
        progress.advance();
    }
    progress.finish();
    Ok(files)
}

/// Prints the choices of all tunings of the run in `folder`, also those made before it was resumed.
pub fn explain(folder: &Path) -> Outcome<()> {
    for file in tunings(&folder.join("tuning"))? {
        say(dyno_host::explain_tuning(&file).or_bad_input()?.trim_end());
    }
    Ok(())
}

/// Number of products in the tunings of `folder`: all lines except the first of each file.
fn products(folder: &Path) -> Outcome<usize> {
    tunings(folder)?.iter().try_fold(0, |sum, file| {
        Ok(sum + dyno_api::files::read_to_string(file)?.lines().count().saturating_sub(1))
    })
}

/// Sorted files below `folder`; none if the folder is missing.
fn tunings(folder: &Path) -> Outcome<Vec<PathBuf>> {
    Ok(if folder.exists() { entries_below(folder)? } else { Vec::new() })
}

/// Opens a hosted system on empty input, within the campaign's time of a launch and at `least` so much. A
/// refusal is bad input, which the user can correct.
pub fn open(entry: &Entry, campaign: &Campaign, least: Duration) -> Outcome<()> {
    let time = Duration::from_secs_f64(campaign.protocol.limits.launch_seconds).max(least);
    let facts = tempfile::NamedTempFile::new()?;
    let command = entry.system(Profile::Quick)?.command(campaign.tracks[0], &[0], facts.path());
    let bounds = Bounds { bytes: MOST_BYTES, time, is_interruptible: false };
    let opened = Companion::start(Command::new(&command[0]).args(&command[1..]), TIME_TO_END)?;
    let Err(silence) = opened.ask_once(b"", bounds) else { return Ok(()) };
    let by_hand = || format!("run it by hand: {}", command.join(" "));
    let reason = match &silence {
        Silence::Ended(last) => last
            .strip_prefix("dyno: ")
            .map_or_else(|| format!("it can't be opened ({last}); {}", by_hand()), str::to_owned),
        Silence::Late(time) => {
            format!("it isn't open after {} s; raise `launch-seconds`, or {}", time.as_secs_f64(), by_hand())
        }
        other => format!("it can't be opened: {other}"),
    };
    Err(bad_input!("system {:?}: {reason}", entry.name))
}
