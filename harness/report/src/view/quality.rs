//! Section 2: quality against each kind of cost, and which system beats which.

use super::context::{Section, SetContext, row_class};
use crate::charts::{self, Axis, Family, Figure, Point, Scatter};
use crate::published::Published;
use crate::sentences::{self, Writer};
use crate::tables::{Field, Table};
use dyno_record::{Track, Verdict};
use dyno_results::contest::{Contest, Contestant, Cost};
use dyno_results::scores::{Scale, Standard};
use dyno_results::turns::Measure;
use dyno_stats::numbers::{supported, tick};
use dyno_stats::{Order, Standing};
use itertools::Itertools;
use serde_json::{Value, json};

/// The lead chart, and the section with the other charts.
pub fn figures(context: &SetContext<'_>) -> (Option<Figure>, Section) {
    let lead = context.contest.as_ref().map(|contest| figure(context, contest));
    let primary = context.contest.as_ref().map(|contest| contest.cost);
    let others = Cost::all().filter(|cost| Some(*cost) != primary);
    let contests = others.map(|cost| Contest::of(cost, context.set, &context.translators));
    let figures: Vec<_> = contests
        .filter(|contest| contest.all().next().is_some())
        .map(|contest| figure(context, &contest))
        .collect();
    let note = figures.is_empty().then(|| match lead {
        Some(_) => "Only one way to count cost was measured: the chart above.".into(),
        None => "No system has both a quality and a cost here.".into(),
    });
    let tables = wins(context).into_iter().collect();
    (lead, Section { id: "cost", title: "Quality against cost", figures, tables, note })
}

/// Legend of the lead chart: marks of the families with their names, then the looks of the standings that occur.
pub fn legend(context: &SetContext<'_>) -> Vec<Value> {
    let standings = || context.contest.iter().flat_map(|contest| contest.all()).map(|one| one.standing);
    let looks = [(Standing::Probably, "hollow: probably on the frontier"), (Standing::Off, "grey: off it")];
    let looks = looks.into_iter().filter(|(look, _)| standings().any(|standing| standing == *look));
    let families = context.translators.iter().map(|&system| context.system(system).family);
    let families = families.sorted().dedup();
    let families = families.map(|family| json!({"name": family.name(), "mark": charts::mark(family)}));
    families.chain(looks.map(|(_, name)| json!({"name": name, "mark": ""}))).collect()
}

fn figure(context: &SetContext<'_>, contest: &Contest<'_>) -> Figure {
    let cost = contest.cost;
    let shown: Vec<&Contestant> = contest.all().sorted_by_key(|one| one.standing).collect();
    let chart = scatter(contest, &shown, published(context, cost), |one| {
        let system = context.system(one.system);
        (system.name.clone(), system.family, tip(context, contest, one))
    });
    let title = Writer { contest, name: &|system| context.spoken(system) }.finding();
    let about = format!(
        "{} systems by {} and {}, each with the box of its two intervals; the stairs are the frontier.",
        contest.all().count(),
        contest.scale.title,
        cost.words().noun
    );
    let metric: String = contest.scale.name.chars().filter(char::is_ascii_alphanumeric).collect();
    let id = context.id(&format!("{metric}-{}", cost.words().id));
    Figure::of(&chart, &id, title, about, table(context, contest))
}

/// Axis of a cost.
fn cost_axis(cost: Cost) -> Axis {
    let better = if cost.less_is_better() { "← less is better" } else { "more is better →" };
    Axis::of(format!("{} (log, {better})", cost.words().axis), true)
}

/// Axis of quality. The better end is always at the top.
fn quality_axis(scale: &Scale) -> Axis {
    let better = if scale.is_higher_better() { "more" } else { "less" };
    let name = format!("{} ({better} is better ↑)", scale.title);
    Axis { from_zero: false, reversed: !scale.is_higher_better(), ..Axis::of(name, false) }
}

/// The chart of the systems `shown`, the first of which get the best places for their labels, each with its name,
/// family and tip.
pub fn scatter(
    contest: &Contest<'_>,
    shown: &[&Contestant],
    published: Vec<charts::Published>,
    look: impl Fn(&Contestant) -> (String, Family, Vec<String>),
) -> Scatter {
    let point = |one: &&Contestant| {
        let (name, family, tip) = look(one);
        Point { name, family, standing: one.standing, x: one.cost, y: one.quality, tip }
    };
    let (cost, points) = (contest.cost, shown.iter().map(point).collect());
    let (x, y) = (cost_axis(cost), quality_axis(&contest.scale));
    Scatter { x, less_is_better: cost.less_is_better(), y, points, published }
}

fn tip(context: &SetContext<'_>, contest: &Contest<'_>, one: &Contestant) -> Vec<String> {
    let (cost, scale) = (contest.cost, &contest.scale);
    let range = |e: &dyno_stats::Estimate| {
        let unit = cost.words().head.trim_start_matches('#');
        if e.high > e.low {
            format!("{} {unit} ({} to {})", supported(e), tick(rounded(e.low)), tick(rounded(e.high)))
        } else {
            format!("{} {unit}", supported(e))
        }
    };
    let system = context.system(one.system);
    vec![
        system.name.clone(),
        sentences::quality(scale, &one.quality),
        range(&one.cost),
        system.family.name().into(),
    ]
}

/// A value to three digits, for a range beside its value.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = 10f64.powf(value.abs().log10().floor() - 2.0);
    (value / unit).round() * unit
}

/// Points of papers, which are in BLEU; the best point of each paper carries its name.
fn published(context: &SetContext<'_>, cost: Cost) -> Vec<charts::Published> {
    if context.set.scale().name != Standard::Bleu.name() {
        return Vec::new();
    }
    let best = |point: &Published| {
        let others = context.published.iter().filter(|other| other.paper == point.paper);
        others.map(|other| other.bleu).fold(0.0, f64::max) == point.bleu
    };
    let point = |point: &Published| {
        let name = best(point).then(|| point.paper.clone());
        Some(charts::Published { name, x: point.cost(cost)?, y: point.bleu, tip: point.tip.clone() })
    };
    context.published.iter().filter_map(point).collect()
}

fn table(context: &SetContext<'_>, contest: &Contest<'_>) -> Table {
    let (cost, scale) = (contest.cost, &contest.scale);
    let is_noisy = |system| cost.cell(context.set, system).is_some_and(|cell| cell.verdict == Verdict::Noisy);
    Table::of(format!("{} and {}", scale.title, cost.words().noun), contest.all())
        .classed(|one| row_class(Some(one.standing)))
        .column("system", |one| Field::text(context.name(one.system)))
        .column(format!("#{}", scale.title), |one| Field::quality(scale, Some(one.quality)))
        .column(cost.words().head, |one| Field::estimate(Some(one.cost)))
        .column("frontier", |one| {
            Field::text(match one.standing {
                Standing::Frontier => "yes",
                Standing::Probably => "probably",
                Standing::Off if is_noisy(one.system) => "no: NOISY",
                Standing::Off => "no",
            })
        })
        .aligned()
}

/// For each system those that it surely beats, in quality and in each cost; `None` for a system alone.
fn wins(context: &SetContext<'_>) -> Option<Table> {
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
