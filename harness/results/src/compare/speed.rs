//! Comparison of two speeds: a pure function from the rounds of both sides to a verdict.
//!
//! Disturbed rounds support a verdict only where the two sides of a pair shared their seconds. The host then
//! disturbed both alike, and the interval shows how well the pairs agree.

use dyno_stats::numbers::{p_value, whole};
use dyno_stats::{
    holm, mann_whitney, mann_whitney_less, median, median_interval, noise_floor, paired_noise_floor,
    signed_rank, signed_rank_less,
};
use serde::Serialize;

/// Greatest tolerated slow-down, as a ratio of times. The layout of code in memory alone can cause smaller
/// ones (Mytkowicz et al. 2009), which a reviewer cannot find.
pub const TOLERATED_SLOW_DOWN: f64 = 1.04;
/// Greatest tolerated slow-down where the two sides share their seconds. How code and data lie in memory still
/// changes from start to start.
pub const TOLERATED_IN_SLICES: f64 = 1.02;
/// Significance level of the tests, over all cells together.
pub const SIGNIFICANT: f64 = 0.05;
/// Pairs of rounds for each cell; a confirmation takes as many again.
pub const PAIRS: usize = 15;
/// Least pairs that the gate accepts. With fewer, halves of four rounds say too little of the noise for a
/// verdict.
pub const LEAST_PAIRS: usize = 9;
/// Most pairs that the gate accepts, over half an hour for each cell. A thousand pairs show differences far
/// below the tolerated one.
pub const MOST_PAIRS: usize = 1000;

/// Words a second of both sides of a cell, round by round.
#[derive(Clone, Debug, Default)]
pub struct Speeds {
    /// Words a second of the baseline.
    pub baseline: Vec<f64>,
    /// Words a second of the candidate.
    pub candidate: Vec<f64>,
    /// Candidate's speed over the baseline's, for each pair of rounds; empty if the rounds make no pairs.
    pub ratios: Vec<f64>,
    /// The same by the words a second of whole rounds, where `ratios` are medians over turns. A median hides what a
    /// few turns take, such as a collection of garbage.
    pub whole_ratios: Vec<f64>,
    /// Whether the two sides of a pair shared their seconds.
    pub in_slices: bool,
    /// Whether the rounds of a side support no verdict: its cell is INVALID, or has too few rounds.
    pub unfit: bool,
    /// Whether a side is NOISY: the host disturbed more than half of its rounds.
    pub noisy: bool,
}

/// Question of a comparison, which decides the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Is the candidate slower? One-sided, as in the gate.
    Slower,
    /// Do the two differ? Two-sided.
    Differ,
}

dyno_record::words! {
    /// Verdict on the speed of a cell, with its text in a table.
    #[serde(rename_all = "lowercase")]
    pub enum Change {
        /// Significantly slower, by more than the tolerated ratio and the noise.
        Slower,
        /// Neither slower nor faster.
        Same,
        /// Significantly faster, by the same three criteria.
        Faster,
        /// No verdict: the rounds of a side are unfit for one, too NOISY, or too few to prove what they show.
        Unclear => "can't tell",
    }
}

/// Comparison of the speeds of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Verdict on the speed.
    pub change: Change,
    /// Median words a second of the baseline.
    pub baseline_words_per_second: f64,
    /// Median words a second of the candidate.
    pub candidate_words_per_second: f64,
    /// Candidate's time over the baseline's: median over pairs.
    pub slow_down: f64,
    /// Lower end of the slow-down's interval.
    pub slow_down_low: f64,
    /// Upper end of the slow-down's interval.
    pub slow_down_high: f64,
    /// p-value, corrected by Holm: Wilcoxon's signed ranks for pairs, Mann–Whitney for unpaired rounds.
    pub p: f64,
    /// Noise floor (A/A) of these rounds, as a ratio.
    pub noise_floor: f64,
}

impl Comparison {
    /// Speeds of both sides, the slow-down with its interval and the p-value, as tables show them.
    pub fn texts(&self) -> [String; 5] {
        [
            whole(self.candidate_words_per_second),
            whole(self.baseline_words_per_second),
            format!("×{:.3}", self.slow_down),
            format!("{:.3}–{:.3}", self.slow_down_low, self.slow_down_high),
            p_value(self.p),
        ]
    }
}

