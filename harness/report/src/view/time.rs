//! Section 4: where the time goes, as the systems themselves account for it.

use super::{Scene, Section};
use crate::charts::Figure;
use crate::shares::{self, Account};
use dyno_measure::Track;

/// The section.
pub fn section(scene: &Scene<'_>) -> Section {
    // Line by line and as a file, which are different work; all cores do what one does.
    let file = [Track::Throughput1, Track::ThroughputAll];
    let file = file.into_iter().find(|track| !accounts(scene, *track).is_empty());
    let figures: Vec<Figure> = [Some(Track::Latency), file]
        .into_iter()
        .flatten()
        .flat_map(|track| {
            let id = |by: &str| scene.id(&format!("time-{by}-{track}"));
            shares::figures(track, &accounts(scene, track), id)
        })
        .collect();
    let note = figures.is_empty().then(|| "No system left a breakdown of its time.".into());
    Section { id: "time", title: "Where the time goes", figures, note }
}

/// What the systems said of their time in a track.
fn accounts<'a>(scene: &'a Scene<'_>, track: Track) -> Vec<Account<'a>> {
    let account = |system: usize| {
        let breakdown = scene.set.cell(system, track)?.breakdown.as_ref()?;
        Some(Account { system: &scene.system(system).name, colour: scene.colour(system), breakdown })
    };
    scene.translators.iter().filter_map(|&system| account(system)).collect()
}
