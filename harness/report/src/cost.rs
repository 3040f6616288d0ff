//! Kinds of cost of a translation (money, waiting, machine time), and contests of systems in quality and one
//! cost.

use std::collections::BTreeSet;

use super::charts::Axis;
use super::material::Set;
use dyno_measure::{CostWords, Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::Duel;
use dyno_results::turns::Measure;
use dyno_results::{CellSummary, Column};
use dyno_stats::{Estimate, Order, Standing};
use itertools::Itertools;

/// A kind of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Million words for a US dollar, with all cores at work.
    Dollars,
    /// Cost under a track: the 95th percentile of latency in lock-step, words a second elsewhere.
    Under(Track),
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
    pub cost: Cost,
    /// Systems that may stand on the frontier, the best quality first.
    pub contestants: Vec<Contestant>,
    /// Systems with both figures that may not, since their cell is NOISY or their text no translation.
    pub bystanders: Vec<Contestant>,
    /// Systems with an INVALID cell, of whatever track.
    pub invalid: BTreeSet<usize>,
    pub scale: Scale,
    /// Order of the first contestant against the second in quality.
    quality_order: Compared<'a, Order>,
    /// Gain in cost of the second contestant over the first, above 1 where the second is better.
    gain: Compared<'a, Duel>,
}

/// A comparison of two contestants.
pub type Compared<'a, T> = Box<dyn Fn(&Contestant, &Contestant) -> T + 'a>;

impl Cost {
    /// All kinds of cost: money, and that of each track.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Dollars].into_iter().chain(Track::ALL.map(Self::Under))
    }

    const fn words(self) -> CostWords {
        match self {
            Self::Dollars => CostWords {
                id: "dollars",
                noun: "words per dollar",
                head: "#Mwords/$",
                axis: "million words per US dollar",
                told: "{} million words per dollar",
            },
            Self::Under(track) => track.cost(),
        }
    }

    /// The cost with its figure, in a sentence.
    pub fn told(self, figure: &str) -> String {
        self.words().told.replace("{}", figure)
    }

    /// Name of the cost in links.
    pub const fn id(self) -> &'static str {
        self.words().id
    }

    /// Name of the cost in a sentence.
    pub const fn noun(self) -> &'static str {
        self.words().noun
    }

    /// Head of its column; `#` marks figures.
    pub const fn head(self) -> &'static str {
        self.words().head
    }

    /// Whether less is better.
    pub const fn less_is_better(self) -> bool {
        matches!(self, Self::Under(track) if track.is_lockstep())
    }

    /// Column of the cost in tables of one track.
    pub const fn column(self) -> Column {
        match self {
            Self::Dollars => Column::Dollars,
            _ if self.less_is_better() => Column::P95,
            Self::Under(_) => Column::Speed,
        }
    }

    /// Axis of the cost.
    pub fn axis(self) -> Axis {
        let better = if self.less_is_better() { "← less is better" } else { "more is better →" };
        Axis::of(format!("{} (log, {better})", self.words().axis), true)
    }

    /// Comparison of systems `a` and `b` in this cost: by pairs of rounds where these were measured, else by
    /// the intervals. The ratio is above 1 where `a` is better.
    fn duel(self, set: &Set<'_>, a: (usize, &Estimate), b: (usize, &Estimate)) -> Duel {
        // Words per dollar are speed in another unit.
        let (measure, a, b) =
            if self.less_is_better() { (Measure::P95, b, a) } else { (Measure::Speed, a, b) };
        let paired = set.cell(a.0, self.track(set)).and_then(|cell| cell.duels.get(&(measure, b.0)));
        paired.copied().unwrap_or_else(|| Duel::apart(a.1, b.1))
    }

    /// Track that the cost is counted by. A share of an instance must not compete with a whole instance, so money
    /// has one track on `set`.
    fn track(self, set: &Set<'_>) -> Track {
        match self {
            Self::Dollars => paid_of(set.cells.iter().map(|cell| cell.track)),
            Self::Under(track) => track,
        }
    }

    /// Cell of a system on `set` that has this cost; INVALID cells have none.
    pub fn cell<'a>(self, set: &Set<'a>, system: usize) -> Option<&'a CellSummary> {
        set.cell(system, self.track(set)).filter(|cell| cell.verdict != Verdict::Invalid)
    }

    /// Cost of a system on `set`.
    pub fn of(self, set: &Set<'_>, system: usize) -> Option<Estimate> {
        self.column().figure_on_page(self.cell(set, system)?)
    }
}

/// The one track of the measured ones by which words per dollar are counted: all cores where any was measured.
pub fn paid_of(mut measured: impl Iterator<Item = Track>) -> Track {
    if measured.any(|track| track == Track::ThroughputAll) {
        Track::ThroughputAll
    } else {
        Track::Throughput1
    }
}