/// Compares all cells at once, since Holm's correction is over all cells that are fit. A cell that lacks rounds on a
/// side has no comparison. One with turns is compared by them and by whole rounds, and is slower if either is.
pub fn judge(cells: &[Speeds], question: Question) -> Vec<Option<Comparison>> {
    let whole: Vec<Speeds> = cells.iter().map(by_whole_rounds).collect();
    let both: Vec<&Speeds> = cells.iter().chain(&whole).collect();
    let mut judged = judge_each(&both, question);
    let whole = judged.split_off(cells.len());
    let is_slower = |found: &Option<Comparison>| found.is_some_and(|found| found.change == Change::Slower);
    judged
        .into_iter()
        .zip(whole)
        .map(|(turns, whole)| if is_slower(&turns) || !is_slower(&whole) { turns } else { whole })
        .collect()
}

/// The pairs of a cell by their whole rounds; without any where it has no turns.
fn by_whole_rounds(cell: &Speeds) -> Speeds {
    match cell.whole_ratios[..] {
        [] => Speeds::default(),
        _ => Speeds { ratios: cell.whole_ratios.clone(), ..cell.clone() },
    }
}

fn judge_each(cells: &[&Speeds], question: Question) -> Vec<Option<Comparison>> {
    let mut found: Vec<_> = cells.iter().map(|cell| compare(cell, question)).collect();
    let mut fit: Vec<_> = found
        .iter_mut()
        .zip(cells)
        .filter_map(|(found, cell)| found.as_mut().filter(|_| !cell.unfit))
        .collect();
    let corrected = holm(&fit.iter().map(|found| found.p).collect::<Vec<_>>());
    let tests = corrected.len() as f64;
    fit.iter_mut().zip(corrected).for_each(|(found, p)| found.p = p);
    let decide = |(found, cell): (Option<Comparison>, &&Speeds)| {
        let can_prove = tests * least_p(cell, question) < SIGNIFICANT;
        found.map(|found| Comparison { change: verdict(&found, cell, can_prove), ..found })
    };
    found.into_iter().zip(cells).map(decide).collect()
}

/// The smallest p-value that so many rounds can have: that of sides without an overlap.
fn least_p(cell: &Speeds, question: Question) -> f64 {
    let apart =
        |from: usize, rounds: &[f64]| (from..from + rounds.len()).map(|at| at as f64).collect::<Vec<_>>();
    let one_sided = match cell.ratios.len() {
        0 => mann_whitney_less(&apart(0, &cell.baseline), &apart(cell.baseline.len(), &cell.candidate)),
        pairs => 0.5_f64.powi(pairs as i32),
    };
    match question {
        Question::Slower => one_sided,
        Question::Differ => 2.0 * one_sided,
    }
}

/// The figures of a cell, without a verdict and with an uncorrected `p`. The slow-down is the median over pairs;
/// without pairs the ratio of medians, with the widest interval that theirs allow.
fn compare(cell: &Speeds, question: Question) -> Option<Comparison> {
    let (baseline, candidate) = (median_interval(&cell.baseline)?, median_interval(&cell.candidate)?);
    let slow_downs: Vec<f64> = cell.ratios.iter().map(|ratio| ratio.recip()).collect();
    let slow_down = median_interval(&slow_downs).unwrap_or_else(|| baseline.over(&candidate));
    let (p, floor) = match cell.ratios[..] {
        [] => of_rounds(cell, question, slow_down.value),
        _ => of_pairs(cell, question),
    };
    Some(Comparison {
        change: Change::Same,
        baseline_words_per_second: baseline.value,
        candidate_words_per_second: candidate.value,
        slow_down: slow_down.value,
        slow_down_low: slow_down.low,
        slow_down_high: slow_down.high,
        p,
        noise_floor: floor.map_or(f64::INFINITY, f64::exp),
    })
}

/// p-value and noise floor of pairs of rounds.
///
/// The two sides of a pair were measured next to each other, in a random order, so a drift of the host
/// favours neither side. Ranks without regard to pairs would hide a slow-down of 8 % in a drift of 12 %.
fn of_pairs(cell: &Speeds, question: Question) -> (f64, Option<f64>) {
    let slower: Vec<f64> = cell.ratios.iter().map(|ratio| ratio.ln()).collect();
    let faster: Vec<f64> = slower.iter().map(|log| -log).collect();
    let p = match question {
        Question::Differ => signed_rank(&slower),
        Question::Slower if median(&slower).is_some_and(|log| log <= 0.0) => signed_rank_less(&slower),
        Question::Slower => signed_rank_less(&faster),
    };
    (p, paired_noise_floor(&cell.ratios))
}

