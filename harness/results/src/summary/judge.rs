//! Judgement of the cells of a table: the noise floor of their track, duels by pairs of rounds, and the
//! frontier of the first metric and the track's cost: p95 latency in the latency track, words a second in the
//! others.
//!
//! Table and page show these judgements; neither judges again.

use std::collections::BTreeMap;

use dyno_measure::{Record, Track, Verdict};
use dyno_stats::{Estimate, Order, median, median_interval};

use super::cell::{CellSummary, MetricFigure};
use crate::run::{MeasuredCell, Run};
use crate::scores::{Scale, Standard};
use crate::turns::{Compared, Figure, SPEED, cost};

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

/// One figure of all rounds of a cell.
pub struct Rounds<'a> {
    /// Rounds that count.
    rounds: Vec<Compared<'a>>,
}

/// Comparison of two cells in one figure, by pairs of rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// Ratio of the first cell's figure to the second's.
    pub ratio: Estimate,
    /// Order of the figures: `Better` if the first is surely greater.
    pub order: Order,
}

impl<'a> Rounds<'a> {
    /// The figures of `cell`.
    pub fn of(cell: &MeasuredCell<'a>, figure: Figure) -> Self {
        Self { rounds: cell.valid().into_iter().map(|record| Compared::of(record, figure)).collect() }
    }

    fn has_figures(&self) -> bool {
        self.rounds.iter().any(|round| round.value.is_some())
    }

    /// Comparison with `other`. Rounds of one number were measured side by side, or near each other, so a load
    /// on both cancels out.
    pub fn against(&self, other: &Self, floor: f64) -> Option<Duel> {
        let partner =
            |round: &Compared<'_>| other.rounds.iter().find(|other| other.record.round == round.record.round);
        let ratios = self.rounds.iter().filter_map(|round| round.ratio_to(partner(round)?));
        duel(&ratios.collect::<Vec<_>>(), floor)
    }
}

/// Comparison by the ratios of pairs of rounds. The order is sure only if the interval of ratios excludes 1 and
/// the ratio exceeds the noise `floor`, a share.
fn duel(ratios: &[f64], floor: f64) -> Option<Duel> {
    let (value, interval) = (median(ratios)?, median_interval(ratios)?);
    let ratio = Estimate { value, low: interval.low, high: interval.high };
    let order = match () {
        () if ratio.low > 1.0 && value > 1.0 + floor => Order::Better,
        () if ratio.high < 1.0 && value < 1.0 / (1.0 + floor) => Order::Worse,
        () => Order::Unclear,
    };
    Some(Duel { ratio, order })
}

