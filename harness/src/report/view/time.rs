//! Section 4: where the time goes, as the systems themselves account for it.

use super::{Scene, Section};
use crate::report::charts::{Figure, Stack, Stacked};
use crate::report::material::Cell;
use crate::report::tables::{Field, Table};
use crate::rules::Track;

/// More parts than this are not told apart; the smallest go into the rest. A translator has so many components.
const MOST_PARTS: usize = 8;

/// What small parts come to, together with what systems call so themselves.
const REST: &str = "other";

/// One system's time: its index, and seconds by part.
type Times<'a> = (usize, &'a [(String, f64)]);

/// A way to divide a cell's time.
type Parts = fn(&Cell) -> &[(String, f64)];

/// The section.
pub fn section(scene: &Scene<'_>) -> Section {
    let ways: [(&str, Parts); 2] =
        [("component", |cell| &cell.components), ("operator", |cell| &cell.operators)];
    // Line by line and as a file, which are different work; all cores do what one does.
    let file = Track::ALL.into_iter().filter(|track| *track != Track::Latency);
    let file = file.filter(|track| !times(scene, *track, |cell| &cell.components).is_empty()).take(1);
    let tracks = std::iter::once(Track::Latency).chain(file);
    let figures: Vec<Figure> = tracks
        .flat_map(|track| ways.map(|(by, parts)| figure(scene, track, by, &times(scene, track, parts))))
        .flatten()
        .collect();
    let note = figures.is_empty().then(|| "No system left a breakdown of its time.".into());
    Section { id: "time", title: "Where the time goes", figures, note }
}

/// The times of systems that left some in a track.
fn times<'a>(scene: &Scene<'a>, track: Track, parts: Parts) -> Vec<Times<'a>> {
    let own = |system: usize| Some((system, parts(scene.set.cell(system, track)?)));
    let told = |times: &Times<'_>| times.1.iter().any(|part| part.1 > 0.0);
    scene.translators.iter().filter_map(|&system| own(system)).filter(told).collect()
}

fn figure(scene: &Scene<'_>, track: Track, by: &str, times: &[Times<'_>]) -> Option<Figure> {
    let order = order(times);
    let shares: Vec<(usize, Vec<(String, f64)>)> =
        times.iter().map(|(system, parts)| (*system, shares(parts, &order))).collect();
    let stack = |(system, parts): &(usize, Vec<(String, f64)>)| Stack {
        name: scene.name(*system),
        colour: scene.colour(*system),
        parts: parts.clone(),
        tip: [scene.name(*system)]
            .into_iter()
            .chain(parts.iter().filter(|p| p.1 > 0.0).map(|p| format!("{} {:.0} %", p.0, p.1 * 100.0)))
            .collect(),
    };
    let chart = Stacked {
        name: format!("share of the time by {by}, {track}"),
        stacks: shares.iter().map(stack).collect(),
    };
    let (system, (part, share)) = shares
        .iter()
        .filter_map(|(system, parts)| Some((*system, parts.iter().max_by(|a, b| a.1.total_cmp(&b.1))?)))
        .max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let title = format!(
        "{part} takes {:.0} % of {}'s time in the track {track}, the largest share of one {by}",
        share * 100.0,
        scene.spoken(system)
    );
    let about = format!(
        "A bar a system, divided by {by}, as the system itself accounts for its time in a launch that isn't timed. What a \
         product's own loop does besides (bias, activation, sum) is the product's."
    );
    Some(Figure::of(
        &chart,
        &scene.id(&format!("time-{by}-{track}")),
        title,
        about,
        table(scene, track, by, &order, &shares),
    ))
}

/// Parts in the order in which the work flows, as backends name them; others come after.
const FLOW: [&str; 13] = [
    "tokenise",
    "embed",
    "encoder",
    "attention",
    "decoder",
    "output",
    "search",
    "detokenise",
    "product",
    "softmax",
    "norm",
    "activation",
    "quantise",
];

/// The parts that get a name of their own: the largest over all systems, in the order of the work.
fn order(times: &[Times<'_>]) -> Vec<String> {
    let mut parts: Vec<(String, f64)> = Vec::new();
    for (_, own) in times {
        let whole: f64 = own.iter().map(|part| part.1).sum();
        for (name, seconds) in own.iter().filter(|part| part.0 != REST) {
            match parts.iter_mut().find(|(other, _)| other == name) {
                Some((_, share)) => *share = share.max(seconds / whole),
                None => parts.push((name.clone(), seconds / whole)),
            }
        }
    }
    let mut shares: Vec<f64> = parts.iter().map(|part| part.1).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let least = shares.get(MOST_PARTS - 1).copied().unwrap_or(0.0);
    let mut named: Vec<String> =
        parts.into_iter().filter(|part| part.1 >= least).map(|part| part.0).collect();
    let place = |name: &str| FLOW.iter().position(|part| *part == name).unwrap_or(FLOW.len());
    named.sort_by(|a, b| place(a).cmp(&place(b)).then(a.cmp(b)));
    named
}

fn shares(parts: &[(String, f64)], order: &[String]) -> Vec<(String, f64)> {
    let whole: f64 = parts.iter().map(|part| part.1).sum();
    let of =
        |name: &String| parts.iter().filter(|part| part.0 == *name).map(|part| part.1 / whole).sum::<f64>();
    let mut shares: Vec<(String, f64)> = order.iter().map(|name| (name.clone(), of(name))).collect();
    let rest = 1.0 - shares.iter().map(|part| part.1).sum::<f64>();
    if rest > 0.0005 {
        shares.push((REST.into(), rest));
    }
    shares
}

fn table(
    scene: &Scene<'_>,
    track: Track,
    by: &str,
    order: &[String],
    shares: &[(usize, Vec<(String, f64)>)],
) -> Table {
    let heads: Vec<String> = ["system".into()]
        .into_iter()
        .chain(order.iter().map(|part| format!("#{part} %")))
        .chain([format!("#{REST} %")])
        .collect();
    let mut table = Table::new(
        format!("Share of the time by {by}, {track}"),
        &heads.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for (system, parts) in shares {
        let share = |name: &str| parts.iter().find(|part| part.0 == name).map(|part| part.1 * 100.0);
        let names = order.iter().map(String::as_str).chain([REST]);
        let fields = names.map(|name| Field::maybe(share(name), |share| format!("{share:.1}")));
        table.push("", [Field::text(scene.name(*system))].into_iter().chain(fields).collect());
    }
    table.without_empty_columns().aligned()
}
