//! Who beats whom: for each system those that it surely beats, in quality and in each cost.

use super::context::SetContext;
use crate::tables::{Field, Table};
use dyno_record::Track;
use dyno_results::turns::Measure;
use dyno_stats::Order;

/// The table; `None` for fewer than two systems.
pub fn table(context: &SetContext<'_>) -> Option<Table> {
    let systems = &context.translators;
    if systems.len() < 2 {
        return None;
    }
    let caption =
        "Systems that each surely beats: by the paired bootstrap in quality, beyond the noise floor in cost";
    let is_better = |system: usize, other: usize| context.set.quality_order(system, other) == Order::Better;
    let table = Table::of(caption, systems.iter().copied())
        .column("system", |&system| Field::text(context.name(system)))
        .column("better translations than", |&system| {
            beaten(context, system, |other| is_better(system, other))
        })
        .columns(
            measures(),
            |(head, ..)| *head,
            |&(_, measure, track), &system| {
                beaten(context, system, |other| beats(context, (measure, track), system, other))
            },
        )
        .table();
    Some(table.without_empty_columns())
}

/// Figures, each with the head of its column.
fn measures() -> impl Iterator<Item = (&'static str, Measure, Track)> {
    Track::ALL.into_iter().flat_map(|track| {
        let (shorter, faster) = track.wins();
        let shorter = shorter.map(|head| (head, Measure::P95, track));
        shorter.into_iter().chain([(faster, Measure::Speed, track)])
    })
}

/// Whether `system` surely beats `other`.
fn beats(context: &SetContext<'_>, (measure, track): (Measure, Track), system: usize, other: usize) -> bool {
    let wanted = if measure == Measure::P95 { Order::Worse } else { Order::Better };
    let duel = context.set.cell(system, track).and_then(|cell| cell.duels.get(&(measure, other)));
    duel.is_some_and(|duel| duel.order == wanted)
}

fn beaten(context: &SetContext<'_>, system: usize, beats: impl Fn(usize) -> bool) -> Field {
    let others: Vec<usize> = context.translators.iter().copied().filter(|&other| other != system).collect();
    let names: Vec<String> =
        others.iter().filter(|&&other| beats(other)).map(|&other| context.name(other)).collect();
    match names.len() {
        0 => Field::none(),
        all if all == others.len() && all > 2 => Field::text("all others"),
        _ => Field::text(names.join(", ")),
    }
}
