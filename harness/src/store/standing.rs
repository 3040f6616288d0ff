//! How the cells of a table compare with each other: the noise floor of their track, and who stands on the frontier
//! of BLEU and words a second.

use std::collections::BTreeMap;

use super::Run;
use super::run::MeasuredCell;
use super::summary::CellSummary;
use crate::campaign::Track;
use crate::stats::{self, Interval, Order, paired_ratio};
use crate::verify::Verdict;

/// The noise floors of the tracks in which a system and its twin were measured, as shares.
pub(super) fn noise_floors(run: &Run, cells: &[MeasuredCell<'_>]) -> BTreeMap<Track, f64> {
    Track::ALL.into_iter().filter_map(|track| Some((track, noise_floor_of(run, cells, track)?))).collect()
}

fn noise_floor_of(run: &Run, cells: &[MeasuredCell<'_>], track: Track) -> Option<f64> {
    let cells: Vec<_> = cells.iter().filter(|cell| cell.track == track).collect();
    let (mut groups, mut has_twin): (Vec<(&MeasuredCell<'_>, Vec<f64>)>, _) = (Vec::new(), false);
    for cell in cells {
        let same = |first: &MeasuredCell<'_>| {
            first.test_set.name == cell.test_set.name && run.are_twins(first.system, cell.system)
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, rounds)) => {
                rounds.extend(cell.speeds());
                has_twin = true;
            }
            None => groups.push((cell, cell.speeds())),
        }
    }
    let groups: Vec<_> = groups.into_iter().map(|(_, rounds)| rounds).collect();
    stats::noise_floor(&groups).filter(|_| has_twin).map(f64::exp_m1)
}

/// Fills in where the cells of one table stand.
pub(super) fn place(
    run: &Run,
    table: &[MeasuredCell<'_>],
    rows: &mut [CellSummary],
    floors: &BTreeMap<Track, f64>,
) {
    let is_twin = |i: usize| table[..i].iter().any(|first| run.are_twins(first.system, table[i].system));
    let competes = |&i: &usize| {
        let row = &rows[i];
        let measured =
            row.verdict != Verdict::Invalid && row.words_per_second.is_some() && row.bleu.is_some();
        measured && !is_twin(i) && !copies_source(run, &table[i], row)
    };
    let racing: Vec<usize> = (0..rows.len()).filter(competes).collect();
    let quality = |a: usize, b: usize| quality_order(run, &rows[racing[a]], &rows[racing[b]]);
    let speed = |a: usize, b: usize| speed_order(&table[racing[a]], &table[racing[b]], floors);
    let standings = stats::standings(racing.len(), quality, speed);
    for (&i, standing) in racing.iter().zip(standings) {
        rows[i].standing = Some(standing);
    }
}

/// An echo is no translation, however fast: the null system and its like don't stand on the frontier.
fn copies_source(run: &Run, cell: &MeasuredCell<'_>, row: &CellSummary) -> bool {
    let Some(answers) = row.output.as_ref().and_then(|output| run.outputs.get(output)) else { return false };
    let same = answers.iter().zip(&cell.test_set.source).filter(|(answer, line)| answer.as_bytes() == *line);
    2 * same.count() > answers.len()
}

fn quality_order(run: &Run, a: &CellSummary, b: &CellSummary) -> Order {
    let (Some(x), Some(y)) = (&a.output, &b.output) else { return Order::Unclear };
    if x == y {
        return Order::Equal;
    }
    match run.scores.bleu_difference(x, y, &a.test_set) {
        Some(pair) if pair.p < SIGNIFICANT && pair.difference > 0.0 => Order::Better,
        Some(pair) if pair.p < SIGNIFICANT => Order::Worse,
        _ => Order::Unclear,
    }
}

/// The usual level; sacrebleu's, too.
const SIGNIFICANT: f64 = 0.05;

/// Faster only if the interval of the paired ratios says so, and the ratio exceeds the noise floor.
pub fn speed_order(a: &MeasuredCell<'_>, b: &MeasuredCell<'_>, floors: &BTreeMap<Track, f64>) -> Order {
    let floor = 1.0 + floors.get(&a.track).copied().unwrap_or(0.0);
    match paired_ratio(&by_round(a), &by_round(b)) {
        Some((ratio, Interval { low, .. })) if low > 1.0 && ratio > floor => Order::Better,
        Some((ratio, Interval { high, .. })) if high < 1.0 && ratio < 1.0 / floor => Order::Worse,
        _ => Order::Unclear,
    }
}

/// Words a second by the round's number.
fn by_round(cell: &MeasuredCell<'_>) -> Vec<Option<f64>> {
    let mut speeds = Vec::new();
    for record in cell.valid() {
        if speeds.len() <= record.round {
            speeds.resize(record.round + 1, None);
        }
        speeds[record.round] = record.words_per_second();
    }
    speeds
}
