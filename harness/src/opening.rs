//! What happens to hosted systems before their first round: each is opened once on no input, so that what it refuses is told
//! early, and the built-in ones are tuned.
//!
//! Tuning measures each product of a model on this host and keeps which way through it is fastest; all ways give the same
//! bits. It is done once, before any round, since no system may spend measured time on it; its file lies in the run's
//! folder, so that whoever resumes the run has the same ways, and its hash is in each record.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::campaign::{Campaign, System};

use crate::exit::{Outcome, bad_input};
use crate::os;
use crate::progress::Progress;
use crate::rules::Track;
use crate::say::say;

/// Opens every hosted system once: what it refuses is told before an hour of other systems' rounds. A model that is still
/// to be drawn can't be opened yet.
pub fn preflight(campaign: &Campaign) -> Outcome<()> {
    campaign
        .systems
        .iter()
        .filter(|system| system.is_hosted() && system.models.iter().all(|model| model.exists()))
        .try_for_each(|system| open(system, campaign.tracks[0]))
}

/// Tunes the built-in systems of `campaign` that bring no tuning, on `core`, into `folder`, and hands it to them.
pub fn tune(campaign: &mut Campaign, folder: &Path, core: usize) -> Outcome<()> {
    let folder = std::path::absolute(folder.join("tuning"))?; // systems are started in other folders
    let track = campaign.tracks[0];
    let wanted: Vec<&mut System> = campaign.systems.iter_mut().filter(|system| system.is_tunable()).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(&folder)?;
    let (begin, before) = (Instant::now(), products(&folder)?);
    let progress = Progress::new(wanted.len(), 0);
    let allowed = os::allowed_cores()?;
    os::pin_thread(&[core])?; // what is started inherits it
    for system in wanted {
        progress.show(&format!("{} · tune", system.name), None);
        let file = folder.join(format!("{}.txt", system.setting("isa").unwrap_or_else(|| "best".into())));
        let done = open(&system.clone().with_setting("tune", &file), track);
        done.inspect_err(|_| _ = os::pin_thread(&allowed))?;
        *system = system.clone().with_setting("tuning", &file);
        progress.advance();
    }
    os::pin_thread(&allowed)?;
    progress.finish();
    let (new, seconds) = (products(&folder)? - before, begin.elapsed().as_secs_f64());
    if new > 0 {
        let why = "--explain says which ways gain";
        say(format_args!("tuned {new} products in {seconds:.1} s, into {}; {why}", folder.display()));
    }
    Ok(())
}

/// Says what the tunings of the run in `folder` chose, those that were measured when it began too.
pub fn explain(folder: &Path) -> Outcome<()> {
    for file in tunings(&folder.join("tuning"))? {
        say(dyno_translator::explain_tuning(&file).map_err(bad_input)?.trim_end());
    }
    Ok(())
}

/// How many products the tunings in `folder` are about: all lines but each file's first.
fn products(folder: &Path) -> Outcome<usize> {
    let texts = tunings(folder)?.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?;
    Ok(texts.iter().map(|text| text.lines().count().saturating_sub(1)).sum())
}

/// The files in `folder`, in order; none where there is no such folder.
fn tunings(folder: &Path) -> Outcome<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// Opens a hosted system on no input; what it refuses is the user's to mend.
pub fn open(system: &System, track: Track) -> Outcome<()> {
    let facts = tempfile::NamedTempFile::new()?;
    let command = system.command(track, &[0], facts.path())?;
    let output = Command::new(&command[0]).args(&command[1..]).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim_end().lines().last().unwrap_or_default();
    let reason = match (last.strip_prefix("dyno: "), output.status.signal()) {
        (Some(reason), _) => reason.into(),
        (None, Some(signal)) => {
            format!("opening it ends in signal {signal}; run it by hand: {}", command.join(" "))
        }
        (None, None) => format!("it can't be opened: {last}"),
    };
    Err(bad_input(format!("system {:?}: {reason}", system.name)))
}
