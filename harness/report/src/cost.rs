//! Kinds of cost of a translation (money, waiting, machine time), and contests of systems in quality and one
//! cost.

use std::collections::BTreeSet;

use super::charts::Axis;
use super::material::{Cell, Measure, Set};
use dyno_measure::{Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::judge::Duel;
use dyno_stats::Estimate;
use dyno_stats::numbers::tick;
use dyno_stats::{Order, Standing};

/// A kind of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Million words for a US dollar, with all cores at work.
    Dollars,
    /// 95th percentile of latency.
    Latency,
    /// Words a second on one core.
    OneCore,
    /// Words a second on all cores.
    AllCores,
}

/// A system with both quality and cost.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Index of the system.
    pub system: usize,
    /// Quality by the first metric.
    pub quality: Estimate,
    /// Cost, in the unit of the axis.
    pub cost: Estimate,
    /// Standing on the frontier.
    pub standing: Standing,
}

/// A contest of the systems on a test set, in quality and one cost.
pub struct Contest<'a> {
    /// Cost of the contest.
    pub cost: Cost,
    /// Systems that may stand on the frontier, the best quality first.
    pub contestants: Vec<Contestant>,
    /// Systems with both figures that may not, since their cell is NOISY or their text no translation.
    pub bystanders: Vec<Contestant>,
    set: &'a Set,
}

impl Cost {
    /// All kinds of cost, the most telling first.
    pub const ALL: [Self; 4] = [Self::Dollars, Self::Latency, Self::OneCore, Self::AllCores];

    /// Name of the cost in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Dollars => "dollars",
            Self::Latency => "latency-p95",
            Self::OneCore => "throughput-1",
            Self::AllCores => "throughput-all",
        }
    }

    /// Whether less is better.
    pub const fn less_is_better(self) -> bool {
        matches!(self, Self::Latency)
    }

    /// Name of the cost in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Dollars => "words per dollar",
            Self::Latency => "p95 latency",
            Self::OneCore => "speed on one core",
            Self::AllCores => "speed on all cores",
        }
    }

    /// Head of its column; `#` marks figures.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Dollars => "#Mwords/$",
            Self::Latency => "#p95 ms",
            Self::OneCore => "#words/s, one core",
            Self::AllCores => "#words/s, all cores",
        }
    }

    /// Axis of the cost.
    pub fn axis(self) -> Axis {
        let name = match self {
            Self::Dollars => "million words per US dollar (log, more is better →)",
            Self::Latency => "p95 latency in ms (log, ← less is better)",
            Self::OneCore => "words/s on one core (log, more is better →)",
            Self::AllCores => "words/s on all cores (log, more is better →)",
        };
        Axis { name: name.into(), log: true, from_zero: false, text: tick, ticks: None, reversed: false }
    }

    /// Figure of rounds behind the cost. Words per dollar are speed in another unit.
    fn measure(self, set: &Set) -> Measure {
        match self {
            Self::Dollars => Measure::Speed(paid_track(set)),
            Self::Latency => Measure::P95,
            Self::OneCore => Measure::Speed(Track::Throughput1),
            Self::AllCores => Measure::Speed(Track::ThroughputAll),
        }
    }

    /// Comparison of systems `a` and `b` in this cost: by pairs of rounds where these were measured, else by
    /// the intervals. The ratio is above 1 where `a` is better.
    fn duel(self, set: &Set, a: (usize, &Estimate), b: (usize, &Estimate)) -> Duel {
        let (a, b) = if self.less_is_better() { (b, a) } else { (a, b) };
        let apart = || Duel { ratio: a.1.over(b.1), order: a.1.order(b.1) };
        set.duels.get(&(self.measure(set), a.0, b.0)).copied().unwrap_or_else(apart)
    }

    /// Cell of a system on `set` that has this cost; INVALID cells have none.
    pub fn cell(self, set: &Set, system: usize) -> Option<&Cell> {
        let track = match self {
            Self::Dollars => paid_track(set),
            Self::Latency => Track::Latency,
            Self::OneCore => Track::Throughput1,
            Self::AllCores => Track::ThroughputAll,
        };
        set.cell(system, track).filter(|cell| cell.verdict != Verdict::Invalid)
    }

    /// Cost of a system on `set`.
    pub fn of(self, set: &Set, system: usize) -> Option<Estimate> {
        let cell = self.cell(set, system)?;
        match self {
            Self::Dollars => cell.millions_per_dollar,
            Self::Latency => cell.percentiles_ms[2],
            Self::OneCore | Self::AllCores => cell.speed,
        }
    }
}

