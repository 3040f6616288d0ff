//! Judgement of the cells of a table: the noise floor of their track, their duels, and the frontier of the first
//! metric and the track's cost: p95 latency in lock-step, words a second in the others.
//!
//! Table and page show these judgements; neither judges again.

use std::collections::BTreeMap;

use dyno_record::{Track, Verdict};
use dyno_stats::Order;

use super::cell::{CellSummary, MetricFigure, Unranked};
use super::duel::Duel;
use crate::run::Run;
use crate::run::cells::MeasuredCell;
use crate::scores::{Scale, Standard};
use crate::turns::{Compared, Measure};

/// Least BLEU of a system on a frontier. Below it tables print 0.0: the text is no translation. Other metrics
/// have no such bound.
const LEAST_BLEU: f64 = 0.05;

/// Translations below this BLEU are commonly held to be of hardly any use.
pub const USABLE: f64 = 10.0;

/// The sentence on systems of which the best has the score `best` on that scale, if it is BLEU's and none of
/// them is usable.
pub fn unusable(scale: &Scale, best: f64) -> Option<String> {
    let is_useless = scale.name == Standard::Bleu.name() && best < USABLE;
    is_useless.then(|| format!("no system here translates usably (the best: BLEU {best:.1})"))
}

/// Noise floors of the tracks with twins, as shares.
pub(super) fn noise_floors(run: &Run, cells: &[MeasuredCell<'_>]) -> BTreeMap<Track, f64> {
    let floor = |track| Some((track, noise_floor(run, cells, track, Measure::Speed)?));
    Track::ALL.into_iter().filter_map(floor).collect()
}

/// Noise floor of a track in `measure`, as a share: the greatest difference of two measurements of the same
/// system. `None` without twins.
pub(super) fn noise_floor(
    run: &Run,
    cells: &[MeasuredCell<'_>],
    track: Track,
    measure: Measure,
) -> Option<f64> {
    let cells = cells.iter().filter(|cell| cell.track == track);
    let cells: Vec<_> = cells.map(|cell| (cell, compared(cell, measure))).collect();
    let whole = cells.iter().map(|(_, rounds)| rounds.len()).max().unwrap_or(0);
    // A system without some of the rounds would shift the group's mean in these.
    let steady = cells.iter().filter(|(_, rounds)| rounds.len() == whole);
    let steady: Vec<Compared<'_>> = steady.flat_map(|(_, rounds)| rounds).copied().collect();
    // Relative figures and absolute ones have different units, so one lonely round makes all absolute.
    let is_relative = steady.iter().all(|round| round.relative_to(&steady).is_some());
    let figure = |round: &Compared<'_>| if is_relative { round.relative_to(&steady) } else { round.value };
    let groups = dyno_stats::grouped(&cells, |(a, _), (b, _)| {
        a.test_set.name == b.test_set.name && run.are_twins(a.system, b.system)
    });
    if groups.iter().all(|cells| cells.len() == 1) {
        return None; // no twin
    }
    let groups = groups
        .into_iter()
        .map(|cells| cells.into_iter().flat_map(|(_, rounds)| rounds).filter_map(&figure).collect());
    dyno_stats::noise_floor(&groups.collect::<Vec<_>>(), whole).map(f64::exp_m1)
}

/// Rounds of `cell` that count, with their figures.
fn compared<'a>(cell: &MeasuredCell<'a>, measure: Measure) -> Vec<Compared<'a>> {
    cell.valid().into_iter().map(|record| Compared::of(record, measure)).collect()
}

/// Fills in the duels of the rows of one table, in speed and in lock-step in p95 latency too, then their standings.
/// The two have noise floors of their own, since tails are less steady than means.
pub(super) fn place(
    run: &Run,
    table: &[MeasuredCell<'_>],
    rows: &mut [CellSummary],
    floor: impl Fn(Measure) -> Option<f64>,
) {
    let Some(track) = table.first().map(|cell| cell.track) else { return };
    let tail = track.is_lockstep().then_some(Measure::P95);
    for measure in [Measure::Speed].into_iter().chain(tail) {
        duel_all(table, rows, measure, floor(measure).unwrap_or(0.0));
    }
    let is_twin = |i: usize| table[..i].iter().any(|first| run.are_twins(first.system, table[i].system));
    for i in 0..rows.len() {
        rows[i].unranked = unranked(&rows[i], is_twin(i), || echoes(run, &table[i], &rows[i]));
    }
    let racing: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].unranked.is_none()).collect();
    let quality = |a: usize, b: usize| order_of_rows(run, &rows[racing[a]], &rows[racing[b]]);
    let cheaper = |a: usize, b: usize| order_of_costs(&rows[racing[a]], &rows[racing[b]]);
    let standings = dyno_stats::standings(racing.len(), quality, cheaper);
    for (&i, standing) in racing.iter().zip(standings) {
        rows[i].standing = Some(standing);
    }
}