/// Noise floors of the tracks with twins, as shares.
pub(super) fn noise_floors(run: &Run, cells: &[MeasuredCell<'_>]) -> BTreeMap<Track, f64> {
    let floor = |track| Some((track, noise_floor(run, cells, track, SPEED)?));
    Track::ALL.into_iter().filter_map(floor).collect()
}

/// Noise floor of a track in `figure`, as a share: the greatest difference of two measurements of the same
/// system. `None` without twins.
pub fn noise_floor(run: &Run, cells: &[MeasuredCell<'_>], track: Track, figure: Figure) -> Option<f64> {
    let cells: Vec<_> = cells.iter().filter(|cell| cell.track == track).collect();
    let whole = cells.iter().map(|cell| cell.valid().len()).max().unwrap_or(0);
    // A system without some of the rounds would shift the group's mean in these.
    let steady = cells.iter().map(|cell| cell.valid()).filter(|rounds| rounds.len() == whole).flatten();
    let steady: Vec<Compared<'_>> = steady.map(|record| Compared::of(record, figure)).collect();
    // Relative figures and absolute ones have different units, so one lonely round makes all absolute.
    let is_relative = steady.iter().all(|round| round.relative_to(&steady).is_some());
    let of = |record: &Record| match Compared::of(record, figure) {
        round if is_relative => round.relative_to(&steady),
        round => round.value,
    };
    let rounds = |cell: &MeasuredCell<'_>| cell.valid().into_iter().filter_map(of).collect::<Vec<f64>>();
    let (mut groups, mut has_twin): (Vec<(&MeasuredCell<'_>, Vec<f64>)>, _) = (Vec::new(), false);
    for cell in cells {
        let same = |first: &MeasuredCell<'_>| {
            first.test_set.name == cell.test_set.name && run.are_twins(first.system, cell.system)
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, known)) => {
                known.extend(rounds(cell));
                has_twin = true;
            }
            None => groups.push((cell, rounds(cell))),
        }
    }
    if !has_twin {
        return None;
    }
    let groups: Vec<_> = groups.into_iter().map(|(_, rounds)| rounds).collect();
    dyno_stats::noise_floor(&groups, whole).map(f64::exp_m1)
}

/// Fills in the standing of the cells of one table. `floor` is the noise floor of the table's cost, a share.
pub(super) fn place(run: &Run, table: &[MeasuredCell<'_>], rows: &mut [CellSummary], floor: f64) {
    let is_twin = |i: usize| table[..i].iter().any(|first| run.are_twins(first.system, table[i].system));
    let costs: Vec<Rounds<'_>> = table.iter().map(|cell| Rounds::of(cell, cost(cell.track))).collect();
    let competes = |&i: &usize| {
        may_stand(&rows[i]) && costs[i].has_figures() && !is_twin(i) && !echoes(run, &table[i], &rows[i])
    };
    let racing: Vec<usize> = (0..rows.len()).filter(competes).collect();
    let quality = |a: usize, b: usize| order_of_rows(run, &rows[racing[a]], &rows[racing[b]]);
    let less_is_better = table.first().is_some_and(|cell| cell.track.is_lockstep());
    let cheaper = |a: usize, b: usize| {
        let (a, b) = if less_is_better { (b, a) } else { (a, b) };
        costs[racing[a]].against(&costs[racing[b]], floor).map_or(Order::Unclear, |duel| duel.order)
    };
    let standings = dyno_stats::standings(racing.len(), quality, cheaper);
    for (&i, standing) in racing.iter().zip(standings) {
        rows[i].standing = Some(standing);
    }
}

/// Whether a cell may stand on a frontier: it is VALID, and its text is a translation.
fn may_stand(row: &CellSummary) -> bool {
    let says_something = |quality: &MetricFigure| {
        quality.score.is_some_and(|score| quality.metric != "bleu" || score >= LEAST_BLEU)
    };
    row.verdict == Verdict::Valid && row.quality.first().is_some_and(says_something)
}

fn echoes(run: &Run, cell: &MeasuredCell<'_>, row: &CellSummary) -> bool {
    let answers = row.output.as_ref().and_then(|output| run.outputs.get(output));
    answers.is_some_and(|answers| is_echo(cell.test_set.source.iter().map(Vec::as_slice), answers))
}

fn order_of_rows(run: &Run, a: &CellSummary, b: &CellSummary) -> Order {
    match (&a.output, &b.output) {
        (Some(x), Some(y)) => quality_order(run, &a.test_set, x, y),
        _ => Order::Unclear,
    }
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
/// bootstrap decides.
pub fn quality_order(run: &Run, test_set: &str, a: &str, b: &str) -> Order {
    if a == b {
        return Order::Equal;
    }
    let first = run.first_scale(test_set);
    let pair = run.scores.difference(&first.name, a, b, test_set);
    pair.map_or(Order::Unclear, |pair| first.order(&pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slows_both_hides_no_difference_and_noise_makes_none() {
        // The host's speed drifts by half, far more than the two cells differ: their own intervals overlap.
        let (fast, slow) = ([10.0, 15.0, 11.0, 14.0, 10.5], [9.0, 13.5, 9.8, 12.8, 9.4]);
        let against = |a: [f64; 5], b: [f64; 5], floor| {
            let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
            duel(&ratios, floor).unwrap()
        };
        let won = against(fast, slow, 0.02);
        assert_eq!(won.order, Order::Better);
        assert!(won.ratio.low > 1.08 && won.ratio.high < 1.13, "{won:?}");
        assert_eq!(against(slow, fast, 0.02).order, Order::Worse);
        assert_eq!(against(fast, slow, 0.2).order, Order::Unclear, "below the floor it is a tie");
        assert_eq!(against(fast, [9.0, 16.0, 9.8, 12.8, 9.4], 0.0).order, Order::Unclear);
        assert!(duel(&[], 0.0).is_none());
    }
}