/// The one track by which words per dollar are counted on `set`. A share of an instance must not compete with
/// a whole instance.
fn paid_track(set: &Set) -> Track {
    let uses_all = set.cells.iter().any(|cell| cell.track == Track::ThroughputAll);
    if uses_all { Track::ThroughputAll } else { Track::Throughput1 }
}

impl<'a> Contest<'a> {
    /// The contest of those `translators` that have both figures. Their cells have been judged already.
    pub fn of(cost: Cost, set: &'a Set, translators: &[usize]) -> Self {
        let both = |&system: &usize| {
            let cell = cost.cell(set, system)?;
            let (quality, cost) = (cell.first_quality()?, cost.of(set, system)?);
            let standing = cell.standing.unwrap_or(Standing::Off);
            Some((cell.standing.is_some(), Contestant { system, quality, cost, standing }))
        };
        let mut both: Vec<_> = translators.iter().filter_map(both).collect();
        let scale = set.scale();
        let gain = |one: &Contestant| scale.gain(one.quality.value);
        both.sort_by(|a, b| gain(&b.1).total_cmp(&gain(&a.1)));
        let (may_stand, may_not): (Vec<_>, Vec<_>) = both.into_iter().partition(|(may_stand, _)| *may_stand);
        let [contestants, bystanders] =
            [may_stand, may_not].map(|systems| systems.into_iter().map(|(_, one)| one).collect());
        Self { cost, contestants, bystanders, set }
    }

    /// Systems with an INVALID cell, of whatever track.
    pub fn invalid(&self) -> BTreeSet<usize> {
        let cells = self.set.cells.iter().filter(|cell| cell.verdict == Verdict::Invalid);
        cells.map(|cell| cell.system).collect()
    }

    /// Scale of the quality.
    pub fn scale(&self) -> Scale {
        self.set.scale()
    }

    /// All systems with both figures: contestants, then bystanders.
    pub fn all(&self) -> impl Iterator<Item = &Contestant> {
        self.contestants.iter().chain(&self.bystanders)
    }

    /// The contest of the summary: by the first cost with two contestants, else with one, else with any
    /// figures.
    pub fn primary(set: &'a Set, translators: &[usize]) -> Option<Self> {
        let all = [Cost::Dollars, Cost::AllCores, Cost::OneCore, Cost::Latency];
        let mut contests: Vec<Self> = all.map(|cost| Self::of(cost, set, translators)).into();
        contests.retain(|contest| contest.all().next().is_some());
        let with = |least| contests.iter().position(|contest| contest.contestants.len() >= least);
        let first = with(2).or_else(|| with(1)).unwrap_or(0);
        (!contests.is_empty()).then(|| contests.swap_remove(first))
    }

    /// Standing of a system, if the system competes.
    pub fn standing(&self, system: usize) -> Option<Standing> {
        self.contestants.iter().find(|one| one.system == system).map(|one| one.standing)
    }

    /// Order of `a` and `b` in quality.
    pub fn quality_order(&self, a: &Contestant, b: &Contestant) -> Order {
        self.set.quality_order(a.system, b.system)
    }

    /// Whether `a` and `b` are equal in quality, or not told apart.
    pub fn as_good(&self, a: &Contestant, b: &Contestant) -> bool {
        matches!(self.quality_order(a, b), Order::Equal | Order::Unclear)
    }

    /// Gain in cost of `b` over `a`, above 1 where `b` is better.
    pub fn gain(&self, a: &Contestant, b: &Contestant) -> Duel {
        self.cost.duel(self.set, (b.system, &b.cost), (a.system, &a.cost))
    }

    /// The recommended system: the one of least cost among those as good as the best.
    pub fn pick(&self) -> Option<&Contestant> {
        let best = self.contestants.first()?;
        let gain =
            |one: &Contestant| if one.system == best.system { 1.0 } else { self.gain(best, one).ratio.value };
        let equal =
            self.contestants.iter().filter(|one| one.system == best.system || self.as_good(one, best));
        equal.max_by(|a, b| gain(a).total_cmp(&gain(b)))
    }

    /// Systems on the frontier, from the best quality to the least cost.
    pub fn frontier(&self) -> impl Iterator<Item = &Contestant> {
        self.contestants.iter().filter(|one| one.standing == Standing::Frontier)
    }
}