/// Compares every two cells of a table that are not INVALID, in one figure.
fn duel_all(table: &[MeasuredCell<'_>], rows: &mut [CellSummary], measure: Measure, floor: f64) {
    let places: Vec<usize> = rows.iter().map(|row| row.place).collect();
    let rounds: Vec<_> = table.iter().map(|cell| compared(cell, measure)).collect();
    let valid: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].verdict != Verdict::Invalid).collect();
    for &i in &valid {
        let others = valid.iter().filter(|&&other| other != i);
        let against = |other: usize| Duel::between(&rounds[i], &rounds[other], floor);
        let duels = others.filter_map(|&other| Some(((measure, places[other]), against(other)?)));
        rows[i].duels = rows[i].duels.drain().chain(duels).collect();
    }
}

/// The first reason that keeps a cell off every frontier.
fn unranked(row: &CellSummary, is_twin: bool, echoes: impl Fn() -> bool) -> Option<Unranked> {
    let cost = if row.track.is_lockstep() { row.p95_ms } else { row.words_per_second };
    let quality = row.quality.first().and_then(|quality| Some((quality, quality.score?)));
    let is_worthless =
        |(quality, score): (&MetricFigure, f64)| quality.metric == "bleu" && score < LEAST_BLEU;
    match row.verdict {
        Verdict::Invalid => Some(Unranked::Invalid),
        Verdict::Noisy => Some(Unranked::Noisy),
        Verdict::Valid if quality.is_none() => Some(Unranked::Unscored),
        Verdict::Valid if quality.is_some_and(is_worthless) => Some(Unranked::Worthless),
        Verdict::Valid if cost.is_none() => Some(Unranked::Costless),
        Verdict::Valid if is_twin => Some(Unranked::Twin),
        Verdict::Valid => echoes().then_some(Unranked::Echo),
    }
}

/// Order of two cells of a table in cost: `Better` if `a` surely costs less.
pub(crate) fn order_of_costs(a: &CellSummary, b: &CellSummary) -> Order {
    let (measure, a, b) = if a.track.is_lockstep() { (Measure::P95, b, a) } else { (Measure::Speed, a, b) };
    a.duels.get(&(measure, b.place)).map_or(Order::Unclear, |duel| duel.order)
}

fn echoes(run: &Run, cell: &MeasuredCell<'_>, row: &CellSummary) -> bool {
    let answers = row.output.as_ref().and_then(|output| run.outputs.get(output));
    answers.is_some_and(|answers| is_echo(cell.test_set.source.iter().map(Vec::as_slice), answers))
}

/// Order of two cells of a table in quality.
pub(crate) fn order_of_rows(run: &Run, a: &CellSummary, b: &CellSummary) -> Order {
    let texts = a.output.as_ref().zip(b.output.as_ref());
    texts.and_then(|(x, y)| quality_order(run, &a.test_set, x, y)).unwrap_or(Order::Unclear)
}

/// Whether answers are an echo: more than half of them equal their source line, up to spaces at the ends. No
/// translation leaves so many lines unchanged. Echoes, such as the null system, are yardsticks and on no
/// frontier.
pub fn is_echo<'a>(source: impl IntoIterator<Item = &'a [u8]>, answers: &[String]) -> bool {
    let same =
        answers.iter().zip(source).filter(|(answer, line)| answer.trim().as_bytes() == line.trim_ascii());
    !answers.is_empty() && 2 * same.count() > answers.len()
}

/// Order of outputs `a` and `b` in quality, by the first metric: equal texts are equal, else the paired
/// bootstrap decides. `None` without one.
pub fn quality_order(run: &Run, test_set: &str, a: &str, b: &str) -> Option<Order> {
    if a == b {
        return Some(Order::Equal);
    }
    let first = run.first_scale(test_set);
    Some(first.order(&run.scores.difference(&first.name, a, b, test_set)?))
}
