//! The verdict on a claim: our figure, with its interval, against the paper's.
//!
//! Our median decides, so that a wide interval reaches nothing and makes nothing agree; only to exceed a speed-up takes
//! the whole interval. A ratio of costs and the size of a drawn network are facts, which agree or differ. A bound on a
//! size, a share and a quality are reached or not. Cores that the host lacks make a claim incomparable.

use std::fmt;

use dyno_stats::Estimate;
use serde::Serialize;

/// Greatest factor between two costs that count as one. OpenNMT's table 3 has the same networks on two test
/// sets; their ratios differ by up to 9 % between its own columns.
const SAME_COST: f64 = 1.10;

/// Greatest factor between two sizes that count as one: papers round them, and file formats have heads.
const SAME_SIZE: f64 = 1.05;

/// Verdict on a claim of a paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "reason")]
pub enum Verdict {
    /// Our whole interval is better than the paper's speed-up.
    Exceeded,
    /// Our figure is the paper's, or is better.
    Reached,
    /// Our figure is worse than the paper's.
    NotReached,
    /// Our ratio of costs is the paper's.
    Agrees,
    /// Our ratio of costs isn't the paper's.
    Differs,
    /// Hardware or data that the comparison needs isn't there.
    NotComparable(String),
    /// Nothing was measured so far; the reason says what would measure it.
    NotMeasured(String),
}

impl Verdict {
    /// Kinds of verdicts, in the order of columns.
    pub const KINDS: [&str; 7] =
        ["exceeded", "reached", "not reached", "agrees", "differs", "can't be compared", "not measured"];

    /// The verdict on a speed-up.
    pub fn of_speed_up(ours: Estimate, paper: f64) -> Self {
        if ours.low > paper { Self::Exceeded } else { Self::of_bar(ours.value, paper) }
    }

    /// The verdict on “faster”, without a figure: the whole interval has to be above 1.
    pub fn of_faster(ours: Estimate) -> Self {
        if ours.low > 1.0 { Self::Reached } else { Self::NotReached }
    }

    /// The verdict on a figure of which more is better, and which isn't a speed-up.
    pub fn of_bar(ours: f64, paper: f64) -> Self {
        if ours < paper { Self::NotReached } else { Self::Reached }
    }

    /// The verdict on the size of a network, which its dimensions settle.
    pub fn of_size(ours: f64, paper: f64) -> Self {
        Self::agreeing(apart(ours, paper) <= SAME_SIZE)
    }

    /// The verdict on a ratio of costs.
    pub fn of_cost(ours: Estimate, paper: f64) -> Self {
        Self::agreeing(apart(ours.value, paper) <= SAME_COST)
    }

    /// The verdict on a fact.
    pub const fn agreeing(agrees: bool) -> Self {
        if agrees { Self::Agrees } else { Self::Differs }
    }

    /// Kind of the verdict, as heads of columns name it.
    pub const fn kind(&self) -> &'static str {
        Self::KINDS[match self {
            Self::Exceeded => 0,
            Self::Reached => 1,
            Self::NotReached => 2,
            Self::Agrees => 3,
            Self::Differs => 4,
            Self::NotComparable(_) => 5,
            Self::NotMeasured(_) => 6,
        }]
    }

    /// Whether our figure was judged.
    pub const fn is_judged(&self) -> bool {
        !matches!(self, Self::NotComparable(_) | Self::NotMeasured(_))
    }

    /// Rank among verdicts on settings of one claim, the worst first.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::NotReached => 0,
            Self::Differs => 1,
            Self::Reached | Self::Agrees => 2,
            _ => 3,
        }
    }

    /// Text of the verdict with its reason.
    pub fn text(&self) -> String {
        match self {
            Self::NotComparable(reason) | Self::NotMeasured(reason) => format!("{}: {reason}", self.kind()),
            _ => self.kind().into(),
        }
    }
}

/// Factor between two figures, whichever is greater, so that a ratio and its inverse have one verdict.
fn apart(ours: f64, paper: f64) -> f64 {
    (ours / paper).max(paper / ours)
}

/// Cores that a row needs, and the host lacks.
#[derive(Clone, Debug, Serialize)]
pub struct Lacking {
    pub wanted: usize,
    pub there: usize,
}

impl Lacking {
    /// What several rows lack, in words; `None` without a row.
    pub fn of_all(all: &[&Self]) -> Option<String> {
        let wanted = || all.iter().map(|lacking| lacking.wanted);
        let (least, most, there) = (wanted().min()?, wanted().max()?, all.first()?.there);
        let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        Some(format!("hardware: {wanted} cores are needed; this host has {there}"))
    }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::of_all(&[self]).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high }
    }

    #[test]
    fn the_whole_interval_decides() {
        assert_eq!(Verdict::of_speed_up(ours(4.4, 4.5, 4.6), 4.37), Verdict::Exceeded);
        assert_eq!(Verdict::of_speed_up(ours(4.3, 4.5, 4.6), 4.37), Verdict::Reached);
        assert_eq!(
            Verdict::of_speed_up(ours(4.1, 4.2, 4.4), 4.37),
            Verdict::NotReached,
            "one round reached it"
        );
        assert_eq!(Verdict::of_speed_up(ours(4.1, 4.2, 4.3), 4.37), Verdict::NotReached);
        assert_eq!(Verdict::of_faster(ours(1.01, 1.1, 1.2)), Verdict::Reached);
        assert_eq!(Verdict::of_faster(ours(0.9, 1.1, 1.2)), Verdict::NotReached);
    }

    #[test]
    fn only_speed_ups_are_exceeded() {
        assert_eq!(Verdict::of_bar(4.5, 4.37), Verdict::Reached);
        assert_eq!(Verdict::of_bar(4.2, 4.37), Verdict::NotReached);
        assert_eq!(Verdict::of_size(100.0, 238.0), Verdict::Differs);
        assert_eq!(Verdict::of_size(238.5, 238.0), Verdict::Agrees);
        assert_eq!(Verdict::of_size(260.0, 238.0), Verdict::Differs);
        // Devlin's table 2: S2 runs at 242 of S1's 418 words a second, S7 at 28.
        assert_eq!(Verdict::of_cost(ours(0.58, 0.58, 0.59), 242.0 / 418.0), Verdict::Agrees);
        assert_eq!(Verdict::of_cost(ours(0.06, 0.09, 0.10), 28.0 / 418.0), Verdict::Differs);
    }

    #[test]
    fn a_ratio_and_its_inverse_have_one_verdict() {
        // Devlin's table 2: S4 runs at 229 of S1's 418 words a second; ours at 0.905 of that ratio.
        let (paper, ratio) = (229.0 / 418.0, 0.905 * 229.0 / 418.0);
        assert_eq!(Verdict::of_cost(Estimate::exactly(ratio), paper), Verdict::Differs);
        assert_eq!(Verdict::of_cost(Estimate::exactly(1.0 / ratio), 1.0 / paper), Verdict::Differs);
        assert_eq!(Verdict::of_size(95.0, 100.0), Verdict::Differs);
    }

    #[test]
    fn opennmts_own_columns_agree() {
        // Transformer base over distill-tiny, on newstest2014 and on newstest2015.
        let [one, other] = [506.67 / 10795.16, 384.76 / 7511.08];
        assert_eq!(Verdict::of_cost(Estimate::exactly(one), other), Verdict::Agrees);
    }
}