/// p-value and noise floor of unpaired rounds.
fn of_rounds(cell: &Speeds, question: Question, slow_down: f64) -> (f64, Option<f64>) {
    let p = match question {
        Question::Differ => mann_whitney(&cell.candidate, &cell.baseline),
        Question::Slower if slow_down >= 1.0 => mann_whitney_less(&cell.candidate, &cell.baseline),
        Question::Slower => mann_whitney_less(&cell.baseline, &cell.candidate),
    };
    let rounds = cell.baseline.len().min(cell.candidate.len());
    (p, noise_floor(&[cell.baseline.clone(), cell.candidate.clone()], rounds))
}

/// The verdict. NOISY rounds have one only if their pairs agree on it; a change that so few rounds can't prove has
/// none.
fn verdict(comparison: &Comparison, cell: &Speeds, can_prove: bool) -> Change {
    let tolerated = if cell.in_slices { TOLERATED_IN_SLICES } else { TOLERATED_SLOW_DOWN };
    let change = change(comparison, tolerated, can_prove);
    let in_doubt = cell.noisy && !(cell.in_slices && pairs_agree(comparison, change, tolerated));
    if cell.unfit || in_doubt { Change::Unclear } else { change }
}

/// Whether the whole interval of the slow-down lies on that side of the tolerated ratio on which `change` is.
/// The interval widens with the noise of the pairs, so it says by itself whether they are too noisy.
fn pairs_agree(comparison: &Comparison, change: Change, tolerated: f64) -> bool {
    match change {
        Change::Slower => comparison.slow_down_low > tolerated,
        _ => comparison.slow_down_high < tolerated,
    }
}

