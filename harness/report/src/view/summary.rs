//! Section 1, first half: what to take.

use super::context::{SetContext, row_class};
use crate::sentences::{NO_CONTEST, Writer, capital};
use crate::tables::{Field, Table};
use dyno_api::printable_line;
use dyno_record::Track;
use dyno_results::Summary;
use dyno_results::contest::Cost;
use dyno_stats::Standing;
use dyno_stats::numbers::{mebibytes, plain};

pub fn verdict(context: &SetContext<'_>) -> Vec<String> {
    match &context.contest {
        Some(contest) => Writer { contest, name: &|system| context.spoken(system) }.verdict(),
        None => vec![no_contest(context)],
    }
}

/// What differs between engines on one model, and settings in which the systems are unequal: it belongs beside the
/// sentences that compare them.
pub fn remarks(context: &SetContext<'_>) -> Vec<String> {
    let Summary { same_weights, unequal, .. } = context.material.summary;
    let own = same_weights.iter().chain(unequal).filter(|one| one.test_set == context.set.texts.name);
    own.map(|one| capital(&printable_line(&one.text)) + ".").collect()
}

fn no_contest(context: &SetContext<'_>) -> String {
    if context.translators.is_empty() {
        return "Every system here hands the source back: yardsticks of the bench itself, nothing to choose from.".into();
    }
    if context.translators.iter().all(|&system| context.set.quality(system).is_none()) {
        return "No quality was scored, so nothing can be said of the frontier; dyno score adds it to this run.".into();
    }
    NO_CONTEST.into()
}

/// The frontier as a table: systems with their quality and costs.
pub fn choices(context: &SetContext<'_>) -> Table {
    let scale = context.set.scale();
    let contestants = context.contest.iter().flat_map(|contest| &contest.contestants);
    let frontier = contestants.filter(|one| one.standing != Standing::Off);
    Table::of("The frontier, from the best quality to the least cost", frontier)
        .classed(|one| row_class(Some(one.standing)))
        .column("take", |one| Field::text(context.name(one.system)))
        .column(format!("#{}", scale.title), |one| Field::quality(&scale, Some(one.quality)))
        .columns(
            costs(context),
            |cost| cost.words().head,
            |cost, one| Field::estimate(cost.of(context.set, one.system)),
        )
        .column("#peak MiB", |one| Field::maybe(peak_mebibytes(context, one.system), plain))
        .column("how sure", |one| match one.standing {
            Standing::Frontier => Field::text("on the frontier"),
            _ => Field::text("probably on it"),
        })
        .compact()
}

/// Peak memory of a system. The track on one core comes first, since workers multiply memory; the other
/// tracks stand in where that one was not measured.
pub fn peak_mebibytes(context: &SetContext<'_>, system: usize) -> Option<f64> {
    let own = |track| context.cell(system, track)?.peak_bytes;
    [Track::Throughput1, Track::Latency, Track::ThroughputAll].into_iter().find_map(own).map(mebibytes)
}

/// Kinds of cost with figures.
fn costs(context: &SetContext<'_>) -> Vec<Cost> {
    let told = |cost: &Cost| context.translators.iter().any(|&system| cost.of(context.set, system).is_some());
    Cost::all().filter(told).collect()
}
