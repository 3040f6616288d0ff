//! Kinds of cost of a translation (money, waiting, machine time), and contests of systems in quality and one
//! cost.

use super::charts::Axis;
use super::material::{Measure, Set};
use dyno_measure::{Track, Verdict};
use dyno_results::summary::judge::Duel;
use dyno_stats::Estimate;
use dyno_stats::numbers::tick;
use dyno_stats::{Order, Standing, standings};

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
    /// Quality, BLEU.
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
    /// Systems with both figures, the best quality first.
    pub contestants: Vec<Contestant>,
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
        Axis { name: name.into(), log: true, from_zero: false, text: tick, ticks: None }
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

    /// Cost of a system on `set`, from its valid cell.
    pub fn of(self, set: &Set, system: usize) -> Option<Estimate> {
        let valid = |track| set.cell(system, track).filter(|cell| cell.verdict != Verdict::Invalid);
        match self {
            Self::Dollars => valid(paid_track(set))?.millions_per_dollar,
            Self::Latency => valid(Track::Latency)?.percentiles_ms[2],
            Self::OneCore => valid(Track::Throughput1)?.speed,
            Self::AllCores => valid(Track::ThroughputAll)?.speed,
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
    /// The contest of those `translators` that have both figures.
    pub fn of(cost: Cost, set: &'a Set, translators: &[usize]) -> Self {
        let both = |&system: &usize| Some((system, set.quality(system)?, cost.of(set, system)?));
        let mut both: Vec<_> = translators.iter().filter_map(both).collect();
        both.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let quality = |a: usize, b: usize| set.quality_order(both[a].0, both[b].0);
        let cheaper =
            |a: usize, b: usize| cost.duel(set, (both[a].0, &both[a].2), (both[b].0, &both[b].2)).order;
        let standings = standings(both.len(), quality, cheaper);
        let contestant =
            |(&(system, quality, cost), standing)| Contestant { system, quality, cost, standing };
        Self { cost, contestants: both.iter().zip(standings).map(contestant).collect(), set }
    }

    /// The contest of the summary: by the first cost with figures of two systems, else by the first with one.
    pub fn primary(set: &'a Set, translators: &[usize]) -> Option<Self> {
        let all = [Cost::Dollars, Cost::AllCores, Cost::OneCore, Cost::Latency];
        let mut contests: Vec<Self> = all.map(|cost| Self::of(cost, set, translators)).into();
        contests.retain(|contest| !contest.contestants.is_empty());
        let whole = contests.iter().position(|contest| contest.contestants.len() >= 2).unwrap_or(0);
        (!contests.is_empty()).then(|| contests.swap_remove(whole))
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
