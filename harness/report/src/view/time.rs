//! Section 4: breakdowns of time, as the systems account for it.

use super::context::{Section, SetContext};
use crate::charts::Figure;
use crate::shares::{self, Account};
use dyno_record::Track;

pub fn section(context: &SetContext<'_>) -> Section {
    // Lines one by one and a whole file are different work. All cores do the same work as one core.
    let file = [Track::Throughput1, Track::ThroughputAll];
    let file = file.into_iter().find(|track| !accounts(context, *track).is_empty());
    let figures: Vec<Figure> = [Some(Track::Latency), file]
        .into_iter()
        .flatten()
        .flat_map(|track| {
            let id = |by: &str| context.id(&format!("time-{by}-{track}"));
            shares::figures(track, &accounts(context, track), id)
        })
        .collect();
    let note = figures.is_empty().then(|| "No system left a breakdown of its time.".into());
    Section { id: "time", title: "Where the time goes", figures, tables: Vec::new(), note }
}

/// Breakdowns of all systems in a track.
fn accounts<'a>(context: &'a SetContext<'_>, track: Track) -> Vec<Account<'a>> {
    let account = |system: usize| {
        let breakdown = context.set.cell(system, track)?.breakdown.as_ref()?;
        Some(Account { system: &context.system(system).name, colour: context.colour(system), breakdown })
    };
    context.translators.iter().filter_map(|&system| account(system)).collect()
}
