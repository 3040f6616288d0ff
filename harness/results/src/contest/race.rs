//! The contest itself: what to take, what stands on the frontier, what costs how much less.

use std::collections::BTreeSet;

use dyno_record::{Track, Verdict};
use dyno_stats::{Estimate, Order, Standing};
use itertools::Itertools;

use super::cost::Cost;
use super::set::Set;
use crate::scores::Scale;
use crate::summary::Duel;

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
    /// Cost that counts.
    pub cost: Cost,
    /// Systems that may stand on the frontier, the best quality first.
    pub contestants: Vec<Contestant>,
    /// Systems with both figures that may not, since their cell is NOISY or their text no translation.
    pub bystanders: Vec<Contestant>,
    /// Systems with an INVALID cell, of whatever track.
    pub invalid: BTreeSet<usize>,
    /// Scale of the quality.
    pub scale: Scale,
    /// Order of the first contestant against the second in quality.
    quality_order: Compared<'a, Order>,
    /// Gain in cost of the second contestant over the first, above 1 where the second is better.
    gain: Compared<'a, Duel>,
}

/// A comparison of two contestants.
pub type Compared<'a, T> = Box<dyn Fn(&Contestant, &Contestant) -> T + 'a>;

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

    /// Order of `a` and `b` in quality.
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
