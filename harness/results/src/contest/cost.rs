//! Kinds of cost of a translation: money, waiting, machine time.

use dyno_record::{CostWords, Track, Verdict};
use dyno_stats::Estimate;

use super::set::Set;
use crate::summary::Duel;
use crate::turns::Measure;
use crate::{CellSummary, Column};

/// A kind of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Million words for a US dollar, with all cores at work.
    Dollars,
    /// Cost under a track: the 95th percentile of latency in lock-step, words a second elsewhere.
    Under(Track),
}

impl Cost {
    /// All kinds of cost: money, and that of each track.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Dollars].into_iter().chain(Track::ALL.map(Self::Under))
    }

    /// Words of the cost.
    pub const fn words(self) -> CostWords {
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

    /// Comparison of systems `a` and `b` in this cost: by pairs of rounds where these were measured, else by
    /// the intervals. The ratio is above 1 where `a` is better.
    pub(super) fn duel(self, set: &Set<'_>, a: (usize, &Estimate), b: (usize, &Estimate)) -> Duel {
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