impl<'a> Contest<'a> {
    /// The contest of those `translators` on `set` that have both figures. Their cells have been judged already.
    pub fn of(cost: Cost, set: &'a Set<'a>, translators: &[usize]) -> Self {
        let both = |&system: &usize| {
            let cell = cost.cell(set, system)?;
            let (quality, cost) = (cell.first_quality()?, cost.of(set, system)?);
            let standing = cell.standing.unwrap_or(Standing::Off);
            Some((cell.standing.is_some(), Contestant { system, quality, cost, standing }))
        };
        let both = translators.iter().filter_map(both).collect();
        let invalid = set.cells.iter().filter(|cell| cell.verdict == Verdict::Invalid);
        Self {
            invalid: invalid.map(|cell| cell.place).collect(),
            ..Self::between(
                cost,
                set.scale(),
                both,
                Box::new(|a, b| set.quality_order(a.system, b.system)),
                Box::new(move |a, b| cost.duel(set, (b.system, &b.cost), (a.system, &a.cost))),
            )
        }
    }

    /// The contest between systems with both figures, each with whether it may stand on the frontier.
    pub fn between(
        cost: Cost,
        scale: Scale,
        mut both: Vec<(bool, Contestant)>,
        quality_order: Compared<'a, Order>,
        gain: Compared<'a, Duel>,
    ) -> Self {
        let good = |one: &Contestant| scale.gain(one.quality.value);
        both.sort_by(|a, b| good(&b.1).total_cmp(&good(&a.1)));
        let (may_stand, may_not): (Vec<_>, Vec<_>) = both.into_iter().partition(|(may_stand, _)| *may_stand);
        let [contestants, bystanders] =
            [may_stand, may_not].map(|systems| systems.into_iter().map(|(_, one)| one).collect());
        Self { cost, contestants, bystanders, invalid: BTreeSet::new(), scale, quality_order, gain }
    }

    /// All systems with both figures: contestants, then bystanders.
    pub fn all(&self) -> impl Iterator<Item = &Contestant> {
        self.contestants.iter().chain(&self.bystanders)
    }

    /// The contest of the summary: by the first cost with two contestants, else with one, else with any
    /// figures.
    pub fn primary(set: &'a Set<'a>, translators: &[usize]) -> Option<Self> {
        let first = [Cost::Dollars, Cost::Under(Track::ThroughputAll), Cost::Under(Track::Throughput1)];
        let all = first.into_iter().chain(Cost::all()).unique();
        let mut contests: Vec<Self> = all.map(|cost| Self::of(cost, set, translators)).collect();
        contests.retain(|contest| contest.all().next().is_some());
        let with = |least| contests.iter().position(|contest| contest.contestants.len() >= least);
        let first = with(2).or_else(|| with(1)).unwrap_or(0);
        (!contests.is_empty()).then(|| contests.swap_remove(first))
    }

    /// Standing of a system, if the system competes.
    pub fn standing(&self, system: usize) -> Option<Standing> {
        self.contestants.iter().find(|one| one.system == system).map(|one| one.standing)
    }

    pub fn quality_order(&self, a: &Contestant, b: &Contestant) -> Order {
        (self.quality_order)(a, b)
    }

    /// Whether `a` and `b` are equal in quality, or not told apart.
    pub fn as_good(&self, a: &Contestant, b: &Contestant) -> bool {
        matches!(self.quality_order(a, b), Order::Equal | Order::Unclear)
    }

    /// Gain in cost of `b` over `a`, above 1 where `b` is better.
    pub fn gain(&self, a: &Contestant, b: &Contestant) -> Duel {
        (self.gain)(a, b)
    }

    /// The recommended system: the one of least cost among those as good as the best.
    pub fn pick(&self) -> Option<&Contestant> {
        self.pick_of(|_| true)
    }

    /// The one of least cost among those of `these` that are as good as the best of all.
    pub fn pick_of(&self, these: impl Fn(&Contestant) -> bool) -> Option<&Contestant> {
        let best = self.contestants.first()?;
        let is_best = |one: &Contestant| one.system == best.system;
        let gain = |one: &Contestant| if is_best(one) { 1.0 } else { self.gain(best, one).ratio.value };
        let equal =
            self.contestants.iter().filter(|one| these(one) && (is_best(one) || self.as_good(one, best)));
        equal.max_by(|a, b| gain(a).total_cmp(&gain(b)))
    }

    /// Systems on the frontier, from the best quality to the least cost.
    pub fn frontier(&self) -> impl Iterator<Item = &Contestant> {
        self.contestants.iter().filter(|one| one.standing == Standing::Frontier)
    }
}