/// The change that the figures show. It needs all three: size, significance, and more than the noise of these
/// rounds.
fn change(comparison: &Comparison, tolerated: f64, can_prove: bool) -> Change {
    let size = comparison.slow_down.max(1.0 / comparison.slow_down);
    match size > tolerated && size > comparison.noise_floor {
        true if comparison.p >= SIGNIFICANT && can_prove => Change::Same,
        true if comparison.p >= SIGNIFICANT => Change::Unclear,
        true if comparison.slow_down > 1.0 => Change::Slower,
        true => Change::Faster,
        false => Change::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_stats::Random;

    /// Rounds of a host whose speed drifts for both sides alike, with independent noise on each round.
    fn rounds(random: &mut Random, pairs: usize, slow_down: f64, sigma: f64) -> Speeds {
        let uniform = |random: &mut Random| random.draw() as f64 / u64::MAX as f64;
        let normal = |random: &mut Random| (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
        let mut speeds = Speeds::default();
        for _ in 0..pairs {
            let host = (sigma / 2.0 * normal(random)).exp();
            speeds.baseline.push(1000.0 * host * (sigma * normal(random)).exp());
            speeds.candidate.push(1000.0 / slow_down * host * (sigma * normal(random)).exp());
        }
        with_ratios(speeds)
    }

    fn with_ratios(mut speeds: Speeds) -> Speeds {
        speeds.ratios =
            speeds.candidate.iter().zip(&speeds.baseline).map(|(ours, theirs)| ours / theirs).collect();
        speeds
    }

    /// Number of gates out of `gates` that report a regression after a confirming pass, as the gate does.
    fn alarms(gates: usize, slow_down: f64, sigma: f64, in_slices: bool) -> usize {
        let mut random = Random::new(1, "gates");
        let slower = |cell: &Speeds| {
            judge(std::slice::from_ref(cell), Question::Slower)[0].unwrap().change == Change::Slower
        };
        let alarm = |random: &mut Random| {
            let mut cell = Speeds { in_slices, ..rounds(random, PAIRS, slow_down, sigma) };
            slower(&cell) && {
                let again = rounds(random, PAIRS, slow_down, sigma);
                cell.baseline.extend(again.baseline);
                cell.candidate.extend(again.candidate);
                cell.ratios.extend(again.ratios);
                slower(&cell)
            }
        };
        (0..gates).filter(|_| alarm(&mut random)).count()
    }

    #[test]
    fn like_against_like_is_let_pass_however_noisy() {
        // What is tolerated never alarms; above it, the tests and the floor leave less than one gate in a hundred.
        let cases = [(0.01, false, 0), (0.05, false, 4), (0.2, false, 4)];
        for (sigma, in_slices, most) in
            cases.into_iter().chain([(0.005, true, 0), (0.01, true, 4), (0.05, true, 4)])
        {
            let alarms = alarms(500, 1.0, sigma, in_slices);
            assert!(alarms <= most, "{alarms} at a noise of {sigma}");
        }
    }

    #[test]
    fn a_slow_down_of_8_percent_is_caught() {
        assert!(alarms(200, 1.08, 0.02, false) >= 198);
        assert!(alarms(200, 1.08, 0.03, false) >= 190);
    }

    #[test]
    fn in_slices_a_slow_down_of_3_percent_is_caught() {
        assert!(alarms(200, 1.03, 0.005, true) >= 195);
        assert!(alarms(200, 1.03, 0.01, true) >= 180);
    }

    #[test]
    fn a_host_that_drifts_hides_nothing_and_accuses_nobody() {
        let mut random = Random::new(6, "drift");
        for (slow_down, expected) in [(1.0, Change::Same), (1.08, Change::Slower)] {
            let mut cell = rounds(&mut random, PAIRS, slow_down, 0.01);
            for (i, (ours, theirs)) in cell.candidate.iter_mut().zip(&mut cell.baseline).enumerate() {
                *ours *= 1.0 + 0.02 * i as f64;
                *theirs *= 1.0 + 0.02 * i as f64;
            }
            let cell = with_ratios(cell);
            assert_eq!(judge(&[cell], Question::Slower)[0].unwrap().change, expected);
        }
    }

    #[test]
    fn what_is_tolerated_is_no_regression_however_sure() {
        assert_eq!(alarms(100, 1.03, 0.005, false), 0);
        let cell = rounds(&mut Random::new(8, "tolerated"), PAIRS, 1.03, 0.003);
        let [apart, in_slices] = [false, true].map(|in_slices| {
            judge(&[Speeds { in_slices, ..cell.clone() }], Question::Slower)[0].unwrap().change
        });
        assert_eq!((apart, in_slices), (Change::Same, Change::Slower), "slices tolerate less");
    }

    #[test]
    fn a_faster_candidate_is_said_to_be_faster() {
        let cell = rounds(&mut Random::new(2, "faster"), PAIRS, 0.5, 0.02);
        let comparison = judge(&[cell], Question::Slower)[0].unwrap();
        assert_eq!(comparison.change, Change::Faster);
        assert!((comparison.slow_down - 0.5).abs() < 0.03, "{comparison:?}");
    }

    #[test]
    fn noisy_pairs_that_agree_decide_and_others_do_not() {
        let mut random = Random::new(9, "agreement");
        let mut said = |slow_down, sigma, in_slices| {
            let cell = Speeds { in_slices, noisy: true, ..rounds(&mut random, 2 * PAIRS, slow_down, sigma) };
            judge(&[cell], Question::Slower)[0].unwrap().change
        };
        assert_eq!(said(1.0, 0.002, true), Change::Same);
        assert_eq!(said(1.05, 0.002, true), Change::Slower);
        assert_eq!(said(0.9, 0.002, true), Change::Faster);
        assert_eq!(said(1.0, 0.2, true), Change::Unclear, "no slow-down can be ruled out");
        assert_eq!(said(1.02, 0.01, true), Change::Unclear, "on neither side of the tolerated ratio");
        for slow_down in [1.0, 1.5] {
            assert_eq!(said(slow_down, 0.002, false), Change::Unclear, "the sides had other seconds");
        }
    }

    #[test]
    fn recorded_pairs_of_a_busy_host_decide_where_they_agree_and_are_never_wrong() {
        let said = |name: &str| {
            let judged =
                recorded(name).into_iter().map(|cell| judge(&[cell], Question::Slower)[0].unwrap().change);
            let count = |change| judged.clone().filter(|said| *said == change).count();
            [Change::Slower, Change::Same, Change::Unclear].map(count)
        };
        assert_eq!(said("like"), [0, 2, 3]);
        assert_eq!(said("planted 5 %"), [3, 0, 2]);
    }

    #[test]
    fn noisy_pairs_of_equals_raise_no_alarm() {
        let mut random = Random::new(10, "noisy equals");
        for sigma in [0.003, 0.01, 0.05, 0.2] {
            let mut said = |_| {
                let cell = Speeds { in_slices: true, noisy: true, ..rounds(&mut random, PAIRS, 1.0, sigma) };
                judge(&[cell], Question::Slower)[0].unwrap().change
            };
            let slower = (0..500).map(&mut said).filter(|&change| change == Change::Slower).count();
            assert!(slower <= 4, "{slower} of 500 at a noise of {sigma}, before a second pass confirms");
        }
    }

    #[test]
    fn unfit_rounds_support_no_verdict_however_large_the_difference() {
        for (slow_down, unfit, expected) in
            [(1.5, false, Change::Slower), (1.5, true, Change::Unclear), (1.0, true, Change::Unclear)]
        {
            let cell = Speeds { unfit, ..rounds(&mut Random::new(7, "unfit"), PAIRS, slow_down, 0.01) };
            let comparison = judge(&[cell], Question::Slower)[0].unwrap();
            assert_eq!(comparison.change, expected);
            assert!(
                (comparison.slow_down / slow_down - 1.0).abs() < 0.03,
                "the figures stay: {comparison:?}"
            );
        }
    }

    /// Slow-downs of real pairs in slices, all NOISY: other programs took the share of the cores that the file
    /// names. `ci/gate-campaign --keep` records such pairs.
    fn recorded(name: &str) -> Vec<Speeds> {
        let text = include_str!("noisy-pairs.tsv");
        let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
        let of_kind = rows.filter_map(|mut row| (row.next()? == name).then_some(row));
        let cell = |slow_downs: &str| {
            let slow_downs = slow_downs.split(' ').map(|number| number.parse::<f64>().unwrap());
            let (baseline, candidate) = slow_downs.map(|slow_down| (1000.0, 1000.0 / slow_down)).unzip();
            with_ratios(Speeds { baseline, candidate, in_slices: true, noisy: true, ..Speeds::default() })
        };
        of_kind.map(|mut row| cell(row.next_back().unwrap())).collect()
    }

    #[test]
    fn a_difference_needs_both_tails() {
        let cell = rounds(&mut Random::new(4, "tails"), 9, 1.2, 0.1);
        let [slower, differ] = [Question::Slower, Question::Differ]
            .map(|question| judge(std::slice::from_ref(&cell), question)[0].unwrap().p);
        assert!((differ - 2.0 * slower).abs() < 1e-12, "{differ} is not twice {slower}");
    }

    #[test]
    fn many_cells_need_more_than_one_does() {
        let one = Speeds {
            baseline: vec![100.0, 101.0, 102.0, 103.0, 98.0, 97.0],
            candidate: vec![90.0, 91.0, 92.0, 99.0, 89.0, 88.0],
            ..Speeds::default()
        };
        let alone = judge(std::slice::from_ref(&one), Question::Slower)[0].unwrap();
        let same = Speeds { candidate: one.baseline.clone(), ..one.clone() };
        let among = judge(&[&[one][..], &vec![same; 20]].concat(), Question::Slower)[0].unwrap();
        assert!((among.p / alone.p - 21.0).abs() < 1e-9, "{} and {}", among.p, alone.p);
    }

    #[test]
    fn what_so_few_rounds_cannot_prove_for_so_many_cells_is_undecided() {
        let five = |words: f64| (0..5).map(|round| words + f64::from(round)).collect::<Vec<_>>();
        let slower = Speeds { baseline: five(200.0), candidate: five(100.0), ..Speeds::default() };
        let same = Speeds { candidate: five(200.5), ..slower.clone() };
        for (cells, expected) in [(6, Change::Slower), (7, Change::Unclear)] {
            let all = [vec![slower.clone()], vec![same.clone(); cells - 1]].concat();
            let found: Vec<_> =
                judge(&all, Question::Differ).into_iter().map(|found| found.unwrap().change).collect();
            assert_eq!((found[0], found[1]), (expected, Change::Same), "{cells} cells");
        }
        let unfit = Speeds { unfit: true, ..same };
        let all = [vec![slower], vec![unfit; 6]].concat();
        assert_eq!(
            judge(&all, Question::Differ)[0].unwrap().change,
            Change::Slower,
            "unfit cells are no tests"
        );
    }

    #[test]
    fn a_stall_that_few_turns_show_is_slower_by_whole_rounds() {
        let mut random = Random::new(11, "stalls");
        let turns = rounds(&mut random, PAIRS, 1.0, 0.002);
        let whole = rounds(&mut random, PAIRS, 1.3, 0.01).ratios;
        let said = |whole_ratios, noisy| {
            let cell = Speeds { whole_ratios, noisy, in_slices: true, ..turns.clone() };
            judge(&[cell], Question::Slower)[0].unwrap()
        };
        assert_eq!(said(turns.ratios.clone(), false).change, Change::Same);
        for noisy in [false, true] {
            let found = said(whole.clone(), noisy);
            assert!(found.change == Change::Slower && (found.slow_down - 1.3).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn nothing_measured_is_nothing_compared() {
        assert_eq!(judge(&[Speeds::default()], Question::Slower), [None]);
    }
}
